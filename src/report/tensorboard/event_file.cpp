#include "report/tensorboard/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/clock.h"
#include "base/process.h"
#include "records/tfrecord.h"

namespace convoy {
namespace {

// Numbers of fields, from TensorBoard's .proto files.
enum EventField { wall_time = 1, step_field = 2, file_version = 3, summary = 5, session_log = 7 };
enum SessionField { status = 1, checkpoint_path = 2 };
enum SessionStatus { started = 1, saved = 3 };
enum ValueField { tag_field = 1, simple = 2, image = 4, histo = 5, tensor = 8, metadata = 9 };
enum TensorType { float_type = 1, string_type = 7 };
constexpr int value_field = 1, tensor_class = 2;

constexpr std::string_view prefix = "events.out.tfevents.";

// Readers take the files of a folder by name, so a new one gets a later second than all others.
int64_t seconds_for(const fs::path& folder) {
  auto seconds = static_cast<int64_t>(unix_seconds());
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end;
       entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    if (!is_event_file(name)) continue;
    int64_t other = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), other);
    constexpr int64_t most = 9'999'999'998;  // ten digits
    if (other <= most) seconds = std::max(seconds, other + 1);
  }
  return seconds;
}

// A host name with other characters would end the parts of the name.
std::string file_name(const fs::path& folder) {
  std::string host;
  for (const char c : host_name()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    host += is_plain ? c : '-';
  }
  return fmt::format("{}{:010}.{}.{}.0", prefix, seconds_for(folder), host, ::getpid());
}

fs::path made(const fs::path& folder) {
  make_folders(folder, Fault::checkpoint);
  return folder;
}

void write_metadata(ProtoWriter& value, std::string_view plugin, std::string_view content) {
  value.message(metadata, [&](ProtoWriter& about) {
    about.message(1, [&](ProtoWriter& data) {
      data.bytes(1, plugin);
      if (!content.empty()) data.bytes(2, content);
    });
    about.integer(4, tensor_class);
  });
}

// google.protobuf.Value
void write_value(ProtoWriter& writer, const HyperParameter& value) {
  if (const auto* number = std::get_if<double>(&value)) return writer.number(2, *number);
  if (const auto* text = std::get_if<std::string>(&value)) return writer.bytes(3, *text);
  writer.flag(4, std::get<bool>(value));
}

// A tensor of shape [0]. TensorBoard lists no value without a tensor, even if only its metadata
// tell something.
void write_no_numbers(ProtoWriter& value) {
  value.message(tensor, [](ProtoWriter& none) {
    none.integer(1, float_type);
    none.message(2, [](ProtoWriter& shape) { shape.message(2, [](ProtoWriter&) {}); });
  });
}

constexpr std::string_view hparams = "hparams";

}  // namespace

EventFile::EventFile(const fs::path& folder, int64_t from_step)
    : file_(made(folder) / file_name(folder), Fault::checkpoint) {
  buffer_.reserve(4096);
  record(0, [](ProtoWriter& event) { event.bytes(file_version, "brain.Event:2"); });
  record(from_step, [](ProtoWriter& event) {
    event.message(session_log, [](ProtoWriter& log) { log.integer(status, started); });
  });
}

template <class Body>
void EventFile::record(int64_t step, const Body& body) {
  buffer_.assign(record_head_bytes, '\0');
  ProtoWriter event(buffer_);
  event.number(wall_time, unix_seconds());
  if (step != 0) event.integer(step_field, step);
  body(event);
  frame_record(buffer_);
  file_.append(buffer_);
}

template <class Body>
void EventFile::value_of_plugin(int64_t step, std::string_view tag, std::string_view plugin,
                                std::string_view content, const Body& body) {
  record(step, [&](ProtoWriter& event) {
    event.message(summary, [&](ProtoWriter& all) {
      all.message(value_field, [&](ProtoWriter& value) {
        value.bytes(tag_field, tag);
        write_metadata(value, plugin, content);
        body(value);
      });
    });
  });
}

void EventFile::scalars(int64_t step, std::span<const TaggedScalar> values) {
  if (values.empty()) return;
  record(step, [&](ProtoWriter& event) {
    event.message(summary, [&](ProtoWriter& all) {
      for (const TaggedScalar& scalar : values) {
        all.message(value_field, [&](ProtoWriter& value) {
          value.bytes(tag_field, scalar.tag);
          value.small_number(simple, static_cast<float>(scalar.value));
        });
      }
    });
  });
}

void EventFile::picture(int64_t step, std::string_view tag, int64_t width, int64_t height,
                        std::string_view png) {
  constexpr int64_t colour = 3;
  record(step, [&](ProtoWriter& event) {
    event.message(summary, [&](ProtoWriter& all) {
      all.message(value_field, [&](ProtoWriter& value) {
        value.bytes(tag_field, tag);
        value.message(image, [&](ProtoWriter& picture) {
          picture.integer(1, height);
          picture.integer(2, width);
          picture.integer(3, colour);
          picture.bytes(4, png);
        });
      });
    });
  });
}

void EventFile::text(int64_t step, std::string_view tag, std::string_view text) {
  value_of_plugin(step, tag, "text", {}, [&](ProtoWriter& value) {
    value.message(tensor, [&](ProtoWriter& one) {
      one.integer(1, string_type);
      one.message(2, [](ProtoWriter&) {});  // a scalar
      one.bytes(8, text);
    });
  });
}

void EventFile::histogram(int64_t step, std::string_view tag, const Histogram& values) {
  record(step, [&](ProtoWriter& event) {
    event.message(summary, [&](ProtoWriter& all) {
      all.message(value_field, [&](ProtoWriter& value) {
        value.bytes(tag_field, tag);
        value.message(histo, [&](ProtoWriter& histogram) {
          histogram.number(1, values.least);
          histogram.number(2, values.most);
          histogram.number(3, static_cast<double>(values.count));
          histogram.number(4, values.sum);
          histogram.number(5, values.squares);
          histogram.numbers(6, values.limits);
          histogram.numbers(7, values.counts);
        });
      });
    });
  });
}

void EventFile::precision_curve(int64_t step, std::string_view tag, std::span<const float> rows) {
  constexpr int64_t row_count = 6;
  const int64_t thresholds = std::ssize(rows) / row_count;
  std::string content;
  ProtoWriter(content).integer(2, thresholds);
  value_of_plugin(step, tag, "pr_curves", content, [&](ProtoWriter& value) {
    value.message(tensor, [&](ProtoWriter& matrix) {
      matrix.integer(1, float_type);
      matrix.message(2, [&](ProtoWriter& shape) {
        for (const int64_t size : {row_count, thresholds}) {
          shape.message(2, [&](ProtoWriter& dim) { dim.integer(1, size); });
        }
      });
      matrix.small_numbers(5, rows);
    });
  });
}

void EventFile::begin_session(const std::map<std::string, HyperParameter>& values) {
  std::string content;
  ProtoWriter(content).message(3, [&](ProtoWriter& start) {
    for (const auto& [name, value] : values) {
      start.message(1, [&](ProtoWriter& entry) {
        entry.bytes(1, name);
        entry.message(2, [&](ProtoWriter& of) { write_value(of, value); });
      });
    }
    start.number(5, unix_seconds());
  });
  value_of_plugin(0, "_hparams_/session_start_info", hparams, content, write_no_numbers);
}

void EventFile::end_session(bool is_success) {
  std::string content;
  ProtoWriter(content).message(4, [&](ProtoWriter& end) {
    end.integer(1, is_success ? 1 : 2);
    end.number(2, unix_seconds());
  });
  value_of_plugin(0, "_hparams_/session_end_info", hparams, content, write_no_numbers);
}

void EventFile::checkpoint(int64_t step, std::string_view path) {
  record(step, [&](ProtoWriter& event) {
    event.message(session_log, [&](ProtoWriter& log) {
      log.integer(status, saved);
      log.bytes(checkpoint_path, path);
    });
  });
}

bool is_event_file(std::string_view name) { return name.starts_with(prefix); }

}  // namespace convoy
