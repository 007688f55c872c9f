#include "report/run_log.h"

#include "base/clock.h"
#include "base/files/append_file.h"
#include "report/lines.h"

namespace convoy {
namespace {

class RunLog : public Listener {
 public:
  explicit RunLog(const fs::path& path)
      : file_(path, Fault::checkpoint), lines_(steady_seconds, date_and_time) {}

  void on(const RunEvent& event) override {
    // Events of the process, not of the run: they are in sessions.jsonl.
    if (std::holds_alternative<Resumed>(event) || std::holds_alternative<Forecast>(event) ||
        std::holds_alternative<Exchanged>(event)) {
      return;
    }
    file_.append(lines_.of(event));
  }

 private:
  AppendFile file_;
  Lines lines_;
};

}  // namespace

std::unique_ptr<Listener> run_log_listener(const fs::path& path) {
  return std::make_unique<RunLog>(path);
}

}  // namespace convoy
