// Floats in memory whose storage type is known when the plan is made: how a kernel that works on
// fp32 and on 16-bit floats accesses them, and how it converts between the two.
#pragma once

#include <cstring>

#include "graph/op.h"
#include "kernels/cast.h"

namespace convoy::ops {

// Input i of a kernel, in fp32, bf16 or fp16. Offsets are counted in elements.
class StoredIn {
 public:
  StoredIn(const KernelSite& site, int i) : type_(site.in[static_cast<size_t>(i)].dtype) {
    if (type_ == DType::bf16) {
      bf16_ = site.input<Bf16>(i);
    } else if (type_ == DType::f16) {
      f16_ = site.input<F16>(i);
    } else {
      wide_ = site.input<float>(i);
    }
  }
  DType type() const { return type_; }
  const std::byte* at(const KernelArgs& args, int64_t element = 0) const {
    if (type_ == DType::bf16) return reinterpret_cast<const std::byte*>(bf16_(args) + element);
    if (type_ == DType::f16) return reinterpret_cast<const std::byte*>(f16_(args) + element);
    return reinterpret_cast<const std::byte*>(wide_(args) + element);
  }

 private:
  DType type_;
  In<float> wide_;
  In<Bf16> bf16_;
  In<F16> f16_;
};

// Output i, with the same rules.
class StoredOut {
 public:
  StoredOut(const KernelSite& site, int i) : type_(site.out[static_cast<size_t>(i)].dtype) {
    if (type_ == DType::bf16) {
      bf16_ = site.output<Bf16>(i);
    } else if (type_ == DType::f16) {
      f16_ = site.output<F16>(i);
    } else {
      wide_ = site.output<float>(i);
    }
  }
  DType type() const { return type_; }
  std::byte* at(const KernelArgs& args, int64_t element = 0) const {
    if (type_ == DType::bf16) return reinterpret_cast<std::byte*>(bf16_(args) + element);
    if (type_ == DType::f16) return reinterpret_cast<std::byte*>(f16_(args) + element);
    return reinterpret_cast<std::byte*>(wide_(args) + element);
  }

 private:
  DType type_;
  Out<float> wide_;
  Out<Bf16> bf16_;
  Out<F16> f16_;
};

// Copies elements of type `stored` to fp32.
inline void widen(DType stored, const std::byte* from, int64_t count, float* to) {
  if (stored == DType::bf16) {
    kernels::bf16_to_f32(reinterpret_cast<const uint16_t*>(from), to, count);
  } else if (stored == DType::f16) {
    kernels::f16_to_f32(reinterpret_cast<const uint16_t*>(from), to, count);
  } else {
    std::memcpy(to, from, float_bytes(count));
  }
}

// Copies fp32 to elements of type `stored`, rounding to nearest even.
inline void narrow(DType stored, const float* from, int64_t count, std::byte* to) {
  if (stored == DType::bf16) {
    kernels::f32_to_bf16(from, reinterpret_cast<uint16_t*>(to), count);
  } else if (stored == DType::f16) {
    kernels::f32_to_f16(from, reinterpret_cast<uint16_t*>(to), count);
  } else {
    std::memcpy(to, from, float_bytes(count));
  }
}

}  // namespace convoy::ops
