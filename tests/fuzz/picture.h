// What the targets of pictures share.
#pragma once

#include "base/random.h"
#include "fuzz/target.h"
#include "pictures/picture.h"

namespace convoy::test {

// Decodes all of it, and a part that follows from its bytes.
inline int answers_picture(const std::string& bytes) {
  return answers(Fault::data, [&] {
    touch({reinterpret_cast<const char*>(decode_picture(bytes, "fuzz", true).bytes.data()), 4});
    PictureDecoder decoder;
    const PictureInfo info = decoder.open(bytes, "fuzz");
    Random random(hash_bytes(bytes));
    PixelRect part;
    part.width = 1 + random.below(static_cast<uint32_t>(info.width));
    part.height = 1 + random.below(static_cast<uint32_t>(info.height));
    part.x = random.below(static_cast<uint32_t>(info.width - part.width + 1));
    part.y = random.below(static_cast<uint32_t>(info.height - part.height + 1));
    const bool fast = info.format == PictureFormat::jpeg && random.below(4) == 0;
    Pixels pixels;
    decoder.decode(part, fast ? DecodeSpeed::fast : DecodeSpeed::exact, 1, pixels);
    const auto* last = pixels.at(part.x + part.width - 1, part.y + part.height - 1);
    touch({reinterpret_cast<const char*>(last), 4});
  });
}

}  // namespace convoy::test
