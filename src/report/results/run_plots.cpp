#include "report/results/run_plots.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "report/results/predictions_file.h"
#include "report/results/result_plots.h"
#include "report/runs/followed_file.h"
#include "report/runs/opened_file.h"

namespace convoy {
namespace {

constexpr uint64_t most_class_bytes = 1 << 20;
constexpr uint64_t most_picture_bytes = uint64_t{8} << 20, most_bytes_of_all = uint64_t{48} << 20;

struct KnownPicture {
  std::string_view file, title;
  bool is_in_page = false;  // which has it as text or as curves
};

// In the order of the page.
constexpr std::array known_pictures{
    KnownPicture{"confusion_matrix.png", "Confusion matrix"},
    KnownPicture{"calibration.png", "Calibration"},
    KnownPicture{"worst.png", "Largest losses: the most confident mistakes come first"},
    KnownPicture{"least_sure.png", "Right with the lowest confidence"},
    KnownPicture{"predictions.png", "Truth and prediction"},
    KnownPicture{"worst_objects.png", "Pictures with the most mistakes"},
    KnownPicture{"PR_curve.png", "Precision by recall"},
    KnownPicture{"F1_curve.png", "F1 by confidence"},
    KnownPicture{"P_curve.png", "Precision by confidence"},
    KnownPicture{"R_curve.png", "Recall by confidence"},
    KnownPicture{"first_batch.png", "The first batch as the network sees it, augmented"},
    KnownPicture{"val_batch0_labels.jpg", "Evaluation pictures, first page: truth"},
    KnownPicture{"val_batch0_pred.jpg", "First page: found"},
    KnownPicture{"val_batch1_labels.jpg", "Second page: truth"},
    KnownPicture{"val_batch1_pred.jpg", "Second page: found"},
    KnownPicture{"val_batch2_labels.jpg", "Third page: truth"},
    KnownPicture{"val_batch2_pred.jpg", "Third page: found"},
    KnownPicture{"curves.png", "Curves", true},
};

bool is_picture(const fs::path& path) {
  const std::string end = path.extension().string();
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

std::vector<std::string> pictures_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (is_picture(at->path()) && !name.starts_with('.')) names.push_back(name);
  }
  sort_pictures(names);
  return names;
}

size_t place_of(std::string_view file) {
  return static_cast<size_t>(std::ranges::find(known_pictures, file, &KnownPicture::file) -
                             known_pictures.begin());
}

}  // namespace

std::string picture_title(const std::string& file) {
  const size_t place = place_of(file);
  return place < known_pictures.size() ? std::string(known_pictures[place].title) : file;
}

void sort_pictures(std::vector<std::string>& names) {
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair<size_t, const std::string&>(place_of(name), name);
  });
}

void read_results(ReportedRun& run, const fs::path& plots) {
  try {
    if (const auto results = read_predictions(plots / "predictions.csv")) {
      run.results = class_results(*results);
    }
    run.class_lines = first_lines(plots / "classes.txt", most_class_bytes);
  } catch (const Error& error) {
    run.facts.problems.emplace_back(error.what());
  }
}

void add_pictures(ReportedRun& run, const fs::path& plots) {
  ReportSection section{.title = "Pictures", .text = {}, .pictures = {}, .large = true};
  uint64_t left = most_bytes_of_all;
  for (const std::string& name : pictures_in(plots)) {
    const size_t place = place_of(name);
    // The page has curves, and a matrix with all classes as a table.
    if (place < known_pictures.size() && known_pictures[place].is_in_page) continue;
    const bool is_table =
        run.results &&
        (name == "calibration.png" ||
         (name == "confusion_matrix.png" && run.results->classes.size() <= most_in_matrix));
    if (is_table) continue;
    try {
      const OpenedFile file(plots / name);
      if (file.size() > std::min(left, most_picture_bytes)) continue;
      left -= file.size();
      section.pictures.push_back(
          {picture_title(name), file.read(0, static_cast<size_t>(file.size()))});
    } catch (const Error& error) {
      run.facts.problems.emplace_back(error.what());
    }
  }
  if (!section.pictures.empty()) run.sections.push_back(std::move(section));
}

void write_report(const std::vector<NamedRun>& named, const fs::path& page) {
  std::vector<ReportedRun> runs;
  for (const NamedRun& one : named) {
    runs.push_back(reported_run(one.folder, one.name));
    read_results(runs.back(), one.folder / "plots");
  }
  if (page.has_parent_path()) make_folders(page.parent_path(), Fault::usage);
  write_plots(runs, page.parent_path());
  for (size_t i = 0; i < named.size(); ++i) add_pictures(runs[i], named[i].folder / "plots");
  write_atomically(page, report_page(runs), Fault::usage);
}

void write_plots(const std::vector<ReportedRun>& runs, const fs::path& folder) {
  const auto put = [&](const char* name, const std::string& png) {
    if (!png.empty()) write_atomically(folder / name, png, Fault::usage);
  };
  std::vector<NamedCurves> curves;
  for (const ReportedRun& run : runs) curves.push_back({run.name, &run.curves});
  put("curves.png", curves_png(curves));
  if (runs.size() > 1 || !runs[0].results) return;
  put("confusion_matrix.png", confusion_png(*runs[0].results));
  put("calibration.png", calibration_png(*runs[0].results));
}

}  // namespace convoy
