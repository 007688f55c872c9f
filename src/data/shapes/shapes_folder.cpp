#include "data/shapes/shapes_folder.h"

#include <fmt/format.h>

#include <atomic>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "base/files/file_writer.h"
#include "base/files/temporary_name.h"
#include "base/random.h"
#include "data/shapes/shape_scene.h"
#include "pictures/png.h"

namespace convoy {
namespace {

constexpr int jpeg_quality = 92;

struct Split {
  const char* name;  // of its folder and annotation file
  uint64_t number;
  int64_t pictures;
};

std::string file_name(int64_t picture, ShapesFormat format) {
  return fmt::format("{:06}.{}", picture + 1, format == ShapesFormat::png ? "png" : "jpg");
}

std::string categories() {
  std::string text;
  for (int kind = 0; kind < shape_kinds; ++kind) {
    fmt::format_to(std::back_inserter(text), R"({}{{"id":{},"name":"{}","supercategory":"shape"}})",
                   kind ? "," : "", kind + 1, shape_names[static_cast<size_t>(kind)]);
  }
  return text;
}

std::string annotations_of(const std::vector<ShapeScene>& scenes, const ShapesSpec& spec,
                           int64_t& objects) {
  std::string images, annotations;
  int64_t id = 0;
  for (size_t i = 0; i < scenes.size(); ++i) {
    fmt::format_to(std::back_inserter(images),
                   R"({}{{"id":{},"file_name":"{}","width":{},"height":{}}})", i ? ",\n" : "",
                   i + 1, file_name(static_cast<int64_t>(i), spec.format), spec.side, spec.side);
    for (const ShapeObject& o : scenes[i].objects) {
      fmt::format_to(
          std::back_inserter(annotations),
          R"({}{{"id":{},"image_id":{},"category_id":{},"bbox":[{},{},{},{}],"area":{:.2f},"iscrowd":0}})",
          id ? ",\n" : "", id + 1, i + 1, o.place.kind + 1, o.box.x, o.box.y, o.box.width,
          o.box.height, o.area);
      ++id;
    }
  }
  objects += id;
  return fmt::format(
      "{{\"info\":{{\"description\":\"shapes, seed {}\"}},\n\"images\":[\n{}\n],\n\"annotations\":"
      "[\n{}\n],\n\"categories\":[{}]}}\n",
      spec.seed, images, annotations, categories());
}

// Removes what is there of a folder that will not be finished.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  ~Unfinished() {
    std::error_code none;
    if (!path_.empty()) fs::remove_all(path_, none);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

void refuse_existing(const fs::path& folder) {
  std::error_code none;
  if (!fs::exists(fs::symlink_status(folder, none))) return;
  if (fs::is_directory(folder, none) && fs::is_empty(folder, none)) return;
  raise(Fault::usage, "{} is there already; try: another folder, or remove it", folder.string());
}

void write_split(const Split& split, const fs::path& folder, const ShapesSpec& spec,
                 ThreadPool& pool, const std::function<void()>& drawn, ShapesResult& result) {
  make_folders(folder / split.name, Fault::usage);
  std::vector<ShapeScene> scenes(static_cast<size_t>(split.pictures));
  std::atomic<int64_t> bytes{0};
  pool.run(static_cast<int>(split.pictures), [&](int i, int) {
    const uint64_t key =
        random_key(spec.seed, Purpose::shapes, split.number, static_cast<uint64_t>(i));
    ShapeScene& scene = scenes[static_cast<size_t>(i)];
    scene = shape_scene(spec.side, key);
    const Pixels pixels = paint(scene);
    const std::string file =
        spec.format == ShapesFormat::png ? encode_png(pixels) : encode_jpeg(pixels, jpeg_quality);
    FileWriter writer(folder / split.name / file_name(i, spec.format), Fault::usage);
    writer.write(file);
    writer.commit(false);  // thousands of fsyncs would take longer than all the rest
    bytes += std::ssize(file);
    drawn();
  });
  const std::string text = annotations_of(scenes, spec, result.objects);
  write_atomically(folder / "annotations" / fmt::format("instances_{}.json", split.name), text,
                   Fault::usage);
  result.bytes += bytes + std::ssize(text);
}

}  // namespace

ShapesResult write_shapes(const fs::path& folder, const ShapesSpec& spec, ThreadPool& pool,
                          const std::function<void(int64_t)>& watch) {
  refuse_existing(folder);
  const fs::path place = fs::absolute(folder).lexically_normal();
  const fs::path whole = place.has_filename() ? place : place.parent_path();
  make_folders(whole.parent_path(), Fault::usage);
  const fs::path temporary = temporary_name(whole);
  Unfinished unfinished(temporary);
  make_folders(temporary / "annotations", Fault::usage);
  std::atomic<int64_t> count{0};
  const auto drawn = [&] {
    if (const int64_t now = ++count; watch && now % 100 == 0) watch(now);
  };
  ShapesResult result;
  for (const Split& split : {Split{"train2017", 0, spec.train}, Split{"val2017", 1, spec.val}}) {
    if (split.pictures > 0) write_split(split, temporary, spec, pool, drawn, result);
  }
  commit_folder(temporary, whole, Fault::usage);
  unfinished.keep();
  return result;
}

}  // namespace convoy
