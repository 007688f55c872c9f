#include "support/records.h"

#include "records/example.h"
#include "records/tfrecord.h"
#include "support/tiny_sets.h"

namespace convoy::test {

std::string picture_record(const RecordSpec& spec) {
  std::vector<float> sides[4];
  for (const Box& box : spec.boxes) {
    sides[0].push_back(box.ymin);
    sides[1].push_back(box.xmin);
    sides[2].push_back(box.ymax);
    sides[3].push_back(box.xmax);
  }
  std::map<std::string, FeatureValue> features{
      {"image/encoded", std::vector<std::string>{spec.encoded}},
      {"image/class/label", std::vector<int64_t>{spec.label}},
      {"image/object/bbox/ymin", sides[0]},
      {"image/object/bbox/xmin", sides[1]},
      {"image/object/bbox/ymax", sides[2]},
      {"image/object/bbox/xmax", sides[3]}};
  if (!spec.synset.empty()) features["image/class/synset"] = std::vector<std::string>{spec.synset};
  return encode_example(features);
}

void write_records(const fs::path& path, const std::vector<std::string>& payloads) {
  fs::create_directories(path.parent_path());
  std::string bytes;
  for (const std::string& payload : payloads) bytes += framed_record(payload);
  write_bytes(path, bytes);
}

}  // namespace convoy::test
