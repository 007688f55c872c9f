// CIFAR-100: like CIFAR-10 with 100 classes. A record has a coarse label (20 groups), which is
// skipped, and the fine label, which is used.
#include "data/sources/cifar_files.h"

namespace convoy {
namespace {

const std::vector<std::string> fine_names{
    "apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
    "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
    "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
    "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
    "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
    "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
    "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
    "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
    "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
    "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
    "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
    "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
    "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
    "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
    "table",       "tank",          "telephone", "television", "tiger",        "tractor",
    "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
    "willow_tree", "wolf",          "woman",     "worm",
};

const CifarFormat format{
    .files = {{"train.bin", 50000, true}, {"test.bin", 10000, false}},
    .folder = "cifar-100-binary",
    .label_bytes = 2,
    .names = fine_names,
};

}  // namespace

DatasetDef cifar100_dataset() {
  return {
      .name = "cifar-100",
      .help = "32x32 colour photos, 100 classes (fine labels); train.bin, test.bin in --data-dir",
      .open = [](const DatasetSpec& spec) { return open_cifar(format, spec.data_dir, spec.train); },
      .mean = {0.50708, 0.48655, 0.44092},
      .std = {0.26733, 0.25644, 0.27615},
      .augment = {"pad-crop", "flip"},
      .is_in = [](const fs::path& folder) { return has_cifar(format, folder); },
      .path_words = {"cifar100", "cifar-100"},
      .published = {50000, 10000, 100, {3, 32, 32}},
  };
}

}  // namespace convoy
