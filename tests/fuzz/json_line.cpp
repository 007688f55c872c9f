// A line of a log, as the reader of runs scans it.
#include "base/text/json_line.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = convoy::test::text_of(data, size);
  size_t bytes = 0;
  convoy::scan_json_line(text, [&](std::string_view key, const convoy::JsonLineValue& value) {
    bytes += key.size() + value.text.size();
  });
  if (bytes > 2 * text.size()) throw std::runtime_error("more text than there is");
  return 0;
}
