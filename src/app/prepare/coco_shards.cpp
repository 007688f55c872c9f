#include "app/prepare/coco_shards.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/sha256.h"
#include "pictures/picture.h"
#include "records/example.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

constexpr int quality = 100;

std::vector<std::string> text(std::string value) { return {std::move(value)}; }

// JPEGs are stored as they are, pictures of other formats as JPEGs.
std::string read_jpeg(const fs::path& path, const BoxedPicture& picture, PictureForm form,
                      bool& encoded_anew) {
  const std::string origin = path.string();
  std::string bytes = in_form(read_file(path, Fault::data), origin, form);
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(bytes, origin);
  if (info.width != picture.width || info.height != picture.height) {
    raise(Fault::data,
          "{} has {} x {} pixels, but its annotations are about {} x {}; try: the picture or the "
          "annotations of the same set",
          origin, info.width, info.height, picture.width, picture.height);
  }
  const bool is_jpeg = info.format == PictureFormat::jpeg && !info.cmyk;
  encoded_anew = !is_jpeg || form != PictureForm::as_is;
  if (!is_jpeg) bytes = encode_jpeg(decode_picture(bytes, origin, false), quality);
  return bytes;
}

}  // namespace

CocoShards::CocoShards(const BoxedSplit& split, int shards, bool train,
                       const std::vector<PictureForm>* forms)
    : split_(split), shards_(shards), forms_(forms), categories_(split.categories) {
  for (const BoxedPicture& picture : split.pictures) {
    if (!train || picture.usable > 0) used_.push_back(&picture);
  }
}

PictureForm CocoShards::form(const BoxedPicture& picture) const {
  const auto place = static_cast<size_t>(&picture - split_.pictures.data());
  return forms_ ? (*forms_)[place] : PictureForm::as_is;
}

int64_t CocoShards::size(int shard) const {
  return std::max<int64_t>(0, divide_up(count() - shard, shards_));
}

uint64_t CocoShards::bytes(int shard) const {
  uint64_t sum = 0;
  for (int64_t i = 0; i < size(shard); ++i) {
    std::error_code code;
    const uint64_t bytes = fs::file_size(split_.folder / picture(shard, i).file, code);
    if (!code) sum += bytes;  // the read reports errors
  }
  return sum;
}

std::string CocoShards::record(const BoxedPicture& picture, std::string jpeg) const {
  std::map<std::string, FeatureValue> features{
      {"image/key/sha256", text(sha256_hex(jpeg))},
      {"image/encoded", text(std::move(jpeg))},
      {"image/format", text("jpeg")},
      {"image/filename", text(picture.file)},
      {"image/source_id", text(std::to_string(picture.id))},
      {"image/height", std::vector<int64_t>{picture.height}},
      {"image/width", std::vector<int64_t>{picture.width}}};
  if (picture.begin == picture.end) return encode_example(features);
  std::vector<float> ymin, xmin, ymax, xmax, area;
  std::vector<int64_t> label, crowd;
  std::vector<std::string> name;
  for (const BoxedObject& object : split_.objects_of(picture)) {
    if (!object.is_usable) continue;
    const Box box = box_of(object, picture);
    ymin.push_back(box.ymin);
    xmin.push_back(box.xmin);
    ymax.push_back(box.ymax);
    xmax.push_back(box.xmax);
    area.push_back(static_cast<float>(object.area));
    label.push_back(object.category);
    crowd.push_back(object.crowd);
    const int64_t place = categories_.find(object.category);
    name.push_back(split_.categories[static_cast<size_t>(place)].name);
  }
  const std::string bbox = "image/object/bbox/";
  features.insert({{bbox + "ymin", ymin},
                   {bbox + "xmin", xmin},
                   {bbox + "ymax", ymax},
                   {bbox + "xmax", xmax},
                   {"image/object/area", area},
                   {"image/object/class/label", label},
                   {"image/object/class/text", name},
                   {"image/object/is_crowd", crowd}});
  return encode_example(features);
}

ShardRecords::Made CocoShards::make(int shard, int64_t i) const {
  const BoxedPicture& wanted = picture(shard, i);
  Made made;
  std::string jpeg =
      read_jpeg(split_.folder / wanted.file, wanted, form(wanted), made.encoded_anew);
  made.payload = record(wanted, std::move(jpeg));
  return made;
}

// Everything but the picture follows from the annotations; the picture has its own checksum.
bool CocoShards::is_record(int shard, int64_t i, std::string_view payload,
                           const std::string& origin) const {
  const Example example(payload, origin);
  const BoxedPicture& wanted = picture(shard, i);
  if (example.bytes("image/source_id") != std::to_string(wanted.id)) return false;
  return payload == record(wanted, std::string(example.bytes("image/encoded")));
}

std::string fingerprint(const BoxedSplit& split) {
  uint64_t hash = 0;
  const auto add = [&](const std::string& line) {
    const std::string before = hash_hex(hash);
    const std::string_view parts[] = {before, line};
    hash = hash_parts(parts);
  };
  for (const CocoCategory& c : split.categories) add(fmt::format("{} {}", c.id, c.name));
  for (const BoxedPicture& p : split.pictures) {
    add(fmt::format("{} {} {} {}", p.id, p.width, p.height, p.file));
    for (const BoxedObject& o : split.objects_of(p)) {
      add(fmt::format("{} {} {} {} {} {} {}", o.x, o.y, o.width, o.height, o.area, o.category,
                      o.crowd));
    }
  }
  return hash_hex(hash);
}

}  // namespace convoy
