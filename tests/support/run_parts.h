// A run in this process with what the parts of a trainer share, so that each part can be tested by
// itself: options, folder, plans, network and state. No step was trained yet.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/temp_folder.h"
#include "train/run/run_site.h"

namespace convoy::test {

// Keeps all events.
class Heard final : public Listener {
 public:
  void on(const RunEvent& event) override { all_.push_back(event); }

  // The events of one type, in their order.
  template <class Event>
  std::vector<Event> of() const {
    std::vector<Event> found;
    for (const RunEvent& event : all_) {
      if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
    }
    return found;
  }

 private:
  std::vector<RunEvent> all_;
};

// 64 generated images of 8 x 8 pixels, 4 steps an epoch; `options` adds others or changes these.
inline RunConfig small_run(const std::map<std::string, std::string>& options) {
  Settings settings{{"dataset", {"generated", "test"}},
                    {"generated-samples", {"64", "test"}},
                    {"generated-image-size", {"8", "test"}},
                    {"batch-size", {"16", "test"}},
                    {"model", {"cifar_resnet8", "test"}},
                    {"threads", {"2", "test"}},
                    {"epochs", {"10", "test"}},
                    {"lr", {"0.1", "test"}}};
  for (const auto& [key, value] : options) settings[key] = {value, "test"};
  Fields field(settings);
  RunConfig config;
  config.describe(field);
  return config;
}

struct RunParts {
  const RunConfig config;
  const RunDir dir;
  Heard heard;
  const RunSetup setup;
  Network network;
  const RunSite site;
  RunState state;

  // In a new folder `output`/run.
  RunParts(const fs::path& output, const std::map<std::string, std::string>& options = {})
      : RunParts(new_folder(output), options) {}
  // In a folder that another object has left.
  RunParts(RunDir folder, const std::map<std::string, std::string>& options)
      : config(small_run(options)),
        dir(std::move(folder)),
        setup(config),
        network(setup.plans, config.thread_count()),
        site{config, dir, heard, nullptr, setup, network} {
    network.state().initialize(config.seed);
    state.epoch = setup.task->results();
    state.started = steady_seconds();
    state.progress.last_step = setup.total_steps();
  }

  static RunDir new_folder(const fs::path& output) {
    RunDir made = RunDir::create(output, "run");
    made.record("model: cifar_resnet8\n");
    return made;
  }

  std::vector<float> params() {
    const std::span<float> all = network.state().params();
    return {all.begin(), all.end()};
  }
};

}  // namespace convoy::test
