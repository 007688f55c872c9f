// A file of named configurations: convoy cnns --config-path FILE.
#include "dialects/named_configs.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::usage, [&] {
    convoy::read_named_configs(convoy::test::text_of(data, size), "fuzz.yml");
  });
}
