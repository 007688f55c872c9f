#include "app/predict/pictures.h"

#include <cstring>

#include "base/error.h"
#include "data/first_samples.h"

namespace convoy {
namespace {

class DatasetPictures final : public Pictures {
 public:
  DatasetPictures(const Dataset& dataset, const AugmentChain& chain, int64_t count, int64_t batch,
                  const LoaderSpec& loader, bool labelled, bool named)
      : first_(dataset, count),
        plan_(evaluation_plan(first_.size(), batch)),
        labelled_(labelled),
        named_(named),
        loader_(first_, chain, plan_, spec(loader, batch)) {}

  int64_t size() const override { return first_.size(); }
  bool labelled() const override { return labelled_; }
  std::string name(int64_t index) const override { return named_ ? first_.origin(index) : ""; }
  const Batch* next() override { return loader_.done() ? nullptr : &loader_.next(); }

 private:
  LoaderSpec spec(LoaderSpec loader, int64_t batch) const {
    loader.batch = batch;
    loader.last_step = plan_.total_steps();
    loader.shuffle = false;
    if (loader.bad == BadSamples::replace) loader.bad = BadSamples::leave_out;
    return loader;
  }

  FirstSamples first_;
  EpochPlan plan_;
  bool labelled_, named_;
  Loader loader_;
};

class FloatPictures final : public Pictures {
 public:
  FloatPictures(const ImageTensor& tensor, int64_t count, int64_t batch)
      : tensor_(tensor),
        size_(std::min(count, tensor.size())),
        batch_size_(batch),
        batch_(classification_tensors(batch, tensor.image())) {
    expect(tensor.dtype == DType::f32 && !tensor.channels_last, "pictures that are no floats");
  }

  int64_t size() const override { return size_; }
  bool labelled() const override { return !tensor_.labels.empty(); }

  const Batch* next() override {
    if (done_ == size_) return nullptr;
    for (const NamedTensor& each : batch_.tensors()) {
      std::memset(each.data, 0, stored_bytes(each.type));
    }
    batch_.valid = std::min(batch_size_, size_ - done_);
    const auto count = static_cast<size_t>(batch_.valid);
    const size_t image_bytes = static_cast<size_t>(tensor_.image().count()) * sizeof(float);
    std::memcpy(batch_.data<float>("image"),
                tensor_.data.data() + static_cast<size_t>(done_) * image_bytes,
                count * image_bytes);
    if (labelled()) {
      std::copy_n(tensor_.labels.begin() + done_, count, batch_.data<int32_t>("label"));
    }
    std::fill_n(batch_.data<float>("weight"), count, 1.0f);
    done_ += batch_.valid;
    return &batch_;
  }

 private:
  const ImageTensor& tensor_;
  int64_t size_, batch_size_, done_ = 0;
  Batch batch_;
};

}  // namespace

std::unique_ptr<Pictures> dataset_pictures(const Dataset& dataset, const AugmentChain& chain,
                                           int64_t count, int64_t batch, const LoaderSpec& loader,
                                           bool labelled, bool named) {
  return std::make_unique<DatasetPictures>(dataset, chain, count, batch, loader, labelled, named);
}

std::unique_ptr<Pictures> float_pictures(const ImageTensor& tensor, int64_t count, int64_t batch) {
  return std::make_unique<FloatPictures>(tensor, count, batch);
}

}  // namespace convoy
