#include "data/mixing/mixing.h"

#include <cmath>

#include "base/error.h"

namespace convoy {

std::vector<std::pair<std::string, TensorType>> mixing_tensors(int64_t n) {
  return {
      {"mix_source", {.shape = {n, 4}, .dtype = DType::s32}},
      {"mix_box", {.shape = {n, 4}, .dtype = DType::s32}},
      {"mix_share", {.shape = {n, 4}, .dtype = DType::f32}},
      {"mix_weight", {.shape = {n, 4}, .dtype = DType::f32}},
      {"mix_label", {.shape = {n}, .dtype = DType::s32}},
  };
}

void Mixing::describe(Fields& field) {
  field("mixup-alpha", mixup_alpha,
        "mixup: every image and its target become a mixture with another of the micro-batch; the "
        "share is drawn from Beta(alpha, alpha): 0.2 mixes little, 1 everything equally often; 0: "
        "none. Training accuracy then counts by the label of the largest share (by the image's "
        "own with --mixup-form sample or --cutmix-lambda), and is lower than that of evaluation",
        between(0, 1e6));
  field("mixup-form", mixup_form,
        "batch: one share for all images of a micro-batch, each mixed with the one before it "
        "(torchvision); sample: a share for each image, its own the larger one (Graphcore); "
        "reversed: a share for each, the first mixed with the last and so on (NVIDIA); auto: "
        "sample with --cutmix-lambda, else batch");
  field("cutmix-alpha", cutmix_alpha,
        "cutmix: a box of the image before it in the micro-batch covers a share drawn from "
        "Beta(alpha, alpha), and the target is mixed by area; with --mixup-alpha each micro-batch "
        "has one or the other (torchvision); 0: none",
        between(0, 1e6));
  field("cutmix-lambda", cutmix_lambda,
        "cutmix after any mixup, in every image: the share of the image that is kept; up to four "
        "labels are mixed (Graphcore); 1: none",
        between(0, 1));
  field(
      "cutmix-version", cutmix_version,
      "with --cutmix-lambda L: 1: a share of the micro-batches, 1.55 * L - 0.96, stays uncut, and "
      "in the others the share of each image that is kept is random; 2: every image keeps the "
      "share L",
      between(1, 2));
  if (cutmix_alpha > 0 && cuts_all()) {
    raise(Fault::usage,
          "--cutmix-alpha {} and --cutmix-lambda {} are two kinds of cutmix; try: --cutmix-alpha "
          "{} alone",
          cutmix_alpha, cutmix_lambda, cutmix_alpha);
  }
  if (!cuts_all() && field.idle("cutmix-version", {"cutmix-lambda"})) {
    raise(Fault::usage,
          "--cutmix-version {} means nothing without --cutmix-lambda; try: --cutmix-lambda 0.85",
          cutmix_version);
  }
  if (mixup_alpha == 0 && field.idle("mixup-form", {"mixup-alpha"})) {
    raise(Fault::usage,
          "--mixup-form {} means nothing without --mixup-alpha; try: --mixup-alpha 0.2",
          word_of(mixup_form));
  }
}

void Mixing::check(int64_t micro_batch) const {
  if (!on() || micro_batch > 1) return;
  raise(Fault::usage,
        "{} mixes the images of a micro-batch with one another, and there is one; try: "
        "--batch-size 2",
        mixup_alpha > 0    ? "--mixup-alpha"
        : cutmix_alpha > 0 ? "--cutmix-alpha"
                           : "--cutmix-lambda");
}

// Graphcore uses the label of the image itself; torchvision, where the other image may have the
// larger weight, uses the label with the largest weight in the target.
bool Mixing::counts_own_label() const { return cuts_all() || mixup_form == MixupForm::sample; }

double MixBox::kept(int64_t pixels) const {
  const int64_t area = static_cast<int64_t>(right - left) * (bottom - top);
  return 1 - static_cast<double>(area) / static_cast<double>(pixels);
}

MixBox clipped_box(double lambda, double x, double y, int64_t height, int64_t width) {
  const double half = 0.5 * std::sqrt(1 - lambda);
  const auto side = [half](double where, int64_t size, int32_t& low, int32_t& high) {
    const auto limit = static_cast<int32_t>(size);
    const auto centre = static_cast<int32_t>(where * static_cast<double>(size));
    const auto reach = static_cast<int32_t>(half * static_cast<double>(size));
    low = std::max(centre - reach, 0);
    high = std::min(centre + reach, limit);
  };
  MixBox box;
  side(x, width, box.left, box.right);
  side(y, height, box.top, box.bottom);
  return box;
}

MixBox inner_box(double lambda, double x, double y, int64_t height, int64_t width) {
  const double root = std::sqrt(1 - lambda);
  const auto side = [root](double where, int64_t size, int32_t& low, int32_t& high) {
    const auto all = static_cast<double>(size);
    const double half = root * all / 2;
    const double centre = std::min(std::max(where * all, half), all - half);
    low = static_cast<int32_t>(std::nearbyint(centre - half));
    high = static_cast<int32_t>(std::nearbyint(centre + half));
  };
  MixBox box;
  side(x, width, box.left, box.right);
  side(y, height, box.top, box.bottom);
  return box;
}

double drawn_cutmix_lambda(double lambda, double u0, double u1) {
  if (u0 < 1.55 * lambda - 0.96) return 1;
  const double least = std::exp(-4.0);
  return std::max(0.0, 1 + std::log(least + (1 - least) * u1) / 4);
}

}  // namespace convoy
