// A source of pictures to classify, batch by batch.
#pragma once

#include <memory>

#include "app/predict/image_tensor.h"
#include "data/augment/augment_chain.h"
#include "data/loading/batch.h"
#include "data/loading/loader.h"

namespace convoy {

class Pictures {
 public:
  virtual ~Pictures() = default;
  virtual int64_t size() const = 0;
  // Whether the labels of the batches are known; otherwise they are 0.
  virtual bool labelled() const = 0;
  // The file of picture i; empty: unknown.
  virtual std::string name(int64_t index) const {
    (void)index;
    return "";
  }
  // The next batch in the form of classification_tensors, valid until the next call; null at the
  // end.
  virtual const Batch* next() = 0;
};

// The first `count` images of a dataset, preprocessed by `chain`. Borrows both. `named`: the
// dataset knows the file of each image.
std::unique_ptr<Pictures> dataset_pictures(const Dataset& dataset, const AugmentChain& chain,
                                           int64_t count, int64_t batch, const LoaderSpec& loader,
                                           bool labelled, bool named);

// The first `count` images of an f32 tensor [n, c, h, w], unchanged. Borrows it.
std::unique_ptr<Pictures> float_pictures(const ImageTensor& tensor, int64_t count, int64_t batch);

}  // namespace convoy
