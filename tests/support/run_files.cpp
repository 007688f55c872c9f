#include "support/run_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "base/text/text.h"
#include "support/event_files.h"

namespace convoy::test {
namespace {

Json without_times(Json event) {
  for (const char* time :
       {"t", "images_per_s", "data_wait_s", "seconds", "peak_rss_bytes", "rss_bytes"}) {
    event.erase(time);
  }
  return event;
}

std::string log_without_times(const std::string& text) {
  static const std::vector<std::pair<std::regex, std::string>> times{
      {std::regex(R"(  Time: [^ ]*s, [^)]*\)  (LR: [^ ]*)  Data: .*)"), "  $1"},
      {std::regex(R"(  Time: [^ ]*s)"), ""},
      {std::regex(R"((End: step \d+), .*(, exit \d+), .*)"), "$1$2"},
      {std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"), "(date)"},
  };
  std::string result;
  for (std::string line : lines_of(text)) {
    for (const auto& [pattern, to] : times) line = std::regex_replace(line, pattern, to);
    result += line + "\n";
  }
  return result;
}

// The logs' lengths vary with the digits of times, and the file's own hash with all of it.
std::string state_without_times(const std::string& text) {
  Json state = Json::parse(text);
  state.erase("hash");
  state.erase("log_lengths");
  state.at("numbers").erase("seconds");
  return state.dump(1);
}

std::string comparable(const fs::path& path, const fs::path& run) {
  const std::string name = path.filename();
  if (name == "metrics.jsonl") return join(comparable_events(run), "\n");
  const std::string content = read_file(path, Fault::bug);
  if (name == "log.txt") return log_without_times(content);
  if (name == "state.json") return state_without_times(content);
  if (path.extension() != ".safetensors") return content;
  return fmt::format("{} bytes, hash {}", content.size(), hash_hex(hash_bytes(content)));
}

// What TensorBoard shows over the steps, without what depends on a clock; however many files it is
// in.
std::string curves(const fs::path& folder) {
  std::string text;
  for (const SeenValue& value : events_in(folder).values) {
    const bool is_of_clock = value.tag.starts_with("time/") || value.tag.starts_with("memory/") ||
                             value.tag.starts_with("throughput/") || value.kind == "hparams";
    if (is_of_clock) continue;
    text += fmt::format("{} {} {} {} {}\n", value.step, value.tag, value.kind, value.number,
                        hash_hex(hash_bytes(value.content)));
  }
  return text;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<Json> events(const fs::path& run, const std::string& kind) {
  std::vector<Json> all;
  for (const std::string& line : lines_of(read_file(run / "metrics.jsonl", Fault::bug))) {
    Json event = Json::parse(line);
    if (kind.empty() || event.at("event") == kind) all.push_back(std::move(event));
  }
  return all;
}

std::vector<std::string> comparable_events(const fs::path& run, const std::string& kind) {
  std::vector<std::string> all;
  for (const Json& event : events(run, kind)) all.push_back(without_times(event).dump());
  return all;
}

RunRecord run_record(const fs::path& run) {
  RunRecord record;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = entry.path().lexically_relative(run);
    if (name == "env.json" || name == "sessions.jsonl" || name == ".lock") continue;
    if (name == "tb") record[name] = curves(entry.path());
    if (name.starts_with("tb") || name.starts_with("plots")) continue;
    if (entry.is_symlink()) {
      record[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else {
      record[name] = entry.is_directory() ? "(folder)" : comparable(entry.path(), run);
    }
  }
  return record;
}

void expect_equal(const RunRecord& actual, const RunRecord& expected) {
  for (const auto& [name, content] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) {
      ADD_FAILURE() << name << " is missing";
      continue;
    }
    EXPECT_EQ(lines_of(found->second), lines_of(content)) << name;
  }
  for (const auto& [name, content] : actual) {
    EXPECT_TRUE(expected.contains(name)) << name << " should not be there";
  }
}

std::string weights_hash_of(const fs::path& run) {
  return events(run).back().value("weights_hash", "none");
}

std::vector<int64_t> checkpoint_steps(const fs::path& run) {
  std::vector<int64_t> steps;
  std::error_code gone;  // the program renames and removes meanwhile
  for (fs::directory_iterator entry(run / "checkpoints", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    const std::string name = entry->path().filename();
    if (name.starts_with("step-")) steps.push_back(std::stoll(name.substr(5)));
  }
  std::ranges::sort(steps);
  return steps;
}

Arguments tiny(const Arguments& more) {
  Arguments all;
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--dataset", "generated"},
                                                        {"--generated-samples", "256"},
                                                        {"--generated-image-size", "8"},
                                                        {"--model", "cifar_resnet8"},
                                                        {"--batch-size", "16"},
                                                        {"--threads", "2"}}) {
    if (std::ranges::find(more, option) == more.end()) all = joined(all, {option, value});
  }
  return joined(all, more);
}

void TinyRun::take_back_the_last_step() const {
  fs::remove_all(dir() / "checkpoints/step-0000002");
  fs::remove(dir() / "weights/last.safetensors");
  fs::resize_file(dir() / "metrics.jsonl", fs::file_size(dir() / "metrics.jsonl") - 1);
}

const TinyRun& TinyRun::whole() const {
  const Finished end = run_convoy(train(), folder());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.err, "");
  return *this;
}

}  // namespace convoy::test
