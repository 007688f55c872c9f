#include "app/train/start_run.h"

#include <cstdlib>

#include "app/options.h"
#include "app/train/run.h"
#include "app/train/verify_resume.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/config_file.h"
#include "dist/world.h"
#include "models/model.h"
#include "train/checkpoint/start_weights.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

constexpr const char* demo = "demo";

struct StartOptions {
  std::string config;
  bool verify_resume = false;
  int verify_kills = 5;

  void describe(Fields& field) {
    describe_config(field, config);
    field("verify-resume", verify_resume,
          "train twice, the second time killed at random moments and resumed, and compare "
          "everything");
    field("verify-kills", verify_kills, "how often --verify-resume kills", at_least(1));
  }
};

// Without a model and a dataset, the demonstration recipe is used.
bool wants_demo(const CommandLine& line) {
  for (const char* key : {"config", "model", "dataset", "data-dir"}) {
    if (line.settings.contains(key)) return false;
  }
  const char* folder = std::getenv("DATA_DIR");
  return !folder || !*folder;
}

}  // namespace

void describe_start(Fields& field) { describe_with_run<StartOptions>(field); }

int start_run(const CommandLine& typed, const std::string& migration) {
  need_words(typed, {}, described(describe_with_run<StartOptions>));
  CommandLine line = typed;
  if (wants_demo(line)) line.settings["config"] = {demo, "default"};
  StartOptions options;
  RunConfig config;
  const Fields field = read_options(line, options, config);
  World& world = World::get();
  if (!field.dropped().empty() && !config.quiet && world.rank() == 0) {
    show(stderr, "convoy: options of the recipe without effect beside the typed ones: {}\n",
         join(field.dropped(), ", "));
  }
  if (options.verify_resume) {
    if (world.size() > 1) {
      raise(Fault::usage, "--verify-resume kills one process, not several; try: without mpirun");
    }
    return verify_resume(config, typed, options.verify_kills);
  }
  apply_isa(config);
  const HostShare share = share_machines();
  config.share_host(share.processes, share.on_our_cores);
  find_model(config.model);  // a wrong name must not leave a run directory behind
  config.data.def();
  config.step_shape(world.rank(), world.size());  // nor must too many processes
  config.data.known = {.names = names_of_first(world.rank() ? ClassNames{} : start_classes(config)),
                       .map = {},
                       .whose = config.init_from,
                       .only_same = true};
  if (world.rank() > 0) {
    return run_training(config, RunDir::of_another(world.broadcast(0, std::string())));
  }
  RunDir dir = RunDir::create(config.output, config.default_name());
  world.broadcast(0, fs::absolute(dir.path()).string());
  try {
    write_environment(dir.env());  // first: options make a folder a run that can be resumed
    dir.record(write_args(field.all()));
    if (!migration.empty()) {
      write_atomically(dir.path() / "migration.json", migration, Fault::checkpoint);
    }
  } catch (...) {
    dir.take_back();
    throw;
  }
  return run_training(config, dir);
}

}  // namespace convoy
