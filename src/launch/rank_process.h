// What a process does first when `convoy launch` started it as a rank, and how the two communicate:
// by environment variables to the rank, and by marked lines on its standard error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/text/words.h"

namespace convoy {

constexpr std::string_view error_mark = "convoy: error: ";
constexpr std::string_view run_dir_mark = "convoy: run directory ";
constexpr std::string_view beat_mark = "convoy: beat";
constexpr std::string_view last_beat_mark = "convoy: last beat";

// Where the threads of a rank may run: on its cores, on the cores of its NUMA node, or anywhere.
enum class Binding { core, numa, none };
constexpr auto words_of(Binding) { return words<Binding>("core", "numa", "none"); }

struct RankSettings {
  Binding bind = Binding::core;
  int threads = 0;  // per rank; 0: as many as its cores
  bool oversubscribe = false;
  double beat_s = 0;  // heartbeat interval of a rank; 0: no heartbeats

  // The variables for the ranks' environment.
  std::map<std::string, std::string> environment() const;
};

// Limits this process to its share of the host's cores according to CONVOY_BIND,
// CONVOY_THREADS_PER_RANK and CONVOY_OVERSUBSCRIBE; without CONVOY_BIND it does nothing. Call it
// before the first thread starts.
void take_share_of_cores();

// Whether `convoy launch` reads this process's output.
bool is_launched();
// Tells `convoy launch` which run directory to resume.
void tell_run_dir(const std::string& path);

// Sends a heartbeat to `convoy launch` every CONVOY_BEAT_S seconds, and the end of the work in the
// destructor. Without that variable it does nothing.
class RankBeat {
 public:
  RankBeat();
  ~RankBeat();
  RankBeat(const RankBeat&) = delete;
  RankBeat& operator=(const RankBeat&) = delete;

 private:
  void run(std::chrono::duration<double> period);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace convoy
