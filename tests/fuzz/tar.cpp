// Tars of pictures.
#include "records/tar.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers(convoy::Fault::data, [&] {
    const auto path = convoy::test::as_file("fuzz.tar", convoy::test::text_of(data, size));
    const convoy::RandomFile file(path, convoy::Fault::data);
    for (const convoy::TarMember& member : convoy::tar_members(file)) {
      convoy::test::touch(file.read(member.offset, static_cast<size_t>(member.bytes)));
    }
  });
}
