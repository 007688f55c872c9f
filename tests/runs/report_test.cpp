// What a run leaves in plots/, and `convoy report` and `board` as commands.

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>

#include "support/http_client.h"
#include "support/run_files.h"

namespace convoy::test {
namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_png(const fs::path& path) { return text_of(path).starts_with("\x89PNG"); }

TEST(ReportRun, TrainLeavesAPageAndItsPictures) {
  const TinyRun run(tiny());
  run.whole();
  const fs::path plots = run.dir() / "plots";
  for (const char* name :
       {"curves.png", "confusion_matrix.png", "calibration.png", "first_batch.png", "worst.png"}) {
    EXPECT_TRUE(is_png(plots / name)) << name;
  }
  EXPECT_TRUE(text_of(plots / "predictions.csv").find("index,truth,predicted") !=
              std::string::npos);
  const std::string page = text_of(plots / "report.html");
  EXPECT_NE(page.find("finished"), page.npos);
  EXPECT_NE(page.find("calibration-0"), page.npos);

  // The verb writes the same page, from the files alone.
  fs::remove(plots / "report.html");
  fs::remove(plots / "curves.png");
  const Finished again = run_convoy({"report", "runs/a"}, run.folder());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, "runs/a/plots/report.html\n");
  EXPECT_TRUE(is_png(plots / "curves.png"));
  EXPECT_EQ(text_of(plots / "report.html").find("running"), std::string::npos);
}

TEST(ReportRun, PlotsCanBeLeftOutAndNeverFailARun) {
  const TinyRun run(tiny({"--no-plots"}));
  run.whole();
  EXPECT_FALSE(fs::exists(run.dir() / "plots"));

  const TinyRun blocked(tiny({"--max-steps", "2"}));
  fs::create_directories(blocked.folder() / "runs/a");  // the run becomes a-2
  std::ofstream(blocked.folder() / "runs/a/x") << "";
  EXPECT_EQ(run_convoy(blocked.train(), blocked.folder()).code, 0);
}

// What a disk, an editor or a process that is writing may leave of a file.
struct Damage {
  const char* name;
  void (*make)(const fs::path& file);
};
const std::array damages{
    Damage{"half of it",
           [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2 + 1); }},
    Damage{"nothing of it", [](const fs::path& file) { fs::resize_file(file, 0); }},
    Damage{"other bytes",
           [](const fs::path& file) {
             std::ofstream(file) << std::string("\0\xff{\"event\":[1e999,\n", 19) << "\n\n,,,\n";
           }},
    Damage{"a folder",
           [](const fs::path& file) {
             fs::remove(file);
             fs::create_directory(file);
           }},
    Damage{"a link to nowhere",
           [](const fs::path& file) {
             fs::remove(file);
             fs::create_symlink("nowhere", file);
           }},
    Damage{"no file", [](const fs::path& file) { fs::remove(file); }},
};

// Path -> content of all files, and where links point.
std::map<std::string, std::string> bytes_below(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    all[entry.path().string()] = entry.is_symlink()        ? fs::read_symlink(entry.path()).string()
                                 : entry.is_regular_file() ? text_of(entry.path())
                                                           : "a folder";
  }
  return all;
}

// Each file of a run, damaged in each way: what reads runs tells of it in its output or in one line
// of error, and changes nothing.
TEST(ReportRun, DamagedFilesAreTold) {
  const TinyRun run(tiny({"--max-steps", "3", "--trace-steps", "1"}));
  run.whole();
  const fs::path whole = run.folder() / "whole";
  fs::rename(run.dir(), whole);
  for (const char* file :
       {"metrics.jsonl", "sessions.jsonl", "args.yml", "env.json", "summary.csv", "log.txt",
        "plots/predictions.csv", "plots/worst.png", "trace/rank-0.json"}) {
    for (const Damage& damage : damages) {
      SCOPED_TRACE(std::string(file) + ": " + damage.name);
      fs::copy(whole, run.dir(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
      damage.make(run.dir() / file);
      const std::map<std::string, std::string> before = bytes_below(run.dir());
      const bool is_run = fs::exists(run.dir() / "args.yml");
      for (const Arguments& verb :
           {Arguments{"report", "runs/a", "--output", "page"}, Arguments{"list", "runs"},
            Arguments{"compare", "runs/a", "whole", "--json"},
            Arguments{"report", "runs/a", "--trace"}}) {
        const Finished end = run_convoy(verb, run.folder());
        const bool is_trace = verb.back() == "--trace";
        const bool may_fail = !is_run || (is_trace && file == std::string("trace/rank-0.json"));
        EXPECT_TRUE(end.code == 0 || (may_fail && end.code > 1 && end.code < 6))
            << verb[0] << " " << end.code << " " << end.err;
        if (end.code != 0) {
          EXPECT_EQ(lines_of(end.err).size(), 1) << end.err;
        }
      }
      EXPECT_EQ(bytes_below(run.dir()), before);
      fs::remove_all(run.dir());
    }
  }
}

TEST(ReportRun, TheBoardServesRunsUntilASignal) {
  const TempFolder folder;
  fs::create_directories(folder / "runs/one");
  std::ofstream(folder / "runs/one/args.yml") << "given: []\n";
  const int port = free_port();
  const Arguments arguments{"board", "--port", std::to_string(port)};
  Process board(arguments, folder.path());
  ASSERT_TRUE(board.until([&] { return !fetched(port, "/").empty(); }));
  EXPECT_TRUE(fetched(port, "/").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(fetched(port, "/api/runs").find(R"("name":"one")"), std::string::npos);
  const Finished second = run_convoy(arguments, folder.path());
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("is taken; try: --port 0"), std::string::npos) << second.err;
  board.send(SIGTERM);
  const Finished end = board.wait();
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.out, "http://127.0.0.1:" + std::to_string(port) + "/\n");
}

TEST(ReportRun, SaysWhatIsWrong) {
  const TempFolder folder;
  fs::create_directory(folder / "none");
  EXPECT_EQ(run_convoy({"report"}, folder.path()).code, 2);
  EXPECT_EQ(run_convoy({"report", "none"}, folder.path()).code, 4);
  std::ofstream(folder / "none/args.yml") << "given: []\n";
  std::ofstream(folder / "file") << "";
  const Finished taken = run_convoy({"report", "none", "--output", "file/x"}, folder.path());
  EXPECT_EQ(taken.code, 2) << taken.err;
  EXPECT_EQ(run_convoy({"report", "none"}, folder.path()).code, 0);  // a run without any events
  EXPECT_EQ(run_convoy({"board", "absent"}, folder.path()).code, 2);
  EXPECT_EQ(run_convoy({"board", "none", "none"}, folder.path()).code, 2);
  EXPECT_EQ(run_convoy({"board", "none", "--host", "203.0.113.7"}, folder.path()).code, 2);
}

}  // namespace
}  // namespace convoy::test
