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
    std::visit(Cases{
                   [&](const RunStart& e) {
                     write("start", 0,
                           {{"processes", e.processes},
                            {"threads", e.threads},
                            {"pinned", e.pinned},
                            {"version", e.version}});
                   },
                   [&](const Resumed& e) {
                     step_ = e.step;
                     write("resume", e.step,
                           {{"checkpoint", e.path},
                            {"processes", e.processes},
                            {"threads", e.threads},
                            {"pinned", e.pinned}});
                   },
                   [&](const Forecast& e) {
                     write("forecast", step_,
                           {{"peak_bytes", e.peak_bytes},
                            {"limit_bytes", e.limit_bytes},
                            {"state_bytes", e.state_bytes},
                            {"workspace_bytes", e.workspace_bytes},
                            {"loader_bytes", e.loader_bytes},
                            {"libraries_bytes", e.libraries_bytes},
                            {"disk_bytes", e.disk_bytes},
                            {"step_s", e.step_s}});
                   },
                   [&](const Exchanged& e) {
                     write("exchange", step_,
                           {{"processes", e.processes},
                            {"steps", e.steps},
                            {"gradient_bytes", e.gradient_bytes},
                            {"bytes", e.bytes},
                            {"sent_bytes", e.sent_bytes},
                            {"early_share", e.early_share},
                            {"wait_s", e.wait_s}});
                   },
                   [&](const RankLost& e) {
                     write("rank_lost", e.step, {{"rank", e.rank}, {"text", e.text}});
                   },
                   [&](const Stopped& e) {
                     write("stop", e.step, {{"signal", e.signal}, {"checkpoint", e.checkpoint}});
                   },
                   [&](const Warning& e) {
                     write("warning", step_, {{"text", e.text}});
                   },
                   [&](const TrainProgress& e) { step_ = e.step; },
                   [&](const RunEnd& e) {
                     write("end", e.step, {{"exit", e.exit}, {"seconds", e.seconds}});
                   },
                   [](const auto&) {},
               },
               event);
  }

 private:
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
