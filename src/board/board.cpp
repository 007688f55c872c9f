#include "board/board.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "board/run_details.h"
#include "report/page/asset.h"
#include "report/runs/opened_file.h"

namespace convoy {
namespace {

constexpr size_t usual_points = 400, most_points = 4000;
constexpr uint64_t log_bytes = 32 << 10, most_picture_bytes = uint64_t{32} << 20;
constexpr int looks_between_pings = 15;
constexpr const char* json_type = "application/json; charset=utf-8";

HttpAnswer not_found() { return {.status = 404, .body = "there is nothing of this name\n"}; }

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".jpg") || name.ends_with(".jpeg")) return "image/jpeg";
  return "text/html; charset=utf-8";
}

HttpAnswer page_file(const std::string& path) {
  const std::string name = path == "/" ? "board.html" : path.substr(1);
  const auto found = std::ranges::find(assets(), name, &Asset::name);
  if (found == assets().end()) return not_found();
  return {.type = std::string(type_of(name)), .body = std::string(found->text)};
}

void protect(HttpAnswer& answer) {
  answer.headers.insert({
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
  });
}

// Counts an open stream as long as it lives.
class StreamCount {
 public:
  explicit StreamCount(std::shared_ptr<std::atomic<size_t>> count) : count_(std::move(count)) {
    ++*count_;
  }
  ~StreamCount() { --*count_; }
  StreamCount(const StreamCount&) = delete;
  StreamCount& operator=(const StreamCount&) = delete;

 private:
  std::shared_ptr<std::atomic<size_t>> count_;
};

}  // namespace

Board::Board(WatchedRuns& runs, BoardAccess access, size_t most_streams)
    : runs_(runs), access_(std::move(access)), most_streams_(most_streams) {}

HttpAnswer Board::answer(const HttpRequest& request) {
  HttpAnswer answer;
  if (std::optional<HttpAnswer> refused = access_.refuse(request)) {
    answer = std::move(*refused);
  } else if (request.path.starts_with("/api/")) {
    try {
      answer = answer_data(request);
    } catch (const Error& error) {  // a file that cannot be read, or was removed meanwhile
      answer = {.status = 500, .body = one_line(error.what()) + "\n"};
    }
  } else {
    answer = page_file(request.path);
  }
  protect(answer);
  return answer;
}

HttpAnswer Board::answer_data(const HttpRequest& request) {
  const std::string what = request.path.substr(std::string_view("/api/").size());
  if (what == "runs") return {.type = json_type, .body = runs_.rows()};
  if (what == "events") return events();
  const std::string id = request.value("id");
  const std::optional<FoundRun> run = runs_.find(id);
  if (!run) return not_found();
  if (what == "curves") {
    const std::string asked = request.value("points");
    const size_t points =
        is_number(asked) && asked.size() < 6
            ? std::clamp<size_t>(std::strtoul(asked.c_str(), nullptr, 10), 10, most_points)
            : usual_points;
    return {.type = json_type, .body = runs_.curves(id, points)};
  }
  if (what == "run") return {.type = json_type, .body = json_text(run_details(*run))};
  if (what == "log") {
    return {.body = plain_text(last_lines(run->path / "log.txt", log_bytes))};
  }
  if (what == "picture") return picture(*run, request.value("name"));
  return not_found();
}

HttpAnswer Board::events() {
  if (*streams_ >= most_streams_) {
    return {.status = 503,
            .body = "too many pages are open; this one asks again from time to time\n"};
  }
  struct Stream {
    Stream(std::shared_ptr<std::atomic<size_t>> all, uint64_t now)
        : count(std::move(all)), seen(now) {}
    StreamCount count;
    uint64_t seen;
    int quiet = 0;
    bool is_new = true;
  };
  const auto stream = std::make_shared<Stream>(streams_, runs_.now());
  HttpAnswer answer{.type = "text/event-stream"};
  answer.stream = [this, stream]() -> std::optional<std::string> {
    // The first piece goes out at once, so that the page knows that it is connected.
    if (std::exchange(stream->is_new, false)) return "retry: 2000\n\n";
    const std::string news = runs_.news(stream->seen, 1);
    if (news.empty()) return ++stream->quiet % looks_between_pings ? "" : ":\n\n";
    return "data: " + news + "\n\n";
  };
  return answer;
}

HttpAnswer Board::picture(const FoundRun& run, const std::string& name) const {
  const std::vector<std::string> names = picture_names(run.path);
  if (std::ranges::find(names, name) == names.end()) return not_found();
  const OpenedFile file(run.path / "plots" / name);
  if (file.size() > most_picture_bytes) return not_found();
  return {.type = std::string(type_of(name)),
          .body = file.read(0, static_cast<size_t>(file.size()))};
}

}  // namespace convoy
