#include "weights/npy.h"

#include <charconv>
#include <cstring>
#include <optional>

namespace convoy {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The header is a Python dictionary on one line. It is read here token by token and never
// evaluated:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class Header {
 public:
  Header(std::string_view text, const std::string& origin, Fault fault)
      : rest_(text), origin_(origin), fault_(fault) {}

  void read() {
    need('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      need(':');
      if (key == "descr" && !descr) {
        descr = quoted();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = truth();
      } else if (key == "shape" && !shape) {
        shape = dimensions();
      } else {
        refuse(fmt::format("its header has the key {:?}, or has it twice", key));
      }
      if (take(',')) continue;
      need('}');
      break;
    }
    skip_blanks();
    if (!rest_.empty()) refuse("something stands after its header");
    if (!descr || !fortran_order || !shape) {
      refuse("its header lacks one of descr, fortran_order, shape");
    }
  }

  [[noreturn]] void refuse(std::string_view why) const {
    raise(fault_, "{}: not a sound .npy file: {}; try: numpy.save(FILE, array)", origin_, why);
  }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) refuse(fmt::format("its header lacks a {}", wanted));
  }
  std::string_view quoted() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') need('"');
    const size_t end = rest_.find(quote);
    if (end == rest_.npos) refuse("its header has a quote without an end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    refuse("fortran_order is neither True nor False");
  }
  Shape dimensions() {
    Shape dims;
    need('(');
    while (!take(')')) {
      skip_blanks();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc{} || dim < 0) refuse("its shape holds what is no whole number");
      if (dims.rank() == Shape::max_rank) {
        refuse(fmt::format("its shape has more than {} dimensions", Shape::max_rank));
      }
      dims.append(dim);
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (take(',')) continue;
      need(')');
      break;
    }
    return dims;
  }

  std::string_view rest_;
  const std::string& origin_;
  Fault fault_;
};

}  // namespace

NpyArray read_npy(const fs::path& path, Fault fault) {
  return parse_npy(read_file(path, fault), path.string(), fault);
}

NpyArray parse_npy(std::string content, const std::string& origin, Fault fault) {
  const Header nothing({}, origin, fault);
  const std::string_view all = content;
  if (!all.starts_with(magic) || all.size() < magic.size() + 2) {
    nothing.refuse("it does not begin like one");
  }
  const int major = static_cast<unsigned char>(all[magic.size()]);
  if (major < 1 || major > 3) nothing.refuse(fmt::format("version {} is not known", major));
  const size_t length_bytes = major == 1 ? 2 : 4, begin = magic.size() + 2 + length_bytes;
  if (all.size() < begin) nothing.refuse("it ends inside its header");
  uint32_t length = 0;
  std::memcpy(&length, all.data() + magic.size() + 2, length_bytes);
  if (length > all.size() - begin) nothing.refuse("it ends inside its header");

  Header header(all.substr(begin, length), origin, fault);
  header.read();
  NpyArray array;
  array.shape = *header.shape;
  if (header.descr == "<f4") {
    array.dtype = DType::f32;
  } else if (header.descr == "|u1") {
    array.dtype = DType::u8;
  } else {
    raise(fault, "{}: it holds {:?}, Convoy reads float32 and uint8; try: array.astype('float32')",
          origin, *header.descr);
  }
  if (*header.fortran_order) {
    raise(fault, "{}: it lies in Fortran order; try: numpy.ascontiguousarray(array)", origin);
  }
  uint64_t bytes = bytes_per_element(array.dtype);
  for (const int64_t dim : array.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) {
      nothing.refuse("its shape is too large");
    }
  }
  const size_t have = all.size() - begin - length;
  if (have != bytes) {
    nothing.refuse(fmt::format("{} of {} need {} bytes, there are {}", name(array.dtype),
                               to_string(array.shape), bytes, have));
  }
  content.erase(0, begin + length);
  array.bytes = std::move(content);
  return array;
}

}  // namespace convoy
