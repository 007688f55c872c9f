// A disk that does not answer any more, in the middle of a checkpoint: rank, file and what is done
// with it are named within --stall-timeout, in one process and in several.

#include <gtest/gtest.h>

#include "support/places.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::tiny;
using test::TinyRun;

const Arguments hung{"env", "LD_PRELOAD=" + test::preload_library("hang_sync"),
                     "HANG_SYNC=step-0000020"};

TinyRun run_with_checkpoints() {
  return TinyRun(tiny({"--epochs", "30000", "--checkpoint-steps", "10", "--threads", "1",
                       "--replicas", "2", "--batch-size", "4", "--stall-timeout", "2"}));
}

void expect_named(const Finished& result) {
  EXPECT_EQ(result.code, 7) << result.err;
  for (const char* part : {"convoy: error: the disk does not answer: rank 0 (host ", " to sync ",
                           "step-0000020", "model.safetensors after step 20; try: "}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
  }
}

TEST(HungDiskRun, OneProcessNamesTheFile) {
  const TinyRun run = run_with_checkpoints();
  const Finished result = test::Process(run.train(), run.folder(), hung).wait(60);
  expect_named(result);
  EXPECT_EQ(test::lines_of(result.err).size(), 1u) << result.err;
  EXPECT_EQ(test::checkpoint_steps(run.dir()), std::vector<int64_t>{10});
}

TEST(HungDiskRun, OfSeveralProcessesTheOneThatWritesNamesTheFileAndAllLeave) {
  const TinyRun run = run_with_checkpoints();
  const Finished result =
      test::Process(joined({"launch", "-np", "2", "--oversubscribe", "--"}, run.train()),
                    run.folder(), hung)
          .wait(60);
  expect_named(result);
  EXPECT_EQ(result.err.rfind("[rank 0 host ", 0), 0u) << result.err;
}

}  // namespace
}  // namespace convoy
