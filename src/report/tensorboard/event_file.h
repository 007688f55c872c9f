// An event file of TensorBoard: TFRecords whose payloads are messages `Event`
// (docs/formats/tensorboard.md). Only grows; every record reaches the kernel at once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files/append_file.h"
#include "base/proto_writer.h"
#include "train/outputs/histogram.h"

namespace convoy {

struct TaggedScalar {
  std::string_view tag;
  double value;
};

// What a hyper-parameter may be; a run is compared by them.
using HyperParameter = std::variant<bool, double, std::string>;

class EventFile {
 public:
  // Creates `folder` and a file in it whose name has the time, the host and the process, and writes
  // the version. `from_step`: the first step of which this file tells; readers drop what older
  // files say of it and of later ones.
  EventFile(const fs::path& folder, int64_t from_step);

  const fs::path& path() const { return file_.path(); }

  // Reuses one buffer, so it allocates nothing once records of that length were written.
  void scalars(int64_t step, std::span<const TaggedScalar> values);
  // `png`: a file; all pictures of a tag are kept by step.
  void picture(int64_t step, std::string_view tag, int64_t width, int64_t height,
               std::string_view png);
  // Markdown.
  void text(int64_t step, std::string_view tag, std::string_view text);
  void histogram(int64_t step, std::string_view tag, const Histogram& values);
  // Rows of equal length: true positives, false positives, true negatives, false negatives,
  // precision, recall, at the thresholds 0 to 1 in equal steps.
  void precision_curve(int64_t step, std::string_view tag, std::span<const float> rows);
  void begin_session(const std::map<std::string, HyperParameter>& values);
  void end_session(bool is_success);
  // Marks a checkpoint.
  void checkpoint(int64_t step, std::string_view path);

 private:
  // A record with the event of that step, whose fields `body(event)` writes.
  template <class Body>
  void record(int64_t step, const Body& body);
  // The same with a summary of one value that belongs to a plugin.
  template <class Body>
  void value_of_plugin(int64_t step, std::string_view tag, std::string_view plugin,
                       std::string_view content, const Body& body);

  AppendFile file_;
  std::string buffer_;
};

// Of a name that TensorBoard recognises.
bool is_event_file(std::string_view name);

}  // namespace convoy
