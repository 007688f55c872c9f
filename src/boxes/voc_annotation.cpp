#include "boxes/voc_annotation.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text/xml.h"

namespace convoy {
namespace {

constexpr double most_pixels = 1e9;

class AnnotationReader {
 public:
  void take(const XmlEvent& event) {
    if (event.path.find('/') == event.path.npos && event.path != "annotation") {
      if (event.begins) fail(event.line, fmt::format("<{}> in place of <annotation>", event.path));
      return;
    }
    if (event.path == "annotation/object") {
      event.begins ? begin_object() : end_object(event.line);
      return;
    }
    if (event.begins) return;
    constexpr std::string_view object = "annotation/object/";
    if (event.path.starts_with(object)) {
      take_of_object(event.path.substr(object.size()), event);
    } else if (event.path == "annotation/filename") {
      read_.annotation.file = event.text;
    } else if (event.path == "annotation/size/width") {
      read_length(event, read_.annotation.width);
    } else if (event.path == "annotation/size/height") {
      read_length(event, read_.annotation.height);
    }
  }

  void fail(int line, std::string what) {
    if (read_.problems.size() < VocRead::most_problems) {
      read_.problems.push_back({line, std::move(what)});
    }
  }

  VocRead finish() { return std::move(read_); }

 private:
  static constexpr std::array<std::string_view, 4> sides{"bndbox/xmin", "bndbox/ymin",
                                                         "bndbox/xmax", "bndbox/ymax"};

  void begin_object() {
    object_ = {};
    found_.clear();
    is_sound_ = true;
  }

  void end_object(int line) {
    if (!found_.contains("name")) fail_object(line, "an object without a <name>");
    for (const std::string_view side : sides) {
      if (!found_.contains(std::string(side))) {
        fail_object(line, fmt::format("an object without <{}>", side));
        break;
      }
    }
    if (is_sound_) read_.annotation.objects.push_back(std::move(object_));
  }

  void take_of_object(std::string_view name, const XmlEvent& event) {
    double* const values[] = {&object_.xmin, &object_.ymin, &object_.xmax, &object_.ymax};
    const auto side = std::find(sides.begin(), sides.end(), name);
    if (side == sides.end() && name != "name" && name != "difficult") return;
    if (!found_.insert(std::string(name)).second) {
      return fail_object(event.line, fmt::format("an object has <{}> twice", name));
    }
    if (name == "name") {
      object_.name = event.text;
      if (event.text.empty()) fail_object(event.line, "an object has an empty <name>");
    } else if (name == "difficult") {
      object_.difficult = event.text == "1" || event.text == "true" || event.text == "True";
      const bool is_known = object_.difficult || event.text == "0" || event.text == "false" ||
                            event.text == "False" || event.text.empty();
      if (!is_known) fail_object(event.line, "<difficult> is neither 0 nor 1");
    } else if (double& value = *values[side - sides.begin()]; !parse(event.text, value)) {
      fail_object(event.line, fmt::format("<{}> is {:.40}, no number of pixels", name, event.text));
    }
  }

  static bool parse(std::string_view text, double& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() &&
           std::abs(value) <= most_pixels;  // false for NaN
  }

  void read_length(const XmlEvent& event, int64_t& length) {
    double value = 0;
    if (!event.text.empty() &&
        (!parse(event.text, value) || value < 0 || value != std::trunc(value))) {
      return fail(event.line, fmt::format("{:.40} is no number of pixels", event.text));
    }
    length = static_cast<int64_t>(value);
  }

  void fail_object(int line, std::string what) {
    is_sound_ = false;
    fail(line, std::move(what));
  }

  VocRead read_;
  VocObject object_;
  std::set<std::string> found_;  // elements of the object
  bool is_sound_ = true;
};

}  // namespace

VocRead parse_voc_annotation(std::string_view text) {
  AnnotationReader reader;
  try {
    for_each_xml_element(text, [&](const XmlEvent& event) { reader.take(event); });
  } catch (const XmlError& error) {
    reader.fail(0, error.what());
  }
  return reader.finish();
}

}  // namespace convoy
