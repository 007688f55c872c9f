#include "data/sources/cached_source.h"

namespace convoy {
namespace {

class CachedSource final : public PictureSource {
 public:
  CachedSource(std::unique_ptr<PictureSource> source, FreeMemory free)
      : source_(std::move(source)), kept_(source_->size(), std::move(free)) {}

  int64_t size() const override { return source_->size(); }
  std::vector<std::string> class_names() const override { return source_->class_names(); }
  std::vector<int64_t> class_counts() const override { return source_->class_counts(); }
  bool has_objects() const override { return source_->has_objects(); }
  std::string remark() const override { return source_->remark(); }
  std::string origin(int64_t index) const override { return source_->origin(index); }
  KeptSample kept(int64_t index) const override { return source_->kept(index); }
  int64_t run_length() const override { return source_->run_length(); }
  int64_t decoded_bytes() const override { return source_->decoded_bytes(); }
  void announce_read(int64_t index) const override {
    if (!kept_.find(index)) source_->announce_read(index);
  }

  void read(int64_t index, EncodedPicture& picture) const override {
    if (const EncodedPicture* found = kept_.find(index)) {
      picture = *found;
      return;
    }
    source_->read(index, picture);
    kept_.keep(index, static_cast<int64_t>(picture.bytes.size()), [&] {
      EncodedPicture copy = picture;
      copy.bytes.shrink_to_fit();
      return copy;
    });
  }

 private:
  std::unique_ptr<PictureSource> source_;
  mutable KeepWhileFree<EncodedPicture> kept_;
};

}  // namespace

std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source) {
  return cached(std::move(source), FreeMemory::of_machine());
}

std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source, FreeMemory free) {
  return std::make_unique<CachedSource>(std::move(source), std::move(free));
}

}  // namespace convoy
