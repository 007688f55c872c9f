#include "app/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>

#include "app/command.h"
#include "app/launchers.h"
#include "app/options.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text.h"
#include "config/help.h"
#include "dist/world.h"
#include "launch/rank_process.h"
#include "version.h"

namespace convoy {
namespace {

constexpr int pipe_closed = 141;  // as a shell reports a death by SIGPIPE

// The reader of our output left (`convoy list | head -1`): its right, and nothing to report.
bool is_closed_pipe(const std::system_error& error) {
  return error.code() == std::errc::broken_pipe;
}

std::string program_help() {
  std::vector<HelpRow> rows;
  for (const CommandDef& command : command_catalog()) {
    rows.push_back({std::string(command.name), std::string(command.summary)});
  }
  return fmt::format(
      "Convoy trains convolutional networks on CPUs.\n"
      "\n"
      "Usage: convoy VERB [options]\n"
      "\n"
      "Verbs:\n"
      "{}"
      "\n"
      "convoy VERB --help explains a verb, convoy --version tells the build.\n",
      help_rows(rows, help_width()));
}

std::string command_help(const CommandDef& command) {
  const int width = help_width();
  std::vector<Field> fields = described(command.describe);
  std::string text = fmt::format("Usage: convoy {}\n\n{}\n", command.usage, command.summary);
  if (!command.details.empty()) text += fmt::format("\n{}\n", command.details);
  text += options_help(fields, width);
  std::vector<HelpRow> common{{"-h, --help", "this text"}};
  if (!fields.empty()) {
    common.insert(common.begin(),
                  {"--set KEY=VALUE", "set any option by its key; may be repeated"});
  }
  return text + "\nCommon:\n" + help_rows(common, width);
}

const CommandDef& find_command(const std::string& verb) {
  const std::vector<CommandDef>& all = command_catalog();
  const auto found = std::ranges::find(all, verb, &CommandDef::name);
  if (found != all.end()) return *found;
  if (verb.starts_with("-")) {
    raise(Fault::usage,
          "unknown option {} before the verb; try: convoy VERB {} ..., or convoy --help", verb,
          verb);
  }
  std::vector<std::string> names;
  for (const CommandDef& command : all) names.emplace_back(command.name);
  const std::string near = nearest(verb, names);
  raise(Fault::usage, "unknown verb {}{}", verb,
        near.empty() ? "; try: convoy --help, which lists all" : "; nearest: " + near);
}

// Several processes that nobody would tell apart, each doing all of the work.
void refuse_crowd(const CommandDef& command) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* size = std::getenv(name);
    if (size && std::atoi(size) > 1) {
      raise(Fault::usage,
            "convoy {} works in one process, and {} were started; try: without mpirun",
            command.name, size);
    }
  }
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    show_text(program_help(), stderr);
    return static_cast<int>(Fault::usage);
  }
  const std::string& verb = arguments[0];
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const bool is_help = verb == "--help" || verb == "-h" || verb == "help";
  if (is_help && rest.empty()) {
    show_text(program_help());
    return 0;
  }
  if (is_help) {
    show_text(command_help(find_command(rest[0])));
    return 0;
  }
  if (verb == "--version" || verb == "-V") {
    show("convoy {} ({}, {})\n", version, build_type, compiler);
    return 0;
  }
  const CommandDef& command = find_command(verb);
  if (asks_for_help(rest)) {
    show_text(command_help(command));
    return 0;
  }
  take_share_of_cores();
  if (World::started_by_mpi()) {
    if (command.shared) {
      World::get();  // before anything can go wrong: then it is told once
    } else {
      refuse_crowd(command);
    }
  }
  const bool is_launcher = command.words_end_options;
  if (command.shared && !is_launcher && (!World::started_by_mpi() || World::get().size() == 1)) {
    refuse_other_launchers([](const char* name) { return std::getenv(name); }, arguments);
  }
  const CommandLine line =
      parse_command_line(rest, described(command.describe), command.words_end_options);
  warn_of_overruled(line);
  return command.run(line);
}

// What stands in stdout's buffer may still fail to reach its file.
void flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  const int reason = errno;
  if (reason == EPIPE) return;  // the work was done; only nobody reads about it
  raise(reason == ENOSPC ? Fault::no_space : Fault::bug, "cannot write to the standard output: {}",
        reason ? std::strerror(reason) : "an earlier write failed");
}

// Where all processes have the same trouble, the first one tells it. Ends them all.
void end_all(int code, const std::function<void(const std::string& label)>& tell) {
  World& world = World::get();
  constexpr std::chrono::seconds first_says{3};  // it may take a second to end the others
  if (world.rank() > 0) std::this_thread::sleep_for(first_says);
  tell(world.label());
  world.abort(code);
}

// Never throws: standard error may be closed too.
int report(std::string_view message, int code, const std::string& label = "") {
  if (label.empty() && World::is_joined() && World::get().size() > 1) {
    end_all(code, [&](const std::string& mine) { report(message, code, mine); });
  }
  std::fflush(stdout);
  const std::string line = fmt::format("{}convoy: error: {}\n", label, one_line(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  return code;
}

}  // namespace

std::vector<Field> described(void (*describe)(Fields& field)) {
  Fields field(Settings{});
  if (describe) describe(field);
  return field.all();
}

int run_program(const std::vector<std::string>& arguments) {
  return with_exit_code([&] { return dispatch(arguments); });
}

int with_exit_code(const std::function<int()>& work) {
  try {
    const int code = work();
    flush_output();
    if (World::is_joined()) World::get().leave();
    return code;
  } catch (const Error& error) {
    return report(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return report("out of memory; try: a smaller --batch-size", static_cast<int>(Fault::no_space));
  } catch (const std::filesystem::filesystem_error& error) {
    return report(fmt::format("{}: {}; try: another path, or look at its permissions and links",
                              error.path1().string(), error.code().message()),
                  static_cast<int>(Fault::usage));
  } catch (const std::system_error& error) {
    if (is_closed_pipe(error)) return pipe_closed;
    return report(error.what(), static_cast<int>(Fault::bug));
  } catch (const std::exception& error) {
    return report(fmt::format("unexpected: {}", error.what()), static_cast<int>(Fault::bug));
  } catch (...) {
    return report("unexpected: something that is no exception was thrown",
                  static_cast<int>(Fault::bug));
  }
}

}  // namespace convoy
