#include "report/sessions.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files/append_file.h"
#include "base/process.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

class Sessions : public Listener {
 public:
  explicit Sessions(const fs::path& path) : file_(path, Fault::checkpoint) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { write(e); }, event);
  }

 private:
  void write(const RunStart& e) {
    const auto& [processes, threads, pinned] = e.processes;
    write("start", 0,
          {{"processes", processes},
           {"threads", threads},
           {"pinned", pinned},
           {"version", e.version}});
  }
  void write(const Resumed& e) {
    const auto& [processes, threads, pinned] = e.processes;
    step_ = e.step;
    write("resume", e.step,
          {{"checkpoint", e.path},
           {"processes", processes},
           {"threads", threads},
           {"pinned", pinned}});
  }
  void write(const Forecast& e) {
    write("forecast", step_,
          {{"peak_bytes", e.peak_bytes},
           {"limit_bytes", e.limit_bytes},
           {"state_bytes", e.state_bytes},
           {"workspace_bytes", e.workspace_bytes},
           {"loader_bytes", e.loader_bytes},
           {"libraries_bytes", e.libraries_bytes},
           {"disk_bytes", e.disk_bytes},
           {"step_s", e.step_s}});
  }
  void write(const Exchanged& e) {
    write("exchange", step_,
          {{"processes", e.processes},
           {"steps", e.steps},
           {"gradient_bytes", e.gradient_bytes},
           {"bytes", e.bytes},
           {"sent_bytes", e.sent_bytes},
           {"early_share", e.early_share},
           {"wait_s", e.wait_s}});
  }
  void write(const RankLost& e) {
    write("rank_lost", e.step, {{"rank", e.rank}, {"text", e.text}});
  }
  void write(const Stopped& e) {
    write("stop", e.step, {{"signal", e.signal}, {"checkpoint", e.checkpoint}});
  }
  void write(const Warning& e) { write("warning", step_, {{"text", e.text}}); }
  void write(const TrainProgress& e) { step_ = e.step; }
  void write(const RunEnd& e) { write("end", e.step, {{"exit", e.exit}, {"seconds", e.seconds}}); }
  void write(const auto&) {}

  void write(const char* event, int64_t step, const Json& more) {
    Json line{{"event", event},
              {"t", unix_seconds()},
              {"pid", ::getpid()},
              {"host", host_name()},
              {"step", step}};
    line.update(more);
    file_.append(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  AppendFile file_;
  int64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Listener> sessions_listener(const fs::path& path) {
  return std::make_unique<Sessions>(path);
}

}  // namespace convoy
