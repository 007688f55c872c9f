#include "weights/numpy_file.h"

#include <charconv>

#include "base/error.h"
#include "base/files/byte_reader.h"
#include "weights/zip_file.h"

namespace convoy {
namespace {

struct Kind {
  std::string_view descr;
  Element element;
};
constexpr std::array<Kind, 14> kinds{{{"f8", Element::f64},
                                      {"f4", Element::f32},
                                      {"f2", Element::f16},
                                      {"i8", Element::s64},
                                      {"i4", Element::s32},
                                      {"i2", Element::s16},
                                      {"i1", Element::s8},
                                      {"u8", Element::u64},
                                      {"u4", Element::u32},
                                      {"u2", Element::u16},
                                      {"u1", Element::u8},
                                      {"b1", Element::boolean},
                                      {"c8", Element::complex64},
                                      {"c16", Element::complex128}}};

// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: a Python dictionary with
// exactly these three keys.
class Header {
 public:
  Header(std::string_view text, const std::string& origin, const std::string& name)
      : text_(text), origin_(origin), name_(name) {
    expect_sign('{');
    bool has_descr = false, has_order = false, has_shape = false;
    while (peek() != '}') {
      const std::string_view key = quoted();
      expect_sign(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        descr = quoted();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        fortran = word() == "True";
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        read_shape();
      } else {
        fail("its header has an odd key");
      }
      if (peek() == ',') expect_sign(',');
    }
    expect_sign('}');
    if (peek() != '\0' || !has_descr || !has_order || !has_shape) fail("its header is not whole");
  }

  std::string_view descr;
  bool fortran = false;
  Shape shape;

  [[noreturn]] void fail(std::string_view why) const {
    raise(Fault::checkpoint, "{}: array {}: {}; try: fetch or save it again", origin_, shown(name_),
          why);
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect_sign(char sign) {
    if (peek() != sign) fail("its header is not what numpy writes");
    ++at_;
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote == '[') fail("it has several fields; only plain numbers are read");
    if (quote != '\'' && quote != '"') fail("its header is not what numpy writes");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("its header is not what numpy writes");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  std::string_view word() {
    peek();
    for (const std::string_view known : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(known)) continue;
      at_ += known.size();
      return known;
    }
    fail("its header is not what numpy writes");
  }
  void read_shape() {
    expect_sign('(');
    while (peek() != ')') {
      int64_t dim = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) fail("its shape is not one");
      at_ = static_cast<size_t>(end - text_.data());
      if (peek() == 'L') expect_sign('L');  // Python 2's suffix of long integers
      if (shape.rank() == Shape::max_rank) fail("it has too many dimensions");
      shape.append(dim);
      if (peek() == ',') {
        expect_sign(',');
      } else if (peek() != ')') {
        fail("its shape is not one");
      }
    }
    expect_sign(')');
  }

  std::string_view text_;
  const std::string& origin_;
  const std::string& name_;
  size_t at_ = 0;
};

// Adds one array; returns whether `data` now borrows from `bytes`.
bool add_array(std::string_view bytes, const std::string& name, WeightData& data) {
  ByteReader reader(bytes, data.origin, "an array");
  if (reader.take(npy_magic.size()) != npy_magic) reader.fail("it does not begin as .npy does");
  const int version = reader.byte();
  reader.byte();
  if (version < 1 || version > 3) reader.fail("its version is unknown");
  const uint64_t length = version == 1 ? reader.number<uint16_t>() : reader.number<uint32_t>();
  const Header header(reader.take(length), data.origin, name);
  const std::string_view content = reader.take(reader.left());

  if (header.descr.size() < 2) header.fail("its type is unknown");
  const char order = header.descr[0];
  const std::string_view type = header.descr.substr(1);
  if (type.starts_with('O')) header.fail("it holds Python objects, which are never loaded");
  if (order == '>') header.fail("it is big-endian");
  if (order != '<' && order != '|' && order != '=') header.fail("its type is unknown");
  std::optional<Element> element;
  for (const Kind& kind : kinds) {
    if (kind.descr == type) element = kind.element;
  }
  if (!element) {
    data.add_foreign(name, std::string(shown(header.descr)));
    return false;
  }
  const int64_t count = checked_count(header.shape, name, data.origin);
  if (static_cast<uint64_t>(count) * element_bytes(*element) != content.size()) {
    header.fail(fmt::format("{} {} has {} bytes", element_name(*element), to_string(header.shape),
                            content.size()));
  }
  return data.add(name,
                  header.fortran ? View::column_major(*element, header.shape)
                                 : View::row_major(*element, header.shape),
                  as_bytes(content));
}

}  // namespace

WeightData read_npz(SharedBytes bytes, const std::string& origin) {
  constexpr std::string_view suffix = ".npy";
  const ZipFile zip(*bytes, origin);
  size_t covered = bytes->size();
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(suffix)) {
      raise(Fault::checkpoint, "{}: member {} is no array; try: a file of numpy.savez", origin,
            shown(member.name));
    }
    if (member.size > member.packed) covered += static_cast<size_t>(member.size);
  }
  WeightData data(origin, covered);
  data.keep(bytes);
  for (const ZipMember& member : zip.members()) {
    const ZipFile::Content content = zip.read(member);
    // If the array was converted, it was copied and the inflated bytes can be freed.
    const auto name = member.name.substr(0, member.name.size() - suffix.size());
    if (add_array(content.bytes, std::string(name), data) && content.owner) {
      data.keep(content.owner);
    }
  }
  return data;
}

WeightData read_npy(SharedBytes bytes, const std::string& origin, const std::string& name) {
  WeightData data(origin, bytes->size());
  data.keep(bytes);
  add_array(*bytes, name, data);
  return data;
}

}  // namespace convoy
