// Hosts, as a hostfile and as -H takes them.
#include "fuzz/target.h"
#include "launch/hosts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = convoy::test::text_of(data, size);
  convoy::test::answers(convoy::Fault::usage, [&] { convoy::parse_hosts(text, "fuzz"); });
  return convoy::test::answers(convoy::Fault::usage, [&] { convoy::parse_hostfile(text, "fuzz"); });
}
