// TFRecord files; and the bytes as one tf.Example, which checksums would keep most damage from.
#include "records/tfrecord.h"

#include "data/classes/record_classes.h"
#include "fuzz/target.h"
#include "records/example.h"

namespace convoy::test {
namespace {

void read_example(std::string_view record) {
  const Example example(record, "fuzz");
  for (const std::string_view name : example.names()) {
    answers(Fault::data, [&] {
      for (const std::string_view text : example.bytes_list(name)) touch(text);
    });
    answers(Fault::data, [&] { example.int_list(name); });
    answers(Fault::data, [&] { example.float_list(name); });
  }
  class_of_record(record, "fuzz");
}

}  // namespace
}  // namespace convoy::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using convoy::Fault;
  const std::string bytes = convoy::test::text_of(data, size);
  convoy::test::answers(Fault::data, [&] { convoy::test::read_example(bytes); });
  return convoy::test::answers(Fault::data, [&] {
    const convoy::TfRecordFile file(convoy::test::as_file("fuzz.tfrecord", bytes));
    std::string payload;
    for (const convoy::RecordPlace& place : file.scan()) {
      file.read(place, payload);
      convoy::test::read_example(payload);
    }
  });
}
