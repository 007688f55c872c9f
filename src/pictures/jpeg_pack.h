// JPEG files packed for fast crops: the same coefficients, written anew with a restart marker every
// few blocks and an index of where those stretches begin (docs/formats/packed_jpeg.md). Every
// program can show such a file; we decode only the stretches that a crop touches.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pictures/picture.h"

namespace convoy {

// The picture packed, without any loss; other markers (EXIF, colour profiles) are kept. A file that
// is no JPEG of eight bits, or is damaged, is Fault::data.
std::string pack_jpeg(std::string_view bytes, const std::string& origin);

bool is_packed(std::string_view bytes);

// Of a packed file the smallest part that holds `region`, as a JPEG file of its own in `cut`; gives
// where it lies in the picture. Nothing when the file is not packed, or its index does not fit it:
// then it is a JPEG like others.
std::optional<PixelRect> cut_packed(std::string_view bytes, const PixelRect& region,
                                    std::string& cut);

// The region with `by` more pixels on each side, as far as the picture goes.
PixelRect grown(const PixelRect& region, int64_t by, const PictureInfo& picture);

}  // namespace convoy
