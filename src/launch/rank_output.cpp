#include "launch/rank_output.h"

#include <fmt/core.h>

#include <cstdio>

#include "base/show.h"
#include "launch/rank_process.h"

namespace convoy {

RankOutput::RankOutput(const RankPlacement& placement, OutputOptions options)
    : placement_(placement), options_(std::move(options)) {
  if (options_.log_dir.empty()) return;
  const fs::path folder = options_.log_dir;
  make_folders(folder, Fault::usage);
  for (int rank = 0; rank < placement_.ranks(); ++rank) {
    const fs::path file = folder / fmt::format("rank-{}.log", rank);
    std::error_code none;
    fs::remove(file, none);  // left by an earlier run
    logs_.push_back(std::make_unique<AppendFile>(file, Fault::usage));
  }
}

std::string RankOutput::tag(int rank) const {
  return fmt::format("[rank {} host {}] ", rank, placement_.host_of(rank));
}

void RankOutput::line(int rank, bool is_error_stream, std::string_view text) {
  if (rank < 0 || rank >= placement_.ranks()) return;
  if (is_error_stream && text.starts_with(run_dir_mark)) {
    run_dir_ = text.substr(run_dir_mark.size());
    return;
  }
  if (!logs_.empty()) logs_[static_cast<size_t>(rank)]->append(fmt::format("{}\n", text));
  const size_t error = is_error_stream ? text.find(error_mark) : text.npos;
  if (error != text.npos && first_error_.empty()) first_error_ = text.substr(error);
  if (options_.only_rank.value_or(rank) != rank && error == text.npos) return;
  const bool is_plain = !options_.tag_all && rank == 0 && !is_error_stream;
  const bool is_tagged = text.starts_with("[rank ");  // the rank added it itself
  // Ranks escape their own output, but libraries in them may print any bytes.
  const std::string whole =
      fmt::format("{}{}\n", is_plain || is_tagged ? "" : tag(rank), plain_text(text));
  FILE* stream = is_error_stream ? stderr : stdout;
  // Write errors are ignored: a closed pipe must not end the run, and its files have all it needs.
  std::fwrite(whole.data(), 1, whole.size(), stream);
  std::fflush(stream);
}

}  // namespace convoy
