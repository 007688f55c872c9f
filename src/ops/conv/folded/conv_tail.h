// What a kernel reads for its tail (onednn::ConvTail): input 2 is the shift, fp32, with zeros for
// padded channels; input 3 is the image that is added, like y and perhaps in its memory.
#pragma once

#include <optional>

#include "kernels/norm.h"
#include "ops/stored.h"
#include "tensor/onednn.h"

namespace convoy::ops {

class TailInputs {
 public:
  TailInputs(const KernelSite& site, const onednn::ConvTail& tail) : act_(tail.act) {
    if (tail.shift) shift_ = site.input<float>(2);
    if (tail.adds) residual_.emplace(site, 3);
  }
  // Whether there is a tail.
  explicit operator bool() const { return static_cast<bool>(shift_); }
  const float* shift(const KernelArgs& args, int64_t channel) const {
    return shift_ ? shift_(args) + channel : nullptr;
  }
  // Null: nothing is added.
  const std::byte* residual(const KernelArgs& args, int64_t element) const {
    return residual_ ? residual_->at(args, element) : nullptr;
  }
  kernels::NormAct act() const {
    using Act = onednn::ConvTail::Act;
    return act_ == Act::relu    ? kernels::NormAct::relu
           : act_ == Act::swish ? kernels::NormAct::swish
                                : kernels::NormAct::none;
  }

 private:
  In<float> shift_;
  std::optional<StoredIn> residual_;
  onednn::ConvTail::Act act_;
};

}  // namespace convoy::ops
