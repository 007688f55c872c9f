// data.yaml of sets in YOLO's format.
#include "data/yolo/data_yaml.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = convoy::test::text_of(data, size);
  return convoy::test::answers(convoy::Fault::data, [&] {
    const convoy::DataYaml read = convoy::read_data_yaml(text, "data.yaml");
    convoy::expect(!read.names.empty(), "it has classes");
    for (const std::string& name : read.names) convoy::expect(!name.empty(), "a name");
  });
}
