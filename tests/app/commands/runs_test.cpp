// The verbs about several runs: `list runs`, `compare`, `report --trace`; what they print and how
// they refuse.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/run_files.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

void make_run(const fs::path& run, const std::string& lr) {
  make_folders(run, Fault::bug);
  write_atomically(run / "args.yml",
                   "# options\n\n# Optimisation\nlr: " + lr + "  # command line\n", Fault::bug);
  write_atomically(run / "metrics.jsonl",
                   "{\"event\":\"run_start\",\"model\":\"m\",\"dataset\":\"d\",\"t\":1}\n"
                   "{\"event\":\"train\",\"epoch\":1,\"step\":4,\"loss\":0.5,\"t\":2}\n{\"eve",
                   Fault::bug);
}

struct Refused {
  Arguments arguments;
  int code;
  std::string part;
};

TEST(RunsVerbs, ShowRunsAmongManyFoldersThatAreNone) {
  const TempFolder folder;
  for (int i = 0; i < 1000; ++i) fs::create_directories(folder / fmt::format("runs/none-{}", i));
  EXPECT_EQ(run_convoy({"list", "runs"}, folder.path()).out, "no runs below runs\n");
  make_run(folder / "runs/a", "0.1");
  make_run(folder / "runs/b", "0.2");
  const Finished lines = run_convoy({"list", "runs"}, folder.path());
  EXPECT_EQ(lines.code, 0) << lines.err;
  EXPECT_EQ(lines_of(lines.out).size(), 3u) << lines.out;
  EXPECT_EQ(lines_of(run_convoy({"list", "runs", "a"}, folder.path()).out).size(), 2u);
  const auto rows = Json::parse(run_convoy({"list", "runs", "--json"}, folder.path()).out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("run"), "b");
  EXPECT_EQ(rows[1].at("train_loss"), 0.5);
  const Finished csv = run_convoy({"compare", "runs/a", "runs/b", "--csv"}, folder.path());
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_NE(csv.out.find("what,a,b\n"), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find("\n--lr,0.1,0.2\n"), std::string::npos) << csv.out;
}

TEST(RunsVerbs, RefuseInOneLine) {
  const TempFolder folder;
  make_run(folder / "a", "0.1");
  fs::create_directories(folder / "none");
  for (const Refused& one : std::vector<Refused>{
           {{"compare", "a"}, 2, "at least two"},
           {{"compare", "a", "none"}, 4, "none"},
           {{"compare", "a", "a", "--json", "--csv"}, 2, "--json"},
           {{"list", "runs", "--output", "missing"}, 2, "missing"},
           {{"list", "models", "--json"}, 2, "list runs"},
           {{"report", "a", "--trace"}, 2, "has no trace"},
           {{"report", "a", "--top", "3"}, 2, "--trace"},
       }) {
    const Finished end = run_convoy(one.arguments, folder.path());
    EXPECT_EQ(end.code, one.code) << one.arguments[0] << ": " << end.err;
    EXPECT_NE(end.err.find(one.part), std::string::npos) << end.err;
    EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
  }
}

}  // namespace
}  // namespace convoy::test
