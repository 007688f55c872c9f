#include "data/sources/cached_source.h"

#include <atomic>

#include "base/process.h"

namespace convoy {
namespace {

class CachedSource final : public PictureSource {
 public:
  CachedSource(std::unique_ptr<PictureSource> source, std::function<int64_t()> free_bytes,
               int64_t reserve)
      : source_(std::move(source)),
        free_bytes_(std::move(free_bytes)),
        reserve_(reserve),
        kept_(std::make_unique<std::atomic<EncodedPicture*>[]>(
            static_cast<size_t>(source_->size()))) {}
  ~CachedSource() override {
    for (int64_t i = 0; i < source_->size(); ++i) delete kept_[static_cast<size_t>(i)].load();
  }

  int64_t size() const override { return source_->size(); }
  std::vector<std::string> class_names() const override { return source_->class_names(); }
  std::vector<int64_t> class_counts() const override { return source_->class_counts(); }
  bool has_objects() const override { return source_->has_objects(); }
  std::string remark() const override { return source_->remark(); }
  std::string origin(int64_t index) const override { return source_->origin(index); }
  KeptSample kept(int64_t index) const override { return source_->kept(index); }
  int64_t run_length() const override { return source_->run_length(); }
  void expect_read(int64_t index) const override {
    if (!in_memory(index)) source_->expect_read(index);
  }

  void read(int64_t index, EncodedPicture& picture) const override {
    if (const EncodedPicture* found = in_memory(index)) {
      picture = *found;
      return;
    }
    source_->read(index, picture);
    if (!has_room(static_cast<int64_t>(picture.bytes.size()))) return;
    auto copy = std::make_unique<EncodedPicture>(picture);
    copy->bytes.shrink_to_fit();
    EncodedPicture* none = nullptr;
    // Another thread may have stored it meanwhile; then its copy stays.
    if (kept_[static_cast<size_t>(index)].compare_exchange_strong(none, copy.get())) copy.release();
  }

 private:
  const EncodedPicture* in_memory(int64_t index) const {
    return kept_[static_cast<size_t>(index)].load(std::memory_order_acquire);
  }

  // Asks the system for free memory every few megabytes.
  bool has_room(int64_t bytes) const {
    constexpr int64_t often = 16 << 20;
    if (full_.load(std::memory_order_relaxed)) return false;
    if (unasked_.fetch_add(bytes) + bytes < often) return true;
    unasked_ = 0;
    if (free_bytes_() >= reserve_) return true;
    full_ = true;
    return false;
  }

  std::unique_ptr<PictureSource> source_;
  std::function<int64_t()> free_bytes_;
  int64_t reserve_;
  std::unique_ptr<std::atomic<EncodedPicture*>[]> kept_;
  mutable std::atomic<int64_t> unasked_{1 << 30};  // so large that the first call asks
  mutable std::atomic<bool> full_{false};
};

}  // namespace

std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source) {
  constexpr int64_t share = 8;
  return cached(
      std::move(source), [] { return free_memory_bytes(); }, memory_limit_bytes() / share);
}

std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source,
                                      std::function<int64_t()> free_bytes, int64_t reserve) {
  return std::make_unique<CachedSource>(std::move(source), std::move(free_bytes), reserve);
}

}  // namespace convoy
