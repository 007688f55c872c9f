#include "report/runs/run_facts.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/clock.h"
#include "base/process.h"
#include "base/text/json_line.h"
#include "base/text/text.h"
#include "report/runs/run_scores.h"

namespace convoy {
namespace {

constexpr uint64_t end_bytes = 64 << 10, session_bytes = 256 << 10;
// A run on another machine, or of another container, shows no lock; it writes its logs.
constexpr double quiet_s = 120;
constexpr int requeue_code = 75;  // stopped by a signal after a checkpoint

using Members = std::map<std::string, double>;

// Adds the numbers of a line, and its texts if wanted.
std::string members_of(std::string_view line, Members& numbers,
                       std::map<std::string, std::string>* texts = nullptr) {
  std::string event;
  const bool is_whole = scan_json_line(line, [&](std::string_view key, const JsonLineValue& value) {
    if (key == "event") {
      event = value.text;
    } else if (value.counts()) {
      numbers[std::string(key)] = value.number;
    } else if (texts && value.kind == JsonLineValue::Kind::text) {
      (*texts)[std::string(key)] = value.text;
    }
  });
  return is_whole ? event : "";
}

double number_in(const Members& numbers, const std::string& key, double otherwise = 0) {
  const auto found = numbers.find(key);
  return found == numbers.end() || std::isnan(found->second) ? otherwise : found->second;
}

int64_t whole_number(const Members& numbers, const std::string& key) {
  const double value = number_in(numbers, key);
  return std::abs(value) < 9e18 ? static_cast<int64_t>(value) : 0;
}

class Reader {
 public:
  Reader(const fs::path& run, const HeldLocks& locks, double now) : locks_(locks), now_(now) {
    facts_.path = run;
  }

  RunFacts read() {
    attempt([&] { read_head(); });
    attempt([&] { read_end(); });
    attempt([&] { facts_.best = best_score(facts_.path / "summary.csv"); });
    attempt([&] { read_sessions(); });
    if (facts_.score && (!facts_.best || is_better(*facts_.score, *facts_.best))) {
      facts_.best = facts_.score;
    }
    struct stat about {};
    if (::stat((facts_.path / "metrics.jsonl").c_str(), &about) == 0) {
      facts_.changed = static_cast<double>(about.st_mtime);
    }
    if (!facts_.sessions.empty()) {
      facts_.began = facts_.sessions.front().time;
      facts_.changed = std::max(facts_.changed, facts_.sessions.back().time);
    }
    facts_.status = status();
    if (facts_.status == RunStatus::running) facts_.eta_s = eta();
    return std::move(facts_);
  }

 private:
  template <class Read>
  void attempt(const Read& read) {
    try {
      read();
    } catch (const Error& error) {
      facts_.problems.emplace_back(error.what());
    }
  }

  void read_head() {
    const std::string text = first_lines(facts_.path / "metrics.jsonl", end_bytes);
    Members numbers;
    std::map<std::string, std::string> texts;
    if (members_of(std::string_view(text).substr(0, text.find('\n')), numbers, &texts) ==
        "run_start") {
      facts_.start = std::move(numbers);
      facts_.start_texts = std::move(texts);
    }
  }

  void read_end() {
    for_each_line(last_lines(facts_.path / "metrics.jsonl", end_bytes),
                  [&](std::string_view line) { take_event(line); });
  }

  void take_event(std::string_view line) {
    Members numbers;
    std::map<std::string, std::string> texts;
    const std::string event = members_of(line, numbers, &texts);
    has_ended_ = has_ended_ && event.empty();
    if (event == "train") {
      facts_.last = std::move(numbers);
    } else if (event == "eval") {
      if (const auto score = main_score(numbers)) facts_.score = score;
    } else if (event == "run_end") {
      has_ended_ = true;
      facts_.exit = static_cast<int>(whole_number(numbers, "exit"));
      facts_.end = std::move(numbers);
      facts_.weights_hash = texts["weights_hash"];
    }
  }

  void read_sessions() {
    for_each_line(last_lines(facts_.path / "sessions.jsonl", session_bytes),
                  [&](std::string_view line) {
                    RunSession session;
                    std::map<std::string, std::string> texts;
                    session.event = members_of(line, session.numbers, &texts);
                    if (session.event.empty()) return;
                    session.host = texts["host"];
                    session.text = texts["text"];
                    session.time = number_in(session.numbers, "t");
                    session.pid = whole_number(session.numbers, "pid");
                    session.step = whole_number(session.numbers, "step");
                    for (const char* key : {"t", "pid", "step"}) session.numbers.erase(key);
                    facts_.sessions.push_back(std::move(session));
                  });
  }

  RunStatus status() {
    if (has_ended_ && facts_.exit == 0) return RunStatus::finished;
    if (!facts_.sessions.empty()) {
      const RunSession& session = facts_.sessions.back();
      if (locks_.holds(facts_.path / ".lock", session.pid)) return RunStatus::running;
      if (has_ended_) {
        // As metrics.jsonl says.
      } else if (session.event == "end") {
        has_ended_ = true;
        facts_.exit = static_cast<int>(whole_number(session.numbers, "exit"));
      } else if (session.host != host_name() && now_ - facts_.changed < quiet_s) {
        return RunStatus::running;
      }
    }
    if (!has_ended_) {
      return facts_.sessions.empty() && facts_.start.empty() ? RunStatus::unknown
                                                             : RunStatus::killed;
    }
    const bool is_stop = facts_.exit == requeue_code || facts_.exit > 128;
    return facts_.exit == 0 ? RunStatus::finished
           : is_stop        ? RunStatus::stopped
                            : RunStatus::failed;
  }

  // At the mean pace of the process that is working now, so evaluations count.
  std::optional<double> eta() const {
    const auto began =
        std::find_if(facts_.sessions.rbegin(), facts_.sessions.rend(),
                     [](const RunSession& s) { return s.event == "start" || s.event == "resume"; });
    if (began == facts_.sessions.rend() || facts_.total_steps() == 0) return std::nullopt;
    const int64_t done = facts_.step() - began->step;
    const double took = number_in(facts_.last, "t") - began->time;
    if (done <= 0 || took <= 0) return std::nullopt;
    const int64_t left = std::max<int64_t>(0, facts_.total_steps() - facts_.step());
    return took / static_cast<double>(done) * static_cast<double>(left);
  }

  const HeldLocks& locks_;
  double now_;
  RunFacts facts_;
  bool has_ended_ = false;
};

}  // namespace

std::string RunFacts::text(const std::string& key) const {
  const auto found = start_texts.find(key);
  return found == start_texts.end() ? "" : found->second;
}
int64_t RunFacts::step() const {
  return std::max(whole_number(last, "step"), whole_number(end, "step"));
}
int64_t RunFacts::total_steps() const { return whole_number(start, "total_steps"); }
double RunFacts::epoch() const { return number_in(last, "epoch"); }

HeldLocks HeldLocks::now() {
  // "1: FLOCK  ADVISORY  WRITE 7421 08:01:1234 0 EOF": process, device and inode. The device is not
  // the one that stat tells on some file systems.
  HeldLocks all;
  std::ifstream file("/proc/locks");  // without it no lock is seen
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split_at_blanks(line);
    if (words.size() < 6 || words[1] != "FLOCK") continue;
    const std::string inode = words[5].substr(words[5].rfind(':') + 1);
    if (!is_number(inode) || !is_number(words[4])) continue;
    all.held_.emplace_back(std::strtoull(inode.c_str(), nullptr, 10),
                           std::strtoll(words[4].c_str(), nullptr, 10));
  }
  std::ranges::sort(all.held_);
  return all;
}

bool HeldLocks::holds(const fs::path& file, int64_t pid) const {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 &&
         std::ranges::binary_search(held_, std::pair<uint64_t, int64_t>(about.st_ino, pid));
}

RunFacts read_run_facts(const fs::path& run, const HeldLocks& locks, double now) {
  return Reader(run, locks, now).read();
}

RunFacts read_run_facts(const fs::path& run) {
  return read_run_facts(run, HeldLocks::now(), unix_seconds());
}

}  // namespace convoy
