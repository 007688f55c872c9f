#include "base/proto_fields.h"

#include "base/files/byte_reader.h"

namespace convoy {

void for_each_field(std::string_view message, const std::string& origin, std::string_view what,
                    const std::function<void(const ProtoField&)>& take, Fault fault) {
  ByteReader reader(message, origin, what, fault);
  while (!reader.done()) {
    const uint64_t tag = reader.varint();
    ProtoField field;
    if (tag >> 3 == 0 || tag >> 3 > 536870911) reader.fail("a field has an impossible number");
    field.number = static_cast<int>(tag >> 3);
    field.type = static_cast<ProtoType>(tag & 7);
    switch (tag & 7) {
      case 0:
        field.value = reader.varint();
        break;
      case 1:
        field.value = reader.number<uint64_t>();
        break;
      case 2:
        field.bytes = reader.take(reader.varint());
        field.is_bytes = true;
        break;
      case 5:
        field.value = reader.number<uint32_t>();
        break;
      default:
        reader.fail("a field has an impossible type");
    }
    take(field);
  }
}

}  // namespace convoy
