#include "launch/supervisor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <regex>
#include <thread>

#include "base/error.h"
#include "base/show.h"
#include "base/stop_code.h"
#include "base/text/text.h"
#include "launch/job_folder.h"
#include "launch/rank_process.h"

namespace convoy {
namespace {

constexpr int lost = static_cast<int>(Fault::peer);

void say(const std::string& text) {
  show(stderr, "launch: {}\n", text);
  std::fflush(stderr);
}

// mpirun frames its messages with lines of dashes, and repeats its usage.
bool is_decoration(const std::string& line) {
  return line.empty() || line.find_first_not_of("- ") == line.npos;
}

// The error message of ssh or, if there is none, of mpirun, on one line.
std::string complaint(const std::vector<std::string>& said) {
  const bool by_ssh =
      std::ranges::any_of(said, [](const std::string& line) { return line.starts_with("ssh: "); });
  std::string text;
  for (std::string line : said) {
    std::erase(line, '\r');
    if (is_decoration(line) || (by_ssh && !line.starts_with("ssh: "))) continue;
    if (text.size() > 200) break;
    text += (text.empty() ? "" : " ") + one_line(line);
  }
  return text;
}

// Ranks exit with one of these codes; mpirun itself uses others.
bool is_code_of_a_rank(int code) { return (code >= 2 && code <= 7) || code == 75; }

bool lost_a_host(const std::vector<std::string>& said) {
  constexpr std::array marks{"unable to reliably start", "lost communication",
                             "does not know how to route"};
  return std::ranges::any_of(said, [&](const std::string& line) {
    return line.starts_with("ssh: ") ||
           std::ranges::any_of(marks, [&](const char* m) { return line.find(m) != line.npos; });
  });
}

// Returns the code to exit with, and prints errors that no rank has printed.
int settle(const JobEnd& end, const RankOutput& output, const LaunchJob& job) {
  if (end.code == 0) return 0;
  if (!end.lost.empty()) {
    show(stderr, "{}{}; try: convoy resume, or --restarts\n", error_mark, end.lost);
    std::fflush(stderr);
    return lost;
  }
  const bool explained = !output.first_error().empty();
  if (end.signal && (end.killed || (end.code > 128 && !explained))) return stop_code(end.signal);
  if (explained && !end.killed && end.code < 128) return end.code;
  if (const std::string who = killed_rank(end.mpirun_said); !who.empty()) {
    say(who);
    return lost;
  }
  if (explained) return lost;
  if (!is_code_of_a_rank(end.code) && lost_a_host(end.mpirun_said)) {
    say(fmt::format("not every host of {} could be reached: {}; try: ssh HOST true",
                    job.placement.text(), complaint(end.mpirun_said)));
    return lost;
  }
  if (end.code > 128) {
    say(fmt::format("mpirun was ended by signal {}", end.code - 128));
    return lost;
  }
  if (!job.verbose && !is_code_of_a_rank(end.code)) {
    for (const std::string& line : end.mpirun_said) {
      if (!is_decoration(line)) show(stderr, "mpirun: {}\n", line);
    }
  }
  return end.code;
}

}  // namespace

std::string killed_rank(const std::vector<std::string>& mpirun_said) {
  // mpirun breaks its lines at any place.
  const std::string text = join(mpirun_said, " ");
  static const std::regex pattern(
      R"(process rank (\d+) with PID \d+ on node (\S+)\s+exited on\s+signal (\d+))");
  std::smatch found;
  if (!std::regex_search(text, found, pattern)) return "";
  return fmt::format("rank {} (host {}) was killed by signal {}", found[1].str(), found[2].str(),
                     found[3].str());
}

int supervise(const LaunchJob& job) {
  RankOutput output(job.placement, job.output);
  const JobFolder folder(job.placement);
  std::vector<std::string> verb = job.verb;
  for (int restart = 0;; ++restart) {
    JobOptions options{.words = job.mpirun,
                       .environment = folder.environment(),
                       .grace_s = job.grace_s,
                       .same_stop_s = job.same_stop_s,
                       .silence_s = job.silence_s};
    std::vector<std::string>& words = options.words;
    words.push_back(job.program);
    words.insert(words.end(), verb.begin(), verb.end());
    if (job.verbose) {
      std::vector<std::string> shown;
      std::ranges::transform(words, std::back_inserter(shown), in_shell);
      say(join(shown, " "));
    }
    output.forget_error();
    const JobEnd end = run_job(options, job.placement, output);
    if (job.verbose) {
      for (const std::string& line : end.mpirun_said) show(stderr, "mpirun: {}\n", line);
    }
    const int code = settle(end, output, job);
    if (code != lost || restart >= job.restarts || end.signal) return code;
    if (!output.run_dir().empty()) {
      verb = {"resume", output.run_dir()};
    }
    say(fmt::format("restart {} of {}: convoy {}", restart + 1, job.restarts, join(verb, " ")));
    std::this_thread::sleep_for(std::chrono::seconds(1));  // meanwhile daemons on other hosts end
  }
}

}  // namespace convoy
