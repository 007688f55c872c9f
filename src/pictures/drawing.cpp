// Uses cairo, whose plain text functions find a font through fontconfig; the system decides which.
#include "pictures/drawing.h"

#include <cairo/cairo.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace convoy {
namespace {

constexpr double margin = 8, line_height = 26, bar_height = 22, text_size = 15;
constexpr double frame_width = 2, label_height = 19, label_margin = 4;
constexpr int64_t longest_side = 1024, shortest_side = 320;

struct Colour {
  double red, green, blue;
};
constexpr Colour paper{1, 1, 1}, ink{0.1, 0.1, 0.12}, bar{0.78, 0.84, 0.94},
    true_bar{0.74, 0.9, 0.74};

// Different for numbers that are near each other: the hues are a golden angle apart.
Colour colour_of(int64_t number) {
  const double hue = std::fmod(static_cast<double>(number) * 0.61803398875, 1.0);
  const auto part = [&](double offset) {
    return 0.1 + 0.9 * std::clamp(std::abs(std::fmod(hue + offset, 1.0) * 6 - 3) - 1, 0.0, 1.0);
  };
  return {part(0), part(2.0 / 3), part(1.0 / 3)};
}

// What is readable on a colour.
Colour ink_on(const Colour& ground) {
  return 0.3 * ground.red + 0.59 * ground.green + 0.11 * ground.blue > 0.5 ? ink : paper;
}

struct Release {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;
using Context = std::unique_ptr<cairo_t, Release>;

Surface make_surface(int64_t width, int64_t height) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                             static_cast<int>(height)));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
    raise(Fault::no_space, "no memory to draw {}x{} pixels", width, height);
  }
  return surface;
}

Surface surface_of(const Pixels& pixels) {
  const int64_t width = pixels.region.width, height = pixels.region.height;
  Surface surface = make_surface(width, height);
  cairo_surface_flush(surface.get());
  unsigned char* rows = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* from = pixels.at(pixels.region.x, pixels.region.y + y);
    for (int64_t x = 0; x < width; ++x, from += 4) {
      const uint32_t colour = uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
      std::memcpy(rows + y * stride + x * 4, &colour, sizeof colour);
    }
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

double scale_of(const PixelRect& picture) {
  expect(picture.width > 0 && picture.height > 0, "there is a picture to draw");
  const int64_t side = std::max(picture.width, picture.height);
  if (side > longest_side) return static_cast<double>(longest_side) / static_cast<double>(side);
  return static_cast<double>(std::max<int64_t>(1, shortest_side / side));
}

// The length of the UTF-8 character at the beginning; 0: it is invalid.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const size_t size = byte(0) < 0x80   ? 1
                      : byte(0) < 0xc2 ? 0
                      : byte(0) < 0xe0 ? 2
                      : byte(0) < 0xf0 ? 3
                      : byte(0) < 0xf5 ? 4
                                       : 0;
  if (size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and values beyond Unicode.
  if (size == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f)))
    return 0;
  if (size == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f)))
    return 0;
  return size;
}

// The characters of a name, each of one or more bytes.
std::vector<std::string> letters_of(std::string_view text) {
  std::vector<std::string> letters;
  while (!text.empty()) {
    const size_t size = utf8_length(text);
    const bool is_shown = size > 1 || (size == 1 && text[0] >= ' ' && text[0] != 0x7f);
    letters.emplace_back(is_shown ? text.substr(0, size) : "?");
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return letters;
}

class Drawing {
 public:
  Drawing(int64_t width, int64_t height)
      : surface_(make_surface(width, height)), context_(cairo_create(surface_.get())) {
    cairo_select_font_face(context(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context(), text_size);
    rectangle(0, 0, static_cast<double>(width), static_cast<double>(height), paper);
  }

  void picture(const Pixels& pixels, double left, double scale) {
    const Surface source = surface_of(pixels);
    cairo_save(context());
    cairo_translate(context(), left, 0);
    cairo_scale(context(), scale, scale);
    cairo_set_source_surface(context(), source.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context()),
                             scale < 1 ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    cairo_rectangle(context(), 0, 0, static_cast<double>(pixels.region.width),
                    static_cast<double>(pixels.region.height));
    cairo_fill(context());
    cairo_restore(context());
  }

  void line(const PredictionLine& line, double top, double width) {
    const double p = std::isfinite(line.p) ? std::clamp(line.p, 0.0, 1.0) : 0;
    const double room = width - 2 * margin;
    rectangle(margin, top, std::round(room * p), bar_height, line.is_true ? true_bar : bar);
    const std::string percent = fmt::format("{:.1f} %", 100 * line.p);
    const double percent_width = width_of(percent);
    const double base = top + bar_height - 6;
    text(percent, width - margin - 4 - percent_width, base, ink);
    text(shortened(letters_of(line.label), room - percent_width - 16), margin + 4, base, ink);
  }

  // A frame of whole pixels, whose outer edges are the box.
  void frame(double left, double top, double right, double bottom, const Colour& colour) {
    const double width = std::max(right - left, frame_width);
    const double height = std::max(bottom - top, frame_width);
    rectangle(left, top, width, frame_width, colour);
    rectangle(left, top + height - frame_width, width, frame_width, colour);
    rectangle(left, top, frame_width, height, colour);
    rectangle(left + width - frame_width, top, frame_width, height, colour);
  }

  // A text on a ground of this colour, as near to `left` as fits between 0 and `room`.
  void label(const std::string& words, double left, double top, double room, const Colour& colour) {
    const std::string shown = shortened(letters_of(words), room - 2 * label_margin);
    const double width = std::ceil(width_of(shown)) + 2 * label_margin;
    left = std::max(0.0, std::min(left, room - width));
    rectangle(left, top, width, label_height, colour);
    text(shown, left + label_margin, top + label_height - 5, ink_on(colour));
  }

  Pixels pixels() {
    cairo_surface_flush(surface_.get());
    const int64_t width = cairo_image_surface_get_width(surface_.get()),
                  height = cairo_image_surface_get_height(surface_.get());
    const unsigned char* rows = cairo_image_surface_get_data(surface_.get());
    const int stride = cairo_image_surface_get_stride(surface_.get());
    Pixels made{.region = {0, 0, width, height}, .bytes = {}};
    made.bytes.reserve(static_cast<size_t>(width * height * 4));
    for (int64_t i = 0; i < width * height; ++i) {
      uint32_t colour = 0;
      std::memcpy(&colour, rows + i / width * stride + i % width * 4, sizeof colour);
      for (const int shift : {16, 8, 0}) {
        made.bytes.push_back(static_cast<uint8_t>(colour >> shift & 0xff));
      }
      made.bytes.push_back(0);
    }
    return made;
  }

  std::string png() {
    cairo_surface_flush(surface_.get());
    std::string bytes;
    const auto append = [](void* to, const unsigned char* data, unsigned size) {
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
      return CAIRO_STATUS_SUCCESS;
    };
    expect(cairo_status(context()) == CAIRO_STATUS_SUCCESS, "cairo refuses what was drawn");
    expect(
        cairo_surface_write_to_png_stream(surface_.get(), append, &bytes) == CAIRO_STATUS_SUCCESS,
        "cairo cannot write a PNG file");
    return bytes;
  }

 private:
  cairo_t* context() { return context_.get(); }

  void rectangle(double x, double y, double width, double height, const Colour& colour) {
    cairo_set_source_rgb(context(), colour.red, colour.green, colour.blue);
    cairo_rectangle(context(), x, y, width, height);
    cairo_fill(context());
  }
  void text(const std::string& words, double x, double y, const Colour& colour) {
    cairo_set_source_rgb(context(), colour.red, colour.green, colour.blue);
    cairo_move_to(context(), x, y);
    cairo_show_text(context(), words.c_str());
  }
  double width_of(const std::string& words) {
    cairo_text_extents_t extents;
    cairo_text_extents(context(), words.c_str(), &extents);
    return extents.x_advance;
  }
  // The name shortened to the letters that fit into `room`.
  std::string shortened(const std::vector<std::string>& letters, double room) {
    std::string words, kept;
    for (const std::string& letter : letters) {
      words += letter;
      if (width_of(words) > room) return kept + "…";
      if (width_of(words + "…") <= room) kept = words;
    }
    return words;
  }

  Surface surface_;
  Context context_;
};

// The size of the drawn picture, and the scale of its pixels.
struct Extent {
  double scale;
  int64_t shown_width, width, height;  // `width`: with margins beside a narrow picture

  explicit Extent(const Pixels& pixels) : scale(scale_of(pixels.region)) {
    const auto scaled = [&](int64_t size) {
      return std::max<int64_t>(1, std::llround(static_cast<double>(size) * scale));
    };
    shown_width = scaled(pixels.region.width);
    width = std::max(shown_width, shortest_side);
    height = scaled(pixels.region.height);
  }
  double left() const { return static_cast<double>((width - shown_width) / 2); }
};

void draw_object(const DrawnObject& object, const Extent& extent, Drawing& drawing) {
  // Whole pixels inside the picture; a box wholly outside becomes a line at its edge.
  const auto at = [&](double x, double begin, int64_t length) {
    const double end = begin + static_cast<double>(length);
    return std::clamp(std::round(begin + x * extent.scale), begin, end);
  };
  const double left = at(object.x, extent.left(), extent.shown_width);
  const double right = at(object.x + object.width, extent.left(), extent.shown_width);
  const double top = at(object.y, 0, extent.height);
  const double bottom = at(object.y + object.height, 0, extent.height);
  const Colour colour = colour_of(object.colour);
  drawing.frame(left, top, right, bottom, colour);
  if (object.label.empty()) return;
  drawing.label(object.label, left, top >= label_height ? top - label_height : top,
                static_cast<double>(extent.width), colour);
}

}  // namespace

void draw_prediction(const Pixels& pixels, const std::vector<PredictionLine>& lines,
                     const fs::path& out) {
  const Extent extent(pixels);
  const double panel =
      lines.empty() ? 0 : 2 * margin + line_height * static_cast<double>(lines.size());
  Drawing drawing(extent.width, extent.height + std::llround(panel));
  drawing.picture(pixels, extent.left(), extent.scale);
  double top = static_cast<double>(extent.height) + margin;
  for (const PredictionLine& line : lines) {
    drawing.line(line, top, static_cast<double>(extent.width));
    top += line_height;
  }
  write_atomically(out, drawing.png(), Fault::usage);
}

namespace {

Drawing drawing_of(const Pixels& pixels, const std::vector<DrawnObject>& objects) {
  const Extent extent(pixels);
  Drawing drawing(extent.width, extent.height);
  drawing.picture(pixels, extent.left(), extent.scale);
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
    draw_object(*object, extent, drawing);
  }
  return drawing;
}

}  // namespace

void draw_objects(const Pixels& pixels, const std::vector<DrawnObject>& objects,
                  const fs::path& out) {
  write_atomically(out, drawing_of(pixels, objects).png(), Fault::usage);
}

Pixels drawn_objects(const Pixels& pixels, const std::vector<DrawnObject>& objects) {
  return drawing_of(pixels, objects).pixels();
}

}  // namespace convoy
