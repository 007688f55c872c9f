// Binds a batch to a plan: each input of the plan reads the batch's tensor of its name.
#pragma once

#include "data/loading/batch.h"
#include "engine/executor.h"

namespace convoy {

// Tensors that the plan does not read are left out. `batch` must stay valid in each run.
inline void bind(Executor& executor, const Batch& batch) {
  for (const NamedTensor& tensor : batch.tensors()) executor.try_bind(tensor.name, tensor.data);
}

}  // namespace convoy
