#include "launch/tagged_stream.h"

#include <algorithm>
#include <utility>

#include "config/value.h"

namespace convoy {
namespace {

constexpr size_t longest_line = 1 << 20;  // longer lines are given in parts
constexpr size_t longest_tag = 64;

struct Tag {
  size_t length = 0;  // 0: not a tag
  int rank = 0;
  bool is_cut = false;  // more bytes may make it a tag
};

Tag tag_at(std::string_view text) {
  const Tag none{};
  const Tag cut{0, 0, text.size() < longest_tag};
  const auto digits = [&](size_t from) {
    return std::min(text.size(), text.find_first_not_of("0123456789", from));
  };
  const size_t comma = digits(1);
  if (comma == text.size()) return cut;
  if (comma == 1 || text[comma] != ',') return none;
  const size_t close = digits(comma + 1);
  if (close == text.size()) return cut;
  for (const std::string_view kind : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"}) {
    const std::string_view rest = text.substr(close);
    if (rest.starts_with(kind)) {
      int rank = 0;
      const std::string problem = parse_value(text.substr(comma + 1, close - comma - 1), rank);
      return problem.empty() ? Tag{close + kind.size(), rank, false} : none;
    }
    if (kind.starts_with(rest)) return cut;
  }
  return none;
}

}  // namespace

void TaggedStream::take(std::string_view bytes) {
  pending_ += bytes;
  std::string_view left = pending_;
  while (!left.empty()) {
    if (left[0] == '[') {
      const Tag tag = tag_at(left);
      if (tag.is_cut) break;
      if (tag.length) {
        rank_ = tag.rank;
        left.remove_prefix(tag.length);
        continue;
      }
    }
    size_t end = std::min(left.find('[', 1), left.size());
    const size_t newline = left.find('\n');
    if (newline < end) end = newline + 1;
    add(left.substr(0, end));
    left.remove_prefix(end);
  }
  pending_ = std::string(left);
}

void TaggedStream::add(std::string_view text) {
  std::string& line = open_[rank_];
  const bool ends = text.ends_with('\n');
  line += text.substr(0, text.size() - ends);
  if (!ends && line.size() < longest_line) return;
  const std::string whole = std::move(line);
  open_.erase(rank_);
  line_(rank_, whole);
  if (ends) rank_ = no_rank;
}

void TaggedStream::finish() {
  if (!pending_.empty()) add(std::exchange(pending_, {}));
  for (const auto& [rank, text] : std::exchange(open_, {})) line_(rank, text);
}

}  // namespace convoy
