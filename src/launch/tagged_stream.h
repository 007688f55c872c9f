// Parses mpirun's tagged output, "[1,3]<stdout>:text", into lines per rank. A tag precedes every
// piece of output that mpirun got, so it may appear in the middle of a line, after a piece of
// another rank.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace convoy {

class TaggedStream {
 public:
  static constexpr int no_rank = -1;  // output of mpirun itself

  using Line = std::function<void(int rank, std::string_view text)>;
  explicit TaggedStream(Line line) : line_(std::move(line)) {}

  void take(std::string_view bytes);
  // End of the stream: unfinished lines are given too.
  void finish();

 private:
  void add(std::string_view text);

  Line line_;
  std::string pending_;              // possibly the beginning of a tag
  int rank_ = no_rank;               // the rank of the next piece
  std::map<int, std::string> open_;  // unfinished lines by rank
};

}  // namespace convoy
