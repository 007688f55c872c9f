#include "ops/byte_image.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "ops/cases.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/pooling.h"
#include "support/raises.h"
#include "support/session.h"

namespace convoy::test {
namespace {

// Values that no formula would give: the op must read the table.
ops::ByteTables random_tables(int64_t channels) {
  std::vector<float> tables(static_cast<size_t>(channels * 256));
  Random random(random_key(3, Purpose::generated, static_cast<uint64_t>(channels)));
  for (float& value : tables) value = static_cast<float>(random.normal());
  return std::make_shared<const std::vector<float>>(tables);
}

// With a ReLU behind it, which can read bf16.
OpCase byte_image_case(const Shape& shape, bool rectified = false) {
  return {.name = (rectified ? "relu of byte_image " : "byte_image ") + to_string(shape),
          .inputs = {{.shape = shape, .low = 0, .high = 256, .dtype = DType::u8}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                const Value image = ops::byte_image(b, in[0], random_tables(shape[1]));
                return rectified ? ops::relu(b, image) : image;
              },
          .reference =
              [=](std::span<const Doubles> in) {
                const ops::ByteTables tables = random_tables(shape[1]);
                Doubles out(in[0].size());
                for (int64_t n = 0; n < shape[0]; ++n) {
                  for (int64_t c = 0; c < shape[1]; ++c) {
                    for (int64_t y = 0; y < shape[2]; ++y) {
                      for (int64_t x = 0; x < shape[3]; ++x) {
                        const size_t i = at(shape, n, c, y, x);
                        out[i] = static_cast<double>((
                            *tables)[static_cast<size_t>(c * 256) + static_cast<size_t>(in[0][i])]);
                        if (rectified) out[i] = std::max(0.0, out[i]);
                      }
                    }
                  }
                }
                return out;
              },
          .gradient = false,
          .tolerance = 0};
}

std::vector<OpCase> byte_image_cases() {
  std::vector<OpCase> cases;
  // One pixel; planes smaller than a task, and larger than one; neither a multiple of the other.
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, Shape{4, 3, 5, 7}, Shape{8, 3, 33, 31}, Shape{2, 2, 150, 149}}) {
    cases.push_back(byte_image_case(shape));
    cases.push_back(byte_image_case(shape, true));
  }
  return cases;
}

const RegisteredOps registered(ops_of<byte_image_cases>);

TEST(ByteImageOp, LooksEveryPixelUpInTheTableOfItsChannel) {
  for (const OpCase& c : byte_image_cases()) check(c);
}

// In front of what is trained: gradients end at it, and those behind it are the ones they are with
// an input of floats.
TEST(ByteImageOp, NothingFlowsBackThroughIt) {
  const Shape shape{4, 3, 6, 6};
  const ops::ByteTables tables = random_tables(shape[1]);
  std::vector<uint8_t> bytes;
  std::vector<float> floats;
  for (int64_t i = 0; i < shape.count(); ++i) {
    bytes.push_back(static_cast<uint8_t>(i * 89));
    floats.push_back((*tables)[static_cast<size_t>(i / 36 % 3 * 256) + bytes.back()]);
  }
  const auto gradient_of = [&](bool as_bytes) {
    Graph graph;
    Builder b(graph);
    Value x = b.input("image", {shape, as_bytes ? DType::u8 : DType::f32});
    if (as_bytes) x = ops::byte_image(b, x, tables);
    const Value w = b.param("w", {8, 3, 3, 3}, {});
    const Value y = ops::global_avg_pool(b, ops::convolution(b, x, w, {}));
    b.output("y", y);
    const Value scale = b.input("scale", {Shape{}});
    Session session(plan(std::move(graph), {{y}}, scale));
    std::ranges::fill(session.param("w"), 0.5f);
    const float one = 1;
    session.bind("scale", &one);
    session.bind("image", as_bytes ? static_cast<const void*>(bytes.data()) : floats.data());
    session.run();
    const std::span<float> grad = session.grad("w");
    return std::vector<float>(grad.begin(), grad.end());
  };
  const std::vector<float> grad = gradient_of(true);
  EXPECT_EQ(grad, gradient_of(false));
  EXPECT_NE(grad, std::vector<float>(grad.size(), 0.0f));
}

TEST(ByteImageOp, RefusesOtherTypesShapesAndTables) {
  Graph graph;
  Builder b(graph);
  const Value image = b.input("image", {{2, 3, 4, 4}, DType::u8});
  expect_raises(Fault::usage, {"u8 images", "f32"}, [&] {
    ops::byte_image(b, b.input("x", {{2, 3, 4, 4}}), random_tables(3));
  });
  expect_raises(Fault::usage, {"u8 images", "2x3"}, [&] {
    ops::byte_image(b, b.input("y", {{2, 3}, DType::u8}), random_tables(3));
  });
  expect_raises(Fault::usage, {"3 tables", "512"},
                [&] { ops::byte_image(b, image, random_tables(2)); });
  expect_raises(Fault::usage, {"3 tables", "not 0"}, [&] { ops::byte_image(b, image, nullptr); });
}

}  // namespace
}  // namespace convoy::test
