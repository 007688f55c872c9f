// An HTTP server for a page of our own: requests are handed to one function, answers are whole
// texts or streams. The only file that includes cpp-httplib is http_server.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace convoy {

struct HttpRequest {
  std::string method, path;                  // "GET", "/api/runs"
  std::map<std::string, std::string> query;  // decoded; of a key that occurs twice the first
  std::string host, cookie, authorization;   // headers; empty: absent

  std::string value(const std::string& key) const {
    const auto found = query.find(key);
    return found == query.end() ? "" : found->second;
  }
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers;
  // Replaces the body by pieces, until it returns nothing or the client is gone. It may wait for a
  // second; an empty piece is not sent.
  std::function<std::optional<std::string>()> stream;
};

class HttpServer {
 public:
  using Handle = std::function<HttpAnswer(const HttpRequest&)>;

  // `handle` is called by up to `threads` threads at once; an exception becomes the answer 500.
  // Each stream occupies a thread.
  HttpServer(Handle handle, size_t threads);
  ~HttpServer();

  // Returns the port; 0 asks the system for a free one. A port or address that cannot be had is
  // Fault::usage.
  int bind(const std::string& address, int port);
  // Serves until `stop`, which any thread may call.
  void serve();
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convoy
