// IDX files of the MNIST family, plain and zipped.
#include "data/sources/idx_file.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes = convoy::test::text_of(data, size);
  convoy::test::as_file("plain", bytes);
  convoy::test::as_file("zipped.gz", bytes);
  for (const char* stem : {"plain", "zipped"}) {
    for (const int rank : {1, 3}) {
      convoy::test::answers(convoy::Fault::data, [&] {
        convoy::read_idx(convoy::test::fuzz_folder(), stem, rank, "look");
      });
    }
  }
  return 0;
}
