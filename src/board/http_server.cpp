#include "board/http_server.h"

#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace convoy {
namespace {

constexpr int read_timeout_s = 5, write_timeout_s = 10;
constexpr size_t most_body_bytes = 4096;  // of a request: only GET is answered

// The default would let a second process take the same port and share its requests.
void allow_quick_restart(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

HttpRequest to_request(const httplib::Request& from) {
  HttpRequest request{.method = from.method,
                      .path = from.path,
                      .query = {},
                      .host = from.get_header_value("Host"),
                      .cookie = from.get_header_value("Cookie"),
                      .authorization = from.get_header_value("Authorization")};
  for (const auto& [key, value] : from.params) request.query.emplace(key, value);
  return request;
}

void send(const HttpAnswer& answer, httplib::Response& to) {
  to.status = answer.status;
  for (const auto& [key, value] : answer.headers) to.set_header(key, value);
  if (!answer.stream) {
    to.set_content(answer.body, answer.type);
    return;
  }
  to.set_chunked_content_provider(answer.type,
                                  [next = answer.stream](size_t, httplib::DataSink& sink) {
                                    const std::optional<std::string> piece = next();
                                    if (!piece) {
                                      sink.done();
                                    } else if (!piece->empty()) {
                                      return sink.write(piece->data(), piece->size());
                                    }
                                    return sink.is_writable();
                                  });
}

}  // namespace

struct HttpServer::State {
  Handle handle;
  httplib::Server server;
  std::atomic<bool> stopped{false};
};

HttpServer::HttpServer(Handle handle, size_t threads) : state_(std::make_unique<State>()) {
  state_->handle = std::move(handle);
  httplib::Server& server = state_->server;
  server.new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  server.set_socket_options(allow_quick_restart);
  server.set_tcp_nodelay(true);
  server.set_read_timeout(read_timeout_s);
  server.set_write_timeout(write_timeout_s);
  server.set_payload_max_length(most_body_bytes);
  server.set_keep_alive_max_count(1000);
  server.set_keep_alive_timeout(2);
  server.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
    HttpAnswer answer;
    try {
      answer = state_->handle(to_request(from));
    } catch (const std::exception& error) {
      answer = {.status = 500, .body = std::string(error.what()) + "\n"};
    }
    send(answer, to);
    return httplib::Server::HandlerResponse::Handled;
  });
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::bind(const std::string& address, int port) {
  errno = 0;
  const int bound = port ? (state_->server.bind_to_port(address, port) ? port : -1)
                         : state_->server.bind_to_any_port(address);
  if (bound > 0) return bound;
  const int reason = errno;
  if (reason == EADDRINUSE) {
    raise(Fault::usage, "port {} of {} is taken; try: --port 0 for a free one", port, address);
  }
  raise(Fault::usage, "cannot listen on port {} of {}: {}; try: another --host or --port", port,
        address, reason ? std::strerror(reason) : "unknown address");
}

void HttpServer::serve() {
  if (!state_->stopped) state_->server.listen_after_bind();
}

void HttpServer::stop() {
  state_->stopped = true;
  state_->server.stop();
}

}  // namespace convoy
