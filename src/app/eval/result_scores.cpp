#include "app/eval/result_scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/eval/precision_plots.h"
#include "app/options.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "boxes/coco_annotations.h"
#include "boxes/coco_results.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// Counts over all classes.
CocoCategoryScore totals(const CocoScore& score) {
  CocoCategoryScore all;
  for (const CocoCategoryScore& category : score.categories) {
    all.objects += category.objects;
    all.crowds += category.crowds;
    all.detections += category.detections;
  }
  return all;
}

std::string shown_number(double number) { return number < 0 ? "-" : fmt::format("{:.5f}", number); }

std::string name_of(const CocoCategory& category) {
  return category.name.empty() ? fmt::format("category {}", category.id) : category.name;
}

void warn(const CocoAnnotations& truth, const CocoCeiling& ceiling, const std::string& file) {
  if (std::ranges::find(truth.annotations, 0, &CocoAnnotation::id) != truth.annotations.end()) {
    show(stderr,
         "Warning: {}: an annotation has the id 0: what finds it counts as wrong, as with "
         "pycocotools; try: ids from 1\n",
         file);
  }
  if (ceiling.is_reached_by_truth()) return;
  std::vector<std::string> reasons;
  if (ceiling.empty) reasons.push_back(fmt::format("{} have empty boxes", ceiling.empty));
  if (ceiling.over_limit) {
    reasons.push_back(fmt::format("{} are more than {} of a class in an image", ceiling.over_limit,
                                  coco_most_detections));
  }
  if (reasons.empty()) reasons.emplace_back("some boxes are too small for their coordinates");
  show(stderr,
       "Warning: {}: the objects themselves as detections have an AP of {:.5f}, not 1: not all can "
       "be found; {}\n",
       file, ceiling.ap, join(reasons, ", "));
}

void print_json(const CocoScore& score, const CocoAnnotations& truth, const CocoCeiling& ceiling) {
  Json json;
  for (size_t i = 0; i < coco_numbers; ++i) {
    json[std::string(coco_number_names()[i].key)] = score.numbers[i];
  }
  const CocoCategoryScore all = totals(score);
  json["images"] = truth.images.size();
  json["objects"] = all.objects;
  json["crowds"] = all.crowds;
  json["detections"] = all.detections;
  json["AP_of_truth"] = ceiling.ap;
  json["classes"] = Json::array();
  for (size_t i = 0; i < score.categories.size(); ++i) {
    const CocoCategoryScore& own = score.categories[i];
    json["classes"].push_back({{"id", truth.categories[i].id},
                               {"name", truth.categories[i].name},
                               {"objects", own.objects},
                               {"crowds", own.crowds},
                               {"detections", own.detections},
                               {"AP", own.ap},
                               {"AP50", own.ap50},
                               {"AP75", own.ap75},
                               {"AR100", own.ar100}});
  }
  show_text(json_text(json) + "\n");
}

void print_tables(const CocoScore& score, const CocoAnnotations& truth) {
  const CocoCategoryScore all = totals(score);
  show("{} images, {} objects and {} crowds of {} classes; {} detections\n\n",
       with_commas(std::ssize(truth.images)), with_commas(all.objects), with_commas(all.crowds),
       truth.categories.size(), with_commas(all.detections));
  for (size_t i = 0; i < coco_numbers; ++i) {
    const CocoNumberName& name = coco_number_names()[i];
    show("{:<6} {:>8}   {}\n", name.key, shown_number(score.numbers[i]), name.meaning);
  }
  show("\n{:<24} {:>9} {:>11} {:>8} {:>8} {:>8} {:>8}\n", "class", "objects", "detections", "AP",
       "AP50", "AP75", "AR100");
  int64_t unused = 0;
  for (size_t i = 0; i < score.categories.size(); ++i) {
    const CocoCategoryScore& own = score.categories[i];
    if (own.objects + own.crowds + own.detections == 0) {
      ++unused;
      continue;
    }
    show("{:<24} {:>9} {:>11} {:>8} {:>8} {:>8} {:>8}\n", name_of(truth.categories[i]),
         with_commas(own.objects), with_commas(own.detections), shown_number(own.ap),
         shown_number(own.ap50), shown_number(own.ap75), shown_number(own.ar100));
  }
  if (unused) show("{} more classes have neither objects nor detections\n", unused);
}

}  // namespace

void ResultsOptions::describe(Fields& field) {
  field.section("Scoring a file of detections");
  field("results", results,
        "detections in COCO's format for results (JSON), scored instead of a network's");
  field("annotations", annotations,
        "the objects in COCO's format (instances_*.json), for --results");
  field("plots", plots, plots_help);
}

bool asks_for_results(const CommandLine& line) {
  const auto typed = [&](const char* key) { return line.settings.contains(key); };
  return typed("results") || typed("annotations") || (typed("plots") && !typed("checkpoint"));
}

int score_results(const CommandLine& line, const std::vector<Field>& known) {
  need_words(line, {}, known);
  const Settings settings = resolve(line, known);
  if (settings.contains("checkpoint")) {
    raise(Fault::usage,
          "--checkpoint evaluates a network and --results a file of detections; try: one of them");
  }
  ResultsOptions options;
  bool json = false;
  int threads = 0;
  Fields field(settings);
  options.describe(field);
  field("json", json, "");
  field("threads", threads, "", between(0, 256), {"j"});
  field.finish(known);
  for (const auto& [key, value] :
       {std::pair{"results", options.results}, std::pair{"annotations", options.annotations}}) {
    if (value.empty()) {
      raise(Fault::usage,
            "scoring detections needs --{} FILE.json; try: convoy eval --results FILE.json "
            "--annotations FILE.json",
            key);
    }
  }

  ThreadPool pool(threads ? threads : available_cores(), flush_subnormals);
  const CocoAnnotations truth = read_coco_annotations(options.annotations);
  const CocoScorer scorer = scorer_of(truth, options.results);
  const CocoCeiling ceiling = scorer.ceiling(pool);
  warn(truth, ceiling, options.annotations);
  const CocoScore score = scorer.score(pool);
  if (json) {
    print_json(score, truth, ceiling);
  } else {
    print_tables(score, truth);
  }
  if (!options.plots.empty()) {
    const int64_t files = write_precision_plots(options.plots, score, truth.categories);
    if (!json) show("\nWrote {} pictures to {}\n", files, options.plots);
  }
  return 0;
}

}  // namespace convoy
