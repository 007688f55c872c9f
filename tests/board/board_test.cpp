// src/board/: what each address answers, who may ask, and the bytes that are served.

#include "board/board.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "report/page/asset.h"
#include "support/http_client.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class BoardTest : public testing::Test {
 protected:
  BoardTest() {
    make_run("first");
    runs_.look();
  }
  void make_run(const std::string& name) {
    write(folder_ / "runs" / name / "args.yml", "given: [lr]\n\nlr: 0.1  # command line\n");
    write(folder_ / "runs" / name / "metrics.jsonl",
          R"({"event":"run_start","model":"<b>\u202e","total_steps":10,"t":1})"
          "\n"
          R"({"event":"train","epoch":0.5,"step":5,"loss":1.5,"t":2})"
          "\n");
    write(folder_ / "runs" / name / "log.txt", "a line\x1b[31m\n");
    write(folder_ / "runs" / name / "plots/one.png", "\x89PNG");
    write(folder_ / "runs" / name / "plots/notes.txt", "no picture");
  }
  HttpAnswer get(const std::string& path, std::map<std::string, std::string> query = {}) {
    return board_.answer(
        {.method = "GET", .path = path, .query = std::move(query), .host = "localhost:8642"});
  }
  std::string id() { return Json::parse(get("/api/runs").body).at(0).at("id"); }

  test::TempFolder folder_;
  WatchedRuns runs_{folder_ / "runs"};
  Board board_{runs_, BoardAccess("127.0.0.1", ""), 1};
};

TEST_F(BoardTest, ServesItsPageAndNothingElse) {
  for (const char* path : {"/", "/board.js", "/chart.js", "/style.css", "/board.css"}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_FALSE(answer.body.empty()) << path;
    EXPECT_NE(answer.headers.at("Content-Security-Policy").find("default-src 'none'"),
              std::string::npos);
  }
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  for (const char* path : {"/x", "/../etc/passwd", "/board.js/", "//etc/passwd", "/api/", "/api/x",
                           "/runs/first/args.yml"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(BoardTest, TellsOfRuns) {
  const Json run = Json::parse(get("/api/runs").body).at(0);
  EXPECT_EQ(run.at("name"), "first");
  EXPECT_EQ(run.at("model"), "<b>\\u{202e}");
  EXPECT_EQ(run.at("step"), 5);
  const Json curves = Json::parse(get("/api/curves", {{"id", id()}}).body);
  EXPECT_EQ(curves.at("series").at(0).at("tag"), "train/loss");
  EXPECT_EQ(curves.at("series").at(0).at("y").at(0), 1.5);
  const Json details = Json::parse(get("/api/run", {{"id", id()}}).body);
  EXPECT_EQ(details.at("options").at(0).at("key"), "lr");
  EXPECT_EQ(details.at("pictures"), Json::parse(R"([{"name":"one.png","title":"one.png"}])"));
  EXPECT_EQ(get("/api/log", {{"id", id()}}).body, "a line\\x1b[31m\n");
}

TEST_F(BoardTest, ShowsOnlyPicturesOfPlots) {
  EXPECT_EQ(get("/api/picture", {{"id", id()}, {"name", "one.png"}}).body, "\x89PNG");
  for (const char* name : {"notes.txt", "../args.yml", "../../first/plots/one.png", "", "."}) {
    EXPECT_EQ(get("/api/picture", {{"id", id()}, {"name", name}}).status, 404) << name;
  }
  EXPECT_EQ(get("/api/picture", {{"id", "../first"}, {"name", "one.png"}}).status, 404);
}

TEST_F(BoardTest, TellsWhatChanges) {
  uint64_t seen = runs_.now();
  EXPECT_EQ(runs_.news(seen, 0), "");
  const std::string gone = id();
  make_run("second");
  fs::remove_all(folder_ / "runs/first");
  runs_.look();
  const Json news = Json::parse(runs_.news(seen, 0));
  EXPECT_EQ(news.at("rows").size(), 1);
  EXPECT_EQ(news.at("rows").at(0).at("name"), "second");
  EXPECT_EQ(news.at("gone"), Json::array({gone}));
  EXPECT_EQ(runs_.news(seen, 0), "");
  EXPECT_EQ(get("/api/curves", {{"id", gone}}).status, 404);
  fs::remove_all(folder_ / "runs");  // all of it: nothing is shown, and nothing fails
  runs_.look();
  EXPECT_EQ(get("/api/runs").body, "[]");
}

TEST_F(BoardTest, LimitsItsStreams) {
  HttpAnswer first = get("/api/events");
  EXPECT_EQ(first.type, "text/event-stream");
  EXPECT_EQ(first.stream(), "retry: 2000\n\n");
  EXPECT_EQ(get("/api/events").status, 503);
  first = {};
  EXPECT_EQ(get("/api/events").status, 200);
}

TEST_F(BoardTest, NamesAFileThatCannotBeRead) {
  fs::remove(folder_ / "runs/first/log.txt");
  fs::create_directory(folder_ / "runs/first/log.txt");
  const HttpAnswer answer = get("/api/log", {{"id", id()}});
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find("log.txt"), std::string::npos);
}

// What BoardAccess says to a request with these headers.
int status_of(const BoardAccess& access, const HttpRequest& request) {
  const std::optional<HttpAnswer> refused = access.refuse(request);
  return refused ? refused->status : 200;
}

TEST(BoardAccess, AnswersOnlyToItsOwnName) {
  const BoardAccess local("127.0.0.1", "");
  for (const char* host : {"localhost", "127.0.0.1:8642", "LOCALHOST:1", "[::1]:80"}) {
    EXPECT_EQ(status_of(local, {.method = "GET", .path = "/", .host = host}), 200) << host;
  }
  for (const char* host :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8642", "10.0.0.1"}) {
    EXPECT_EQ(status_of(local, {.method = "GET", .path = "/", .host = host}), 403) << host;
  }
  EXPECT_EQ(status_of(local, {.method = "POST", .path = "/", .host = "localhost"}), 405);
}

TEST(BoardAccess, AsksOthersForTheToken) {
  const std::string token = new_token();
  EXPECT_EQ(token.size(), 32);
  EXPECT_NE(token, new_token());
  const BoardAccess open("0.0.0.0", token);
  HttpRequest request{.method = "GET", .path = "/api/runs", .host = "192.168.0.7:8642"};
  EXPECT_EQ(status_of(open, request), 401);
  request.cookie = "other=1; convoy_board=" + token;
  EXPECT_EQ(status_of(open, request), 200);
  request.cookie.back() ^= 1;
  EXPECT_EQ(status_of(open, request), 401);
  request.authorization = "Bearer " + token;
  EXPECT_EQ(status_of(open, request), 200);
  request.host = "evil.example";
  EXPECT_EQ(status_of(open, request), 403);
  const HttpRequest first{
      .method = "GET", .path = "/", .query = {{"token", token}}, .host = "10.0.0.1"};
  const std::optional<HttpAnswer> redirected = open.refuse(first);
  ASSERT_TRUE(redirected);
  EXPECT_EQ(redirected->status, 303);
  EXPECT_EQ(redirected->headers.at("Location"), "/");
  EXPECT_NE(redirected->headers.at("Set-Cookie").find("HttpOnly; SameSite=Strict"),
            std::string::npos);
  EXPECT_TRUE(equal_in_constant_time("ab", "ab"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("ab", "aB"));
}

TEST(HttpServer, ServesTheBytesAndRefusesAPortThatIsTaken) {
  int pieces = 0;
  HttpServer server(
      [&](const HttpRequest& request) -> HttpAnswer {
        if (request.path == "/fail") throw std::runtime_error("no luck");
        if (request.path != "/stream") return {.body = std::string(asset("board.js"))};
        HttpAnswer answer;
        answer.stream = [&]() -> std::optional<std::string> {
          if (pieces == 3) return std::nullopt;
          return pieces++ == 1 ? "" : "piece\n";
        };
        return answer;
      },
      2);
  const int port = server.bind("127.0.0.1", 0);
  EXPECT_THROW(
      HttpServer([](const HttpRequest&) { return HttpAnswer{}; }, 1).bind("127.0.0.1", port),
      Error);
  std::thread serving([&] { server.serve(); });
  const std::string page = test::fetched(port, "/board.js");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(page.ends_with(asset("board.js")));
  EXPECT_TRUE(test::fetched(port, "/fail").starts_with("HTTP/1.1 500"));
  const std::string stream = test::fetched(port, "/stream");
  EXPECT_NE(stream.find("6\r\npiece\n\r\n6\r\npiece\n\r\n0\r\n"), std::string::npos) << stream;
  EXPECT_TRUE(test::sent_to(port, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
  server.stop();
  serving.join();
}

}  // namespace
}  // namespace convoy
