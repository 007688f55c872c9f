#include "launch/topology.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

// A table cell that covers a number of the smallest columns.
struct Cell {
  std::string text;
  int columns = 1;
};
using Row = std::vector<Cell>;

std::string centred(const std::string& text, size_t width) {
  const size_t room = width - std::min(width, text.size());
  return std::string(room / 2, ' ') + text + std::string((room + 1) / 2, ' ');
}

// Each column has `width` characters; a wider cell also covers the bars between its columns.
size_t width_of(const Cell& cell, size_t width) {
  return static_cast<size_t>(cell.columns) * (width + 1) - 1;
}

bool fits(const std::vector<Row>& rows, size_t width) {
  for (const Row& row : rows) {
    for (const Cell& cell : row) {
      if (cell.text.size() + 2 > width_of(cell, width)) return false;
    }
  }
  return true;
}

int sum_slots(const std::vector<LaunchHost>& hosts) {
  int slots = 0;
  for (const LaunchHost& host : hosts) slots += host.slots;
  return slots;
}

std::vector<LaunchHost> evenly(std::vector<LaunchHost> hosts, int ranks) {
  const auto n = static_cast<int>(hosts.size());
  for (int h = 0; h < n; ++h) hosts[static_cast<size_t>(h)].slots = ranks / n + (h < ranks % n);
  return hosts;
}

}  // namespace

int RankPlacement::ranks() const { return sum_slots(hosts); }

const std::string& RankPlacement::host_of(int rank) const {
  for (const LaunchHost& host : hosts) {
    if (rank < host.slots) return host.name;
    rank -= host.slots;
  }
  raise(Fault::bug, "a rank beyond the last host");
}

std::string RankPlacement::text() const {
  std::vector<std::string> parts;
  for (const LaunchHost& host : hosts) parts.push_back(fmt::format("{}:{}", host.name, host.slots));
  return join(parts, ",");
}

RankPlacement place_ranks(const std::vector<LaunchHost>& hosts, int ranks, bool oversubscribe) {
  const auto said = std::ranges::count_if(hosts, [](const LaunchHost& h) { return h.slots > 0; });
  if (said > 0 && said < std::ssize(hosts)) {
    raise(Fault::usage, "some hosts have slots and some have none; try: {}:1 and so on for all",
          std::ranges::find(hosts, 0, &LaunchHost::slots)->name);
  }
  RankPlacement placement{hosts};
  if (said == 0) {
    placement.hosts = evenly(hosts, ranks ? ranks : static_cast<int>(hosts.size()));
  } else if (const int slots = sum_slots(hosts); ranks > slots) {
    if (!oversubscribe) {
      raise(Fault::usage, "{} instances, but {} {} {} slot{}; try: more slots, or --oversubscribe",
            ranks, placement.text(), hosts.size() == 1 ? "has" : "have", slots,
            slots == 1 ? "" : "s");
    }
    placement.hosts = evenly(hosts, ranks);
  } else if (ranks) {
    int left = ranks;
    for (LaunchHost& host : placement.hosts) {
      host.slots = std::min(host.slots, left);
      left -= host.slots;
    }
  }
  std::erase_if(placement.hosts, [](const LaunchHost& host) { return host.slots == 0; });
  return placement;
}

std::string topology_table(const RankPlacement& placement, const std::vector<int>& replicas) {
  const std::vector<std::string> titles{"hosts", "ILDs", "instances", "replicas"};
  std::vector<Row> rows(replicas.empty() ? 3 : 4);
  int rank = 0, replica = 0;
  for (size_t h = 0; h < placement.hosts.size(); ++h) {
    int columns = 0;
    for (int i = 0; i < placement.hosts[h].slots; ++i, ++rank) {
      const int own = replicas.empty() ? 1 : replicas.at(static_cast<size_t>(rank));
      rows[2].push_back({std::to_string(rank), own});
      columns += own;
      for (int r = 0; r < own && !replicas.empty(); ++r) {
        rows[3].push_back({std::to_string(replica++), 1});
      }
    }
    rows[0].push_back({placement.hosts[h].name, columns});
    rows[1].push_back({std::to_string(h), columns});
  }
  size_t width = 3;
  while (!fits(rows, width)) ++width;
  size_t inner = 0;
  for (const Cell& cell : rows[0]) inner += width_of(cell, width) + 1;
  const std::string wide = std::string(inner + 11, '=');
  std::string text =
      fmt::format(" {}\n|{}|\n|{}|\n", wide, centred("poprun topology", inner + 11), wide);
  for (size_t r = 0; r < rows.size(); ++r) {
    if (r > 0) text += fmt::format("|-----------|{}|\n", std::string(inner - 1, '-'));
    text += fmt::format("| {:<9} |", titles[r]);
    for (const Cell& cell : rows[r]) text += centred(cell.text, width_of(cell, width)) + "|";
    text += '\n';
  }
  return text + " " + std::string(inner + 11, '-') + "\n";
}

}  // namespace convoy
