// Layout columns that several ops share.
#pragma once

#include "graph/graph.h"
#include "tensor/isa.h"

namespace convoy::ops {

// Images blocked, everything else plain.
inline LayoutChoice blocked_images(const Node& n, std::span<const TensorType> offered) {
  LayoutChoice choice;
  const auto wanted = [](const TensorType& t) {
    return t.shape.rank() == 4 ? Layout::blocked : Layout::plain;
  };
  for (const TensorType& t : offered) choice.in.push_back(wanted(t));
  for (const TensorType& t : n.op->infer(n, offered)) choice.out.push_back(wanted(t));
  return choice;
}

// All of one layout: blocked as soon as one input comes so. For ops that map zero to zero, so that
// the padding of channels stays zero.
inline LayoutChoice all_alike(const Node& n, std::span<const TensorType> offered) {
  Layout layout = Layout::plain;
  for (const TensorType& type : offered) {
    if (type.layout == Layout::blocked) layout = Layout::blocked;
  }
  return {std::vector(n.in.size(), layout), std::vector(n.out.size(), layout)};
}

// The same, but only when there is no padding.
inline LayoutChoice all_alike_unpadded(const Node& n, std::span<const TensorType> offered) {
  for (const TensorType& type : offered) {
    if (type.shape.rank() == 4 && type.shape[1] % channel_block() != 0) {
      return {std::vector(n.in.size(), Layout::plain), std::vector(n.out.size(), Layout::plain)};
    }
  }
  return all_alike(n, offered);
}

}  // namespace convoy::ops
