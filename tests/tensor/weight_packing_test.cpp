#include "tensor/weight_packing.h"

#include <gtest/gtest.h>

#include <set>

#include "tensor/onednn.h"

namespace convoy {
namespace {

// Packs and unpacks weights whose values say where they were.
void expect_round_trip(const WeightPacking& packing, int64_t floats) {
  ASSERT_EQ(packing.plain_count(), floats);
  ASSERT_GE(packing.packed_count(), floats);
  EXPECT_EQ(packing.has_padding(), packing.packed_count() > floats);
  std::vector<float> plain(static_cast<size_t>(floats)), back(plain.size(), -1.0f);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<float>(i + 1);
  std::vector<float> packed(static_cast<size_t>(packing.packed_count()), 0.0f);
  for (int task = 0; task < packing.tasks(); ++task)
    packing.pack(task, plain.data(), reinterpret_cast<std::byte*>(packed.data()));
  // No two elements in one place.
  std::multiset<float> kept(packed.begin(), packed.end());
  kept.erase(0.0f);
  EXPECT_EQ(kept.size(), plain.size());
  for (int task = 0; task < packing.tasks(); ++task)
    packing.unpack(task, packed.data(), back.data());
  EXPECT_EQ(back, plain);
}

TEST(WeightPacking, RoundTripsWhateverOneDnnChooses) {
  using onednn::Convolution;
  using onednn::ConvPass;
  using onednn::ConvShape;
  for (const int64_t in : {1, 3, 5, 16, 17, 24, 64}) {
    for (const int64_t out : {1, 8, 17, 32, 48}) {
      for (const int64_t window : {1, 3, 7}) {
        const Layout x = in <= 3 ? Layout::plain : Layout::blocked;
        const ConvShape s{.n = 2,
                          .ic = in,
                          .ih = 9,
                          .iw = 9,
                          .oc = out,
                          .oh = 10 - window,
                          .ow = 10 - window,
                          .kh = window,
                          .kw = window,
                          .x = x};
        for (const ConvPass pass :
             {ConvPass::forward, ConvPass::grad_input, ConvPass::grad_weights}) {
          expect_round_trip(Convolution(s, pass).packing(), in * out * window * window);
        }
      }
    }
  }
}

TEST(WeightPacking, RoundTripsGroups) {
  for (const int64_t groups : {2, 8, 32}) {
    for (const int64_t width : {1, 4, 16}) {
      const int64_t channels = groups * width;
      const Layout layout = width == 4 ? Layout::plain : Layout::blocked;
      if (layout == Layout::blocked && channels % 16 != 0) continue;
      const onednn::ConvShape s{.n = 1,
                                .ic = channels,
                                .ih = 6,
                                .iw = 6,
                                .oc = channels,
                                .oh = 4,
                                .ow = 4,
                                .kh = 3,
                                .kw = 3,
                                .groups = groups,
                                .x = layout,
                                .y = layout};
      expect_round_trip(onednn::Convolution(s, onednn::ConvPass::forward).packing(),
                        channels * width * 9);
    }
  }
}

// [o / 2][i][position][2], three outputs padded to four: done by hand.
TEST(WeightPacking, PutsElementsWhereTheTermsSay) {
  const WeightPacking packing({0, 1, 4}, {0, 2}, {0}, 8);
  const std::vector<float> plain{10, 11, 20, 21, 30, 31};
  std::vector<float> packed(8, 0.0f);
  ASSERT_EQ(packing.tasks(), 1);
  packing.pack(0, plain.data(), reinterpret_cast<std::byte*>(packed.data()));
  EXPECT_EQ(packed, (std::vector<float>{10, 20, 11, 21, 30, 0, 31, 0}));
  EXPECT_TRUE(packing.has_padding());
}

}  // namespace
}  // namespace convoy
