// Writes a large file piece by piece under a temporary name in the same folder. `commit` gives it
// its final name; without it the file is removed.
#pragma once

#include <string>
#include <string_view>

#include "base/files/file.h"

namespace convoy {

class FileWriter {
 public:
  // A full disk is Fault::no_space, any other failure `fault`.
  FileWriter(fs::path path, Fault fault);
  // Removes the file if it was not committed.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);

  // After this, all written bytes can be read from `temporary`.
  void flush();

  // Gives the file its name. `durable`: it is complete even after a crash of the machine; otherwise
  // only after a crash of the program.
  void commit(bool durable = true);

  // Where the bytes are before the commit (base/files/temporary_name.h).
  const fs::path& temporary() const { return temporary_; }

 private:
  void write_out(std::string_view bytes);
  void sync();
  [[noreturn]] void fail(std::string_view what) const;

  fs::path path_, temporary_;
  Fault fault_;
  int descriptor_;
  std::string buffer_;
};

}  // namespace convoy
