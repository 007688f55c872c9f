// The form of torch.save before version 1.6 (weights/torch/torch_file.h).

#include <map>

#include "base/error.h"
#include "base/files/byte_reader.h"
#include "weights/torch/pickle.h"
#include "weights/torch/torch_file.h"
#include "weights/torch/torch_tensors.h"

namespace convoy {
namespace {

using Kind = PickleValue::Kind;
constexpr int64_t known_protocol = 1001;

struct Storage {
  Element element;
  std::string_view bytes;
};

// Their bytes follow one another, in the order of `keys`.
void read_storages(const Pickle& keys, ByteReader& reader,
                   std::map<std::string_view, Storage>& storages) {
  const PickleValue& list = keys.at(keys.root());
  if (list.kind != Kind::list) reader.fail("the list of storages is missing");
  for (const PickleId id : list.items) {
    const PickleValue& key = keys.at(id);
    const auto found = key.kind == Kind::text ? storages.find(key.text) : storages.end();
    if (found == storages.end()) reader.fail("one of them is never used, so its type is unknown");
    if (found->second.bytes.data()) reader.fail("one of them comes twice");
    const auto count = reader.number<uint64_t>();
    uint64_t size = 0;
    if (__builtin_mul_overflow(count, element_bytes(found->second.element), &size)) {
      reader.fail("one of them is too large");
    }
    found->second.bytes = reader.take(size);
  }
  if (!reader.done()) reader.fail(fmt::format("{} bytes follow the last", reader.left()));
}

}  // namespace

WeightData read_torch_legacy(SharedBytes bytes, const std::string& origin) {
  std::string_view rest = *bytes;
  const auto next = [&] {
    Pickle pickle(rest, origin);
    rest.remove_prefix(pickle.bytes_read());
    return pickle;
  };
  if (!rest.starts_with(torch_legacy_head)) {
    raise(Fault::checkpoint, "{} is a pickle, but not one of torch.save; try: a file of torch.save",
          origin);
  }
  next();
  const Pickle protocol = next();
  if (protocol.at(protocol.root()).kind != Kind::integer ||
      protocol.at(protocol.root()).integer != known_protocol) {
    raise(Fault::checkpoint, "{}: its torch protocol is not {}; try: save it again with torch",
          origin, known_protocol);
  }
  const Pickle machine = next();
  const PickleValue* little = machine.find(machine.at(machine.root()), "little_endian");
  if (little && little->integer != 1) {
    raise(Fault::checkpoint, "{} was saved on a big-endian machine; try: save it on another",
          origin);
  }
  const Pickle object = next();
  const Pickle keys = next();

  WeightData data(origin, bytes->size());
  data.keep(bytes);
  std::map<std::string_view, Storage> storages;
  for (const TorchStorage& storage : torch_storages(object, origin)) {
    const auto [place, fresh] = storages.emplace(storage.key, Storage{storage.element, {}});
    if (!fresh && place->second.element != storage.element) {
      raise(Fault::checkpoint, "{}: storage {} has two types; try: save it again", origin,
            shown(storage.key));
    }
  }
  ByteReader reader(rest, origin, "the part with its storages");
  read_storages(keys, reader, storages);

  add_torch_tensors(
      object,
      [&](const TorchStorage& storage) -> Bytes {
        const std::string_view all = storages.at(storage.key).bytes;
        const auto size = static_cast<int64_t>(element_bytes(storage.element));
        const auto have = static_cast<int64_t>(all.size()) / size;
        if (!all.data() || storage.first > have || storage.count > have - storage.first) {
          raise(Fault::checkpoint,
                "{}: storage {} of {} elements has {} bytes; try: fetch or save it again", origin,
                shown(storage.key), storage.count, all.size());
        }
        return as_bytes(all.substr(static_cast<size_t>(storage.first * size),
                                   static_cast<size_t>(storage.count * size)));
      },
      data);
  return data;
}

}  // namespace convoy
