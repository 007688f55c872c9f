#include "train/tasks/detection_results.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/threads/thread_pool.h"
#include "data/objects.h"

namespace convoy {
namespace {

constexpr size_t truth_columns = object_tensor::truth_columns;
constexpr size_t found_columns = 6;
constexpr size_t head = 2;  // the picture's number, the number of objects

// A row without its loss; nothing: it is no such row.
struct PictureRow {
  int64_t image;
  std::span<const double> truths, found;

  static std::optional<PictureRow> of(std::span<const double> row, int categories) {
    const double most = static_cast<double>(row.size());
    if (row.size() < head || !(row[1] >= 0 && row[1] <= most)) return {};
    const auto truths = static_cast<size_t>(row[1]) * truth_columns;
    if (row.size() < head + truths) return {};
    PictureRow made{static_cast<int64_t>(row[0]), row.subspan(head, truths),
                    row.subspan(head + truths)};
    if (made.found.size() % found_columns != 0) return {};
    const auto is_class = [&](double label) { return label >= 1 && label <= categories; };
    for (size_t i = 0; i < truths; i += truth_columns) {
      if (!is_class(made.truths[i + 4])) return {};
    }
    for (size_t i = 0; i < made.found.size(); i += found_columns) {
      if (!is_class(made.found[i + 5])) return {};
    }
    return made;
  }
};

int category_of(double label) { return static_cast<int>(label) - 1; }

ScoredPicture scored(const PictureRow& row) {
  ScoredPicture picture{.image = row.image, .truths = {}, .found = {}};
  for (size_t i = 0; i < row.truths.size(); i += truth_columns) {
    const auto t = row.truths.subspan(i, truth_columns);
    picture.truths.push_back({.x = t[0],
                              .y = t[1],
                              .width = t[2],
                              .height = t[3],
                              .area = t[5],
                              .category = category_of(t[4]),
                              .crowd = t[6] != 0});
  }
  for (size_t i = 0; i < row.found.size(); i += found_columns) {
    const auto d = row.found.subspan(i, found_columns);
    picture.found.push_back({.x = d[0],
                             .y = d[1],
                             .width = d[2],
                             .height = d[3],
                             .score = d[4],
                             .category = category_of(d[5])});
  }
  return picture;
}

// body(row) for each row of `flat`; false: it is damaged.
template <class Body>
bool each_row(std::span<const double> flat, const Body& body) {
  while (!flat.empty()) {
    const double length = flat[0];
    if (!(length >= 0 && length < static_cast<double>(flat.size()))) return false;
    const auto numbers = static_cast<size_t>(length);
    if (!body(flat.subspan(1, numbers))) return false;
    flat = flat.subspan(1 + numbers);
  }
  return true;
}

}  // namespace

void make_detection_row(const DetectionLosses& losses, const PictureTruth& truth,
                        std::span<const Detection> found, std::vector<double>& row) {
  row = {losses.all, losses.of_boxes, static_cast<double>(truth.image_id),
         static_cast<double>(truth.objects.size() / truth_columns)};
  row.insert(row.end(), truth.objects.begin(), truth.objects.end());
  for (const Detection& one : found) {
    const PixelBox box = in_pixels(one.box, truth.width, truth.height);
    row.insert(row.end(), {box.x, box.y, box.width, box.height, static_cast<double>(one.score),
                           static_cast<double>(one.label)});
  }
}

std::vector<ScoredPicture> DetectionResults::pictures() const {
  std::vector<ScoredPicture> all;
  const bool sound = each_row(pictures_.flat(), [&](std::span<const double> row) {
    const auto picture = PictureRow::of(row, categories_);
    if (picture) all.push_back(scored(*picture));
    return picture.has_value();
  });
  expect(sound, "rows of pictures");
  return all;
}

std::shared_ptr<const ObjectResults> DetectionResults::objects(
    const std::vector<std::string>& names) const {
  ObjectResults made{.pictures = pictures(), .curves = score().curves, .classes = {}};
  // The curves of no pictures.
  if (made.pictures.empty()) made.curves = confidence_curves(made.pictures, categories_);
  for (size_t i = 1; i <= static_cast<size_t>(categories_); ++i) {
    made.classes.push_back(i < names.size() ? names[i] : fmt::format("class {}", i));
  }
  return std::make_shared<const ObjectResults>(std::move(made));
}

CocoScore DetectionResults::whole_score() const {
  CocoScorer scorer(categories_);
  for (const ScoredPicture& picture : pictures()) {
    scorer.add(picture.image, picture.truths, picture.found);
  }
  ThreadPool pool(available_cores());
  return scorer.score(pool);
}

const DetectionResults::Numbers& DetectionResults::score() const {
  static const Numbers none;
  if (pictures_.flat().empty()) return none;
  if (!score_) {
    const CocoScore whole = whole_score();
    score_ = {whole[CocoNumber::ap], whole[CocoNumber::ap50], whole[CocoNumber::ap75]};
    score_->curves = confidence_curves(pictures(), categories_);
    const ConfidenceCurves& curves = score_->curves;
    if (curves.mean.objects > 0) {
      const auto best = static_cast<size_t>(curves.best);
      score_->precision = curves.mean.precision[best];
      score_->recall = curves.mean.recall[best];
    }
  }
  return *score_;
}

std::vector<Metric> DetectionResults::metrics() const {
  const Numbers& numbers = score();
  const double boxes = samples() ? box_loss_ / static_cast<double>(samples()) : 0;
  const double values[] = {mean_loss(),       numbers.ap,     numbers.ap50, numbers.ap75,
                           numbers.precision, numbers.recall, boxes,        mean_loss() - boxes};
  static_assert(std::size(values) == detection_metrics.size());
  std::vector<Metric> metrics;
  for (size_t i = 0; i < detection_metrics.size(); ++i) {
    metrics.push_back({&detection_metrics[i], values[i]});
  }
  return metrics;
}

void DetectionResults::add_rest(std::span<const double> row) {
  expect(!row.empty(), "a row has the loss of its boxes");
  box_loss_ += row[0];
  if (row.size() == 1) return;  // of training
  expect(PictureRow::of(row.subspan(1), categories_).has_value(), "a row of a picture");
  pictures_.add(row.subspan(1));
  score_.reset();
}

void DetectionResults::merge_rest(const Results& later) {
  const auto& more = static_cast<const DetectionResults&>(later);
  box_loss_ += more.box_loss_;
  pictures_.append(more.pictures_.flat());
  score_.reset();
}

void DetectionResults::clear_rest() {
  box_loss_ = 0;
  pictures_.clear();
  score_.reset();
}

void DetectionResults::save_rest(SavedResults& into) const {
  into.numbers["box_loss"] = box_loss_;
  const std::span<const double> flat = pictures_.flat();
  if (!flat.empty()) into.lists["pictures"] = {flat.begin(), flat.end()};
}

std::string DetectionResults::restore_rest(const SavedResults& saved) {
  const auto found = saved.lists.find("pictures");
  const std::vector<double> flat =
      found == saved.lists.end() ? std::vector<double>() : found->second;
  const bool sound = each_row(flat, [&](std::span<const double> row) {
    return PictureRow::of(row, categories_).has_value();
  });
  if (!sound) return "epoch_pictures has no sound rows of pictures";
  // A checkpoint of an earlier Convoy does not know this part of the loss.
  const auto boxes = saved.numbers.find("box_loss");
  if (boxes != saved.numbers.end() && !(boxes->second >= 0 && boxes->second <= 3.5e38)) {
    return "epoch_box_loss is no sum of losses";
  }
  clear_rest();
  box_loss_ = boxes == saved.numbers.end() ? 0 : boxes->second;
  pictures_.append(flat);
  return "";
}

}  // namespace convoy
