// Learning rates against PyTorch's schedulers, put together as torchvision does
// (tests/fixtures/make_schedules.py): its flags, read by us.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "support/places.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

using nlohmann::json;

TEST(ScheduleFixture, TorchvisionsFlagsGiveItsRates) {
  const json fixture =
      json::parse(read_file(test::source_dir() / "tests/fixtures/schedules.json", Fault::bug));
  for (const json& row : fixture.at("schedules")) {
    Settings settings{{"batch-size", {"32", "fixture"}}};
    for (const auto& [key, value] : row.at("options").items()) {
      settings[key] = {value.is_string() ? value.get<std::string>() : value.dump(), "fixture"};
    }
    Fields field(settings);
    RunConfig config;
    config.describe(field);
    field.finish();
    const EpochPlan plan(1000, 32, config.epochs, config.data.tail());
    ASSERT_EQ(plan.steps_per_epoch(), 31);
    for (size_t epoch = 0; epoch < row.at("rates").size(); ++epoch) {
      for (const size_t step : {31 * epoch, 31 * epoch + 15, 31 * epoch + 30}) {
        EXPECT_NEAR(config.lr.at(static_cast<int64_t>(step), config.schedule_site(plan)),
                    row.at("rates")[epoch].get<double>(), 1e-14)
            << row.at("options") << " epoch " << epoch;
      }
    }
  }
}

}  // namespace
}  // namespace convoy
