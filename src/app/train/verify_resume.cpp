#include "app/train/verify_resume.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/random.h"
#include "base/show.h"
#include "base/text/json.h"
#include "base/text/text.h"

namespace convoy {
namespace {

// Runs this program as a child process and discards its output.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments) : pid_(::fork()) {
    if (pid_ < 0) raise(Fault::bug, "cannot start a second process");
    if (pid_ > 0) return;
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDOUT_FILENO);
    std::vector<char*> argv{const_cast<char*>("convoy")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }

  // The exit code if it ends within the time; -1 otherwise.
  int wait(double seconds) {
    const double end = steady_seconds() + seconds;
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (steady_seconds() > end) return -1;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int end_with(int signal) {
    ::kill(pid_, signal);
    return wait(3600);
  }

 private:
  pid_t pid_;
};

void expect_code(int code, int wanted, const std::string& what) {
  if (code != wanted)
    raise(Fault::checkpoint, "--verify-resume: {} left with {} instead of {}", what, code, wanted);
}

std::vector<std::string> comparable_metrics(const fs::path& run) {
  std::vector<std::string> lines;
  const fs::path file = run / "metrics.jsonl";
  for (const std::string& line : split(read_file(file, Fault::checkpoint), '\n')) {
    if (line.empty()) continue;
    try {
      auto event = parse_ordered_json(line);
      for (const char* time :
           {"t", "images_per_s", "data_wait_s", "seconds", "peak_rss_bytes", "rss_bytes"})
        event.erase(time);
      lines.push_back(event.dump());
    } catch (const JsonError& error) {
      raise(Fault::checkpoint, "--verify-resume: {}: line {} {}", file.string(), lines.size() + 1,
            error.what());
    }
  }
  return lines;
}

// The options for both runs, as typed. Options recorded in a file would hide errors of the record.
std::vector<std::string> as_typed(const CommandLine& line) {
  constexpr std::array ours{"verify-resume", "verify-kills", "output", "name", "quiet"};
  std::vector<std::string> arguments;
  for (const auto& [key, setting] : line.settings) {
    if (setting.is_default() || std::ranges::find(ours, key) != ours.end()) continue;
    for (const std::string& value : split(setting.text, '\n')) {
      arguments.insert(arguments.end(), {"--set", key + "=" + value});
    }
  }
  return arguments;
}

void compare(const std::vector<std::string>& whole, const std::vector<std::string>& pieces,
             const std::string& file) {
  for (size_t i = 0; i < std::max(whole.size(), pieces.size()); ++i) {
    const std::string a = i < whole.size() ? whole[i] : "(nothing)",
                      b = i < pieces.size() ? pieces[i] : "(nothing)";
    if (a != b) {
      raise(Fault::checkpoint, "--verify-resume: {} line {} differs: {} | after interruptions: {}",
            file, i + 1, a, b);
    }
  }
}

}  // namespace

int verify_resume(const RunConfig& config, const CommandLine& line, int kills) {
  if (config.stop.max_hours > 0) {
    raise(Fault::usage,
          "--verify-resume compares two runs, and --max-hours makes the length of each depend on "
          "the clock; try: --max-steps");
  }
  const fs::path folder = fs::path(config.output) / (config.default_name() + "-verify-resume");
  fs::remove_all(folder);
  make_folders(folder, Fault::usage);
  const auto named = [&](const char* name) {
    std::vector<std::string> all{"train", "--output", folder.string(), "--quiet", "--name", name};
    const std::vector<std::string> typed = as_typed(line);
    all.insert(all.end(), typed.begin(), typed.end());
    return all;
  };

  show("training without interruption ...\n");
  std::fflush(stdout);
  const double begin = steady_seconds();
  expect_code(Child(named("whole")).wait(1e9), 0, "the uninterrupted run");
  const double length = steady_seconds() - begin;
  show("{:.1f} s. Now with {} interruptions:\n", length, kills);

  const fs::path pieces = folder / "pieces";
  const auto next_life = [&] {
    if (fs::exists(pieces / "args.yml")) {
      return Child({"resume", pieces.string(), "--quiet"});
    }
    fs::remove_all(pieces);  // killed before it was a run; free its name
    return Child(named("pieces"));
  };
  Random random(random_key(config.seed, Purpose::generated, 77));
  bool running = true;
  for (int k = 0; k < kills && running; ++k) {
    const int signal = k == kills / 2 ? SIGTERM : SIGKILL;
    Child child = next_life();
    const double after = length * (0.05 + 0.7 * random.uniform());
    const int code = child.wait(after);
    running = code < 0;
    if (running) {
      const int last = child.end_with(signal);
      // It may have ended before the signal, or not yet have handled SIGTERM.
      if (last != 0 && last != 128 + signal) {
        expect_code(last, signal == SIGTERM ? 75 : 128 + signal, "an interrupted process");
      }
    } else {
      expect_code(code, 0, "a resumed run");
    }
    show("  {} after {:.1f} s\n",
         !running            ? "finished"
         : signal == SIGTERM ? "SIGTERM"
                             : "SIGKILL",
         after);
    std::fflush(stdout);
  }
  expect_code(next_life().wait(1e9), 0, "the last resume");

  const fs::path whole = folder / "whole";
  compare(split(read_file(whole / "summary.csv", Fault::checkpoint), '\n'),
          split(read_file(pieces / "summary.csv", Fault::checkpoint), '\n'), "summary.csv");
  compare(comparable_metrics(whole), comparable_metrics(pieces), "metrics.jsonl");
  if (read_file(whole / "weights/last.safetensors", Fault::checkpoint) !=
      read_file(pieces / "weights/last.safetensors", Fault::checkpoint)) {
    raise(Fault::checkpoint, "--verify-resume: weights/last.safetensors differs");
  }
  const auto end = parse_json(comparable_metrics(whole).back());
  show("equal: weights, summary.csv, metrics.jsonl\nweights {}\n", end.value("weights_hash", ""));
  fs::remove_all(folder);
  return 0;
}

}  // namespace convoy
