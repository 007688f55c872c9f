// A format of its own: "TAGGED\n", then for each tensor a line "NAME 16 3 3 3" and its floats.

#include "base/files/byte_reader.h"
#include "base/text/text.h"
#include "weights/weight_file.h"

namespace convoy {
namespace {

constexpr std::string_view magic = "TAGGED\n";

WeightData read(const fs::path& path) {
  const auto bytes = std::make_shared<const std::string>(read_file(path, Fault::checkpoint));
  WeightData data(path.string(), bytes->size());
  data.keep(bytes);
  ByteReader reader(std::string_view(*bytes).substr(magic.size()), data.origin, "its tensors");
  while (!reader.done()) {
    const std::vector<std::string> words = split(reader.line(), ' ');
    if (words.size() > 1 + Shape::max_rank) reader.fail("a shape has too many numbers");
    Shape shape;
    for (size_t i = 1; i < words.size(); ++i) {
      if (!is_number(words[i]) || words[i].size() > 9) reader.fail("a shape is not of numbers");
      shape.append(std::stoll(words[i]));
    }
    const int64_t count = checked_count(shape, words[0], data.origin);
    data.add(words[0], View::row_major(Element::f32, shape),
             as_bytes(reader.take(static_cast<size_t>(count) * sizeof(float))));
  }
  return data;
}

}  // namespace

WeightFormat tagged_weight_format() {
  return {.name = "tagged",
          .help = "of this test",
          .recognises = [](const Glimpse& g) { return g.head.starts_with(magic); },
          .read = read};
}

}  // namespace convoy
