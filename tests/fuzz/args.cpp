// The record of a run: args.yml.
#include "config/config_file.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::checkpoint, [&] {
    const auto path = convoy::test::as_file("args.yml", convoy::test::text_of(data, size));
    convoy::load_record(path.string());
  });
}
