// One session of a run of Weights & Biases: a folder with a transaction log and files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/wandb/transaction_log.h"

namespace convoy {

// Name -> JSON text.
using JsonTexts = std::map<std::string, std::string>;

class WandbSession {
 public:
  struct About {
    fs::path folder;
    std::string project, name;
    JsonTexts config;
    int64_t first_step = 0;
    bool is_resumed = false;
  };
  // Makes the session's folder. A resumed run keeps the id of its earlier sessions.
  explicit WandbSession(const About& about);

  // A row of the history; steps must grow. Adds `_step`, `_timestamp` and `_runtime`.
  void history(int64_t step, const JsonTexts& values);
  void summary(const JsonTexts& values);
  void system(const JsonTexts& values);
  void output(std::string_view text);
  // Writes a file of the session, and tells of it.
  void file(const std::string& path, std::string_view content, bool is_media);
  void exit(int code);

  const fs::path& folder() const { return folder_; }

 private:
  // A record of that kind, whose fields `body(writer)` writes.
  template <class Body>
  void record(int kind, const Body& body);

  fs::path folder_;
  std::string id_;
  double began_;
  TransactionLog log_;
};

}  // namespace convoy
