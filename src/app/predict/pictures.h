// Where the pictures that a network classifies come from, batch by batch.
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
  // Whether the labels of the batches are the pictures' own; otherwise they are 0.
  virtual bool labelled() const = 0;
  // Where picture i comes from; empty: nobody knows.
  virtual std::string name(int64_t index) const {
    (void)index;
    return "";
  }
  // The next batch, as classification_tensors has it, valid until the next call; null after the
  // last.
  virtual const Batch* next() = 0;
};

// The first `count` images of a dataset, preprocessed by `chain`. Borrows both. `named`: the
// dataset knows where each comes from.
std::unique_ptr<Pictures> dataset_pictures(const Dataset& dataset, const AugmentChain& chain,
                                           int64_t count, int64_t batch, const LoaderSpec& loader,
                                           bool labelled, bool named);

// The first `count` of f32 [n, c, h, w], as they are. Borrows.
std::unique_ptr<Pictures> float_pictures(const ImageTensor& tensor, int64_t count, int64_t batch);

}  // namespace convoy
