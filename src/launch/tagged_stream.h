// Takes mpirun's tagged output apart: "[1,3]<stdout>:text". A tag stands before every piece that
// mpirun got from a rank, so one may stand in the middle of a line, after a piece of another rank:
// lines are put together again for each rank.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace convoy {

class TaggedStream {
 public:
  static constexpr int no_rank = -1;  // mpirun's own words

  using Line = std::function<void(int rank, std::string_view text)>;
  explicit TaggedStream(Line line) : line_(std::move(line)) {}

  void take(std::string_view bytes);
  // The stream has ended: lines without an end are given too.
  void finish();

 private:
  void add(std::string_view text);

  Line line_;
  std::string pending_;              // perhaps the beginning of a tag
  int rank_ = no_rank;               // whose piece comes next
  std::map<int, std::string> open_;  // begun lines
};

}  // namespace convoy
