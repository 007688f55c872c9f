#include "report/results/plots_listener.h"

#include <map>

#include "pictures/png.h"
#include "report/results/predictions_file.h"
#include "report/results/run_plots.h"
#include "report/shown_pictures.h"

namespace convoy {
namespace {

class PlotsListener : public Listener {
 public:
  explicit PlotsListener(const fs::path& run) : run_(fs::absolute(run).lexically_normal()) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { take(e); }, event);
  }

 private:
  void take(const PicturesShown& e) {
    std::string name = e.what.substr(e.what.find('/') + 1);
    if (name == "worst" && e.detailed) name = "worst_objects";
    if (name == "worst_objects" || name == "first_batch" || name == "worst" || name == "least_sure")
      pictures_[name] = e;
  }
  void take(const EvalDone& e) {
    if (e.each) each_ = e.each;
  }
  void take(const RunEnd& e) {
    if (e.exit != 0) return;
    try {
      write(e);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {  // no memory
      throw Error(Fault::checkpoint, error.what());
    }
  }
  void take(const auto&) {}

  void write(const RunEnd& end) const {
    const fs::path folder = run_ / "plots";
    make_folders(folder, Fault::checkpoint);
    if (each_) put(folder / "predictions.csv", predictions_text(*each_));
    for (const auto& [name, shown] : pictures_) {
      put(folder / (name + ".png"), encode_png(grid_of(shown)));
    }
    std::vector<ReportedRun> runs{reported_run(run_, run_.filename().string())};
    ReportedRun& run = runs[0];
    // The line that says so is written after this event is heard here.
    run.facts.status = RunStatus::finished;
    run.facts.weights_hash = end.weights_hash;
    run.facts.end = {{"step", static_cast<double>(end.step)},
                     {"seconds", end.seconds},
                     {"peak_rss_bytes", static_cast<double>(end.peak_rss_bytes)}};
    if (each_) run.results = class_results(*each_);
    write_plots(runs, folder);
    add_pictures(run, folder);
    put(folder / "report.html", report_page(runs));
  }

  static void put(const fs::path& file, std::string_view content) {
    write_atomically(file, content, Fault::checkpoint);
  }

  fs::path run_;
  std::shared_ptr<const SampleResults> each_;
  std::map<std::string, PicturesShown> pictures_;
};

}  // namespace

std::unique_ptr<Listener> plots_listener(const fs::path& run) {
  return std::make_unique<PlotsListener>(run);
}

}  // namespace convoy
