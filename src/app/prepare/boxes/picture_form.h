// Which bytes of a picture with boxes are written: its own, or new ones without EXIF data, if the
// boxes are about another orientation of the picture than readers of the new set assume.
#pragma once

#include <string>

#include "data/boxed/boxed_split.h"
#include "pictures/picture.h"

namespace convoy {

enum class PictureForm {
  as_is,
  turned,     // encoded anew, turned upright
  as_stored,  // encoded anew, not turned
};

// Whether a format's boxes are about pictures turned by their EXIF data: of the set that is read,
// and of the one that is written.
struct Orientations {
  bool from = false, to = false;
};

// The size of the picture must be the one that the annotations name: turned or not, preferably as
// `from` has it. Otherwise Fault::data.
PictureForm form_of(const PictureInfo& info, const BoxedPicture& annotated,
                    const std::string& origin, const Orientations& orientations);

// The bytes of the file in this form; JPEG of quality 100 if they are new.
std::string in_form(std::string bytes, const std::string& origin, PictureForm form);

}  // namespace convoy
