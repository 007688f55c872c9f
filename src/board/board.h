// The pages and data of the board: what each address answers. Read only; everything comes from the
// files of runs below one folder.
//
//   /  /NAME            the page and its files
//   /api/runs           all runs          /api/events     what changes, as server-sent events
//   /api/curves?id=     numbers           /api/run?id=    details
//   /api/log?id=        the end of the log    /api/picture?id=&name=
#pragma once

#include <atomic>
#include <memory>

#include "board/access.h"
#include "board/http_server.h"
#include "board/watched_runs.h"

namespace convoy {

class Board {
 public:
  // Keeps `runs`. At most `most_streams` pages get news as they happen; others must ask again.
  Board(WatchedRuns& runs, BoardAccess access, size_t most_streams);

  HttpAnswer answer(const HttpRequest& request);

 private:
  HttpAnswer answer_data(const HttpRequest& request);
  HttpAnswer events();
  HttpAnswer picture(const FoundRun& run, const std::string& name) const;

  WatchedRuns& runs_;
  BoardAccess access_;
  size_t most_streams_;
  std::shared_ptr<std::atomic<size_t>> streams_ = std::make_shared<std::atomic<size_t>>(0);
};

}  // namespace convoy
