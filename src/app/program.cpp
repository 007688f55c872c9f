#include "app/program.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "app/command.h"
#include "app/dialects/run_dialect.h"
#include "app/launch/launchers.h"
#include "app/options.h"
#include "app/verb_help.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/help.h"
#include "dist/world.h"
#include "launch/rank_process.h"
#include "version.h"

namespace convoy {
namespace {

constexpr const char* full_output =
    "cannot write to the standard output: No space left on device; try: free some disk space, or "
    "send it to another disk";
constexpr int pipe_closed = 141;  // a shell's code of death by SIGPIPE

// The reader of our output has closed it (`convoy list | head -1`): not an error.
bool is_closed_pipe(const std::system_error& error) {
  return error.code() == std::errc::broken_pipe;
}

// A thread could not be started, or there is no memory.
bool is_out_of_resources(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

std::string program_help() {
  std::vector<HelpRow> rows;
  for (const CommandDef& command : command_catalog()) {
    rows.push_back({std::string(command.name), std::string(command.summary)});
  }
  std::vector<HelpRow> dialects;
  for (const Dialect& dialect : dialect_catalog()) {
    dialects.push_back({std::string(dialect.name), std::string(dialect.summary)});
  }
  return fmt::format(
      "Convoy trains convolutional networks on CPUs.\n"
      "\n"
      "Usage: convoy VERB [options]\n"
      "\n"
      "Verbs:\n"
      "{}"
      "\n"
      "Commands of other programs, as they are written there; --explain says what they are here:\n"
      "{}"
      "\n"
      "convoy VERB --help explains a verb, convoy VERB --help all everything about it;\n"
      "convoy --version shows the build.\n",
      help_rows(rows, help_width()), help_rows(dialects, help_width()));
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
  for (const Dialect& dialect : dialect_catalog()) names.emplace_back(dialect.name);
  const std::string near = nearest(verb, names);
  raise(Fault::usage, "unknown verb {}{}", verb,
        near.empty() ? "; try: convoy --help, which lists all" : "; nearest: " + near);
}

// Refuses several processes for a verb that runs in one: each would do all of the work.
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

// Ranks with different verbs would misread each other's messages.
void agree_on_verb(const std::string& verb) {
  const std::vector<std::string> all = World::get().all_gather(verb);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    raise(Fault::usage, "rank 0 was started as convoy {}, rank {} as convoy {}; try: one verb",
          all[0], rank, all[rank]);
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
  if (const Dialect* dialect = find_dialect(is_help ? rest[0] : verb)) {
    return run_dialect(*dialect, is_help ? std::vector<std::string>{"--help"} : rest);
  }
  if (is_help) {
    const std::vector<std::string> topic(rest.begin() + 1, rest.end());
    show_text(verb_help(find_command(rest[0]), join(topic, " ")));
    return 0;
  }
  if (verb == "--version" || verb == "-V") {
    show("convoy {} ({}, {})\n", version, build_type, compiler);
    return 0;
  }
  const CommandDef& command = find_command(verb);
  if (const std::optional<std::string> topic = asked_help(rest)) {
    show_text(verb_help(command, *topic));
    return 0;
  }
  take_share_of_cores();
  const RankBeat beat;
  if (World::started_by_mpi()) {
    if (command.shared) {
      agree_on_verb(verb);  // first, so that an error is reported once
    } else {
      refuse_crowd(command);
    }
  }
  const bool is_launcher = command.words_end_options;
  if (command.shared && !is_launcher && (!World::started_by_mpi() || World::get().size() == 1)) {
    refuse_other_launchers([](const char* name) { return std::getenv(name); }, arguments);
  }
  const CommandLine line = parse_for(command, rest);
  warn_of_overruled(line);
  return command.run(line);
}

// Buffered output may still fail to reach its file.
void flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  const int reason = errno;
  if (reason == EPIPE) return;  // the work is done; the reader has left
  if (reason == ENOSPC) raise(Fault::no_space, "{}", full_output);
  raise(Fault::bug, "cannot write to the standard output: {}",
        reason ? std::strerror(reason) : "an earlier write failed");
}

// mpirun ends all ranks when one aborts, maybe before it has read that rank's last output: wait for
// that.
void wait_until_read(int file) {
  constexpr std::chrono::milliseconds patience{2000}, step{5};
  struct stat about {};
  if (::fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
  int unread = 0;
  for (auto waited = 0 * step; waited < patience; waited += step) {
    if (::ioctl(file, FIONREAD, &unread) != 0 || unread == 0) return;
    std::this_thread::sleep_for(step);
  }
}

// Ends all processes. If all have the same error, only the first one reports it.
void end_all(int code, const std::function<void(const std::string& label)>& tell) {
  World& world = World::get();
  constexpr std::chrono::seconds first_says{3};  // it may take a second to end the others
  if (world.rank() > 0) std::this_thread::sleep_for(first_says);
  tell(world.label());
  wait_until_read(STDERR_FILENO);
  world.abort(code);
}

// Does not throw: standard error may be closed too.
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

CommandLine parse_for(const CommandDef& command, const std::vector<std::string>& arguments) {
  const auto advise = [&](const std::string& option) -> std::string {
    constexpr size_t most = 3;
    std::vector<std::string> verbs;
    for (const CommandDef& other : command_catalog()) {
      if (find_field(described(other.describe), option)) verbs.emplace_back(other.name);
    }
    if (verbs.empty()) return "";
    // List the most likely verb first.
    std::ranges::stable_partition(verbs, [](const std::string& verb) { return verb == "train"; });
    verbs.resize(std::min(verbs.size(), most));
    return fmt::format(
        ": {} has no such option, only other verbs have it ({}); try: convoy {} --help",
        command.name, join(verbs, ", "), command.name);
  };
  return parse_command_line(arguments, described(command.describe), command.words_end_options,
                            advise);
}

int run_program(const std::vector<std::string>& arguments) {
  return with_exit_code([&] { return dispatch(arguments); });
}

void end_out_of_memory() {
  constexpr std::string_view line = "convoy: error: out of memory; try: a smaller --batch-size\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  std::_Exit(static_cast<int>(Fault::no_space));
}

void end_when_terminated() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_out_of_memory();
  } catch (...) {  // a bug: a core dump tells more
  }
  std::abort();
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
    if (is_out_of_resources(error)) {
      return report(
          fmt::format("{}: no memory or no threads are left; try: fewer --threads", error.what()),
          static_cast<int>(Fault::no_space));
    }
    // Output larger than stdout's buffer fails before `flush_output` checks.
    if (error.code() == std::errc::no_space_on_device) {
      return report(full_output, static_cast<int>(Fault::no_space));
    }
    return report(error.what(), static_cast<int>(Fault::bug));
  } catch (const std::exception& error) {
    return report(fmt::format("unexpected: {}", error.what()), static_cast<int>(Fault::bug));
  } catch (...) {
    return report("unexpected: something that is no exception was thrown",
                  static_cast<int>(Fault::bug));
  }
}

}  // namespace convoy
