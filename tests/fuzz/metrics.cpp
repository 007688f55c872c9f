// metrics.jsonl, of which a resume reads the last line.
#include "fuzz/target.h"
#include "report/finished.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  convoy::read_finished_run(convoy::test::text_of(data, size));
  return 0;
}
