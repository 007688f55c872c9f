#include "app/prepare/boxes/picture_form.h"

#include "base/error.h"
#include "data/boxed/picture_size.h"

namespace convoy {
namespace {

constexpr int quality = 100;

}  // namespace

PictureForm form_of(const PictureInfo& info, const BoxedPicture& annotated,
                    const std::string& origin, const Orientations& orientations) {
  const PictureSize wanted{annotated.width, annotated.height};
  for (const bool upright : {orientations.from, !orientations.from}) {
    if (size_of(info, upright) != wanted) continue;
    if (info.orientation == 1 || upright == orientations.to) return PictureForm::as_is;
    return upright ? PictureForm::turned : PictureForm::as_stored;
  }
  raise(Fault::data,
        "{} has {} x {} pixels, but its annotations are about {} x {}; try: the picture or the "
        "annotations of the same set",
        origin, info.width, info.height, annotated.width, annotated.height);
}

std::string in_form(std::string bytes, const std::string& origin, PictureForm form) {
  if (form == PictureForm::as_is) return bytes;
  return encode_jpeg(decode_picture(bytes, origin, form == PictureForm::turned), quality);
}

}  // namespace convoy
