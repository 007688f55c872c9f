#include "data/sources/published_set.h"

#include "base/error.h"
#include "data/objects.h"

namespace convoy {
namespace {

class PublishedSet final : public Dataset {
 public:
  PublishedSet(const DatasetDef& def, bool train, const Shape& image)
      : def_(def), train_(train), image_(def.has_pictures ? image : def.published.image) {}

  int64_t size() const override { return train_ ? def_.published.train : def_.published.test; }
  Shape image_shape() const override { return image_; }
  int classes() const override { return def_.published.classes; }
  std::vector<std::string> class_names() const override {
    std::vector<std::string> names;
    for (int i = 0; i < classes(); ++i) names.push_back(fmt::format("class {}", i));
    return names;
  }
  TensorList tensors() const override {
    return def_.published.objects ? object_tensor::fixed() : Dataset::tensors();
  }
  // Small sets are kept in memory, with one byte per label.
  int64_t expected_bytes() const override {
    return def_.has_pictures ? 0 : size() * (image_.count() + 1);
  }

  void read(int64_t, uint64_t, Sample&) const override {
    raise(Fault::usage, "the files of {} are not here; try: --data-dir FOLDER", def_.name);
  }

 private:
  const DatasetDef& def_;
  bool train_;
  Shape image_;
};

}  // namespace

std::unique_ptr<Dataset> published_set(const DatasetDef& def, bool train, const Shape& image) {
  expect(def.published.train > 0, "a set of which sizes were published");
  return std::make_unique<PublishedSet>(def, train, image);
}

}  // namespace convoy
