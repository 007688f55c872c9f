// Lists and maps of class names.
#include "data/classes/class_match.h"
#include "data/classes/record_classes.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = convoy::test::as_file("classes.txt", convoy::test::text_of(data, size));
  convoy::test::answers(convoy::Fault::data, [&] { convoy::read_class_names(path); });
  convoy::test::answers(convoy::Fault::data, [&] { convoy::read_class_map(path); });
  return convoy::test::answers(convoy::Fault::data, [&] { convoy::read_class_list(path); });
}
