// Winograd's filters against sums in double precision, beside the direct convolution: any size, any
// number of channels, the same bits on any number of threads.

#include "ops/conv/winograd_conv.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "support/session.h"
#include "tensor/isa.h"

namespace convoy::test {
namespace {

using onednn::Convolution;
using onednn::ConvPass;
using onednn::ConvShape;
using Floats = std::vector<float>;

Floats noise(int64_t count, uint64_t key, double scale) {
  Random random(key);
  Floats values(static_cast<size_t>(count));
  for (float& v : values) v = static_cast<float>(scale * random.normal());
  return values;
}

ConvShape shape_of(int64_t n, int64_t ic, int64_t oc, int64_t h, int64_t w, int64_t pad) {
  return {.n = n,
          .ic = ic,
          .ih = h,
          .iw = w,
          .oc = oc,
          .oh = h + 2 * pad - 2,
          .ow = w + 2 * pad - 2,
          .kh = 3,
          .kw = 3,
          .pad_top = pad,
          .pad_left = pad,
          .pad_bottom = pad,
          .pad_right = pad};
}

// Plain [n, c, pixels] to blocks of channels and back.
Floats blocked(const Floats& plain, int64_t n, int64_t c, int64_t pixels) {
  const int64_t block = channel_block(), blocks = divide_up(c, block);
  Floats out(static_cast<size_t>(n * blocks * block * pixels));
  for (int64_t i = 0; i < n * c; ++i) {
    const int64_t image = i / c, channel = i % c;
    for (int64_t p = 0; p < pixels; ++p) {
      out[size_t(((image * blocks + channel / block) * pixels + p) * block + channel % block)] =
          plain[size_t(i * pixels + p)];
    }
  }
  return out;
}

Floats plain(const Floats& from, int64_t n, int64_t c, int64_t pixels) {
  const int64_t block = channel_block(), blocks = divide_up(c, block);
  Floats out(static_cast<size_t>(n * c * pixels));
  for (int64_t i = 0; i < n * c; ++i) {
    const int64_t image = i / c, channel = i % c;
    for (int64_t p = 0; p < pixels; ++p) {
      out[size_t(i * pixels + p)] =
          from[size_t(((image * blocks + channel / block) * pixels + p) * block + channel % block)];
    }
  }
  return out;
}

// The tensors of one layer, plain, and what each pass gives in double precision.
struct Layer {
  ConvShape s;
  Floats x, w, d_y;
  std::vector<double> y, d_x, d_w;

  explicit Layer(const ConvShape& shape) : s(shape) {
    x = noise(s.n * s.ic * s.ih * s.iw, 1, 1);
    for (float& v : x) v = std::max(v, 0.0f);  // as after a ReLU
    w = noise(s.oc * s.ic * 9, 2, std::sqrt(2.0 / (9.0 * double(s.ic))));
    d_y = noise(s.n * s.oc * s.oh * s.ow, 3, 1);
    y.assign(d_y.size(), 0);
    d_x.assign(x.size(), 0);
    d_w.assign(w.size(), 0);
    for (int64_t n = 0; n < s.n; ++n) {
      for (int64_t o = 0; o < s.oc; ++o) {
        for (int64_t c = 0; c < s.ic; ++c) planes(n, o, c);
      }
    }
  }

  void planes(int64_t n, int64_t o, int64_t c) {
    const size_t image = size_t((n * s.ic + c) * s.ih * s.iw);
    const size_t out = size_t((n * s.oc + o) * s.oh * s.ow), filter = size_t((o * s.ic + c) * 9);
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const size_t tap = filter + size_t(i * 3 + j);
        double sum = 0;
        for (int64_t h = 0; h < s.oh; ++h) {
          const int64_t row = h + i - s.pad_top;
          if (row < 0 || row >= s.ih) continue;
          for (int64_t v = 0; v < s.ow; ++v) {
            const int64_t column = v + j - s.pad_left;
            if (column < 0 || column >= s.iw) continue;
            const size_t from = image + size_t(row * s.iw + column);
            const size_t to = out + size_t(h * s.ow + v);
            y[to] += double(w[tap]) * double(x[from]);
            d_x[from] += double(w[tap]) * double(d_y[to]);
            sum += double(x[from]) * double(d_y[to]);
          }
        }
        d_w[tap] += sum;
      }
    }
  }

  Floats blocked_x() const { return blocked(x, s.n, s.ic, s.ih * s.iw); }
  Floats blocked_d_y() const { return blocked(d_y, s.n, s.oc, s.oh * s.ow); }
  const std::vector<double>& expected(ConvPass pass) const {
    return pass == ConvPass::forward ? y : pass == ConvPass::grad_input ? d_x : d_w;
  }
  Floats to_plain(ConvPass pass, const Floats& result) const {
    if (pass == ConvPass::forward) return plain(result, s.n, s.oc, s.oh * s.ow);
    if (pass == ConvPass::grad_input) return plain(result, s.n, s.ic, s.ih * s.iw);
    return result;
  }
};

// Runs a kernel of two inputs and one output as the executor would.
Floats run(const Kernel& kernel, const Floats& a, const Floats& b, int64_t count, int threads) {
  Floats out(static_cast<size_t>(count), NAN);
  Arena scratch(kernel.scratch_bytes() + 1), held(kernel.packed_bytes() + 1);
  Arena workers((kernel.worker_scratch_bytes() + 64) * size_t(threads));
  const auto bytes = [](const Floats& f) {
    return reinterpret_cast<std::byte*>(const_cast<float*>(f.data()));
  };
  const std::vector<std::byte*> in{bytes(a), bytes(b)}, to{bytes(out)};
  kernel.prepare(threads);
  for (int phase = 0; phase < kernel.phases(); ++phase) {
    pool(threads).run(kernel.tasks(phase), [&](int task, int worker) {
      const size_t each = (kernel.worker_scratch_bytes() + 63) / 64 * 64;
      kernel.run(
          phase, task,
          {in, to, scratch.data(), workers.data() + each * size_t(worker), held.data(), worker});
    });
  }
  return out;
}

Floats winograd(const Layer& l, ConvPass pass, int64_t tile, int threads, int64_t replicas = 1) {
  const ConvShape& s = l.s;
  const int64_t block = channel_block();
  const int64_t x_count = s.n * round_up(s.ic, block) * s.ih * s.iw;
  const int64_t y_count = s.n * round_up(s.oc, block) * s.oh * s.ow;
  const KernelSite site{.in = {{}, {}}, .out = {{}}, .replicas = static_cast<int>(replicas)};
  if (pass == ConvPass::forward) {
    return run(*ops::winograd_forward(s, tile, site), l.blocked_x(), l.w, y_count, threads);
  }
  if (pass == ConvPass::grad_input) {
    return run(*ops::winograd_grad_input(s, tile, site), l.blocked_d_y(), l.w, x_count, threads);
  }
  return run(*ops::winograd_grad_weights(s, tile, site), l.blocked_x(), l.blocked_d_y(),
             s.oc * s.ic * 9, threads);
}

Floats direct(const Layer& l, ConvPass pass) {
  Floats x = l.blocked_x(), y = l.blocked_d_y(), w = l.w;
  const Convolution conv(l.s, pass);
  const WeightPacking& packing = conv.packing();
  Floats packed(size_t(packing.packed_count()), 0.0f);
  if (pass != ConvPass::grad_weights) {
    for (int t = 0; t < packing.tasks(); ++t)
      packing.pack(t, w.data(), reinterpret_cast<std::byte*>(packed.data()));
  }
  Arena scratch(conv.scratchpad_bytes() + 1);
  conv.prepare(1);
  conv.run(0, x.data(), packed.data(), y.data(), scratch.data());
  if (pass == ConvPass::forward) return y;
  if (pass == ConvPass::grad_input) return x;
  for (int t = 0; t < packing.tasks(); ++t) packing.unpack(t, packed.data(), w.data());
  return w;
}

double relative_error(const Floats& found, const std::vector<double>& expected) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(double(found[i]) - expected[i], 2);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

struct Case {
  ConvShape shape;
  std::string name() const {
    return fmt::format("n{}_{}to{}_{}x{}_pad{}", shape.n, shape.ic, shape.oc, shape.ih, shape.iw,
                       shape.pad_top);
  }
};

void PrintTo(const Case& c, std::ostream* to) { *to << c.name(); }

class WinogradConv : public testing::TestWithParam<Case> {};

// One channel leaves the direct convolution hardly anything to round: half a unit, then.
constexpr double rounding = 6e-8;

constexpr ConvPass passes[] = {ConvPass::forward, ConvPass::grad_input, ConvPass::grad_weights};

TEST_P(WinogradConv, IsNearlyAsExactAsTheDirectConvolution) {
  const Layer layer(GetParam().shape);
  for (const ConvPass pass : passes) {
    const double own =
        relative_error(layer.to_plain(pass, direct(layer, pass)), layer.expected(pass));
    for (const int64_t tile : {2, 4}) {
      const Floats found = layer.to_plain(pass, winograd(layer, pass, tile, 2));
      const double error = relative_error(found, layer.expected(pass));
      EXPECT_LE(error, 1e-5) << "pass " << int(pass) << ", tile " << tile;
      EXPECT_LE(error, 20 * std::max(own, rounding)) << "pass " << int(pass) << ", tile " << tile;
    }
  }
}

TEST_P(WinogradConv, ThreadsChangeNoBitAndPaddedChannelsStayZero) {
  const Layer layer(GetParam().shape);
  const ConvShape& s = layer.s;
  for (const ConvPass pass : passes) {
    const Floats one = winograd(layer, pass, 4, 1), three = winograd(layer, pass, 4, 3);
    EXPECT_EQ(one, three) << "pass " << int(pass);
    if (pass == ConvPass::grad_weights) continue;
    const int64_t c = pass == ConvPass::forward ? s.oc : s.ic;
    const int64_t pixels = pass == ConvPass::forward ? s.oh * s.ow : s.ih * s.iw;
    EXPECT_EQ(blocked(plain(one, s.n, c, pixels), s.n, c, pixels), one) << "pass " << int(pass);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, WinogradConv,
    testing::Values(Case{shape_of(1, 1, 1, 4, 4, 1)}, Case{shape_of(2, 3, 17, 7, 9, 1)},
                    Case{shape_of(33, 32, 24, 8, 8, 1)}, Case{shape_of(5, 64, 64, 13, 14, 1)},
                    Case{shape_of(1, 64, 64, 56, 56, 1)}, Case{shape_of(3, 33, 70, 5, 11, 0)},
                    Case{shape_of(2, 20, 20, 6, 6, 2)}, Case{shape_of(4, 256, 160, 7, 7, 1)},
                    Case{shape_of(3, 600, 130, 4, 5, 1)}, Case{shape_of(2, 130, 600, 7, 3, 1)},
                    Case{shape_of(9, 200, 200, 14, 14, 1)}, Case{shape_of(1, 8, 16, 1, 2, 1)}),
    [](const auto& given) { return given.param.name(); });

// A replica's sum is the same alone and beside others; their sums meet in a tree.
TEST(WinogradReplicas, GiveTheSumOfTheirOwnGradients) {
  for (const auto& [ic, oc] : {std::pair<int64_t, int64_t>{32, 48}, {256, 192}}) {
    const Layer both(shape_of(6, ic, oc, 9, 9, 1));
    const Floats together = winograd(both, ConvPass::grad_weights, 4, 2, 2);
    Floats sum;
    for (const int64_t replica : {0, 1}) {
      const ConvShape half = shape_of(3, ic, oc, 9, 9, 1);
      const auto part = [&](const Floats& all, int64_t channels) {
        const int64_t floats = 3 * round_up(channels, channel_block()) * 81;
        return Floats(all.begin() + replica * floats, all.begin() + (replica + 1) * floats);
      };
      const Floats own =
          run(*ops::winograd_grad_weights(half, 4, {.in = {{}, {}}, .out = {{}}}),
              part(both.blocked_x(), ic), part(both.blocked_d_y(), oc), oc * ic * 9, 1);
      if (sum.empty()) sum.resize(own.size());
      for (size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
    }
    EXPECT_EQ(together, sum);
  }
}

}  // namespace
}  // namespace convoy::test
