#include "support/boxed_layouts.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/coco_set.h"
#include "support/tiny_sets.h"

namespace convoy::test {

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_bytes(path, text);
}

void write_picture(const fs::path& path, int64_t width, int64_t height) {
  // Different pixels in pictures of different names: the same would be a leak.
  const auto at = static_cast<int64_t>(hash_bytes(path.filename().string()) % 9);
  write_text(
      path,
      spot_bmp({.width = width, .height = height, .left = at, .top = 3, .wide = 9, .high = 7}));
}

namespace {

struct Object {
  int number;  // of the class: 0 bee, 1 cat
  int x, y, width, height;
};
struct Shown {
  std::string stem;
  int width, height;
  std::vector<Object> objects;
};

Shown shown(const std::string& stem) {
  if (stem == "a") return {stem, 90, 60, {{1, 9, 6, 45, 30}}};
  if (stem == "c") return {stem, 64, 64, {}};
  return {stem, 80, 40, {{0, 0, 0, 80, 40}, {1, 20, 10, 20, 10}}};
}

const std::vector<std::string> all{"a", "b", "c"}, of_train{"a", "b"}, of_val{"b2", "c"};

void picture(const fs::path& folder, const std::string& stem) {
  const Shown one = shown(stem);
  write_picture(folder / (stem + ".bmp"), one.width, one.height);
}

std::string coco_json(const std::vector<std::string>& stems, const std::string& front) {
  std::string images, objects;
  int id = 0;
  for (const std::string& stem : stems) {
    const Shown one = shown(stem);
    const int image = static_cast<int>(&stem - stems.data());
    images += fmt::format(
        "{}{{\"id\":{},\"license\":1,\"file_name\":\"{}{}.bmp\",\"width\":{},\"height\":{}}}",
        images.empty() ? "" : ",", image, front, stem, one.width, one.height);
    for (const Object& o : one.objects) {
      objects += fmt::format(
          "{}{{\"id\":{},\"image_id\":{},\"category_id\":{},\"bbox\":[{},{},{},{}],\"area\":{},"
          "\"segmentation\":[],\"iscrowd\":0}}",
          objects.empty() ? "" : ",", id++, image, o.number, o.x, o.y, o.width, o.height,
          o.width * o.height);
    }
  }
  return "{\"info\":{},\"images\":[" + images + "],\"annotations\":[" + objects +
         "],\"categories\":[{\"id\":0,\"name\":\"bee\"},{\"id\":1,\"name\":\"cat\"}]}";
}

std::string yolo_text(const std::string& stem) {
  const Shown one = shown(stem);
  std::string text;
  for (const Object& o : one.objects) {
    text +=
        fmt::format("{} {:.6f} {:.6f} {:.6f} {:.6f}\n", o.number, (o.x + o.width / 2.0) / one.width,
                    (o.y + o.height / 2.0) / one.height, static_cast<double>(o.width) / one.width,
                    static_cast<double>(o.height) / one.height);
  }
  return text;
}

std::string voc_text(const std::string& stem) {
  const Shown one = shown(stem);
  std::string text = fmt::format(
      "<annotation>\n\t<folder></folder>\n\t<filename>{}.bmp</filename>\n\t<path>{}.bmp</path>\n"
      "\t<size><width>{}</width><height>{}</height><depth>3</depth></size>\n",
      stem, stem, one.width, one.height);
  for (const Object& o : one.objects) {
    text += fmt::format(
        "<object><name>{}</name><pose>Unspecified</pose><truncated>0</truncated>"
        "<difficult>0</difficult><occluded>0</occluded><bndbox><xmin>{}</xmin><xmax>{}</xmax>"
        "<ymin>{}</ymin><ymax>{}</ymax></bndbox></object>\n",
        o.number == 0 ? "bee" : "cat", o.x + 1, o.x + o.width, o.y + 1, o.y + o.height);
  }
  return text + "</annotation>\n";
}

void roboflow_coco(const fs::path& dir) {
  for (const auto& [split, stems] : {std::pair("train", of_train), std::pair("valid", of_val)}) {
    for (const std::string& stem : stems) picture(dir / split, stem);
    write_text(dir / split / "_annotations.coco.json", coco_json(stems, ""));
  }
  write_text(dir / "README.roboflow.txt", "x\n");
}

void cvat_coco(const fs::path& dir) {
  for (const std::string& stem : all) picture(dir / "images" / "default", stem);
  write_text(dir / "annotations" / "instances_default.json", coco_json(all, ""));
}

void cvat_coco_splits(const fs::path& dir) {
  for (const auto& [split, stems] :
       {std::pair("Train", of_train), std::pair("Validation", of_val)}) {
    for (const std::string& stem : stems) picture(dir / "images" / split, stem);
    write_text(dir / "annotations" / fmt::format("instances_{}.json", split), coco_json(stems, ""));
  }
}

void label_studio_coco(const fs::path& dir) {
  for (const std::string& stem : all) picture(dir / "images", stem);
  write_text(dir / "result.json", coco_json(all, "images\\\\"));
}

void roboflow_yolo(const fs::path& dir) {
  for (const auto& [split, stems] : {std::pair("train", of_train), std::pair("valid", of_val)}) {
    for (const std::string& stem : stems) {
      picture(dir / split / "images", stem);
      write_text(dir / split / "labels" / (stem + ".txt"), yolo_text(stem));
    }
  }
  write_text(dir / "data.yaml",
             "train: ../train/images\nval: ../valid/images\ntest: \n\nnc: 2\n"
             "names: ['bee', 'cat']\n\nroboflow:\n  version: 1\n");
}

void ultralytics(const fs::path& dir) {
  for (const auto& [split, stems] : {std::pair("train", of_train), std::pair("val", of_val)}) {
    for (const std::string& stem : stems) {
      picture(dir / "images" / split, stem);
      if (stem != "c") write_text(dir / "labels" / split / (stem + ".txt"), yolo_text(stem));
    }
  }
  write_text(dir / "mine.yaml",
             "path: ../datasets/mine\ntrain: images/train\nval: images/val\n\nnames:\n"
             "  0: bee\n  1: cat\n");
}

void cvat_yolo(const fs::path& dir) {
  std::string list;
  for (const std::string& stem : all) {
    picture(dir / "obj_train_data", stem);
    write_text(dir / "obj_train_data" / (stem + ".txt"), yolo_text(stem));
    list += "data/obj_train_data/" + stem + ".bmp\n";
  }
  write_text(dir / "train.txt", list);
  write_text(dir / "obj.names", "bee\ncat\n");
  write_text(dir / "obj.data",
             "classes = 2\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n");
}

void cvat_ultralytics(const fs::path& dir) {
  for (const auto& [split, stems] : {std::pair("train", of_train), std::pair("val", of_val)}) {
    std::string list;
    for (const std::string& stem : stems) {
      picture(dir / "images" / split, stem);
      write_text(dir / "labels" / split / (stem + ".txt"), yolo_text(stem));
      list += fmt::format("data/images/{}/{}.bmp\n", split, stem);
    }
    write_text(dir / fmt::format("{}.txt", split), list);
  }
  write_text(dir / "data.yaml",
             "names:\n  0: bee\n  1: cat\npath: .\ntrain: train.txt\nval: val.txt\n");
}

void label_studio_yolo(const fs::path& dir) {
  for (const std::string& stem : all) {
    picture(dir / "images", stem);
    write_text(dir / "labels" / (stem + ".txt"), yolo_text(stem));
  }
  write_text(dir / "classes.txt", "bee\ncat");
  write_text(dir / "notes.json", "{\"categories\": []}");
}

void roboflow_voc(const fs::path& dir) {
  for (const auto& [split, stems] : {std::pair("train", of_train), std::pair("valid", of_val)}) {
    for (const std::string& stem : stems) {
      picture(dir / split, stem);
      write_text(dir / split / (stem + ".xml"), voc_text(stem));
    }
  }
}

void published_voc(const fs::path& dir) {
  for (const std::string& stem : {"a", "b", "b2", "c"}) {
    picture(dir / "JPEGImages", stem);
    write_text(dir / "Annotations" / (std::string(stem) + ".xml"), voc_text(stem));
  }
  write_text(dir / "ImageSets/Main/train.txt", "b\na\n");
  write_text(dir / "ImageSets/Main/val.txt", "b2\r\nc\r\n");
  write_text(dir / "ImageSets/Main/trainval.txt", "a\nb\nb2\nc\n");
  write_text(dir / "ImageSets/Main/cat_train.txt", "a  1\nb -1\n");
}

void cvat_voc(const fs::path& dir) {
  for (const std::string& stem : all) {
    picture(dir / "JPEGImages", stem);
    write_text(dir / "Annotations" / (stem + ".xml"), voc_text(stem));
  }
  write_text(dir / "ImageSets/Main/default.txt", "a\nb\nc\n");
  write_text(dir / "labelmap.txt",
             "# label:color_rgb:parts:actions\nbackground:0,0,0::\nbee:250,250,55::\n"
             "cat:51,221,255::\n");
}

void label_studio_voc(const fs::path& dir) {
  for (const std::string& stem : all) {
    picture(dir / "images", stem);
    write_text(dir / "Annotations" / (stem + ".xml"), voc_text(stem));
  }
}

void label_img(const fs::path& dir) {
  for (const std::string& stem : all) {
    picture(dir, stem);
    write_text(dir / (stem + ".xml"), voc_text(stem));
  }
}

}  // namespace

const std::vector<BoxedLayout>& boxed_layouts() {
  static const std::vector<BoxedLayout> layouts{
      {"roboflow_coco", "coco", true, roboflow_coco},
      {"cvat_coco", "coco", false, cvat_coco},
      {"cvat_coco_splits", "coco", true, cvat_coco_splits},
      {"label_studio_coco", "coco", false, label_studio_coco},
      {"roboflow_yolo", "yolo", true, roboflow_yolo},
      {"ultralytics", "yolo", true, ultralytics},
      {"cvat_yolo", "yolo", false, cvat_yolo},
      {"cvat_ultralytics", "yolo", true, cvat_ultralytics},
      {"label_studio_yolo", "yolo", false, label_studio_yolo},
      {"roboflow_voc", "voc", true, roboflow_voc},
      {"published_voc", "voc", true, published_voc},
      {"cvat_voc", "voc", false, cvat_voc},
      {"label_studio_voc", "voc", false, label_studio_voc},
      {"label_img", "voc", false, label_img}};
  return layouts;
}

void write_layout(const std::string& name, const fs::path& folder) {
  const auto found = std::ranges::find(boxed_layouts(), name, &BoxedLayout::name);
  expect(found != boxed_layouts().end(), "a layout of this name");
  found->write(folder);
}

}  // namespace convoy::test
