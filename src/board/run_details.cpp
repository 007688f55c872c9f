#include "board/run_details.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json.h"
#include "base/text/json_rows.h"
#include "base/text/text.h"
#include "report/page/html.h"
#include "report/page/report_page.h"
#include "report/page/run_json.h"
#include "report/results/run_plots.h"
#include "report/runs/opened_file.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_text = 2000, most_sessions = 100, most_pictures = 200, most_ranks = 256;
constexpr uint64_t head_bytes = 64 << 10;

Json text(std::string_view from) { return one_line(shortened(from, most_text)); }

Json options_json(const std::vector<RecordedOption>& options) {
  Json list = Json::array();
  for (const RecordedOption& option : options) {
    list.push_back({{"section", text(option.section)},
                    {"key", text(option.key)},
                    {"value", text(option.value)},
                    {"origin", text(option.origin)}});
  }
  return list;
}

Json environment_json(const fs::path& run) {
  Json object = Json::object();
  try {
    const Json env = parse_ordered_json(first_lines(run / "env.json", head_bytes));
    if (!env.is_object()) return object;
    for (const auto& [key, value] : env.items()) {
      object[one_line(key)] = text(value.is_string() ? value.get<std::string>() : value.dump());
    }
  } catch (const JsonError&) {  // damaged, or not there yet
  }
  return object;
}

Json sessions_json(const std::vector<RunSession>& sessions) {
  Json list = Json::array();
  const size_t first = sessions.size() - std::min(most_sessions, sessions.size());
  for (size_t i = first; i < sessions.size(); ++i) {
    const RunSession& session = sessions[i];
    list.push_back({{"event", text(session.event)},
                    {"t", session.time},
                    {"host", text(session.host)},
                    {"pid", session.pid},
                    {"step", session.step},
                    {"text", text(session.text)},
                    {"numbers", session.numbers}});
  }
  return list;
}

// The events `plan`.
Json plans_json(const fs::path& run) {
  Json list = Json::array();
  for_each_line(first_lines(run / "metrics.jsonl", head_bytes), [&](std::string_view line) {
    if (line.find(R"("event":"plan")") == line.npos) return;
    try {
      const Json event = parse_ordered_json(line);
      Json plan;
      for (const auto& [key, value] : event.items()) {
        if (key == "event" || key == "t") continue;
        plan[one_line(key)] = value.is_number() ? value : text(value.dump());
      }
      if (event.contains("kind") && event["kind"].is_string()) {
        plan["kind"] = text(event["kind"].get<std::string>());
      }
      list.push_back(std::move(plan));
    } catch (const JsonError&) {
    }
  });
  return list;
}

bool ends_like_picture(const std::string& name) {
  return std::ranges::any_of(std::array{".png", ".jpg", ".jpeg"},
                             [&](const char* end) { return name.ends_with(end); });
}

}  // namespace

std::vector<std::string> picture_names(const fs::path& run) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(run / "plots", failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || !ends_like_picture(name) || !at->is_regular_file(ignored))
      continue;
    names.push_back(name);
    if (names.size() == most_pictures) break;
  }
  sort_pictures(names);
  return names;
}

Json rank_seconds(const fs::path& run) {
  Json ranks = Json::object();
  for (size_t rank = 0; rank < most_ranks; ++rank) {
    const fs::path file = run / fmt::format("trace/rank-{}.json", rank);
    if (is_missing(file)) break;
    const OpenedFile trace(file);
    const JsonTable events{"traceEvents", {"name", "cat", "dur", "tid"}};
    std::map<std::string, double> seconds;
    const auto take = [&](size_t, int64_t, std::span<const JsonCell> cells) {
      const std::string& kind = cells[1].text;
      const bool is_of_step = kind == "step" || kind == "phase" || kind == "data";
      if (is_of_step && cells[3].number == 0) {
        seconds[one_line(shortened(cells[0].text, 60))] += cells[2].number * 1e-6;
      }
    };
    try {
      for_each_json_row(trace.descriptor_path(), std::array{events}, take, Fault::checkpoint);
    } catch (const JsonError&) {  // being written
      continue;
    }
    ranks[std::to_string(rank)] = seconds;
  }
  return ranks;
}

Json run_details(const FoundRun& run) {
  const RunFacts facts = read_run_facts(run.path);
  Json details{{"facts", facts_json(run.name, facts)}};
  std::vector<std::string> problems = facts.problems;
  const auto add = [&](const char* key, const auto& read) {
    try {
      details[key] = read();
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  };
  add("options", [&] { return options_json(recorded_options(run.path)); });
  add("command", [&] { return text(command_of(recorded_options(run.path))); });
  add("environment", [&] { return environment_json(run.path); });
  add("sessions", [&] { return sessions_json(facts.sessions); });
  add("plans", [&] { return plans_json(run.path); });
  add("ranks", [&] { return rank_seconds(run.path); });
  Json pictures = Json::array();
  for (const std::string& name : picture_names(run.path)) {
    pictures.push_back({{"name", name}, {"title", text(picture_title(name))}});
  }
  details["pictures"] = std::move(pictures);
  Json lines = Json::array();
  for (const std::string& problem : problems) lines.push_back(text(problem));
  details["problems"] = std::move(lines);
  return details;
}

}  // namespace convoy
