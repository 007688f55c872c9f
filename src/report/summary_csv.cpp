#include "report/summary_csv.h"

#include "base/append_file.h"

namespace convoy {
namespace {

class SummaryCsv : public Listener {
 public:
  explicit SummaryCsv(const fs::path& path) : file_(path, Fault::checkpoint) { head(); }

  void on(const RunEvent& event) override {
    if (const auto* epoch = std::get_if<EpochDone>(&event)) {
      head();
      file_.append(summary_line(*epoch) + "\n");
    }
  }

 private:
  // Also after the file was cut to nothing under us.
  void head() {
    if (file_.size() == 0) file_.append("epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n");
  }

  AppendFile file_;
};

std::string field(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string summary_line(const EpochDone& epoch) {
  return fmt::format("{},{},{},{},{},{}", epoch.epoch, epoch.train_loss, field(epoch.eval_loss),
                     field(epoch.eval_top1), field(epoch.eval_top5), epoch.lr);
}

std::unique_ptr<Listener> summary_csv_listener(const fs::path& path) {
  return std::make_unique<SummaryCsv>(path);
}

}  // namespace convoy
