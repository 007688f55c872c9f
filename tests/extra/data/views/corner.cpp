// A view with an option of its own, for training and evaluation: the upper left of the picture.
#include <algorithm>

#include "config/value.h"
#include "data/views/view_maker.h"

namespace convoy {
namespace {

struct Options {
  double share = 0.5;

  void describe(Fields& field) {
    field("corner-share", share, "share of each side that the corner has", between(0.1, 1));
  }
};

class Corner final : public ViewMaker {
 public:
  Corner(const Options& options, int64_t size) : options_(options), size_(size) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>&, Random) const override {
    return crop_view(0, 0, part(width), part(height), size_);
  }

 private:
  int64_t part(int64_t side) const {
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(side) * options_.share));
  }

  Options options_;
  int64_t size_;
};

}  // namespace

ViewDef corner_view() {
  return {
      .name = "corner",
      .help = "the upper left of the picture, --corner-share of each side",
      .describe = describe_options<Options>,
      .told = [](const PictureSpec& spec) -> ToldOptions {
        return {{"corner-share", format_value(spec.options.read<Options>().share)}};
      },
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<Corner>(spec.options.read<Options>(), spec.size);
      },
  };
}

}  // namespace convoy
