// `forms` columns that several ops share. The first ones are for ops without 16-bit floats; the
// others add the 16-bit types that an op supports.
#pragma once

#include "graph/graph.h"
#include "graph/site.h"
#include "tensor/isa.h"

namespace convoy::ops {

// The 16-bit type that is offered, else fp32.
constexpr DType fp32_or_narrow(DType offered) { return is_narrow(offered) ? offered : DType::f32; }

using FormRule = FormChoice (*)(const Node&, std::span<const TensorType> offered);

// Images blocked, everything else plain.
inline FormChoice blocked_images(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice;
  const auto wanted = [](const TensorType& t) {
    return t.shape.rank() == 4 ? Layout::blocked : Layout::plain;
  };
  for (const TensorType& t : offered) choice.in.push_back({wanted(t), without_16_bit(t.dtype)});
  for (const TensorType& t : n.op->infer(n, offered)) choice.out.push_back(wanted(t));
  return choice;
}

inline FormChoice all_of(Layout layout, const Node& n, std::span<const TensorType> offered) {
  FormChoice choice;
  for (const TensorType& t : offered) choice.in.push_back({layout, without_16_bit(t.dtype)});
  choice.out.assign(n.out.size(), layout);
  return choice;
}

inline FormChoice all_plain(const Node& n, std::span<const TensorType> offered) {
  return all_of(Layout::plain, n, offered);
}

// All values in one layout: blocked if any input is blocked. For ops that map zero to zero, so that
// padded channels stay zero.
inline FormChoice all_alike(const Node& n, std::span<const TensorType> offered) {
  Layout layout = Layout::plain;
  for (const TensorType& type : offered) {
    if (type.layout == Layout::blocked) layout = Layout::blocked;
  }
  return all_of(layout, n, offered);
}

// The same, but plain if channels are padded.
inline FormChoice all_alike_unpadded(const Node& n, std::span<const TensorType> offered) {
  for (const TensorType& type : offered) {
    if (type.shape.rank() == 4 && type.shape[1] % channel_block() != 0) {
      return all_of(Layout::plain, n, offered);
    }
  }
  return all_alike(n, offered);
}

// The op supports 16-bit floats: floats of the shape of input `leader` get its storage type.
template <FormRule rule, size_t leader = 0>
FormChoice stored_as(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice = rule(n, offered);
  const DType type = offered[leader].dtype;
  if (!is_narrow(type)) return choice;
  for (size_t i = 0; i < offered.size(); ++i) {
    const bool floats = offered[i].dtype == DType::f32 || is_narrow(offered[i].dtype);
    if (floats && offered[i].shape == offered[leader].shape) choice.in[i].dtype = type;
  }
  return choice;
}

// The op only moves elements, of any type, if all inputs have the same type.
template <FormRule rule>
FormChoice moved(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice = rule(n, offered);
  for (const TensorType& t : offered) {
    if (t.dtype != offered[0].dtype) return choice;
  }
  for (Form& form : choice.in) form.dtype = offered[0].dtype;
  return choice;
}

}  // namespace convoy::ops
