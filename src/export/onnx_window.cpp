#include "export/onnx_window.h"

namespace convoy {
namespace {

std::vector<int64_t> pair_of(const OnnxCall& call, std::string_view name) {
  std::vector<int64_t> pair = call.integers(name, {1, 1});
  if (pair.size() != 2 || pair[0] < 1 || pair[1] < 1) call.refuse("its {} are not two sizes", name);
  if (pair[0] != pair[1]) call.refuse("its {} {} and {} differ", name, pair[0], pair[1]);
  return pair;
}

}  // namespace

OnnxWindow onnx_window(const OnnxCall& call, const Shape& x, int64_t kh, int64_t kw) {
  if (kh < 1 || kw < 1) call.refuse("a window of {}x{}", kh, kw);
  const int64_t stride = pair_of(call, "strides")[0];
  if (pair_of(call, "dilations")[0] != 1) call.refuse("its window is dilated");
  if (call.integer("ceil_mode", 0) != 0) call.refuse("it rounds sizes up (ceil_mode)");
  const std::vector<int64_t> pads = call.integers("pads", {0, 0, 0, 0});
  if (pads.size() != 4) call.refuse("its pads are not four");
  for (const int64_t pad : pads) {
    if (pad < 0) call.refuse("it is padded by {}", pad);
  }
  const std::string automatic = call.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET") return {stride, {pads[0], pads[1], pads[2], pads[3]}};
  if (automatic == "VALID") return {stride, {}};
  const ops::Padding upper =
      ops::resolve_padding(ops::Padding::like_tensorflow(), x[2], x[3], kh, kw, stride);
  if (automatic == "SAME_UPPER") return {stride, upper};
  if (automatic == "SAME_LOWER")  // the odd pixel is at the start
    return {stride, {upper.bottom, upper.right, upper.top, upper.left}};
  call.refuse("its auto_pad is unknown");
}

}  // namespace convoy
