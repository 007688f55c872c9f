// The ResNets of keras.applications. keras_resnet50: biases in all convolutions, the stride of a
// stage in its first 1x1. keras_resnet50v2: pre-activation, biases where no norm follows, the
// stride of a stage in its *last* block, zeros around the stem's pool.

#include <fmt/core.h>

#include "models/residual.h"

namespace convoy {

ModelDef keras_resnet_model() {
  ModelDef def{.family = "keras_resnet",
               .help = "the ResNets of keras.applications, V1 and V2",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {},
               .describe = describe_options<ZeroGammaOption>};
  Style style{.batch_epsilon = 1.001e-5f};
  style.conv = ConvStart::glorot_uniform;
  style.dense = DenseStart::glorot;
  for (const bool second : {false, true}) {
    for (const ResidualDepth& depth : residual_depths) {
      if (!depth.bottleneck || depth.layers < 50 || depth.layers > 152) continue;
      using Of = ResidualForm;
      const Of form{.blocks = depth.blocks,
                    .bottleneck = true,
                    .halves = second ? Of::Halves::last_3x3 : Of::Halves::first_1x1,
                    .pre_activation = second,
                    .always_projects = true,
                    .biases = second ? Of::Biases::some : Of::Biases::all,
                    .zeros_around_pool = true,
                    .style = style};
      def.variants.push_back(residual_variant(
          fmt::format("keras_resnet{}{}", depth.layers, second ? "v2" : ""), form, 0.01f));
    }
  }
  return def;
}

}  // namespace convoy
