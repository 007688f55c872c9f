#include "launch/rank_beats.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "launch/process_tree.h"

namespace convoy {
namespace {

// The ranks below mpirun on this host: rank -> process.
std::map<int, pid_t> local_ranks(pid_t mpirun) {
  std::map<int, pid_t> ranks;
  for (const pid_t pid : process_tree(mpirun)) {
    if (pid == mpirun) continue;
    const int rank = rank_of_process(pid);
    if (rank >= 0) ranks.emplace(rank, pid);  // the first one: a rank may have children
  }
  return ranks;
}

}  // namespace

RankBeats::RankBeats(const RankPlacement& placement, double silence_s)
    : placement_(placement),
      silence_s_(silence_s),
      ranks_(static_cast<size_t>(placement.ranks()), Rank{clock_.now()}) {}

void RankBeats::heard(int rank) {
  if (rank < 0 || rank >= std::ssize(ranks_)) return;
  Rank& who = ranks_[static_cast<size_t>(rank)];
  who.heard = clock_.now();
  who.arrived = true;
}

void RankBeats::ended(int rank) {
  heard(rank);
  if (rank >= 0 && rank < std::ssize(ranks_)) ranks_[static_cast<size_t>(rank)].ended = true;
}

std::string RankBeats::lost(pid_t mpirun) {
  const double now = clock_.now();
  if (silence_s_ <= 0) return "";
  const bool all_ended = std::ranges::all_of(ranks_, &Rank::ended);
  std::vector<int> silent;
  for (int rank = 0; rank < std::ssize(ranks_); ++rank) {
    const Rank& who = ranks_[static_cast<size_t>(rank)];
    if ((!who.ended || all_ended) && now - who.heard >= limit(who)) silent.push_back(rank);
  }
  if (silent.empty() || (all_ended && silent.size() < ranks_.size())) return "";
  if (is_stopped(mpirun)) return fmt::format("mpirun (pid {}) is stopped", mpirun);
  if (all_ended) return fmt::format("mpirun (pid {}) does not end, though all ranks have", mpirun);
  const std::map<int, pid_t> here = local_ranks(mpirun);
  std::vector<std::string> names;
  for (const int rank : silent) {
    const auto found = here.find(rank);
    names.push_back(fmt::format("rank {} (host {}{}) {}", rank, placement_.host_of(rank),
                                found == here.end() ? "" : fmt::format(", pid {}", found->second),
                                found != here.end() && is_stopped(found->second) ? "is stopped"
                                : ranks_[static_cast<size_t>(rank)].arrived ? "stopped answering"
                                                                            : "has not started"));
    if (names.size() == 8 && silent.size() > 8) {
      names.push_back(fmt::format("and {} more", silent.size() - 8));
      break;
    }
  }
  return join(names, ", ");
}

}  // namespace convoy
