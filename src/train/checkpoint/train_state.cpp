#include "train/checkpoint/train_state.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/json.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

constexpr int format_version = 1;

// JSON has only finite numbers. Subnormal numbers are written as bits, because a thread that
// flushes them to zero (all of ours do) cannot print them.
Json from_double(double value) {
  if (std::isnormal(value) || std::bit_cast<uint64_t>(value) << 1 == 0) return value;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return "bits:" + hash_hex(std::bit_cast<uint64_t>(value));
}

double to_double(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "inf") return INFINITY;
  if (text == "-inf") return -INFINITY;
  uint64_t bits = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 21 || !text.starts_with("bits:") ||
      std::from_chars(text.data() + 5, end, bits, 16).ptr != end) {
    throw std::invalid_argument("a malformed number");
  }
  return std::bit_cast<double>(bits);
}

uint64_t to_hash(const std::string& text) {
  uint64_t hash = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 16 || std::from_chars(text.data(), end, hash, 16).ptr != end) {
    throw std::invalid_argument("a malformed hash");
  }
  return hash;
}

std::string text_of(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string to_json(const StateFile& file) {
  Json numbers = Json::object(), lists = Json::object(), files = Json::object();
  for (const auto& [key, value] : file.state.numbers) numbers[key] = from_double(value);
  for (const auto& [key, values] : file.state.lists) {
    lists[key] = Json::array();
    for (const double value : values) lists[key].push_back(from_double(value));
  }
  for (const auto& [name, about] : file.files) {
    files[name] = {{"bytes", about.bytes}, {"hash", hash_hex(about.hash)}};
  }
  Json json{{"format", format_version},
            {"step", file.state.step},
            {"epoch", from_double(file.state.epoch)},
            {"samples", file.state.samples},
            {"stopgap", file.state.stopgap},
            {"numbers", std::move(numbers)},
            {"lists", std::move(lists)},
            {"texts", file.state.texts},
            {"options", file.state.options},
            {"best_step", file.best_step},
            {"files", std::move(files)},
            {"log_lengths", file.log_lengths}};
  try {
    json["hash"] = hash_hex(hash_bytes(text_of(json)));
    return text_of(json);
  } catch (const Json::exception&) {
    broken_promise("a text in the training state is not UTF-8", std::source_location::current());
  }
}

StateFile state_file_from_json(const std::string& text, const std::string& origin) {
  try {
    Json json = parse_json(text);
    const int format = json.at("format").get<int>();
    if (format > format_version) {
      raise(Fault::checkpoint, "{}: format {} is newer than this Convoy; try: a newer Convoy",
            origin, format);
    }
    // Serialised again without the hash, the content must equal what was hashed.
    const uint64_t hash = to_hash(json.at("hash").get_ref<const std::string&>());
    json.erase("hash");
    if (hash_bytes(text_of(json)) != hash) throw std::invalid_argument("its hash does not fit");

    StateFile file;
    json.at("step").get_to(file.state.step);
    file.state.epoch = to_double(json.at("epoch"));
    json.at("samples").get_to(file.state.samples);
    json.at("stopgap").get_to(file.state.stopgap);
    for (const auto& [key, value] : json.at("numbers").items()) {
      file.state.numbers[key] = to_double(value);
    }
    if (json.contains("lists")) {
      for (const auto& [key, values] : json["lists"].items()) {
        std::vector<double>& list = file.state.lists[key];
        for (const Json& value : values) list.push_back(to_double(value));
      }
    }
    json.at("texts").get_to(file.state.texts);
    if (json.contains("options")) json.at("options").get_to(file.state.options);
    json.at("best_step").get_to(file.best_step);
    for (const auto& [name, about] : json.at("files").items()) {
      file.files[name] = {about.at("bytes").get<uint64_t>(),
                          to_hash(about.at("hash").get_ref<const std::string&>())};
    }
    json.at("log_lengths").get_to(file.log_lengths);
    if (file.state.step < 0 || file.best_step < -1 || file.best_step > file.state.step) {
      throw std::invalid_argument("its step or best_step cannot be");
    }
    return file;
  } catch (const JsonError& error) {
    raise(Fault::checkpoint, "{}: damaged: it {}", origin, error.what());
  } catch (const Json::exception& error) {
    raise(Fault::checkpoint, "{}: damaged: {:?}", origin, std::string_view(error.what()));
  } catch (const std::invalid_argument& error) {
    raise(Fault::checkpoint, "{}: damaged: {}", origin, error.what());
  }
}

}  // namespace convoy
