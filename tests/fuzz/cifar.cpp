// CIFAR in its binary version.
#include "data/sources/cifar_files.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::data, [&] {
    convoy::test::as_file("cifar.bin", convoy::test::text_of(data, size));
    const convoy::CifarFormat format{{{"cifar.bin", 5, true}}, "none", 1, {"a", "b", "c"}};
    convoy::open_cifar(format, convoy::test::fuzz_folder().string(), true);
  });
}
