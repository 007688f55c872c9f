// `prepare shapes`: draws a detection set, in COCO's layout.
#include "app/prepare/prepare_kind.h"
#include "base/show.h"
#include "base/text/text.h"
#include "data/shapes/shape_scene.h"
#include "data/shapes/shapes_folder.h"

namespace convoy {
namespace {

struct Options {
  ShapesSpec shapes;

  void describe(Fields& field) {
    field.section("Of `prepare shapes`");
    field("train-pictures", shapes.train, "pictures to train on", between(0, 999'999));
    field("val-pictures", shapes.val, "pictures for the evaluation", between(0, 999'999));
    field("picture-size", shapes.side, "height and width of the pictures",
          between(static_cast<double>(least_shape_side), 2048));
    field("picture-format", shapes.format, "the format of the pictures");
    field("seed", shapes.seed, "start of all that is random: equal seeds give equal files");
  }
};

int run(const PrepareSite& site) {
  const ShapesSpec spec = site.own.read<Options>().shapes;
  if (spec.train + spec.val == 0) {
    raise(Fault::usage, "there are no pictures to draw; try: --train-pictures 4000");
  }
  const ShapesResult made = write_shapes(site.options.output, spec, site.pool);
  show("{}: {} training and {} validation pictures of {} x {}, {} objects of {} classes, {}\n",
       site.options.output, with_commas(spec.train), with_commas(spec.val), spec.side, spec.side,
       with_commas(made.objects), shape_kinds, human_bytes(static_cast<double>(made.bytes)));
  return 0;
}

}  // namespace

PrepareKind shapes_prepare() {
  return {
      .name = "shapes",
      .details =
          R"(prepare shapes     a detection set that is drawn, in COCO's layout: shapes of eight kinds, some
                   behind others, from 8 % to 60 % of the picture's side, on textured grounds.
                   Equal options give equal bytes.
)",
      .describe = describe_options<Options>,
      .needs_input = false,
      .run = run};
}

}  // namespace convoy
