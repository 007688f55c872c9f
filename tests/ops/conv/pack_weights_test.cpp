// Weights packed in vectors are bit for bit those that WeightPacking packs one by one.

#include "ops/conv/pack_weights.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "ops/conv/conv_name.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"

namespace convoy::ops {
namespace {

using onednn::Convolution;
using onednn::ConvPass;
using onednn::ConvShape;

void expect_same(const ConvShape& s, ConvPass pass) {
  const Convolution convolution(s, pass);
  const WeightPacking& packing = convolution.packing();
  std::vector<float> plain(static_cast<size_t>(packing.plain_count()));
  Random random(packing.tasks());
  for (float& v : plain) v = static_cast<float>(random.normal());
  std::vector<std::byte> one_by_one(packing.packed_bytes()), vectors(one_by_one.size());
  for (int task = 0; task < packing.tasks(); ++task) {
    packing.pack(task, plain.data(), one_by_one.data());
    pack_weights(packing, task, plain.data(), vectors.data());
  }
  EXPECT_EQ(vectors, one_by_one) << conv_name(s) << " " << pass_name(pass);
  if (packing.type() != DType::f32) return;
  std::vector<float> back(plain.size(), -1.0f);
  for (int task = 0; task < packing.tasks(); ++task) {
    unpack_weights(packing, task, reinterpret_cast<const float*>(vectors.data()), back.data());
  }
  EXPECT_EQ(back, plain) << conv_name(s) << " " << pass_name(pass);
}

TEST(PackWeights, AreThoseOfWeightPacking) {
  for (const char* name :
       {"16@9x9->16/1x1/s1/p0", "64@9x9->48/3x3/s1/p1", "24@9x9->40/3x3/s2/p1",
        "17@9x9->16/5x5/s1/p2", "64@9x9->64/3x3/s1/p1/g2", "80@4x4->33/1x1/s1/p0",
        "320@4x4->32/1x1/s1/p0", "32@9x9->16/7x7/s2/p3"}) {
    for (const bool narrow : {false, true}) {
      ConvShape s = *conv_by_name(name);
      if (narrow && !has_bf16_products(isa_level())) continue;
      if (narrow) s.stored = DType::bf16;
      for (const ConvPass pass : conv_passes) expect_same(s, pass);
    }
  }
}

}  // namespace
}  // namespace convoy::ops
