// The ranks divide the cores themselves (rank_process.h), so mpirun gets no binding; the placement
// of ranks is already decided (topology.h), so mpirun only follows it.

#include "launch/mpirun.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/show.h"

namespace convoy {
namespace {

void add_setting(std::vector<std::string>& words, const std::string& key,
                 const std::string& value) {
  words.insert(words.end(), {"--mca", key, value});
}

}  // namespace

std::vector<std::string> shell_words(const std::string& text, const std::string& option) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (const char c : text) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? '\0' : c;
      if (!word) word.emplace();
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      if (!word) word.emplace();
      *word += c;
    }
  }
  if (quote) {
    raise(Fault::usage, "--{} \"{}\" has an open {}; try: closing it", option, one_line(text),
          quote);
  }
  if (word) words.push_back(*word);
  return words;
}

std::vector<std::string> forwarded_variables(const char* const* environment) {
  std::vector<std::string> names;
  for (; *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::string name(entry.substr(0, entry.find('=')));
    if (name.starts_with("CONVOY_") || name == "PATH" || name == "LD_LIBRARY_PATH") {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> mpirun_words(const RankPlacement& placement,
                                      const MpirunOptions& options) {
  const char* own = std::getenv("CONVOY_MPIRUN");
  std::vector<std::string> words{own && *own ? own : "mpirun"};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (!options.prefix.empty()) words.insert(words.end(), {"--prefix", options.prefix});
  words.insert(words.end(), {"-H", placement.text(), "-np", std::to_string(placement.ranks())});
  words.insert(words.end(), {"--map-by", "slot", "--bind-to", "none", "--tag-output"});
  // Daemons on hosts that are no longer reachable end themselves within two minutes.
  add_setting(words, "oob_tcp_keepalive_time", "60");
  add_setting(words, "oob_tcp_keepalive_intvl", "10");
  add_setting(words, "oob_tcp_keepalive_probes", "6");
  if (options.oversubscribe) add_setting(words, "mpi_yield_when_idle", "1");
  if (options.ssh_port) {
    add_setting(words, "plm_rsh_args", "-p " + std::to_string(options.ssh_port));
  }
  if (!options.interface.empty()) {
    add_setting(words, "btl_tcp_if_include", options.interface);
    add_setting(words, "oob_tcp_if_include", options.interface);
  }
  for (const std::string& name : options.forwarded) {
    if (!options.variables.contains(name)) words.insert(words.end(), {"-x", name});
  }
  for (const auto& [name, value] : options.variables) {
    words.insert(words.end(), {"-x", name + "=" + value});
  }
  words.insert(words.end(), options.global.begin(), options.global.end());
  words.insert(words.end(), {"--wdir", std::filesystem::current_path().string()});
  words.insert(words.end(), options.local.begin(), options.local.end());
  return words;
}

}  // namespace convoy
