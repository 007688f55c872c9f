// Evaluations inside of a run: of the weights and of their average, both or none.

#include "train/run_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/run_parts.h"

namespace convoy::test {
namespace {

const std::map<std::string, std::string> with_average{{"ema-decay", "0.9"}};

struct Evaluation {
  RunParts run;
  RunWatch watch{nullptr, 60};
  std::atomic<int> stop{0};
  RunEvaluation evaluation{run.site, watch, stop, [](const Batch::Bad&) {}};

  explicit Evaluation(const TempFolder& folder,
                      const std::map<std::string, std::string>& options = with_average)
      : run(folder.path(), options) {}
};

double loss_of(const EvalDone& done) { return find_metric(done.metrics, "loss")->value; }

TEST(RunEvaluation, OfTheWeightsSaysWhenAndCountsEverySample) {
  const TempFolder folder;
  Evaluation e(folder, {});
  e.run.state.progress.step = 6;
  const auto result = e.evaluation.run(e.run.state.progress, false);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->average);
  EXPECT_EQ(&result->counts(), &result->plain);
  EXPECT_EQ(result->plain.step, 6);
  EXPECT_EQ(result->plain.epoch, 1.5);
  EXPECT_EQ(result->plain.total, e.run.setup.eval_set->size());
  EXPECT_FALSE(result->plain.ema);
  EXPECT_EQ(e.run.heard.of<EvalDone>().size(), 1);
  ASSERT_FALSE(e.run.heard.of<EvalProgress>().empty());
  EXPECT_EQ(e.run.heard.of<EvalProgress>().back().samples, e.run.setup.eval_set->size());
}

TEST(RunEvaluation, TellsWhatItFoundForEachSample) {
  const TempFolder folder;
  Evaluation e(folder, {{"eval-batch-size", "24"}});
  const auto result = e.evaluation.run(e.run.state.progress, false);
  ASSERT_TRUE(result && result->plain.each);
  const std::vector<SampleResult>& each = result->plain.each->all;
  const Dataset& set = *e.run.setup.eval_set;
  EXPECT_EQ(result->plain.each->classes, set.class_names());
  ASSERT_EQ(std::ssize(each), set.size());
  std::vector<uint8_t> pixels(static_cast<size_t>(set.image_shape().count()));
  int64_t right = 0;
  double loss = 0;
  for (size_t i = 0; i < each.size(); ++i) {
    EXPECT_EQ(each[i].index, static_cast<int64_t>(i));
    Sample sample;
    sample.begin(pixels.data());
    set.read(each[i].index, 0, sample);
    EXPECT_EQ(each[i].truth, sample.get<int32_t>("label")[0]);
    EXPECT_GE(each[i].confidence, 1.0 / set.classes());
    EXPECT_LE(each[i].confidence, 1);
    // The loss is that of the true class, so it is known where the prediction is right.
    if (each[i].is_right()) {
      EXPECT_NEAR(std::exp(-each[i].loss), each[i].confidence, 1e-5);
    }
    right += each[i].is_right();
    loss += each[i].loss;
  }
  const Metric& main = *main_metric(result->plain.metrics);
  EXPECT_EQ(right, main.hits);
  EXPECT_NEAR(loss / static_cast<double>(each.size()), loss_of(result->plain), 1e-9);
}

TEST(RunEvaluation, OfTheAverageIsThatOfARunWithTheseWeights) {
  const TempFolder folder;
  Evaluation e(folder);
  const State& state = e.run.network.state();
  for (size_t i = 0; i < state.params().size(); ++i) {
    state.average_params()[i] = 0.5f * state.params()[i];
  }
  std::ranges::copy(state.stats(), state.average_stats().begin());
  const std::vector<float> before = e.run.params();
  const auto both = e.evaluation.run(e.run.state.progress, true);
  ASSERT_TRUE(both && both->average);
  EXPECT_EQ(e.run.params(), before) << "the weights are in place again";
  EXPECT_EQ(&both->counts(), &*both->average);
  EXPECT_TRUE(both->average->ema);
  EXPECT_NE(loss_of(*both->average), loss_of(both->plain));
  const std::vector<EvalDone> told = e.run.heard.of<EvalDone>();
  ASSERT_EQ(told.size(), 2);
  EXPECT_FALSE(told[0].ema);
  EXPECT_TRUE(told[1].ema);

  std::ranges::copy(state.average_params(), state.params().begin());
  const auto plain = e.evaluation.run(e.run.state.progress, false);
  ASSERT_TRUE(plain);
  EXPECT_EQ(loss_of(plain->plain), loss_of(*both->average));
}

// Stops in the plain evaluation, or when the average's has begun: nothing is told in both cases.
TEST(RunEvaluation, ThatASignalEndsTellsNothingAndKeepsTheWeights) {
  for (const int64_t until : {int64_t{0}, int64_t{1}}) {
    const TempFolder folder;
    Evaluation e(folder);
    std::ranges::fill(e.run.network.state().average_params(), 0.25f);
    const std::vector<float> before = e.run.params();
    // Told after each batch; the second evaluation begins when as many samples as there are are
    // done.
    class StopsAt final : public Listener {
     public:
      StopsAt(std::atomic<int>& stop, int64_t evaluations) : stop_(stop), left_(evaluations) {}
      void on(const RunEvent& event) override {
        const auto* progress = std::get_if<EvalProgress>(&event);
        EXPECT_TRUE(progress) << "only progress is told";
        if (progress && left_ == 0) stop_ = 15;
        if (progress && progress->samples == progress->total) --left_;
      }

     private:
      std::atomic<int>& stop_;
      int64_t left_;
    } listener(e.stop, until);
    const RunSite site{e.run.config, e.run.dir, listener, nullptr, e.run.setup, e.run.network};
    RunEvaluation evaluation(site, e.watch, e.stop, [](const Batch::Bad&) {});
    EXPECT_FALSE(evaluation.run(e.run.state.progress, true)) << until;
    EXPECT_EQ(e.stop, 15);
    EXPECT_EQ(e.run.params(), before) << until;
  }
}

}  // namespace
}  // namespace convoy::test
