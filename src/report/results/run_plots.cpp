#include "report/results/run_plots.h"

#include <algorithm>

#include "report/results/predictions_file.h"
#include "report/results/result_plots.h"
#include "report/runs/opened_file.h"

namespace convoy {
namespace {

constexpr uint64_t most_picture_bytes = uint64_t{8} << 20, most_bytes_of_all = uint64_t{48} << 20;

// The titles of pictures that we know, in the order of the page; those of others are shown by name.
const std::vector<std::pair<std::string, std::string>>& known_titles() {
  static const std::vector<std::pair<std::string, std::string>> titles{
      {"confusion_matrix.png", "Confusion matrix"},
      {"calibration.png", "Calibration"},
      {"worst.png", "Largest losses: the most confident mistakes come first"},
      {"least_sure.png", "Right with the lowest confidence"},
      {"predictions.png", "Truth and prediction"},
      {"PR_curve.png", "Precision by recall"},
      {"F1_curve.png", "F1 by confidence"},
      {"P_curve.png", "Precision by confidence"},
      {"R_curve.png", "Recall by confidence"},
      {"first_batch.png", "The first batch as the network sees it, augmented"},
      {"curves.png", ""},  // the page has its curves
  };
  return titles;
}

bool is_picture(const fs::path& path) {
  const std::string end = path.extension().string();
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

// File names of pictures, known ones first.
std::vector<std::string> pictures_in(const fs::path& folder) {
  std::vector<std::string> others, names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (is_picture(at->path()) && !name.starts_with('.')) others.push_back(name);
  }
  std::ranges::sort(others);
  for (const auto& [name, title] : known_titles()) {
    if (std::erase(others, name)) names.push_back(name);
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string title_of(const std::string& name) {
  for (const auto& [known, title] : known_titles()) {
    if (known == name) return title;
  }
  return name;
}

}  // namespace

void read_results(ReportedRun& run, const fs::path& plots) {
  try {
    if (const auto results = read_predictions(plots / "predictions.csv")) {
      run.results = class_results(*results);
    }
  } catch (const Error& error) {
    run.facts.problems.emplace_back(error.what());
  }
}

void add_pictures(ReportedRun& run, const fs::path& plots) {
  ReportSection section{.title = "Pictures", .text = {}, .pictures = {}, .large = true};
  uint64_t left = most_bytes_of_all;
  for (const std::string& name : pictures_in(plots)) {
    const std::string title = title_of(name);
    // Of a matrix with all classes the page has a table.
    const bool is_in_page =
        run.results &&
        (name == "calibration.png" ||
         (name == "confusion_matrix.png" && run.results->classes.size() <= most_in_matrix));
    if (title.empty() || is_in_page) continue;
    try {
      const OpenedFile file(plots / name);
      if (file.size() > std::min(left, most_picture_bytes)) continue;
      left -= file.size();
      section.pictures.push_back({title, file.read(0, static_cast<size_t>(file.size()))});
    } catch (const Error& error) {
      run.facts.problems.emplace_back(error.what());
    }
  }
  if (!section.pictures.empty()) run.sections.push_back(std::move(section));
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
