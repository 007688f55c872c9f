#include "launch/core_share.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <tuple>

#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

// Parses the kernel's form "0-3,8"; stops at the first error.
std::vector<int> cpu_list(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<int> cpus;
  for (const std::string& part : split(line, ',')) {
    const std::vector<std::string> ends = split(part, '-');
    int first = 0, last = 0;
    if (ends.empty() || ends.size() > 2 || !parse_value(ends[0], first).empty() ||
        !parse_value(ends.back(), last).empty() || last - first > 65536) {
      break;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

// The range of part `index` when `all` items are divided into `count` parts; the first parts may
// have one item more.
std::pair<int, int> part(int index, int count, int all) {
  const auto start = [&](int i) { return i * (all / count) + std::min(i, all % count); };
  return {start(index), start(index + 1)};
}

std::vector<int> slice(const std::vector<int>& cpus, int index, int count) {
  const auto n = static_cast<int>(cpus.size());
  if (count > n) return {cpus[static_cast<size_t>(index % n)]};
  const auto [begin, end] = part(index, count, n);
  return {cpus.begin() + begin, cpus.begin() + end};
}

std::vector<int> numa_slice(const std::vector<CpuPlace>& places, int index, int count) {
  std::vector<std::vector<int>> nodes;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i].node != places[i - 1].node) nodes.emplace_back();
    nodes.back().push_back(places[i].cpu);
  }
  const auto n = static_cast<int>(nodes.size());
  if (count <= n) {  // each rank gets whole nodes
    const auto [begin, end] = part(index, count, n);
    std::vector<int> cpus;
    for (int node = begin; node < end; ++node) {
      const std::vector<int>& more = nodes[static_cast<size_t>(node)];
      cpus.insert(cpus.end(), more.begin(), more.end());
    }
    return cpus;
  }
  for (int node = 0; node < n; ++node) {
    const auto [begin, end] = part(node, n, count);
    if (index < end) return slice(nodes[static_cast<size_t>(node)], index - begin, end - begin);
  }
  raise(Fault::bug, "a rank beyond the last node");
}

}  // namespace

std::vector<CpuPlace> cpu_places(const std::vector<int>& cpus, const fs::path& root) {
  const fs::path system = root / "sys/devices/system";
  std::vector<CpuPlace> places;
  for (const int cpu : cpus) {
    const std::vector<int> siblings =
        cpu_list(system / fmt::format("cpu/cpu{}/topology/thread_siblings_list", cpu));
    places.push_back({cpu, siblings.empty() ? cpu : siblings[0], 0});
  }
  std::error_code none;
  for (int node = 0; fs::exists(system / fmt::format("node/node{}", node), none); ++node) {
    for (const int cpu : cpu_list(system / fmt::format("node/node{}/cpulist", node))) {
      const auto place = std::ranges::find(places, cpu, &CpuPlace::cpu);
      if (place != places.end()) place->node = node;
    }
  }
  std::ranges::sort(places, {},
                    [](const CpuPlace& p) { return std::tuple(p.node, p.core, p.cpu); });
  return places;
}

CoreShare share_of_cores(const std::vector<CpuPlace>& places, const ShareRequest& request) {
  const int usable = std::min(request.usable, static_cast<int>(places.size()));
  const int asked = std::max(request.per_rank, 1) * request.count;
  if (asked > usable && !request.oversubscribe) {
    raise(Fault::usage,
          "{} ranks of {} threads on {} cores; try: fewer of them, or --oversubscribe",
          request.count, std::max(request.per_rank, 1), usable);
  }
  std::vector<int> all;
  for (const CpuPlace& place : places) all.push_back(place.cpu);
  CoreShare share{1, request.numa ? numa_slice(places, request.index, request.count)
                                  : slice(all, request.index, request.count)};
  const auto room = static_cast<int>(share.cpus.size());
  if (request.per_rank) {
    share.threads = request.per_rank;
    if (share.threads > room) share.cpus = all;
  } else {
    const auto [begin, end] = part(request.index, request.count, usable);
    share.threads = std::clamp(end - begin, 1, room);
  }
  return share;
}

}  // namespace convoy
