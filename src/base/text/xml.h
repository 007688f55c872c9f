// Reads XML, element by element. Well-formedness is checked by expat. Files with a DOCTYPE are
// refused, so no entity is ever expanded; nothing outside of the text is read.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace convoy {

// Why a text was refused, with the line: "line 3: mismatched tag".
class XmlError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An element that begins or ends.
struct XmlEvent {
  std::string_view path;  // its name and those of all around it: "annotation/object/name"
  std::string_view text;  // where it ends: the text directly in it, without blanks around
  bool begins;
  int line;
};

inline constexpr size_t most_xml_bytes = 16 << 20;

// Calls `take` for each element where it begins and where it ends. Attributes, comments and
// processing instructions are skipped. Text that is not XML, nests more than 64 deep, or is larger
// than `most_xml_bytes` is XmlError. `take` may throw.
void for_each_xml_element(std::string_view text, const std::function<void(const XmlEvent&)>& take);

}  // namespace convoy
