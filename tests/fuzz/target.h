// What the fuzz targets share. A target is a file here that defines LLVMFuzzerTestOneInput: it
// hands the bytes to one reader, which must give a result or an error of one line with the fault
// that was agreed. Everything else (a crash, another fault, too much memory or time) is a finding.
// `tools/fuzz` builds a target with libFuzzer; the test suite replays the corpora
// (replay_test.cpp).
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "support/temp_folder.h"
#include "weights/weight_data.h"

// NOLINTNEXTLINE: the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace convoy::test {

struct FuzzTarget {
  std::string name;
  int (*run)(const uint8_t* data, size_t size);
};
// All of them, by name; the build lists the folder.
const std::vector<FuzzTarget>& fuzz_targets();

inline std::string text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs `body`. An error of one line and this fault is an answer; what else is thrown gets through.
template <class Body>
int answers(Fault fault, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (error.fault() != fault || what.find('\n') != what.npos) {
      throw std::logic_error(fmt::format("exit {}: {}", error.exit_code(), what));
    }
  }
  return 0;
}

// A folder of the process's own, in memory, for readers that open their files themselves.
inline const fs::path& fuzz_folder() {
  static const TempFolder folder(memory_folder());
  return folder.path();
}
inline fs::path as_file(const std::string& name, std::string_view bytes) {
  fs::path path = fuzz_folder() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

// Reads every byte, so that the sanitizer sees spans that reach too far.
inline void touch(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<uint8_t>(c);
  volatile unsigned result = sum;
  (void)result;
}

// `read` gets the bytes as a file in memory; its tensors are whole.
template <class Read>
int answers_weights(std::string bytes, Read&& read) {
  return answers(Fault::checkpoint, [&] {
    WeightData data = read(std::make_shared<const std::string>(std::move(bytes)));
    data.finish();
    for (const TensorEntry& t : data.tensors) {
      expect(t.data.size() == static_cast<size_t>(t.shape.count()) * bytes_per_element(t.dtype),
             "a tensor has the bytes of its shape");
      touch(as_text(t.data));
    }
  });
}

}  // namespace convoy::test
