#include "app/bench/conv_lists.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_name.h"
#include "ops/conv/convolution.h"

namespace convoy {
namespace {

struct List {
  std::string_view name;
  int64_t batch;  // 0: ops::usual_images of each
  std::string_view convolutions;
};

constexpr List lists[] = {
    // CIFAR ResNets; at the end those of wide ones.
    {"cifar", 128,
     "3@32x32->16/3x3/s1/p1 16@32x32->16/3x3/s1/p1 16@32x32->32/3x3/s2/p1 32@16x16->32/3x3/s1/p1 "
     "32@16x16->64/3x3/s2/p1 64@8x8->64/3x3/s1/p1 16@32x32->64/1x1/s1/p0 64@32x32->64/3x3/s1/p1 "
     "128@16x16->128/3x3/s1/p1"},
    // ResNet-18, 34 and 50 at 224 pixels.
    {"resnet", 16,
     "3@224x224->64/7x7/s2/p3 64@56x56->64/3x3/s1/p1 64@56x56->128/3x3/s2/p1 "
     "128@28x28->128/3x3/s1/p1 128@28x28->256/3x3/s2/p1 256@14x14->256/3x3/s1/p1 "
     "256@14x14->512/3x3/s2/p1 512@7x7->512/3x3/s1/p1 64@56x56->64/1x1/s1/p0 "
     "64@56x56->256/1x1/s1/p0 256@56x56->64/1x1/s1/p0 256@56x56->512/1x1/s2/p0 "
     "128@28x28->512/1x1/s1/p0 512@28x28->128/1x1/s1/p0 256@14x14->1024/1x1/s1/p0 "
     "1024@14x14->256/1x1/s1/p0 512@7x7->2048/1x1/s1/p0 2048@7x7->512/1x1/s1/p0"},
    // SSD with ResNet-34 at 300 pixels: backbone, extra layers, heads.
    {"ssd", 8,
     "64@75x75->64/3x3/s1/p1 64@75x75->128/3x3/s2/p1 128@38x38->128/3x3/s1/p1 "
     "128@38x38->256/3x3/s1/p1 256@38x38->256/3x3/s1/p1 256@38x38->256/1x1/s1/p0 "
     "256@38x38->512/3x3/s2/p0.0.1.1 512@19x19->256/1x1/s1/p0 128@5x5->256/3x3/s1/p0 "
     "256@38x38->16/3x3/s1/p1 256@38x38->324/3x3/s1/p1 512@19x19->24/3x3/s1/p1 "
     "512@19x19->486/3x3/s1/p1 512@10x10->486/3x3/s1/p1 256@5x5->486/3x3/s1/p1 "
     "256@3x3->324/3x3/s1/p1"},
    // Grouped: ResNeXt-101 32x4d and 32x8d.
    {"grouped", 8,
     "128@56x56->128/3x3/s1/p1/g32 256@56x56->256/3x3/s2/p1/g32 256@28x28->256/3x3/s1/p1/g32 "
     "512@14x14->512/3x3/s1/p1/g32 1024@7x7->1024/3x3/s1/p1/g32 256@56x56->256/3x3/s1/p1/g32"},
    // Depthwise: EfficientNet-B0.
    {"depthwise", 16,
     "32@112x112->32/3x3/s1/p1/g32 96@112x112->96/3x3/s2/p1/g96 144@56x56->144/3x3/s1/p1/g144 "
     "144@56x56->144/5x5/s2/p2/g144 240@28x28->240/5x5/s1/p2/g240 240@28x28->240/3x3/s2/p1/g240 "
     "480@14x14->480/3x3/s1/p1/g480 480@14x14->480/5x5/s1/p2/g480 672@14x14->672/5x5/s1/p2/g672 "
     "672@14x14->672/5x5/s2/p2/g672 1152@7x7->1152/5x5/s1/p2/g1152 "
     "1152@7x7->1152/3x3/s1/p1/g1152"},
    // Shapes between the others, so that a fit of the cost model covers them.
    {"odd", 0,
     "8@48x48->8/3x3/s1/p1 16@24x24->32/3x3/s1/p1 24@28x28->24/3x3/s1/p1 24@56x56->48/3x3/s1/p1 "
     "40@13x13->40/3x3/s1/p1 48@20x20->48/3x3/s1/p1 64@4x4->64/3x3/s1/p1 64@6x6->128/3x3/s1/p1 "
     "96@26x26->96/3x3/s1/p1 100@17x17->60/3x3/s1/p1 128@4x4->128/3x3/s1/p1 "
     "128@112x112->32/3x3/s1/p1 160@10x10->160/3x3/s1/p1 192@13x13->384/3x3/s1/p1 "
     "256@7x7->256/3x3/s1/p1 320@9x9->64/3x3/s1/p1 384@6x6->384/3x3/s1/p1 512@4x4->512/3x3/s1/p1 "
     "32@64x64->32/3x3/s1/p1 512@2x2->512/3x3/s1/p1"},
};

ConvCase case_of(std::string_view name, int64_t batch, const std::string& where) {
  auto shape = ops::conv_by_name(name);
  if (!shape) {
    raise(Fault::usage, "{}: \"{}\" is no convolution; try: 64@56x56->64/3x3/s1/p1", where, name);
  }
  shape->n = batch ? batch : ops::usual_images(*shape);
  // Images have up to three channels and need no gradient.
  return {.shape = *shape, .nodes = {1, shape->ic <= 3 ? 0 : 1, 1}};
}

void add(std::vector<ConvCase>& cases, ConvCase one) {
  const bool known = std::ranges::any_of(cases, [&](const ConvCase& c) {
    return c.shape.n == one.shape.n && ops::conv_name(c.shape) == ops::conv_name(one.shape);
  });
  if (!known) cases.push_back(std::move(one));
}

void read_cases(const fs::path& path, int64_t batch, std::vector<ConvCase>& cases) {
  int number = 0;
  for (const std::string& line : split(read_file(path, Fault::usage), '\n')) {
    ++number;
    for (const std::string& word : split(line.substr(0, line.find('#')), ' ')) {
      if (!word.empty())
        add(cases, case_of(word, batch, fmt::format("{}:{}", path.string(), number)));
    }
  }
  if (cases.empty()) {
    raise(Fault::usage, "{}: names no convolution; try: a line 64@56x56->64/3x3/s1/p1",
          path.string());
  }
}

}  // namespace

std::vector<std::string> conv_list_names() {
  std::vector<std::string> names;
  for (const List& list : lists) names.emplace_back(list.name);
  names.emplace_back("all");
  return names;
}

std::vector<ConvCase> listed_convs(const std::string& list_or_file, int64_t batch) {
  std::vector<ConvCase> cases;
  for (const List& list : lists) {
    if (list_or_file != list.name && list_or_file != "all") continue;
    for (const std::string& name : split(list.convolutions, ' ')) {
      add(cases, case_of(name, batch ? batch : list.batch, std::string(list.name)));
    }
  }
  if (!cases.empty()) return cases;
  std::error_code ignored;
  if (!fs::is_regular_file(list_or_file, ignored)) {
    raise(Fault::usage, "--shapes {}: neither a list nor a file; try: {}", list_or_file,
          join(conv_list_names(), ", "));
  }
  read_cases(list_or_file, batch, cases);
  return cases;
}

std::vector<ConvCase> convs_of(const Plan& plan) {
  std::vector<ConvCase> cases;
  for (const PlanOp& op : plan.ops) {
    const auto call = ops::conv_call(plan.graph, op.node);
    if (!call) continue;
    const std::string name = ops::conv_name(call->shape);
    auto at = std::ranges::find_if(
        cases, [&](const ConvCase& c) { return ops::conv_name(c.shape) == name; });
    if (at == cases.end()) {
      cases.push_back({call->shape, plan.graph.replicas, {0, 0, 0}});
      at = cases.end() - 1;
    }
    ++at->nodes[static_cast<size_t>(call->pass)];
  }
  return cases;
}

}  // namespace convoy
