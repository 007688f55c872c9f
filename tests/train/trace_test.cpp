#include "train/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temp_folder.h"

namespace convoy {
namespace {

TEST(Trace, IsAFileOfEventsThatJsonReadersTake) {
  test::TempFolder folder;
  Trace trace(3);
  trace.name_lane(2, "bucket \"1\"");
  trace.add("conv \"a\\b\"\n\xff", "op", 1.0000005, 1.25);
  trace.add("bucket 1", "exchange", 70000.000001, 70000.000001, 2);
  { const TraceSpan span(&trace, "update", "phase"); }
  { const TraceSpan nothing(nullptr, "update", "phase"); }
  trace.write(folder / "trace/rank-3.json");
  const auto json = nlohmann::json::parse(read_file(folder / "trace/rank-3.json", Fault::bug));
  const auto& events = json.at("traceEvents");
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0]["args"]["name"], "rank 3");
  EXPECT_EQ(events[1]["args"]["name"], "bucket \"1\"");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["pid"], 3);
  EXPECT_EQ(events[2]["tid"], 0);
  EXPECT_EQ(events[2]["cat"], "op");
  EXPECT_DOUBLE_EQ(events[2]["ts"], 1000000.5);
  EXPECT_DOUBLE_EQ(events[2]["dur"], 249999.5);
  EXPECT_DOUBLE_EQ(events[3]["ts"], 70000000001.0);
  EXPECT_EQ(events[3]["dur"], 0);
  EXPECT_EQ(events[3]["tid"], 2);
  EXPECT_EQ(events[4]["name"], "update");
}

TEST(Trace, AFolderThatCannotBeIsTold) {
  test::TempFolder folder;
  write_atomically(folder / "trace", "a file", Fault::bug);
  EXPECT_THROW(Trace(0).write(folder / "trace/rank-0.json"), Error);
}

}  // namespace
}  // namespace convoy
