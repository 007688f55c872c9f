// A recipe: --config FILE.yml.
#include "config/config_file.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::usage, [&] {
    const auto path = convoy::test::as_file("fuzz.yml", convoy::test::text_of(data, size));
    convoy::load_config(path.string(), {});
  });
}
