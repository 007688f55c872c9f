#include "app/prepare/content_hashes.h"

#include <charconv>

#include "data/sources/data_file.h"

namespace convoy {
namespace {

constexpr size_t digits = 16;

// "0123456789abcdef train/cat/1.jpg"; newlines and backslashes in names are escaped.
std::string line_of(const std::string& to, uint64_t hash) {
  std::string line = hash_hex(hash) + " ";
  for (const char c : to) line += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return line + "\n";
}

uint64_t key_of(std::string_view written_name) { return hash_bytes(written_name); }

}  // namespace

ContentHashes::ContentHashes(const fs::path& output) : file_(output / ".prepare.hashes") {
  if (!is_there(file_)) return;
  const std::string text = read_file(file_, Fault::usage);
  std::string_view rest = text;
  // An incomplete last line was being written when the machine stopped.
  for (size_t end = 0; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
    const std::string_view line = rest.substr(0, end);
    uint64_t hash = 0;
    const char* stop = line.data() + std::min(line.size(), digits);
    const auto [at, error] = std::from_chars(line.data(), stop, hash, 16);
    if (line.size() <= digits + 1 || error != std::errc{} || at != stop) continue;
    noted_[key_of(line.substr(digits + 1))] = hash;
  }
}

std::optional<uint64_t> ContentHashes::noted(const std::string& to) const {
  if (noted_.empty()) return std::nullopt;
  const std::string line = line_of(to, 0);
  const auto found =
      noted_.find(key_of(std::string_view(line).substr(digits + 1, line.size() - digits - 2)));
  return found == noted_.end() ? std::nullopt : std::optional(found->second);
}

void ContentHashes::note(const std::string& to, uint64_t hash) {
  const std::string line = line_of(to, hash);
  const std::lock_guard lock(mutex_);
  if (!log_) log_.emplace(file_, Fault::usage);
  log_->append(line);
}

void ContentHashes::finish(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += line_of(line.to, line.hash);
  log_.reset();
  write_atomically(file_, text, Fault::usage);
}

}  // namespace convoy
