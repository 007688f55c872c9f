// Encoded pictures as images of one size: decodes and resizes only the part that the view needs.
// If the source knows that all its pictures fit into memory decoded, they are kept so after their
// first read; otherwise encoded, as long as memory is free.
// Samples have a label, or the tensors of data/objects.h if the source has objects. Owns the
// source.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "data/dataset.h"
#include "data/sources/keep_while_free.h"
#include "data/sources/picture_source.h"
#include "data/views/view_maker.h"

namespace convoy {

class PictureDataset final : public Dataset {
 public:
  PictureDataset(std::unique_ptr<PictureSource> source, const PictureSpec& spec,
                 const FreeMemory& free = FreeMemory::of_machine());
  ~PictureDataset() override;

  int64_t size() const override { return source_->size(); }
  Shape image_shape() const override { return {spec_.channels, spec_.size, spec_.size}; }
  DType image_type() const override { return view_def_.floats ? DType::f32 : DType::u8; }
  int classes() const override;
  std::vector<std::string> class_names() const override;
  std::vector<int64_t> class_counts() const override { return source_->class_counts(); }
  TensorList tensors() const override;
  void read(int64_t index, uint64_t key, Sample& sample) const override;
  std::string remark() const override { return source_->remark(); }
  std::string origin(int64_t index) const override { return source_->origin(index); }
  KeptSample kept(int64_t index) const override { return source_->kept(index); }
  uint64_t content_hash(int64_t index) const override;
  void announce_read(int64_t index) const override { source_->announce_read(index); }
  int64_t run_length() const override { return source_->run_length(); }

 private:
  // The memory of a read, reused by later reads.
  struct Workplace;
  // A picture without its encoded bytes.
  struct Decoded {
    EncodedPicture picture;
    Pixels pixels;
  };
  void read_encoded(int64_t index, uint64_t key, Workplace& place, Sample& sample) const;
  void read_decoded(int64_t index, uint64_t key, Workplace& place, Sample& sample) const;
  void add_tensors(const EncodedPicture& picture, int64_t width, int64_t height,
                   const std::string& origin, Sample& sample) const;
  void make_image(const Pixels& pixels, Workplace& place, Sample& sample) const;
  std::unique_ptr<Workplace> take() const;
  void give_back(std::unique_ptr<Workplace> place) const;

  std::unique_ptr<PictureSource> source_;
  PictureSpec spec_;
  const ViewDef& view_def_;
  std::unique_ptr<ViewMaker> view_;
  mutable std::unique_ptr<KeepWhileFree<Decoded>> decoded_;  // null: they do not fit
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workplace>> idle_;
};

}  // namespace convoy
