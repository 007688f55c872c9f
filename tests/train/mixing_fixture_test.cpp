// Mixed images, targets and losses against torchvision and PyTorch (tests/fixtures/make_mixing.py
// tells how they were made).

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "data/mixing/mixing.h"
#include "fixtures/formula.h"
#include "ops/mixing.h"
#include "support/places.h"
#include "support/session.h"

namespace convoy {
namespace {

using nlohmann::json;
namespace formula = test::formula;

const json& fixture() {
  static const json all =
      json::parse(read_file(test::source_dir() / "tests/fixtures/mixing.json", Fault::bug));
  return all;
}

Shape shape() {
  const auto s = fixture().at("shape").get<std::vector<int64_t>>();
  return {s[0], s[1], s[2], s[3]};
}
uint64_t seed() { return fixture().at("seed").get<uint64_t>(); }
std::vector<int32_t> labels() { return fixture().at("labels").get<std::vector<int32_t>>(); }

void expect_near(std::span<const float> actual, const json& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(actual[i]), expected[i].get<double>(), tolerance) << i;
  }
}

struct Rows {
  std::vector<int32_t> source, box;
  std::vector<float> share, weight;
};

std::vector<float> mixed(const Rows& rows) {
  const Shape s = shape();
  Graph graph;
  Builder b(graph);
  const Shape four{s[0], 4};
  const Value image = b.input("image", {s}), source = b.input("source", {four, DType::s32});
  const Value box = b.input("box", {four, DType::s32}), share = b.input("share", {four});
  b.output("y", ops::mix_images(b, image, source, box, share));
  test::Session session(test::plan(std::move(graph)));
  const std::vector<float> images = formula::images(seed(), static_cast<size_t>(s.count()));
  session.bind("image", images.data());
  session.bind("source", rows.source.data());
  session.bind("box", rows.box.data());
  session.bind("share", rows.share.data());
  session.run();
  return session.output("y");
}

// The target that the rows make of the labels, written out.
std::vector<float> target(const Rows& rows) {
  const auto classes = fixture().at("classes").get<size_t>();
  const std::vector<int32_t> all = labels();
  std::vector<float> out(all.size() * classes);
  for (size_t i = 0; i < rows.source.size(); ++i) {
    const int32_t label = all[static_cast<size_t>(rows.source[i])];
    out[i / 4 * classes + static_cast<size_t>(label)] += rows.weight[i];
  }
  return out;
}

TEST(MixingFixture, MixupIsThatOfTorchvision) {
  ASSERT_EQ(labels(), formula::labels(seed(), labels().size(), fixture().at("classes").get<int>()));
  for (const json& row : fixture().at("mixup")) {
    const auto lambda = row.at("lambda").get<double>();
    Rows rows;
    const int32_t n = static_cast<int32_t>(shape()[0]);
    for (int32_t i = 0; i < n; ++i) {
      for (const int32_t s : {i, (i + n - 1) % n, i, i}) rows.source.push_back(s);
      for (const double s : {lambda, 1 - lambda, 1.0, 0.0}) {
        rows.share.push_back(static_cast<float>(s));
        rows.weight.push_back(rows.share.size() % 4 == 3 ? 0 : static_cast<float>(s));
      }
      rows.box.insert(rows.box.end(), 4, 0);
    }
    expect_near(mixed(rows), row.at("images"), 1e-6);
    expect_near(target(rows), row.at("targets"), 1e-6);
  }
}

TEST(MixingFixture, CutmixIsThatOfTorchvision) {
  const Shape s = shape();
  for (const json& row : fixture().at("cutmix")) {
    const auto lambda = row.at("lambda").get<double>();
    const MixBox box =
        clipped_box(lambda, (row.at("x").get<double>() + 0.5) / static_cast<double>(s[3]),
                    (row.at("y").get<double>() + 0.5) / static_cast<double>(s[2]), s[2], s[3]);
    const std::vector<int32_t> sides{box.left, box.top, box.right, box.bottom};
    EXPECT_EQ(sides, row.at("box").get<std::vector<int32_t>>()) << lambda;
    const auto kept = static_cast<float>(box.kept(s[2] * s[3]));
    Rows rows;
    const int32_t n = static_cast<int32_t>(s[0]);
    for (int32_t i = 0; i < n; ++i) {
      for (const int32_t from : {i, i, (i + n - 1) % n, i}) rows.source.push_back(from);
      for (const float share : {1.0f, 0.0f, 1.0f, 0.0f}) rows.share.push_back(share);
      for (const float weight : {kept, 0.0f, 1 - kept, 0.0f}) rows.weight.push_back(weight);
      rows.box.insert(rows.box.end(), sides.begin(), sides.end());
    }
    expect_near(mixed(rows), row.at("images"), 0);
    expect_near(target(rows), row.at("targets"), 1e-6);
  }
}

TEST(MixingFixture, LossesOfMixedTargetsAreThoseOfPyTorch) {
  const auto classes = fixture().at("classes").get<int64_t>();
  for (const json& row : fixture().at("losses")) {
    SCOPED_TRACE(row.at("convention").get<std::string>() + row.at("smoothing").dump());
    Rows rows;
    for (const json& r : row.at("source")) {
      for (const json& v : r) rows.source.push_back(v.get<int32_t>());
    }
    for (const json& r : row.at("weight")) {
      for (const json& v : r) rows.weight.push_back(v.get<float>());
    }
    const int64_t n = shape()[0];
    Graph graph;
    Builder b(graph);
    const Value logits = b.param("logits", {n, classes}, {});
    const Value label = b.input("label", {{n}, DType::s32});
    const Value source = b.input("source", {{n, 4}, DType::s32});
    const Value weight = b.input("weight", {{n, 4}}), scale = b.input("loss_scale", {});
    const Value loss = ops::mixed_cross_entropy(
        b, logits, label, source, weight,
        {row.at("smoothing").get<float>(),
         row.at("convention") == "others" ? ops::Smoothing::others : ops::Smoothing::uniform});
    b.output("loss", loss);
    test::Session session(test::plan(std::move(graph), {{loss, 1}}, scale));
    Random values = formula::sequence(seed(), "logits");
    for (float& x : session.param("logits")) x = static_cast<float>(3 * formula::spread(values));
    const std::vector<int32_t> all = labels();
    const float one = 1;
    session.bind("label", all.data());
    session.bind("source", rows.source.data());
    session.bind("weight", rows.weight.data());
    session.bind("loss_scale", &one);
    session.run();
    double mean = 0;
    for (const float x : session.output("loss"))
      mean += static_cast<double>(x) / static_cast<double>(n);
    EXPECT_NEAR(mean, row.at("loss").get<double>(), 1e-6);
    expect_near(session.grad("logits"), row.at("gradient"), 1e-7);
  }
}

}  // namespace
}  // namespace convoy
