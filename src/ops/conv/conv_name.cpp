#include "ops/conv/conv_name.h"

#include <fmt/core.h>

#include <charconv>

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

// Parses a name from its beginning; after the first error `good` stays false.
struct Reader {
  std::string_view rest;
  bool good = true;

  bool takes(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  void expects(std::string_view text) { good = takes(text) && good; }
  // Sizes beyond a million are typing errors and would overflow.
  int64_t number(int64_t least) {
    int64_t value = 0;
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, value);
    if (error != std::errc{} || value < least || value > 1'000'000 || rest[0] == '+') good = false;
    rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
    return value;
  }
};

}  // namespace

std::string_view pass_name(ConvPass pass) {
  constexpr std::string_view names[] = {"forward", "grad_input", "grad_weights"};
  return names[static_cast<int>(pass)];
}

std::string conv_name(const ConvShape& s) {
  std::string name =
      fmt::format("{}@{}x{}->{}/{}x{}/s{}", s.ic, s.ih, s.iw, s.oc, s.kh, s.kw, s.stride_h);
  const bool even =
      s.pad_top == s.pad_left && s.pad_top == s.pad_bottom && s.pad_top == s.pad_right;
  name += even ? fmt::format("/p{}", s.pad_top)
               : fmt::format("/p{}.{}.{}.{}", s.pad_top, s.pad_left, s.pad_bottom, s.pad_right);
  if (s.groups > 1) name += fmt::format("/g{}", s.groups);
  if (s.stored == DType::f16) return name + "/f16";
  return s.stored == DType::bf16 ? name + "/bf16" : name;
}

std::optional<ConvShape> conv_by_name(std::string_view name) {
  Reader read{name};
  ConvShape s{};
  s.n = 1;
  s.ic = read.number(1);
  read.expects("@");
  s.ih = read.number(1);
  read.expects("x");
  s.iw = read.number(1);
  read.expects("->");
  s.oc = read.number(1);
  read.expects("/");
  s.kh = read.number(1);
  read.expects("x");
  s.kw = read.number(1);
  read.expects("/s");
  s.stride_h = s.stride_w = read.number(1);
  read.expects("/p");
  s.pad_top = s.pad_left = s.pad_bottom = s.pad_right = read.number(0);
  if (read.takes(".")) {
    s.pad_left = read.number(0);
    read.expects(".");
    s.pad_bottom = read.number(0);
    read.expects(".");
    s.pad_right = read.number(0);
  }
  if (read.takes("/g")) s.groups = read.number(2);
  if (read.takes("/bf16")) s.stored = DType::bf16;
  if (read.takes("/f16")) s.stored = DType::f16;
  if (!read.good || !read.rest.empty() || s.ic % s.groups != 0 || s.oc % s.groups != 0) return {};
  const int64_t h = s.ih + s.pad_top + s.pad_bottom - s.kh;
  const int64_t w = s.iw + s.pad_left + s.pad_right - s.kw;
  if (h < 0 || w < 0) return {};
  s.oh = h / s.stride_h + 1;
  s.ow = w / s.stride_w + 1;
  return s;
}

}  // namespace convoy::ops
