#include "ops/conv/few_channels_conv.h"

#include <algorithm>

#include "kernels/conv/few_channels.h"
#include "ops/slices.h"
#include "ops/stored.h"

namespace convoy::ops {

bool has_few_channels(const onednn::ConvShape& s) {
  return s.groups == 1 && s.ic < 3 && s.x == Layout::plain && s.y == Layout::blocked;
}

std::unique_ptr<Kernel> few_channels_grad_weights(const onednn::ConvShape& s,
                                                  const KernelSite& site) {
  const Slices slices = Slices::cut(s.n, site.replicas);
  const StoredIn x(site, 0), d_y(site, 1);
  const auto d_w = site.output<float>(0);
  const int64_t block = channel_block(), blocks = divide_up(s.oc, block);
  const int64_t taps = s.ic * s.kh * s.kw, partial = blocks * taps * block;
  const int64_t padded_h = s.ih + s.pad_top + s.pad_bottom, row = s.iw + s.pad_left + s.pad_right;
  const kernels::FewChannelsPlane plane{s.oh, s.ow, s.stride_h, row, block};
  std::vector<int64_t> offsets;
  for (int64_t c = 0; c < s.ic; ++c) {
    for (int64_t h = 0; h < s.kh; ++h) {
      for (int64_t w = 0; w < s.kw; ++w) offsets.push_back((c * padded_h + h) * row + w);
    }
  }
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(float_bytes(slices.tasks() * partial));
  const int64_t image_floats = s.ic * padded_h * row, pixels = s.oh * s.ow;
  kernel->worker_scratch(float_bytes(image_floats + pixels * block));
  // Each slice has its partial sum: [o / block][tap][block].
  kernel->phase(slices.tasks(), [=](int task, const KernelArgs& args) {
    auto* image = reinterpret_cast<float*>(args.worker_scratch);
    float* wide = image + image_floats;
    float* sums = reinterpret_cast<float*>(args.scratch) + task * partial;
    std::fill_n(image, image_floats, 0.0f);
    for (int64_t i = 0; i < slices.count(task); ++i) {
      const int64_t n = slices.first(task) + i;
      for (int64_t line = 0; line < s.ic * s.ih; ++line) {
        const int64_t c = line / s.ih, h = line % s.ih;
        widen(x.type(), x.at(args, (n * s.ic * s.ih + line) * s.iw), s.iw,
              image + (c * padded_h + h + s.pad_top) * row + s.pad_left);
      }
      for (int64_t b = 0; b < blocks; ++b) {
        const std::byte* stored = d_y.at(args, (n * blocks + b) * pixels * block);
        const auto* from = reinterpret_cast<const float*>(stored);
        if (is_narrow(d_y.type())) {
          widen(d_y.type(), stored, pixels * block, wide);
          from = wide;
        }
        kernels::few_channels_grad(plane, image, from, offsets.data(), taps, i > 0,
                                   sums + b * taps * block);
      }
    }
  });
  kernel->phase(1, [=](int, const KernelArgs& args) {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    sum_slices(slices, sums, partial, partial);
    for (int64_t o = 0; o < s.oc; ++o) {
      for (int64_t t = 0; t < taps; ++t) {
        d_w(args)[o * taps + t] = sums[(o / block * taps + t) * block + o % block];
      }
    }
  });
  return kernel;
}

}  // namespace convoy::ops
