// `convoy eval --results` as people run it.

#include <gtest/gtest.h>

#include "app/eval/precision_plots.h"
#include "pictures/png.h"
#include "support/fixture.h"
#include "support/run_files.h"

namespace convoy::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ScoreResultsRun : public testing::Test {
 protected:
  ScoreResultsRun() {
    const Json all =
        Json::parse(read_file(fixture_path("coco_scores/without_truth.json"), Fault::bug));
    expected_ = all.at("expected");
    truth_ = all.at("annotations");
    results_ = all.at("results");
    write("truth.json", truth_);
    write("found.json", results_);
  }
  void write(const std::string& name, const Json& json) const {
    write_atomically(folder_ / name, json.dump(), Fault::bug);
  }
  Finished score(const Arguments& more = {}) const {
    return run_convoy(
        joined({"eval", "--results", "found.json", "--annotations", "truth.json"}, more),
        folder_.path());
  }

  TempFolder folder_;
  Json expected_, truth_, results_;
};

TEST_F(ScoreResultsRun, PrintsTheNumbersOfPycocotoolsAsJson) {
  const Finished end = score({"--json"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.err, "");
  EXPECT_EQ(lines_of(end.out).size(), 1u);
  const Json json = Json::parse(end.out);
  for (const auto& [key, value] : expected_.at("numbers").items()) {
    EXPECT_NEAR(json.at(key).get<double>(), value.get<double>(), 1e-9) << key;
  }
  EXPECT_EQ(json.at("images"), truth_.at("images").size());
  EXPECT_EQ(json.at("objects").get<size_t>() + json.at("crowds").get<size_t>(),
            truth_.at("annotations").size());
  EXPECT_EQ(json.at("detections"), results_.size());
  EXPECT_NEAR(json.at("AP_of_truth").get<double>(), 1, 1e-9);
  const Json& classes = json.at("classes");
  ASSERT_EQ(classes.size(), truth_.at("categories").size());
  for (size_t i = 0; i < classes.size(); ++i) {
    EXPECT_EQ(classes[i].at("id"), truth_["categories"][i]["id"]);
    EXPECT_EQ(classes[i].at("name"), truth_["categories"][i]["name"]);
    EXPECT_NEAR(classes[i].at("AP").get<double>(), expected_["classes"][i][0].get<double>(), 1e-9);
    EXPECT_NEAR(classes[i].at("AP50").get<double>(), expected_["classes"][i][1].get<double>(),
                1e-9);
  }
  EXPECT_EQ(score({"--json", "--threads", "1"}).out, end.out);
}

TEST_F(ScoreResultsRun, PrintsTwelveNumbersAndALineForEachClass) {
  truth_["categories"].push_back({{"id", 999}, {"name", "never seen"}});
  truth_["categories"][1]["name"] = "two\nlines";
  write("truth.json", truth_);
  const Finished end = score();
  ASSERT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = lines_of(end.out);
  ASSERT_EQ(lines.size(), 2u + 12 + 2 + 5 + 1);
  EXPECT_TRUE(has(lines[2], fmt::format("{:.5f}", expected_["numbers"]["AP"].get<double>())));
  EXPECT_TRUE(has(lines[2], "mean over IoU 0.50 to 0.95"));
  EXPECT_TRUE(has(lines[15], "objects"));
  EXPECT_TRUE(has(lines[16], " -")) << lines[16];  // it has no objects
  EXPECT_TRUE(has(lines[17], "two\\nlines"));
  EXPECT_EQ(lines.back(), "1 more classes have neither objects nor detections");
}

TEST_F(ScoreResultsRun, DrawsACurveForEachClassThatHasObjects) {
  const Finished end = score({"--plots", "a/b"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(has(end.out, "Wrote 4 pictures to a/b"));
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "a/b")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "precision-recall.png" || name.starts_with("class-")) << name;
    EXPECT_EQ(inspect_png(read_file(entry.path(), Fault::bug), name).width, 1000);
    ++files;
  }
  EXPECT_EQ(files, 4u);
}

TEST_F(ScoreResultsRun, WarnsOfTruthThatCannotBeReached) {
  truth_["annotations"][0]["iscrowd"] = 0;
  truth_["annotations"][0]["bbox"] = {1, 2, 0, 5};
  truth_["annotations"][1]["id"] = 0;
  write("truth.json", truth_);
  const Finished end = score({"--json"});
  ASSERT_EQ(end.code, 0) << end.err;
  ASSERT_EQ(lines_of(end.err).size(), 2u) << end.err;
  EXPECT_TRUE(has(lines_of(end.err)[0], "an annotation has the id 0")) << end.err;
  EXPECT_TRUE(has(lines_of(end.err)[1], "1 have empty boxes")) << end.err;
}

TEST_F(ScoreResultsRun, RefusesWhatHasNoMeaning) {
  const auto refused = [&](const Arguments& more, int code, const std::string& words) {
    const Finished end = run_convoy(joined({"eval"}, more), folder_.path());
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_TRUE(has(end.err, words)) << end.err;
    EXPECT_EQ(end.out, "");
    EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
  };
  const Arguments both{"--results", "found.json", "--annotations", "truth.json"};
  refused({"--results", "found.json"}, 2, "needs --annotations FILE.json");
  refused({"--annotations", "truth.json"}, 2, "needs --results FILE.json");
  refused({"--plots", "a"}, 2, "needs --results FILE.json");
  refused(joined(both, {"--checkpoint", "x"}), 2, "--checkpoint evaluates a network and --results");
  refused(joined(both, {"--split", "train"}), 2, "split \"train\" (command line) has no meaning");
  refused(joined(both, {"--all"}), 2, "all");
  refused(joined(both, {"word"}), 2, "word");
  refused({"--results", "none.json", "--annotations", "truth.json"}, 3, "none.json");
  refused({"--results", "truth.json", "--annotations", "truth.json"}, 3, "is not a list");
  refused({"--results", "found.json", "--annotations", "found.json"}, 3, "is not an object");
  results_[3]["score"] = nullptr;
  write("found.json", results_);
  refused(both, 3, "entry 3 has \"score\" that is not a number");
}

TEST(PrecisionPlots, NamesOfCategoriesAreSafeInFileNames) {
  EXPECT_EQ(file_word("Traffic light"), "traffic-light");
  EXPECT_EQ(file_word("../a/b\n"), "---a-b-");
  EXPECT_EQ(file_word("ä1"), "--1");
  EXPECT_EQ(file_word(std::string(300, 'x')).size(), 40u);
}

}  // namespace
}  // namespace convoy::test
