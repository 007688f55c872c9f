#include "app/prepare/picture_records.h"

#include "base/error.h"
#include "pictures/picture.h"
#include "records/example.h"

namespace convoy {
namespace {

constexpr int quality = 100;

std::vector<std::string> text(std::string value) { return {std::move(value)}; }

}  // namespace

PictureRecord make_record(const RawPicture& picture, int64_t label) {
  const std::string origin = picture.path();
  std::string bytes = read_raw(picture);
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(bytes, origin);
  PictureRecord record;
  record.encoded_anew = info.format != PictureFormat::jpeg || info.cmyk;
  if (record.encoded_anew) bytes = encode_jpeg(decode_picture(bytes, origin, false), quality);
  record.payload = encode_example({{"image/encoded", text(std::move(bytes))},
                                   {"image/format", text("JPEG")},
                                   {"image/filename", text(picture.name)},
                                   {"image/height", std::vector<int64_t>{info.height}},
                                   {"image/width", std::vector<int64_t>{info.width}},
                                   {"image/channels", std::vector<int64_t>{3}},
                                   {"image/colorspace", text("RGB")},
                                   {"image/class/label", std::vector<int64_t>{label}},
                                   {"image/class/synset", text(picture.class_name)}});
  return record;
}

RecordFacts check_record(std::string_view payload, const std::string& origin) {
  const Example example(payload, origin);
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(example.bytes("image/encoded"), origin);
  if (info.height != example.integer("image/height") ||
      info.width != example.integer("image/width")) {
    raise(Fault::data, "{}: the record and its picture differ in size", origin);
  }
  return {std::string(example.bytes("image/filename")), example.integer("image/class/label")};
}

}  // namespace convoy
