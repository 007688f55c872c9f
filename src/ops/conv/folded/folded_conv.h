// The convolution of plans for inference: weights scaled by the batch norm that followed it, its
// shift and the bias, an image that is added, and the activation, all before the result is stored.
#pragma once

#include "ops/conv/conv_node.h"

namespace convoy::ops {

struct FoldedConvAttrs {
  ConvAttrs conv;
  bool bias = false;  // adds a number per channel
  bool norm = false;  // then normalises with running statistics
  float epsilon = 0;  // of the norm
  bool adds = false;  // then adds an image; only without groups
  onednn::ConvTail::Act act = onednn::ConvTail::Act::none;
};

// in: x, w [, the image that is added] [, bias] [, gamma, beta, running mean, running variance];
// out: y. `adding`: with that image, in whose memory y may be.
extern const OpDef folded_conv_def, adding_folded_conv_def;

// The attributes of the convolution in such a node; null: another node.
const ConvAttrs* folded_conv(const Node& node);

// The rules that make these nodes, of stage `inference`.
std::vector<FusionRule> folded_conv_fusions();

}  // namespace convoy::ops
