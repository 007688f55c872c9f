#include "models/ssd_boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "boxes/fit/box_shapes.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

constexpr int64_t first_stride = 8;

// The cells of each map.
std::vector<int64_t> cells_of(size_t levels, int64_t side) {
  std::vector<int64_t> cells{divide_up(side, first_stride)};
  while (cells.size() < levels && cells.back() > 1) {
    const int64_t last = cells.back();
    cells.push_back(ssd_halves(last) ? divide_up(last, 2) : last - 2);
  }
  if (cells.size() < levels) {
    raise(Fault::usage,
          "images of {0}x{0} pixels give {1} maps of default boxes, and this network has {2}; try: "
          "a larger --image-size, or --box-levels {1}",
          side, cells.size(), levels);
  }
  return cells;
}

std::vector<std::vector<BoxShape>> fitted_shapes(const std::vector<std::string>& texts) {
  std::vector<std::vector<BoxShape>> shapes;
  for (const std::string& text : texts) shapes.push_back(parse_box_shapes(text));
  return shapes;
}

std::vector<std::vector<BoxShape>> scaled_shapes(const SsdBoxForm& form,
                                                 const SsdBoxOptions& options, size_t levels) {
  const std::vector<double>& scales = options.scales.empty() ? form.scales : options.scales;
  if (!options.scales.empty() && scales.size() != levels + 1) {
    raise(Fault::usage,
          "--box-scales has {} numbers, and {} maps need {}: one for each, and the next beyond the "
          "last; try: --box-levels {}",
          scales.size(), levels, levels + 1, std::max<size_t>(scales.size(), 2) - 1);
  }
  expect(scales.size() > levels, "a scale for each map");
  std::vector<std::vector<BoxShape>> shapes;
  for (size_t i = 0; i < levels; ++i) {
    shapes.push_back(ssd_shapes(1, scales[i], scales[i + 1],
                                options.ratios.empty() ? form.ratios[i] : options.ratios));
  }
  return shapes;
}

void check(const SsdBoxOptions& options) {
  const auto out_of = [](const std::vector<double>& list, double low, double high) {
    return std::ranges::any_of(list, [&](double x) { return !(x > low && x <= high); });
  };
  if (out_of(options.scales, 0, 2)) {
    raise(Fault::usage, "--box-scales are shares of the image's side, above 0 and up to 2");
  }
  if (out_of(options.ratios, 1, 20)) {
    raise(Fault::usage, "--box-ratios are of the longer to the shorter side, above 1 and up to 20");
  }
  if (!options.shapes.empty() && (!options.scales.empty() || !options.ratios.empty())) {
    raise(Fault::usage,
          "--default-boxes gives all shapes, and --box-scales and --box-ratios do so too; try: one "
          "way");
  }
  if (!options.shapes.empty() && options.levels &&
      options.shapes.size() != static_cast<size_t>(options.levels)) {
    raise(Fault::usage, "--default-boxes has the shapes of {} maps, --box-levels says {}",
          options.shapes.size(), options.levels);
  }
}

}  // namespace

void SsdBoxOptions::describe(Fields& field) {
  field("box-levels", levels,
        "maps with default boxes, each about half as wide as the one before; 0: the model's",
        between(0, 6));
  field("box-scales", scales,
        "sides of the square default boxes as shares of the image's side: one for each map, and "
        "one beyond the last; empty: the model's",
        any_value().after("box-levels"));
  field("box-ratios", ratios,
        "for each of these ratios of the longer to the shorter side a wide and a tall default box "
        "on every map; empty: the model's",
        any_value().after("box-scales"));
  field("default-boxes", shapes,
        "the shapes on each map as WIDTHxHEIGHT+..., shares of the image's side; `convoy prepare "
        "boxes --fit-anchors` finds them for a dataset",
        any_value().after("box-ratios"));
}

bool ssd_halves(int64_t cells) { return cells > 5 || cells < 3; }

size_t ssd_levels(const SsdBoxForm& form, const SsdBoxOptions& options) {
  check(options);
  const size_t levels = !options.shapes.empty() ? options.shapes.size()
                        : options.levels        ? static_cast<size_t>(options.levels)
                                                : form.levels();
  if (levels > form.levels()) {
    raise(Fault::usage, "this network has {} maps for default boxes, not {}; try: --box-levels {}",
          form.levels(), levels, form.levels());
  }
  return levels;
}

DefaultBoxSpec ssd_boxes(const SsdBoxForm& form, const SsdBoxOptions& options, int64_t side) {
  const size_t levels = ssd_levels(form, options);
  const bool by_options =
      !options.shapes.empty() || !options.scales.empty() || !options.ratios.empty();
  if (form.published && !by_options && static_cast<double>(side) == form.published->image) {
    DefaultBoxSpec spec = *form.published;
    spec.maps.resize(levels);
    return spec;
  }
  const std::vector<int64_t> cells = cells_of(levels, side);
  const auto shapes =
      options.shapes.empty() ? scaled_shapes(form, options, levels) : fitted_shapes(options.shapes);
  DefaultBoxSpec spec{.image = static_cast<double>(side), .maps = {}};
  for (size_t i = 0; i < levels; ++i) {
    const double step = static_cast<double>(side) / static_cast<double>(cells[i]);
    spec.maps.push_back({.cells = cells[i], .step = step, .shapes = shapes[i]});
  }
  return spec;
}

}  // namespace convoy
