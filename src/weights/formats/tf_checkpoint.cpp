// TensorFlow checkpoints, given by their prefix, by the .index file, or by a folder whose file
// `checkpoint` names the newest one.

#include "weights/tensorflow/sorted_table.h"
#include "weights/tensorflow/tf_bundle.h"
#include "weights/weight_file.h"

namespace convoy {
namespace {

bool has_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) && fs::is_regular_file(folder / "checkpoint", ignored);
}

bool recognises(const Glimpse& g) {
  std::error_code ignored;
  if (!g.head.empty()) return g.tail == table_magic && g.path.extension() == ".index";
  return has_checkpoint(g.path) || fs::is_regular_file(g.path.string() + ".index", ignored);
}

WeightData read(const fs::path& path) {
  if (!has_checkpoint(path)) return read_tf_checkpoint(path);
  const fs::path newest = tf_newest_prefix(path);
  WeightData data = read_tf_checkpoint(newest);
  data.note = "taken from " + newest.filename().string();
  return data;
}

}  // namespace

WeightFormat tf_checkpoint_weight_format() {
  return {.name = "TensorFlow checkpoint",
          .help = "PREFIX.index and PREFIX.data-*: tf.train.Saver, tf.train.Checkpoint, Keras",
          .recognises = recognises,
          .read = read};
}

}  // namespace convoy
