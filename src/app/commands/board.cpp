// `convoy board`: a page of all runs below a folder that moves while they train.

#include "board/board.h"

#include <atomic>
#include <thread>

#include "app/command.h"
#include "app/options.h"
#include "app/signals.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "report/runs/opened_file.h"

namespace convoy {
namespace {

constexpr size_t streams = 24, threads = 32;
constexpr std::chrono::milliseconds between_looks{1000}, between_signals{50};

struct Options {
  std::string host = "127.0.0.1";
  int port = 8642;

  void describe(Fields& field) {
    field("host", host,
          "address to listen on. With any other than this machine's own, readers need the token "
          "that is printed");
    field("port", port, "port to listen on; 0: a free one", between(0, 65535));
  }
};

std::string address_of(const std::string& host, int port, const std::string& token) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port,
                     token.empty() ? "" : "?token=" + token);
}

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.size() > 1) {
    raise(Fault::usage, "board shows one folder, not {} and {}; try: the folder above them",
          one_line(line.words[0]), one_line(line.words[1]));
  }
  const fs::path folder = line.words.empty() ? "runs" : line.words[0];
  if (!is_folder(folder)) {
    raise(Fault::usage, "there is no folder {}; try: convoy board DIR, where runs are",
          one_line(folder.string()));
  }
  OpenedFile::keep_below(folder);
  WatchedRuns runs(folder);
  runs.look();
  const std::string token = is_loopback(options.host) ? "" : new_token();
  Board board(runs, BoardAccess(options.host, token), streams);
  HttpServer server([&](const HttpRequest& request) { return board.answer(request); }, threads);
  const int port = server.bind(options.host, options.port);
  const std::atomic<int>& stop = watch_signals(false);
  std::thread watcher([&] {
    auto next = std::chrono::steady_clock::now() + between_looks;
    while (!stop) {
      std::this_thread::sleep_for(between_signals);
      if (std::chrono::steady_clock::now() < next) continue;
      try {
        runs.look();
      } catch (const std::exception& error) {  // no more memory or threads: the next look may do
        show(stderr, "Warning: {}\n", error.what());
      }
      next = std::chrono::steady_clock::now() + between_looks;
    }
    runs.close();
    server.stop();
  });
  show("{}\n", address_of(options.host, port, token));
  std::fflush(stdout);
  server.serve();
  watcher.join();
  return 0;
}

}  // namespace

CommandDef board_command() {
  return {.name = "board",
          .summary = "serve a live page of all runs below a folder",
          .usage = "board [DIR] [--port N] [--host ADDRESS]",
          .details =
              R"(Prints the address of the page and serves it until Ctrl-C. The page only shows: it
starts, stops and changes nothing, and training does not know of it. Without DIR
it shows runs/. Only this machine can open it, unless --host says otherwise.

  convoy board
  convoy board experiments --port 9000
  convoy board --host 0.0.0.0        other machines, with the token that it prints
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
