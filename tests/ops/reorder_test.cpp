#include "ops/reorder.h"

#include <gtest/gtest.h>

#include "support/session.h"
#include "tensor/isa.h"

namespace convoy::test {
namespace {

// Plain to blocked: the element lies where the layout says, and padding is zero.
TEST(ReorderOp, BlockedMeansBlocksOfChannelsInnermost) {
  const int64_t block = channel_block();
  for (const Shape& s : {Shape{2, 5, 3, 4}, Shape{3, 16, 2, 2}, Shape{1, 33, 1, 5}}) {
    std::vector<float> x(static_cast<size_t>(s.count()));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
    Graph graph;
    Builder b(graph);
    const Value y = ops::reorder(b, b.input("x", {s}), Layout::blocked);
    b.output("y", ops::reorder(b, y, Layout::plain));
    // The kernel alone: the layout pass would put more reorders around.
    KernelSite site{.in = {{s}}, .out = {{s, DType::f32, Layout::blocked}}, .replicas = 1};
    const auto kernel = ops::reorder_def.kernel(graph.producer(y), site);
    std::vector<float> out(static_cast<size_t>(stored_count(site.out[0])), -7.0f);
    std::byte* in_data = reinterpret_cast<std::byte*>(x.data());
    std::byte* out_data = reinterpret_cast<std::byte*>(out.data());
    for (int task = 0; task < kernel->tasks(0); ++task)
      kernel->run(0, task, {{&in_data, 1}, {&out_data, 1}, nullptr, nullptr, 0});
    const int64_t blocks = divide_up(s[1], block), pixels = s[2] * s[3];
    for (int64_t n = 0; n < s[0]; ++n) {
      for (int64_t c = 0; c < blocks * block; ++c) {
        for (int64_t p = 0; p < pixels; ++p) {
          const int64_t at = ((n * blocks + c / block) * pixels + p) * block + c % block;
          const float want = c < s[1] ? x[static_cast<size_t>((n * s[1] + c) * pixels + p)] : 0.0f;
          ASSERT_EQ(out[static_cast<size_t>(at)], want) << n << " " << c << " " << p;
        }
      }
    }
  }
}

TEST(ReorderOp, ThereAndBackIsTheSame) {
  for (const DType type : {DType::f32, DType::bf16, DType::u8, DType::s64}) {
    const Shape s{3, 19, 4, 5};
    std::vector<std::byte> x(static_cast<size_t>(s.count()) * bytes_per_element(type));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::byte>(i * 37 + i / 256);
    Graph graph;
    Builder b(graph);
    const TensorType plain{s, type}, blocked{s, type, Layout::blocked};
    const Value y = ops::reorder(b, b.input("x", plain), Layout::blocked);
    const Value z = ops::reorder(b, y, Layout::plain);
    std::vector<std::byte> middle(stored_bytes(blocked)), back(x.size());
    const auto run = [&](Value v, const TensorType& from, const TensorType& to,
                         std::vector<std::byte>& in, std::vector<std::byte>& out) {
      const auto kernel = ops::reorder_def.kernel(
          graph.producer(v), KernelSite{.in = {from}, .out = {to}, .replicas = 1});
      std::byte* in_data = in.data();
      std::byte* out_data = out.data();
      for (int task = 0; task < kernel->tasks(0); ++task)
        kernel->run(0, task, {{&in_data, 1}, {&out_data, 1}, nullptr, nullptr, 0});
    };
    run(y, plain, blocked, x, middle);
    run(z, blocked, plain, middle, back);
    EXPECT_EQ(back, x) << name(type);
  }
}

}  // namespace
}  // namespace convoy::test
