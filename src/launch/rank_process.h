// What a process does first when `convoy launch` started it as a rank, and what the two say to each
// other: environment variables down, marked lines on the standard error up.
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

// Where a rank's threads stay: on its cores, on those of its memory's node, anywhere.
enum class Binding { core, numa, none };
constexpr std::array<Word<Binding>, 3> words_of(Binding) {
  return {{{"core", Binding::core}, {"numa", Binding::numa}, {"none", Binding::none}}};
}

struct RankSettings {
  Binding bind = Binding::core;
  int threads = 0;  // of each rank; 0: its share of the cores
  bool oversubscribe = false;
  double beat_s = 0;  // how often a rank says that it runs; 0: never

  // For the ranks' environment.
  std::map<std::string, std::string> environment() const;
};

// Takes this rank's share of the host's cores, as CONVOY_BIND, CONVOY_THREADS_PER_RANK and
// CONVOY_OVERSUBSCRIBE say; nothing without CONVOY_BIND. Must come before the first thread.
void take_share_of_cores();

// Whether `convoy launch` reads what this process says.
bool is_launched();
// Tells `convoy launch` what to resume.
void tell_run_dir(const std::string& path);

// Tells `convoy launch`, every CONVOY_BEAT_S seconds, that this process runs; at its end that the
// work is done. Without that variable it does nothing.
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
