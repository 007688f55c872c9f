#include "report/traces/trace_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"

namespace convoy {
namespace {

// A wait of this share of a step is worth a remedy.
constexpr double notable_wait = 0.1;
constexpr double micro = 1e-6;

class TraceReader {
 public:
  explicit TraceReader(const fs::path& file) : file_(file) {}

  std::vector<TracedRank> read() {
    const std::string text = read_file(file_, Fault::data);
    std::string_view rest = text;
    if (!rest.starts_with("{\"traceEvents\":[")) refuse("is no trace of a run");
    rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
    for (; !rest.empty() && rest.front() != ']'; ++line_) {
      const size_t end = std::min(rest.find('\n'), rest.size() - 1);
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      if (line.ends_with(',')) line.remove_suffix(1);
      try {
        take(parse_json(line));
      } catch (const JsonError& error) {
        refuse(fmt::format("line {} {}", line_, error.what()));
      } catch (const nlohmann::json::exception&) {
        refuse(fmt::format("line {} is no event", line_));
      }
    }
    return finish();
  }

 private:
  struct Open {
    TracedRank rank;
    std::map<std::string, TracedOp> ops;  // by name and shape
    std::map<int, bool> loaders;
    double first = 1e300, last = 0;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    raise(Fault::data, "{}: {}; try: a trace that train --profile wrote", file_.string(), why);
  }

  void take(const nlohmann::json& event) {
    const std::string phase = event.at("ph");
    Open& open = ranks_[event.at("pid").get<int>()];
    if (phase == "M") return take_metadata(event, open);
    if (phase != "X") return;
    const std::string category = event.at("cat"), name = event.at("name");
    const double begin = event.at("ts").get<double>() * micro;
    const double seconds = event.at("dur").get<double>() * micro;
    TracedRank& rank = open.rank;
    if (category == "step") {
      ++rank.steps;
      rank.step_seconds += seconds;
      open.first = std::min(open.first, begin);
      open.last = std::max(open.last, begin + seconds);
    } else if (category == "op") {
      rank.parts["ops"] += seconds;
      take_op(event, name, seconds, open);
    } else if (category == "exchange") {
      rank.bucket_seconds += seconds;
    } else if (category == "loader") {
      open.loaders[event.at("tid").get<int>()] = true;
      rank.loader_seconds += seconds;
    } else if (category == "data" || category == "boundary" || name == "exchange wait") {
      rank.parts[name] += seconds;
    }
  }

  static void take_metadata(const nlohmann::json& event, Open& open) {
    const nlohmann::json& args = event.at("args");
    if (event.at("name") == "process_name") open.rank.title = args.at("name");
    if (event.at("name") != "machine_speed") return;
    open.rank.peak_flops = args.at("gflop_per_s").get<double>() * 1e9;
    open.rank.peak_bytes = args.at("gb_per_s").get<double>() * 1e9;
    open.rank.processes = args.at("processes");
  }

  static void take_op(const nlohmann::json& event, const std::string& name, double seconds,
                      Open& open) {
    static const nlohmann::json no_args = nlohmann::json::object();
    const nlohmann::json& args = event.contains("args") ? event["args"] : no_args;
    const std::string shape = args.value("shape", "");
    TracedOp& op = open.ops[name + "|" + shape];
    if (op.runs++ == 0) {
      const size_t blank = std::min(name.find(' '), name.size());
      op.op = name.substr(0, blank);
      op.name = name.substr(std::min(blank + 1, name.size()));
      op.shape = shape;
      op.implementation = args.value("implementation", "");
    }
    op.seconds += seconds;
    op.flops += args.value("flops", 0.0);
    op.bytes += args.value("bytes", 0.0);
  }

  std::vector<TracedRank> finish() {
    std::vector<TracedRank> all;
    for (auto& [number, open] : ranks_) {
      if (open.rank.steps == 0) refuse(fmt::format("has no step of rank {}", number));
      open.rank.rank = number;
      open.rank.loader_threads = static_cast<int>(open.loaders.size());
      open.rank.span_seconds = open.last - open.first;
      for (auto& [key, op] : open.ops) open.rank.ops.push_back(std::move(op));
      std::ranges::stable_sort(open.rank.ops, std::greater(), &TracedOp::seconds);
      all.push_back(std::move(open.rank));
    }
    if (all.empty()) refuse("has no events");
    return all;
  }

  const fs::path& file_;
  int64_t line_ = 2;
  std::map<int, Open> ranks_;
};

}  // namespace

double TracedRank::part(const std::string& name) const {
  const auto found = parts.find(name);
  return found == parts.end() ? 0 : found->second;
}

double TracedRank::share(const std::string& name) const {
  return step_seconds > 0 ? part(name) / step_seconds : 0;
}

std::vector<TracedRank> read_trace(const fs::path& file) { return TraceReader(file).read(); }

std::vector<TracedRank> read_traces_of(const fs::path& run) {
  const fs::path folder = run / "trace";
  std::error_code none;
  if (fs::exists(folder / "all.json", none)) return read_trace(folder / "all.json");
  std::vector<TracedRank> all;
  for (int rank = 0;; ++rank) {
    const fs::path file = folder / fmt::format("rank-{}.json", rank);
    if (!fs::exists(file, none)) break;
    for (TracedRank& one : read_trace(file)) all.push_back(std::move(one));
  }
  if (all.empty()) {
    raise(Fault::usage,
          "{} has no trace; try: convoy train --profile 50,53 …, or resume with "
          "--trace-steps 4",
          run.string());
  }
  return all;
}

Bottleneck bottleneck_of(const TracedRank& rank) {
  const double data = rank.share("data wait"), exchange = rank.share("exchange wait");
  if (std::max(data, exchange) < notable_wait) return Bottleneck::kernels;
  return data >= exchange ? Bottleneck::data : Bottleneck::exchange;
}

}  // namespace convoy
