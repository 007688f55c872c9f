#include "support/event_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/proto_fields.h"
#include "records/tfrecord.h"

namespace convoy::test {
namespace {

using Take = std::function<void(const ProtoField&)>;

void fields(std::string_view message, const Take& take) {
  for_each_field(message, "the event", "a message", take, Fault::data);
}

double number_of(const ProtoField& field) {
  return field.type == ProtoType::fixed32
             ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(field.value)))
             : std::bit_cast<double>(field.value);
}

void read_tensor(std::string_view tensor, SeenValue& value) {
  fields(tensor, [&](const ProtoField& f) {
    if (f.number == 8) value.content = f.bytes;
    if (f.number != 5) return;
    value.floats.resize(f.bytes.size() / sizeof(float));
    std::memcpy(value.floats.data(), f.bytes.data(), f.bytes.size());
  });
}

void read_metadata(std::string_view metadata, SeenValue& value) {
  fields(metadata, [&](const ProtoField& f) {
    if (f.number != 1) return;
    fields(f.bytes, [&](const ProtoField& plugin) {
      if (plugin.number == 1) value.kind = plugin.bytes;
      if (plugin.number == 2 && value.content.empty()) value.content = plugin.bytes;
    });
  });
}

SeenValue read_value(std::string_view bytes, int64_t step) {
  SeenValue value{.step = step};
  fields(bytes, [&](const ProtoField& f) {
    if (f.number == 1) value.tag = f.bytes;
    if (f.number == 2) {
      value.kind = "scalar";
      value.number = number_of(f);
    }
    if (f.number == 4) {
      value.kind = "picture";
      fields(f.bytes, [&](const ProtoField& image) {
        if (image.number == 4) value.content = image.bytes;
      });
    }
    if (f.number == 5) {
      value.kind = "histogram";
      fields(f.bytes, [&](const ProtoField& histogram) {
        if (histogram.number == 3) value.number = number_of(histogram);
      });
    }
    if (f.number == 8) {
      value.has_tensor = true;
      read_tensor(f.bytes, value);
    }
    if (f.number == 9) read_metadata(f.bytes, value);
  });
  return value;
}

void read_event(std::string_view bytes, SeenEvents& seen) {
  int64_t step = 0;
  fields(bytes, [&](const ProtoField& f) {
    if (f.number == 2) step = static_cast<int64_t>(f.value);
    if (f.number == 5) {
      fields(f.bytes, [&](const ProtoField& value) {
        seen.values.push_back(read_value(value.bytes, step));
      });
    }
    if (f.number == 7) {
      fields(f.bytes, [&](const ProtoField& log) {
        if (log.number == 1 && log.value == 1) seen.session_starts.push_back(step);
      });
    }
  });
}

}  // namespace

std::map<int64_t, double> SeenEvents::line(std::string_view tag) const {
  std::map<int64_t, double> points;
  for (const SeenValue& value : values) {
    if (value.tag != tag) continue;
    EXPECT_EQ(value.kind, "scalar") << tag;
    EXPECT_TRUE(points.emplace(value.step, value.number).second) << tag << " step " << value.step;
  }
  return points;
}

const SeenValue& SeenEvents::only(std::string_view tag) const {
  const auto found = std::ranges::find(values, tag, &SeenValue::tag);
  if (found == values.end()) throw std::runtime_error("no value " + std::string(tag));
  return *found;
}

bool SeenEvents::has(std::string_view tag) const {
  return std::ranges::find(values, tag, &SeenValue::tag) != values.end();
}

SeenEvents events_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  SeenEvents seen;
  for (const fs::path& path : paths) {
    seen.files.push_back(path.filename().string());
    const TfRecordFile file(path);
    for (const RecordPlace& place : file.scan()) {
      std::string payload;
      file.read(place, payload);
      read_event(payload, seen);
    }
  }
  return seen;
}

}  // namespace convoy::test
