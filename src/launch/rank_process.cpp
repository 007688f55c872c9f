#include "launch/rank_process.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/threads/core_grant.h"
#include "base/threads/cores.h"
#include "config/value.h"
#include "launch/core_share.h"

namespace convoy {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// The number in the first of these variables that is set; `otherwise` if none is.
int number(std::initializer_list<const char*> names, int low, int otherwise) {
  for (const char* name : names) {
    const std::string text = variable(name);
    if (text.empty()) continue;
    int value = 0;
    if (!parse_value(text, value).empty() || value < low) {
      raise(Fault::usage, "environment variable {} \"{}\" is no whole number of at least {}", name,
            one_line(text), low);
    }
    return value;
  }
  return otherwise;
}

// Drops the mark if the pipe is full: a rank must not wait for its launcher.
void say_beat(std::string_view mark) {
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&room, 1, 0) != 1 || !(room.revents & POLLOUT)) return;
  const std::string line = std::string(mark) + "\n";
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

std::map<std::string, std::string> RankSettings::environment() const {
  std::map<std::string, std::string> all{{"CONVOY_LAUNCH", "1"},
                                         {"CONVOY_BIND", std::string(word_of(bind))}};
  if (threads) all["CONVOY_THREADS_PER_RANK"] = std::to_string(threads);
  if (oversubscribe) all["CONVOY_OVERSUBSCRIBE"] = "1";
  if (beat_s > 0) all["CONVOY_BEAT_S"] = format_value(beat_s);
  return all;
}

void take_share_of_cores() {
  const std::string text = variable("CONVOY_BIND");
  if (text.empty()) return;
  const std::optional<Binding> bind = value_of<Binding>(text);
  if (!bind) {
    raise(Fault::usage, "environment variable CONVOY_BIND \"{}\" is none of core, numa, none",
          one_line(text));
  }
  ShareRequest request;
  request.index = number({"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"}, 0, 0);
  request.count =
      number({"OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE", "MPI_LOCALNRANKS"}, 1, 1);
  if (request.index >= request.count) {
    raise(Fault::usage,
          "the environment says this is rank {} of {} on this host; try: without CONVOY_BIND",
          request.index, request.count);
  }
  request.usable = available_cores();
  request.per_rank = number({"CONVOY_THREADS_PER_RANK"}, 1, 0);
  request.numa = bind == Binding::numa;
  request.oversubscribe = number({"CONVOY_OVERSUBSCRIBE"}, 0, 0) != 0;
  const CoreShare share = share_of_cores(cpu_places(allowed_cores()), request);
  if (bind != Binding::none) CoreSet(share.cpus).stay();
  grant_cores(share.threads);
}

bool is_launched() { return !variable("CONVOY_LAUNCH").empty(); }

void tell_run_dir(const std::string& path) {
  if (!is_launched()) return;
  const std::string folder = fs::absolute(path).lexically_normal().string();
  if (one_line(folder) != folder) return;  // a path with a newline could not be read back
  show(stderr, "{}{}\n", run_dir_mark, folder);
  std::fflush(stderr);
}

RankBeat::RankBeat() {
  double seconds = 0;
  const std::string text = variable("CONVOY_BEAT_S");
  if (text.empty() || !parse_value(text, seconds).empty() || !(seconds > 0)) return;
  thread_ = std::thread([this, seconds] { run(std::chrono::duration<double>(seconds)); });
}

RankBeat::~RankBeat() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
  say_beat(last_beat_mark);
}

void RankBeat::run(std::chrono::duration<double> period) {
  std::unique_lock lock(mutex_);
  do {
    say_beat(beat_mark);
  } while (!ends_.wait_for(lock, period, [this] { return is_over_; }));
}

}  // namespace convoy
