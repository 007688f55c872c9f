#include "ops/box_heads.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "boxes/default_boxes.h"
#include "ops/cases.h"
#include "ops/elementwise/activation.h"
#include "support/raises.h"
#include "support/session.h"

namespace convoy::test {
namespace {

struct Map {
  int64_t shapes, height, width;
};

OpCase join_case(int64_t n, int64_t columns, const std::vector<Map>& maps,
                 const std::vector<int>& order = {}, bool rectified = false) {
  OpCase c;
  c.name = fmt::format("join {} heads of {} columns{}{}", maps.size(), columns,
                       order.empty() ? "" : " in another order", rectified ? ", rectified" : "");
  for (const Map& m : maps) {
    c.inputs.push_back({.shape = {n, columns * m.shapes, m.height, m.width}, .gap = 1e-3});
  }
  c.build = [=](Builder& b, std::span<const Value> in) {
    Values heads(in.begin(), in.end());
    if (rectified) {
      for (Value& head : heads) head = ops::relu(b, head);
    }
    return ops::join_box_heads(b, heads, columns, order);
  };
  // Written as MLPerf's description has it: view(n, columns, -1), joined, then transposed.
  c.reference = [=, inputs = c.inputs](std::span<const Doubles> in) {
    Doubles rows;
    for (int64_t sample = 0; sample < n; ++sample) {
      for (size_t i = 0; i < maps.size(); ++i) {
        const int64_t boxes = maps[i].shapes * maps[i].height * maps[i].width;
        for (int64_t box = 0; box < boxes; ++box) {
          for (int64_t j = 0; j < columns; ++j) {
            const int64_t column = order.empty() ? j : order[static_cast<size_t>(j)];
            const double x = in[i][static_cast<size_t>((sample * columns + column) * boxes + box)];
            rows.push_back(rectified ? std::max(0.0, x) : x);
          }
        }
      }
    }
    return rows;
  };
  return c;
}

std::vector<OpCase> box_heads_cases() {
  return {join_case(4, 3, {{2, 3, 3}}), join_case(4, 4, {{4, 5, 4}, {6, 2, 2}, {4, 1, 1}}),
          join_case(2, 4, {{4, 3, 5}, {6, 1, 1}}, {1, 0, 3, 2}),
          join_case(1, 21, {{4, 17, 18}, {6, 3, 3}}),
          // The gradient goes to an op that can read bf16, not to a parameter.
          join_case(2, 3, {{4, 5, 4}, {6, 2, 2}}, {}, true)};
}

const RegisteredOps registered(ops_of<box_heads_cases>);

TEST(BoxHeadsOp, AgreesWithPlainLoops) {
  for (const OpCase& c : box_heads_cases()) check(c);
}

TEST(BoxHeadsOp, TheRowsAreInTheOrderOfTheDefaultBoxes) {
  // One column that holds the map, the shape, and the pixel of each box.
  Graph graph;
  Builder b(graph);
  Values maps;
  std::vector<std::vector<float>> data;
  const DefaultBoxSpec& spec = ssd300_boxes();
  for (size_t i = 0; i < spec.maps.size(); ++i) {
    const int64_t cells = spec.maps[i].cells, shapes = std::ssize(spec.maps[i].shapes);
    maps.push_back(b.input(fmt::format("map{}", i), {{1, 2 * shapes, cells, cells}}));
    // Column 0: the box's height, column 1: its centre's row; both as the definition has them.
    std::vector<float>& numbers = data.emplace_back();
    const auto first = static_cast<size_t>(std::accumulate(
        spec.maps.begin(), spec.maps.begin() + static_cast<std::ptrdiff_t>(i), int64_t{0},
        [](int64_t sum, const DefaultBoxMap& m) { return sum + m.boxes(); }));
    const DefaultBoxes boxes(spec);
    for (int64_t shape = 0; shape < shapes; ++shape) {
      const CentredBox& one = boxes.centred()[first + static_cast<size_t>(shape * cells * cells)];
      numbers.insert(numbers.end(), static_cast<size_t>(cells * cells), one.h);
    }
    for (int64_t at = 0; at < shapes * cells * cells; ++at) {
      const double row = static_cast<double>(at / cells % cells);
      numbers.push_back(static_cast<float>((row + 0.5) * spec.maps[i].step / spec.image));
    }
  }
  b.output("rows", ops::join_box_heads(b, maps, 2));
  Session session(plan(std::move(graph)));
  for (size_t i = 0; i < data.size(); ++i) session.bind(fmt::format("map{}", i), data[i].data());
  session.run();
  const std::vector<float> rows = session.output("rows");
  const DefaultBoxes boxes(spec);
  ASSERT_EQ(rows.size(), 2 * static_cast<size_t>(boxes.count()));
  for (size_t i = 0; i < rows.size() / 2; ++i) {
    ASSERT_EQ(rows[2 * i], boxes.centred()[i].h) << i;
    ASSERT_FLOAT_EQ(std::min(rows[2 * i + 1], 1.0f), boxes.centred()[i].cy) << i;
  }
}

TEST(BoxHeadsOp, RefusesHeadsThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const Value head = b.input("head", {{2, 12, 3, 3}}), other = b.input("other", {{1, 12, 3, 3}});
  expect_raises(Fault::usage, {"5 numbers per box"}, [&] { ops::join_box_heads(b, {head}, 5); });
  expect_raises(Fault::usage, {"1x12x3x3"}, [&] { ops::join_box_heads(b, {head, other}, 4); });
}

}  // namespace
}  // namespace convoy::test
