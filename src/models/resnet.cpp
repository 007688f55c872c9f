// ResNets for photographs (He 2015, 2016; Zagoruyko 2016; Xie 2017).
//
//   resnet50         torchvision's ("v1.5"): the stride of a bottleneck in its 3x3
//   resnet50_v1      the first paper's: the stride in the first 1x1. Basic blocks have no 1x1, so
//                    resnet18_v1 differs from resnet18 only by a projection at the start of stage 1
//   resnet50_v2      pre-activation: norm and ReLU before each convolution, only a sum at the end
//   wide_resnet50_2  twice as many channels inside the bottlenecks
//   resnext50_32x4d  32 groups of 4 channels in the first stage's 3x3

#include <fmt/core.h>

#include "models/residual.h"

namespace convoy {

ModelDef resnet_model() {
  ModelDef def{.family = "resnet",
               .help =
                   "ResNets for photographs: torchvision's, the first (v1), pre-activation "
                   "(v2), wide ones, ResNeXts",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {},
               .describe = describe_options<ResidualOptions>};
  const auto add = [&](const std::string& name, const ResidualForm& form) {
    def.variants.push_back(residual_variant(name, form));
  };
  for (const char* version : {"", "_v1", "_v2"}) {
    for (const ResidualDepth& depth : residual_depths) {
      if (depth.layers < 18 || depth.layers == 26) continue;
      ResidualForm form{.blocks = depth.blocks, .bottleneck = depth.bottleneck};
      form.always_projects = *version != 0;
      form.pre_activation = std::string_view(version) == "_v2";
      if (std::string_view(version) == "_v1") form.halves = ResidualForm::Halves::first_1x1;
      add(fmt::format("resnet{}{}", depth.layers, version), form);
    }
  }
  for (const ResidualDepth& depth : residual_depths) {
    if (!depth.bottleneck || depth.layers < 50 || depth.layers > 152) continue;
    const ResidualForm form{.blocks = depth.blocks, .bottleneck = true};
    if (depth.layers < 152) {
      ResidualForm wide = form;
      wide.group_width = 128;
      add(fmt::format("wide_resnet{}_2", depth.layers), wide);
    }
    for (const auto& [groups, width] : {std::pair{32, 4}, {32, 8}, {64, 4}}) {
      ResidualForm grouped = form;
      grouped.groups = groups;
      grouped.group_width = width;
      add(fmt::format("resnext{}_{}x{}d", depth.layers, groups, width), grouped);
    }
  }
  return def;
}

}  // namespace convoy
