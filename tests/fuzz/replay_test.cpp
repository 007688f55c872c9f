// Every fuzz target over its corpus, and over some hundred damaged copies of each file of it,
// always the same: what libFuzzer found once stays found, and no target or corpus goes stale.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files/file.h"
#include "fuzz/target.h"
#include "support/fixture.h"
#include "support/mutate.h"

namespace convoy::test {
namespace {

fs::path corpora() { return fixture_path("../fuzz/corpus"); }

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(corpora() / target))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> corpus;
  for (const fs::path& file : files) corpus.push_back(read_file(file, Fault::bug));
  return corpus;
}

class FuzzReplay : public testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzReplay, AnswersItsCorpusAndDamagedCopiesOfIt) {
  const FuzzTarget& target = GetParam();
  const auto run = [&](const std::string& bytes) {
    target.run(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  };
  const std::vector<std::string> corpus = corpus_of(target.name);
  ASSERT_FALSE(corpus.empty());
  run("");
  for (const std::string& bytes : corpus) run(bytes);
  constexpr uint64_t rounds = 300;
  for (uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(random_key(19, Purpose::generated, round));
    run(mutated(corpus[round % corpus.size()], corpus, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, testing::ValuesIn(fuzz_targets()),
                         [](const auto& about) { return about.param.name; });

TEST(FuzzCorpora, EachBelongsToATarget) {
  std::set<std::string> targets, folders;
  for (const FuzzTarget& target : fuzz_targets()) targets.insert(target.name);
  for (const auto& entry : fs::directory_iterator(corpora())) {
    folders.insert(entry.path().filename().string());
  }
  EXPECT_EQ(folders, targets);
}

}  // namespace
}  // namespace convoy::test
