// What `convoy predict` tells about pictures: as text, as JSON, as a drawing, in files. Each file
// of app/predict/answers/ does it for the networks of one task.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/network/inference.h"
#include "config/option_texts.h"
#include "pictures/picture.h"

namespace convoy {

// A picture of the batch that was read last.
struct SeenPicture {
  int64_t index = 0;   // over all inputs
  std::string file;    // empty: unknown
  int64_t sample = 0;  // its place in the batch
};

class Answer {
 public:
  virtual ~Answer() = default;

  // Reads the outputs of a run on `batch`; both must stay as they are until the next call.
  // `labelled`: the batch has the truth about its pictures.
  virtual void read(const Executor& executor, const Batch& batch, bool labelled) = 0;
  // Called once for each picture of the batch that could be decoded, before the next three.
  virtual void take(const SeenPicture& picture) = 0;
  // Of the picture taken last: a line or lines for people, and a JSON object on one line.
  virtual std::string text() const = 0;
  virtual std::string json_line() const = 0;
  // Draws it as a PNG file. `pixels`: the whole picture.
  virtual void draw(const Pixels& pixels, const fs::path& out) const = 0;
  // Writes the files that options ask for, each complete or not at all.
  virtual void write_files() const {}
  // The end of the summary: ", 34 objects"; empty: nothing.
  virtual std::string counted() const { return ""; }
};

struct AnswerSite {
  const OptionTexts& options;      // of all answers
  std::vector<std::string> names;  // of the network's classes; may be empty
  InferenceNetwork& network;       // opened
  bool upright = false;            // pictures are turned by their EXIF data
};

// One entry of the folder app/predict/answers.
struct AnswerDef {
  std::string_view task;               // as in models
  std::string_view title;              // of its options in --help
  DescribeOptions describe = nullptr;  // its options
  bool has_labels = false;             // the truth about a picture is a label
  bool needs_whole_pictures = false;   // images must show all of their pictures
  std::unique_ptr<Answer> (*make)(const AnswerSite&) = nullptr;
};

const std::vector<AnswerDef>& answer_catalog();

// The entry for networks of this family. A task without one is a usage error, and so is an option
// of another entry that was typed.
const AnswerDef& answer_for(const OpenedModel& opened);

}  // namespace convoy
