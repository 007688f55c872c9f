#include "report/summary_csv.h"

#include "base/files/append_file.h"

namespace convoy {
namespace {

class SummaryCsv : public Listener {
 public:
  SummaryCsv(const fs::path& path, std::vector<MetricDef> metrics)
      : file_(path, Fault::checkpoint), metrics_(std::move(metrics)) {
    head();
  }

  void on(const RunEvent& event) override {
    if (const auto* epoch = std::get_if<EpochDone>(&event)) {
      head();
      file_.append(summary_line(*epoch, metrics_) + "\n");
    }
  }

 private:
  // Writes the header, also if another process truncated the file.
  void head() {
    if (file_.size() != 0) return;
    std::string names;
    for (const MetricDef& def : metrics_) names += fmt::format("eval_{},", def.name);
    file_.append(fmt::format("epoch,train_loss,{}lr\n", names));
  }

  AppendFile file_;
  std::vector<MetricDef> metrics_;
};

}  // namespace

std::string summary_line(const EpochDone& epoch, std::span<const MetricDef> metrics) {
  std::string values;
  for (const MetricDef& def : metrics) {
    const Metric* metric = find_metric(epoch.eval, def.name);
    values += (metric ? fmt::format("{}", metric->value) : "") + ",";
  }
  return fmt::format("{},{},{}{}", epoch.epoch, epoch.train_loss, values, epoch.lr);
}

std::unique_ptr<Listener> summary_csv_listener(const fs::path& path,
                                               std::vector<MetricDef> metrics) {
  return std::make_unique<SummaryCsv>(path, std::move(metrics));
}

}  // namespace convoy
