// src/report/runs/: reading run folders that are written, cut, damaged or none.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/process.h"
#include "report/runs/find_runs.h"
#include "report/runs/run_curves.h"
#include "report/runs/run_facts.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using News = FollowedFile::News;

void write(const fs::path& path, const std::string& text, bool append = false) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, append ? std::ios::app : std::ios::trunc) << text;
}

std::string train_line(int step, double loss) {
  return fmt::format(R"({{"event":"train","epoch":{},"step":{},"loss":{},"lr":0.1,"t":{}}})"
                     "\n",
                     step / 10.0, step, loss, 1000 + step);
}

const std::string start_line =
    R"({"event":"run_start","model":"m\u001b[1m","dataset":"d","total_steps":100,"t":1000})"
    "\n";

TEST(FollowedFile, GivesCompleteLinesOnce) {
  const test::TempFolder folder;
  const fs::path path = folder / "log";
  FollowedFile file(path);
  std::string seen;
  const auto read = [&] {
    return file.read([&] { seen = "|"; },
                     [&](std::string_view line) {
                       seen += line;
                       seen += ";";
                     });
  };
  EXPECT_EQ(read(), News::gone);
  write(path, "a\nb\nhalf");
  EXPECT_EQ(read(), News::more);
  EXPECT_EQ(seen, "a;b;");
  EXPECT_EQ(read(), News::none);
  write(path, " line\n", true);
  EXPECT_EQ(read(), News::more);
  EXPECT_EQ(seen, "a;b;half line;");
  fs::resize_file(path, 2);  // a resume
  EXPECT_EQ(read(), News::restarted);
  EXPECT_EQ(seen, "|a;");
  write(path, "xxxxxxxx\ny\n");  // cut and written again, and now longer than before
  EXPECT_EQ(read(), News::restarted);
  EXPECT_EQ(seen, "|xxxxxxxx;y;");
  fs::remove(path);
  EXPECT_EQ(read(), News::gone);
}

TEST(FollowedFile, PassesOverALineWithoutEnd) {
  const test::TempFolder folder;
  const fs::path path = folder / "log";
  write(path, std::string(3 << 20, 'x') + "\nlast\n");
  std::string last;
  FollowedFile(path).read([] {}, [&](std::string_view line) { last = line; });
  EXPECT_EQ(last, "last");
}

TEST(FollowedFile, HasTheFirstAndLastLines) {
  const test::TempFolder folder;
  const fs::path path = folder / "log";
  write(path, "one\ntwo\nthree\nha");
  EXPECT_EQ(first_lines(path, 9), "one\ntwo\n");
  bool is_whole = true;
  EXPECT_EQ(last_lines(path, 10, &is_whole), "three\n");
  EXPECT_FALSE(is_whole);
  EXPECT_EQ(last_lines(path, 8, &is_whole), "three\n");
  EXPECT_EQ(last_lines(path, 100, &is_whole), "one\ntwo\nthree\n");
  EXPECT_TRUE(is_whole);
  EXPECT_EQ(last_lines(folder / "none", 100), "");
}

TEST(RunCurves, GrowWithTheRun) {
  const test::TempFolder folder;
  const fs::path metrics = folder / "metrics.jsonl";
  RunCurves curves(folder.path());
  EXPECT_EQ(curves.update(), News::gone);
  write(metrics,
        start_line + train_line(10, 2.5) + "{damaged\n" + train_line(20, 2) + "{\"event\":");
  curves.update();
  EXPECT_EQ(curves.train().column("loss"), (std::vector<double>{2.5, 2}));
  EXPECT_EQ(curves.damaged_lines(), 1);
  write(metrics,
        R"("eval","step":20,"top1":50,"loss":"nan"})"
        "\n" +
            train_line(30, 1),
        true);
  curves.update();
  EXPECT_EQ(curves.train().column("step"), (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(curves.evals().column("top1"), (std::vector<double>{50}));
  EXPECT_TRUE(std::isnan(curves.evals().column("loss").at(0)));
  EXPECT_EQ(curves.evals().last("top1"), 50);
  EXPECT_TRUE(curves.train().column("absent").empty());
  fs::remove(metrics);
  curves.update();
  EXPECT_EQ(curves.train().rows(), 0);
}

TEST(RunCurves, KeepALimitedNumberOfRows) {
  EventTable table(8);
  for (int i = 0; i < 100; ++i) {
    table.begin();
    table.set("step", i);
    if (i >= 50) table.set("late", i);
    table.end();
  }
  EXPECT_LT(table.rows(), 8);
  const std::vector<double>& steps = table.column("step");
  EXPECT_EQ(table.rows(), steps.size());
  for (size_t i = 1; i < steps.size(); ++i) EXPECT_EQ(steps[i] - steps[i - 1], steps[1]);
  EXPECT_EQ(table.column("late").size(), steps.size());
  EXPECT_TRUE(std::isnan(table.column("late")[0]));
}

TEST(RunCurves, AFewPointsShowEveryPeak) {
  std::vector<double> values(10000, 1.0);
  values[1234] = 50;
  values[7777] = -50;
  values[5000] = std::nan("");
  const std::vector<size_t> points = telling_points(values, 100);
  EXPECT_LE(points.size(), 102);
  EXPECT_TRUE(std::ranges::is_sorted(points));
  EXPECT_EQ(points.front(), 0);
  EXPECT_EQ(points.back(), 9999);
  for (const size_t wanted : {1234, 7777}) {
    EXPECT_TRUE(std::ranges::binary_search(points, wanted)) << wanted;
  }
  EXPECT_FALSE(std::ranges::binary_search(points, size_t{5000}));
  EXPECT_EQ(telling_points({1, std::nan(""), 3}, 100), (std::vector<size_t>{0, 2}));
}

// A run folder in several states.
class RunFactsTest : public testing::Test {
 protected:
  RunFactsTest() {
    write(folder_ / "args.yml", "given: []\n");
    write(folder_ / "metrics.jsonl", start_line + train_line(10, 2) + train_line(20, 1));
    write(folder_ / "sessions.jsonl",
          fmt::format(R"({{"event":"start","t":1000,"pid":{},"host":"{}","step":0,"processes":2}})"
                      "\n",
                      ::getpid(), host_name()));
    write(folder_ / "summary.csv",
          "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n1,3,2,40,90,0.1\n2,2,2,,,0.1\n"
          "3,1,1,70,95,0.1\n4,1,1,60,96,0.1\n5,0,");
  }
  RunFacts facts() const { return read_run_facts(folder_.path()); }

  test::TempFolder folder_;
};

TEST_F(RunFactsTest, TellHowFarARunIs) {
  const RunFacts run = facts();
  EXPECT_EQ(run.text("model"), "m\x1b[1m");
  EXPECT_EQ(run.step(), 20);
  EXPECT_EQ(run.total_steps(), 100);
  EXPECT_EQ(run.epoch(), 2);
  ASSERT_TRUE(run.best);
  EXPECT_EQ(run.best->metric->name, "top1");
  EXPECT_EQ(run.best->value, 70);
  EXPECT_EQ(run.best->epoch, 3);
  EXPECT_EQ(run.began, 1000);
  ASSERT_EQ(run.sessions.size(), 1);
  EXPECT_EQ(run.sessions[0].numbers.at("processes"), 2);
  EXPECT_TRUE(run.problems.empty());
}

TEST_F(RunFactsTest, KnowARunningRunByItsLock) {
  EXPECT_EQ(facts().status, RunStatus::killed);
  EXPECT_FALSE(facts().eta_s);
  write(folder_ / ".lock", "");
  const int lock = ::open((folder_ / ".lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  std::ifstream locks("/proc/locks");
  const std::string all(std::istreambuf_iterator<char>(locks), {});
  if (all.find(fmt::format(" {} ", ::getpid())) != all.npos) {  // not in every container
    const RunFacts run = facts();
    EXPECT_EQ(run.status, RunStatus::running);
    EXPECT_DOUBLE_EQ(run.eta_s.value(), 80);  // 20 steps took 20 s
  }
  ::close(lock);
}

TEST_F(RunFactsTest, KnowHowARunEnded) {
  const auto end = [&](int exit) {
    write(folder_ / "metrics.jsonl",
          fmt::format(R"({{"event":"run_end","step":100,"weights_hash":"ab","exit":{}}})"
                      "\n",
                      exit),
          true);
    return facts();
  };
  EXPECT_EQ(end(0).status, RunStatus::finished);
  EXPECT_EQ(facts().weights_hash, "ab");
  EXPECT_EQ(facts().step(), 100);
  EXPECT_EQ(end(75).status, RunStatus::stopped);
  EXPECT_EQ(end(5).status, RunStatus::failed);
  EXPECT_EQ(facts().exit, 5);
}

TEST_F(RunFactsTest, ReadWhatIsLeft) {
  write(folder_ / "metrics.jsonl", "\x01\x02garbage\n{}\n[\n");
  write(folder_ / "sessions.jsonl", R"({"event":"start","pid":"x","t":[],"step":1e300})"
                                    "\n");
  write(folder_ / "summary.csv", "");
  const RunFacts run = facts();
  EXPECT_EQ(run.step(), 0);
  EXPECT_FALSE(run.best);
  fs::remove_all(folder_.path());
  EXPECT_EQ(facts().status, RunStatus::unknown);
}

TEST_F(RunFactsTest, NameFilesThatCannotBeRead) {
  fs::remove(folder_ / "metrics.jsonl");
  fs::create_directory(folder_ / "metrics.jsonl");
  const RunFacts run = facts();
  ASSERT_FALSE(run.problems.empty());
  EXPECT_NE(run.problems[0].find("metrics.jsonl"), std::string::npos);
  EXPECT_EQ(run.best->value, 70);
}

TEST(FindRuns, FindsThemAmongOtherFolders) {
  const test::TempFolder folder, outside;
  for (const char* name : {"b", "a/deep/er", "a/run", ".hidden", "b/inner"}) {
    write(folder / name / "args.yml", "");
  }
  for (int i = 0; i < 1000; ++i) fs::create_directories(folder / fmt::format("none-{}", i));
  write(outside / "secret/args.yml", "");
  fs::create_directory_symlink(outside / "secret", folder / "link");
  fs::create_directory_symlink(folder.path(), folder / "loop");
  const FoundRuns found = find_runs(folder.path());
  std::vector<std::string> names;
  for (const FoundRun& run : found.runs) names.push_back(run.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a/deep/er", "a/run", "b"}));
  EXPECT_TRUE(found.problems.empty());
  EXPECT_EQ(find_runs(folder / "b/").runs.at(0).name, "b");
  EXPECT_THROW(find_runs(folder / "absent"), Error);
}

TEST(FindRuns, ReadsOptionsWithTheirOrigins) {
  const auto options = parse_recorded_options(
      "# The options.\ngiven: [lr]\n\n# Model\nmodel: resnet18  # demo.yml\nname: \"a  # b\"  # "
      "default\n\n# Data\nlr: 0.1  # command line\nhalf");
  ASSERT_EQ(options.size(), 3);
  EXPECT_EQ(options[0].section, "Model");
  EXPECT_EQ(options[1].value, "\"a  # b\"");
  EXPECT_TRUE(options[1].is_default());
  EXPECT_EQ(options[2].key, "lr");
  EXPECT_EQ(options[2].origin, "command line");
}

}  // namespace
}  // namespace convoy
