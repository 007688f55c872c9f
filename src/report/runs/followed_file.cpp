#include "report/runs/followed_file.h"

#include <algorithm>

#include "report/runs/opened_file.h"

namespace convoy {
namespace {

constexpr size_t block = size_t{1} << 20;  // read at a time; also the longest line
constexpr size_t kept_bytes = 64;

}  // namespace

FollowedFile::News FollowedFile::read(const std::function<void()>& restart,
                                      const std::function<void(std::string_view line)>& take) {
  if (is_missing(path_)) return News::gone;
  const OpenedFile file(path_);
  const bool was_read = number_ != 0;
  const bool continues = was_read && file.inode() == number_ && file.size() >= offset_ &&
                         file.read(offset_ - end_.size(), end_.size()) == end_;
  if (!continues) {
    if (was_read) restart();
    offset_ = 0;
    end_.clear();
    number_ = file.inode();
  }
  bool is_more = false;
  while (offset_ < file.size()) {
    const std::string text = file.read(offset_, block);
    size_t complete = text.rfind('\n') + 1;  // 0: none
    if (complete > 0) {
      for_each_line(std::string_view(text).substr(0, complete), take);
      is_more = true;
    } else if (text.size() == block) {
      complete = block;  // of a line that is too long; its rest is no JSON and counts for nothing
    } else {
      break;
    }
    offset_ += complete;
    const std::string_view read = std::string_view(text).substr(0, complete);
    end_ = read.substr(read.size() - std::min(read.size(), kept_bytes));
  }
  if (was_read && !continues) return News::restarted;
  return is_more ? News::more : News::none;
}

std::string last_lines(const fs::path& path, uint64_t bytes, bool* is_whole) {
  if (is_whole) *is_whole = true;
  if (is_missing(path)) return "";
  const OpenedFile file(path);
  const uint64_t from = file.size() > bytes ? file.size() - bytes : 0;
  // One byte more tells whether the first line is whole.
  const uint64_t begin = from > 0 ? from - 1 : 0;
  std::string text = file.read(begin, static_cast<size_t>(file.size() - begin));
  if (from > 0) text.erase(0, std::min(text.size(), text.find('\n') + 1));
  if (is_whole) *is_whole = from == 0;
  text.resize(text.rfind('\n') + 1);
  return text;
}

std::string first_lines(const fs::path& path, uint64_t bytes) {
  if (is_missing(path)) return "";
  const OpenedFile file(path);
  std::string text = file.read(0, static_cast<size_t>(std::min(bytes, file.size())));
  text.resize(text.rfind('\n') + 1);
  return text;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view)>& take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace convoy
