#include "board/watched_runs.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text/json_text.h"
#include "report/page/run_json.h"

namespace convoy {
namespace {

constexpr size_t most_open_curves = 64;
// A search that is not quick takes at most a twentieth of the time.
constexpr double quick_cpu_s = 0.05, quick_s = 1, rest_after_search = 20;

// The time that this thread has computed.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string signature_of(const fs::path& run) {
  std::string signature;
  for (const char* name : {"metrics.jsonl", "sessions.jsonl", "summary.csv", "args.yml"}) {
    struct stat about {};
    if (::stat((run / name).c_str(), &about) != 0) about = {};
    signature += fmt::format("{} {} {} {};", about.st_ino, about.st_size, about.st_mtim.tv_sec,
                             about.st_mtim.tv_nsec);
  }
  return signature;
}

std::string id_of(const FoundRun& run) { return hash_hex(hash_bytes(run.name)); }

}  // namespace

void WatchedRuns::search() {
  const double begin = steady_seconds(), begin_cpu = thread_seconds();
  if (begin < next_search_) return;
  try {
    found_ = find_runs(folder_).runs;
  } catch (const Error&) {
    if (!looked_) throw;
    found_.clear();  // removed, perhaps for a moment
  }
  looked_ = true;
  const double took = steady_seconds() - begin, took_cpu = thread_seconds() - begin_cpu;
  // On a busy machine a small folder takes long too.
  const bool is_quick = took_cpu < quick_cpu_s && took < quick_s;
  next_search_ = begin + took + (is_quick ? 0 : rest_after_search * took);
}

void WatchedRuns::read(Run& run, const HeldLocks& locks) const {
  const RunFacts facts = read_run_facts(run.found.path, locks, unix_seconds());
  nlohmann::ordered_json row = facts_json(run.found.name, facts);
  row["id"] = id_of(run.found);
  run.status = facts.status;
  run.row = json_text(row);
}

void WatchedRuns::look() {
  search();
  const HeldLocks locks = HeldLocks::now();
  std::map<std::string, Run> before;
  {
    const std::lock_guard guard(lock_);
    before = runs_;
  }
  std::map<std::string, Run> after;
  std::vector<std::string> changed;
  for (const FoundRun& run : found_) {
    const std::string id = id_of(run), signature = signature_of(run.path);
    const auto known = before.find(id);
    Run now = known == before.end() ? Run{.found = run, .signature = {}, .row = {}} : known->second;
    const std::string row = now.row;
    if (now.signature != signature || now.status == RunStatus::running) read(now, locks);
    now.signature = signature;
    if (now.row != row) changed.push_back(id);
    after.emplace(id, std::move(now));
  }
  const std::lock_guard guard(lock_);
  const uint64_t moment = now_ + 1;
  bool is_news = !changed.empty();
  for (const std::string& id : changed) {
    after.at(id).changed = moment;
    gone_.erase(id);
  }
  for (const auto& [id, run] : before) {
    if (after.contains(id)) continue;
    gone_[id] = moment;
    curves_.erase(id);
    is_news = true;
  }
  runs_ = std::move(after);
  if (!is_news) return;
  now_ = moment;
  change_.notify_all();
}

std::string WatchedRuns::rows() const {
  const std::lock_guard guard(lock_);
  std::string json = "[";
  for (const auto& [id, run] : runs_) json += (json.size() > 1 ? ",\n" : "") + run.row;
  return json + "]";
}

std::string WatchedRuns::news(uint64_t& seen, double seconds) const {
  std::unique_lock guard(lock_);
  change_.wait_for(guard, std::chrono::duration<double>(seconds),
                   [&] { return closed_ || now_ > seen; });
  if (now_ <= seen) return "";
  std::string rows, gone;
  for (const auto& [id, run] : runs_) {
    if (run.changed > seen) rows += (rows.empty() ? "" : ",") + run.row;
  }
  for (const auto& [id, when] : gone_) {
    if (when > seen) gone += (gone.empty() ? "\"" : ",\"") + id + "\"";
  }
  seen = now_;
  return "{\"rows\":[" + rows + "],\"gone\":[" + gone + "]}";
}

uint64_t WatchedRuns::now() const {
  const std::lock_guard guard(lock_);
  return now_;
}

std::optional<FoundRun> WatchedRuns::find(const std::string& id) const {
  const std::lock_guard guard(lock_);
  const auto found = runs_.find(id);
  return found == runs_.end() ? std::nullopt : std::optional(found->second.found);
}

std::shared_ptr<WatchedRuns::Curves> WatchedRuns::opened(const std::string& id) {
  const std::lock_guard guard(lock_);
  const auto run = runs_.find(id);
  if (run == runs_.end()) return nullptr;
  std::shared_ptr<Curves>& curves = curves_[id];
  if (!curves) curves = std::make_shared<Curves>(run->second.found.path);
  curves->used = ++uses_;
  const std::shared_ptr<Curves> opened = curves;
  if (curves_.size() > most_open_curves) {
    curves_.erase(std::ranges::min_element(curves_, {},
                                           [](const auto& entry) { return entry.second->used; }));
  }
  return opened;
}

std::string WatchedRuns::curves(const std::string& id, size_t most_points) {
  const std::shared_ptr<Curves> of_run = opened(id);
  if (!of_run) return "";
  const std::lock_guard guard(of_run->one_at_a_time);
  of_run->curves.update();
  return curves_json(of_run->curves, most_points);
}

void WatchedRuns::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  ++now_;
  change_.notify_all();
}

}  // namespace convoy
