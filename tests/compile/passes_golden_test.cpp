// The graphs of three networks after every pass, as text: a change of a pass shows here line by
// line. The networks are of the catalogue, so models show here too.

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "models/model.h"
#include "ops/norm/batch_norm_span.h"
#include "ops/vocabulary.h"
#include "support/golden.h"
#include "train/tasks/task.h"

namespace convoy::test {
namespace {

// Only what a pass changed: passes that change nothing would repeat the whole graph.
struct Dump {
  std::string text, last;

  void add(const std::string& title, const std::string& graph) {
    text += "# " + title + "\n" + (graph == last ? "as before\n" : graph) + "\n";
    last = graph;
  }
};

struct Network {
  const char* model;
  int64_t size;
  int classes;
  bool train = true;
  int64_t span = 0;  // above 0: replicas of a group of this size
};

void expect_passes(const Network& network, const std::string& file) {
  const FoundModel model = find_model(network.model);
  const auto task = make_task({.model = model, .classes = network.classes});
  TaskGraph graph = task->build({.batch = 2,
                                 .image = {model.family.channels, network.size, network.size},
                                 .train = network.train});
  Dump dump;
  CompileOptions options{.losses = graph.losses, .loss_scale = graph.loss_scale};
  options.vocabulary = ops::vocabulary();
  options.watch.dump = {"all"};
  options.watch.print = [&](const std::string& title, const std::string& text) {
    dump.add(title, text);
  };
  if (network.span) {
    options.distribute = [&](Graph& g) { ops::insert_span_exchanges(g, network.span); };
  }
  compile(std::move(graph.graph), options);
  expect_golden(file, dump.text);
}

TEST(PassesGolden, OfAResNetForTraining) {
  expect_passes({"cifar_resnet8", 32, 10}, "passes_cifar_resnet8.txt");
}

TEST(PassesGolden, OfAResNetWhoseReplicasShareStatistics) {
  expect_passes({"cifar_resnet8_projection", 16, 10, true, 2}, "passes_projection_span.txt");
}

TEST(PassesGolden, OfANetworkOfConcatenationsInEvaluation) {
  expect_passes({"squeezenet1_1", 64, 7, false}, "passes_squeezenet_eval.txt");
}

}  // namespace
}  // namespace convoy::test
