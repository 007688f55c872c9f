// A large file written piece by piece, beside the name it will have: it gets that name when it is
// complete, or never.
#pragma once

#include <string>
#include <string_view>

#include "base/files/file.h"

namespace convoy {

class FileWriter {
 public:
  // A full disk is Fault::no_space, any other failure `fault`.
  FileWriter(fs::path path, Fault fault);
  // Without a commit: nothing is left.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);

  // All that was written can be read at `temporary` from here on.
  void flush();

  // Gives the file its name. `durable`: after a crash of the machine it is there, and whole;
  // otherwise only after a crash of the program.
  void commit(bool durable = true);

  // Where the bytes are until then (base/files/temporary_name.h).
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
