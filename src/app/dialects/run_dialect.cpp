#include "app/dialects/run_dialect.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/dialects/dialect_help.h"
#include "app/dialects/explain.h"
#include "app/dialects/launch_dialect.h"
#include "app/launch/launchers.h"
#include "app/train/start_run.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "config/config_file.h"
#include "dist/world.h"
#include "launch/rank_process.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

bool is_blank(std::string_view word) { return word.find_first_not_of(" \t\r\n") == word.npos; }

bool is_python(std::string_view word) {
  if (word == "$PYTHON") return true;  // as documents write it
  const size_t slash = word.rfind('/');
  if (slash != word.npos) word.remove_prefix(slash + 1);
  return word.starts_with("python") && word.find('=') == word.npos && !word.ends_with(".py");
}

// Takes off `python3 -u` and the program's name.
const DialectProgram& take_program(const Dialect& dialect, std::vector<std::string>& words) {
  while (!words.empty() && (is_blank(words[0]) || is_python(words[0]) || words[0] == "-u")) {
    words.erase(words.begin());
  }
  if (words.empty() || words[0].starts_with("-")) return dialect.programs.front();
  const DialectProgram* found = find_program(dialect, words[0]);
  const DialectProgram& first = dialect.programs.front();
  if (found != nullptr) {
    words.erase(words.begin());
    return *found;
  }
  if (!first.words.empty() || !first.wraps.empty()) return first;
  std::vector<std::string> names;
  for (const DialectProgram& each : dialect.programs) names.emplace_back(each.name);
  raise(Fault::usage, "convoy {}: {} is none of its programs; try: {}", dialect.name,
        one_line(words[0]), join(names, ", "));
}

TranslatedCommand translate(const Dialect& dialect, std::vector<std::string> words,
                            const DialectEnvironment& environment, const DialectPlan* outer) {
  const DialectProgram& program = take_program(dialect, words);
  DialectArguments arguments = parse_dialect(dialect, program, words);
  TranslatedCommand result{.explain = arguments.explain, .json = arguments.json};
  if (arguments.help) {
    result.help = dialect_help(dialect, program, arguments.help_full);
    return result;
  }
  std::string overwritten;
  if (outer && outer->inner_replicas > 0 && find_row(program, "replicas")) {
    DialectValue& replicas = arguments.values["replicas"];
    const std::string count = std::to_string(outer->inner_replicas);
    if (!replicas.text.empty() && replicas.text != count) overwritten = replicas.text;
    replicas = {count, std::string(outer->program.name)};
  }
  const std::vector<std::string> overruled = arguments.overruled;
  result.plan =
      std::make_unique<DialectPlan>(dialect, program, std::move(arguments), environment,
                                    outer ? outer->processes() : started_processes(environment));
  DialectPlan& plan = *result.plan;
  if (!overruled.empty())
    plan.note("given again later, so that it does not count: " + join(overruled, ", "));
  if (!overwritten.empty()) {
    plan.note(fmt::format("--replicas {} is overwritten by {}'s, as there", overwritten,
                          outer->program.name));
  }
  if (outer) {
    plan.launch_options = outer->launch_options;
    plan.fates = outer->fates;
  }
  plan.make();
  return result;
}

// A copied command may refer to a run that is already there.
std::string run_in(const std::string& folder) {
  std::error_code none;
  return !folder.empty() && fs::exists(fs::path(folder) / "args.yml", none) ? folder : "";
}

void clean_folder(const std::string& folder) {
  std::error_code none;
  if (folder.empty() || !fs::exists(folder, none)) return;
  if (run_in(folder).empty() && !fs::is_empty(folder, none)) {
    raise(Fault::usage,
          "--clean would remove {}, which is no run of Convoy; try: another --model_dir, or remove "
          "it by hand",
          one_line(folder));
  }
  fs::remove_all(folder);
}

// The run in the folder goes on, with its own options, which must be those of this command.
void go_on(DialectPlan& plan, const std::string& folder) {
  const Settings recorded =
      load_record((fs::path(folder) / "args.yml").string(), described(describe_start));
  Fields field(plan.options);
  RunConfig config;
  config.describe(field);
  const auto text_of = [&](const std::string& key) {
    const auto found = recorded.find(key);
    return found == recorded.end() ? std::string() : found->second.text;
  };
  for (const auto& [key, text] : config.resolved()) {
    if (key == "epochs" || !recorded.contains(key) || text_of(key) == text) continue;
    raise(Fault::usage, "{} holds a run with other options ({} {}, not {}); try: another folder{}",
          one_line(folder), key, one_line(text_of(key)), one_line(text),
          find_row(plan.program, "clean") ? ", or --clean" : "");
  }
  Settings options;
  const auto epochs = config.resolved().find("epochs");
  if (epochs != config.resolved().end() && text_of("epochs") != epochs->second) {
    options["epochs"] = {epochs->second, "command line"};
  }
  plan.verb = "resume";
  plan.verb_words = {folder};
  plan.options = options;
  plan.note("the run in " + folder + " goes on");
}

// An option that this build of Convoy does not have must not be dropped.
void refuse_missing(const DialectPlan& plan, const std::vector<Field>& known) {
  for (const auto& [key, setting] : plan.options) {
    if (find_field(known, key)) continue;
    std::string theirs = key;
    for (const DialectFate& fate : plan.fates) {
      if (fate.what.find("--" + key) != std::string::npos) theirs = fate.name;
    }
    raise(Fault::usage, "convoy {} ({}): --{}: convoy {} has no --{}; try: without it",
          plan.dialect.name, plan.program.name, theirs, plan.verb, key);
  }
}

void tell(const DialectPlan& plan) {
  const std::vector<std::string> recorded = plan.recorded_only();
  if (!recorded.empty()) {
    show(stderr,
         "convoy {}: of other hardware, recorded in migration.json and without effect: {}\n",
         plan.dialect.name, join(recorded, ", "));
  }
  for (const std::string& note : plan.notes)
    show(stderr, "convoy {}: {}\n", plan.dialect.name, note);
}

const CommandDef& command_of_verb(const std::string& verb) {
  const auto found = std::ranges::find(command_catalog(), verb, &CommandDef::name);
  expect(found != command_catalog().end(), "a dialect runs a verb that does not exist");
  return *found;
}

int run_here(DialectPlan& plan) {
  take_share_of_cores();
  if (plan.max_cpus > 0) {
    std::vector<int> cores = allowed_cores();
    if (static_cast<int>(cores.size()) > plan.max_cpus)
      cores.resize(static_cast<size_t>(plan.max_cpus));
    CoreSet(cores).stay();
    plan.note(fmt::format("on cores {} to {}", cores.front(), cores.back()));
  }
  const RankBeat beat;
  const CommandDef& command = command_of_verb(plan.verb);
  World& world = World::get();
  if (world.size() > 1 && !command.shared) {
    raise(Fault::usage, "convoy {} works in one process, and {} were started; try: without mpirun",
          plan.verb, world.size());
  }
  const bool first = world.rank() == 0;
  if (first && plan.clean) clean_folder(plan.model_dir);
  const std::string before = world.broadcast(
      0, first && plan.continues && plan.verb == "train" ? run_in(plan.model_dir) : "");
  if (!before.empty()) go_on(plan, before);
  refuse_missing(plan, described(command_of_verb(plan.verb).describe));
  if (first) tell(plan);
  CommandLine line{.settings = plan.options, .words = plan.verb_words, .overruled = {}};
  if (plan.verb != "train") return command_of_verb(plan.verb).run(line);
  return start_run(line, first ? json_text(explained_json(plan), 2) + "\n" : std::string());
}

}  // namespace

TranslatedCommand translate_dialect(const Dialect& dialect, const std::vector<std::string>& words,
                                    const DialectEnvironment& environment) {
  TranslatedCommand outer = translate(dialect, words, environment, nullptr);
  const bool wraps = outer.plan && !outer.plan->program.wraps.empty();
  if (!wraps || outer.plan->words().empty()) {
    if (outer.plan) {
      if (!wraps) outer.plan->apply_sets(described(describe_start), launch_fields());
      settle_processes(*outer.plan);
    }
    return outer;
  }
  const Dialect* inside = find_dialect(outer.plan->program.wraps);
  expect(inside != nullptr, "a dialect wraps one that does not exist");
  TranslatedCommand inner = translate(*inside, outer.plan->words(), environment, outer.plan.get());
  inner.explain = inner.explain || outer.explain;
  inner.json = inner.json || outer.json;
  if (!inner.plan) return inner;
  inner.plan->apply_sets(described(describe_start), launch_fields());
  settle_processes(*inner.plan);
  return inner;
}

int run_dialect(const Dialect& dialect, const std::vector<std::string>& words) {
  const DialectEnvironment environment = [](const char* name) { return std::getenv(name); };
  TranslatedCommand command = translate_dialect(dialect, words, environment);
  const DialectProcesses started = started_processes(environment);
  if (!command.help.empty()) {
    if (started.rank == 0) show_text(command.help);
    return 0;
  }
  DialectPlan& plan = *command.plan;
  if (command.json && !command.explain) {
    raise(Fault::usage, "--json is for --explain; try: --explain --json");
  }
  if (command.explain) {
    if (started.rank > 0) return 0;
    show_text(command.json ? json_text(explained_json(plan)) + "\n" : explained_text(plan));
    return 0;
  }
  if (!plan.hcl_json.empty() && started.rank == 0) {
    fs::create_directories(fs::path(plan.hcl_path).parent_path());
    write_atomically(plan.hcl_path, plan.hcl_json, Fault::usage);
  }
  std::vector<std::string> all{std::string(dialect.name)};
  all.insert(all.end(), words.begin(), words.end());
  if (World::started_by_mpi()) return run_here(plan);
  refuse_other_launchers([](const char* name) { return std::getenv(name); }, all);
  if (!plan.program.wraps.empty()) {  // a launcher without a program
    show_text(launch_topology(plan));
    return 0;
  }
  if (plan.processes().ranks == 1) return run_here(plan);
  if (plan.launch_options.empty()) {
    raise(Fault::usage,
          "convoy {} ({}): {} workers, but no mpirun has started them; try: mpirun -np {} convoy "
          "{} ...",
          dialect.name, plan.program.name, plan.processes().ranks, plan.processes().ranks,
          dialect.name);
  }
  return launch_dialect(plan, all);
}

}  // namespace convoy
