#include "app/prepare/boxes/fit_anchors.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "boxes/fit/box_shapes.h"
#include "boxes/fit/fit_boxes.h"
#include "models/model.h"

namespace convoy {
namespace {

// Evaluation sees whole pictures as square images.
std::vector<BoxShape> sizes_of(const BoxedSplit& split) {
  std::vector<BoxShape> sizes;
  for (const BoxedPicture& picture : split.pictures) {
    for (const BoxedObject& object : split.objects_of(picture)) {
      if (!object.is_usable || object.crowd) continue;
      sizes.push_back({.height = object.height / static_cast<double>(picture.height),
                       .width = object.width / static_cast<double>(picture.width)});
    }
  }
  return sizes;
}

std::vector<BoxShape> shapes_of(const DefaultBoxSpec& spec) {
  std::vector<BoxShape> shapes;
  for (const DefaultBoxMap& map : spec.maps) {
    shapes.insert(shapes.end(), map.shapes.begin(), map.shapes.end());
  }
  return shapes;
}

std::string told(const ShapeFit& fit) {
  return fmt::format("mean best overlap {:.3f}, {:.1f} % of the objects at 0.5 or more",
                     fit.mean_overlap, 100 * fit.matched);
}

}  // namespace

void FitOptions::describe(Fields& field) {
  field("fit-anchors", on,
        "instead of --to: default boxes fitted to the training objects (k-means with overlaps), "
        "written to --output FILE.yml as a recipe");
  field("model", model, "with --fit-anchors: the detector they are for");
  field("image-size", image_size, "with --fit-anchors: of its images; 0: the model's own",
        between(0, 4096));
  field("shapes-per-map", per_map, "with --fit-anchors: shapes on each of the model's maps",
        between(1, 16));
  field("seed", seed, "with --fit-anchors: start of the random starts of k-means");
  for (const char* key : {"model", "image-size", "shapes-per-map"}) {
    field.needs(key, on, "--fit-anchors", {"fit-anchors"});
  }
}

void fit_anchors(const BoxedSplit& train, const FitOptions& options, const std::string& output) {
  const FoundModel model = find_model(options.model);
  if (!model.variant.boxes) {
    raise(Fault::usage, "{} has no default boxes; try: --model ssd_resnet18", options.model);
  }
  const int side = options.image_size ? options.image_size : model.image_size();
  const DefaultBoxSpec own = model.variant.boxes({}, side);
  const int maps = static_cast<int>(own.maps.size()), count = maps * options.per_map;
  const std::vector<BoxShape> sizes = sizes_of(train);
  if (std::ssize(sizes) < count) {
    raise(Fault::data, "{} usable objects are too few for {} shapes; try: --shapes-per-map {}",
          sizes.size(), count, std::max<size_t>(1, sizes.size() / own.maps.size()));
  }
  const std::vector<BoxShape> fitted = fit_shapes(sizes, count, options.seed);
  std::vector<std::string> texts;
  for (const std::vector<BoxShape>& map : on_maps(fitted, maps)) texts.push_back(text_of(map));
  const ShapeFit before = fit_of(sizes, shapes_of(own)), after = fit_of(sizes, fitted);
  const std::string objects = with_commas(std::ssize(sizes));
  const std::string recipe = fmt::format(
      "# Default boxes fitted to {} objects: {}.\n"
      "base: detection/fine_tune\nmodel: {}\nimage-size: {}\ndefault-boxes: [{}]\n",
      objects, told(after), options.model, side, join(texts, ", "));
  write_atomically(output, recipe, Fault::usage);
  show(
      "{} objects, {} shapes on {} maps of {}\nits own:  {}\nfitted:   {}\n{}: a recipe with "
      "--default-boxes {}\n",
      objects, count, maps, options.model, told(before), told(after), output, join(texts, ","));
}

}  // namespace convoy
