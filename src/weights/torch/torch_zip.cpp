// The zip form of torch.save (weights/torch/torch_file.h).

#include <map>

#include "base/error.h"
#include "weights/torch/pickle.h"
#include "weights/torch/torch_file.h"
#include "weights/torch/torch_tensors.h"
#include "weights/zip_file.h"

namespace convoy {
namespace {

constexpr std::string_view pickle_name = "/data.pkl";

// The folder in which all members are.
std::string folder_of(const ZipFile& zip, const std::string& origin) {
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(pickle_name)) continue;
    const std::string_view folder = member.name.substr(0, member.name.size() - pickle_name.size());
    if (folder.find('/') == folder.npos) return std::string(folder);
  }
  raise(Fault::checkpoint,
        "{} is a zip file, but no data.pkl is in it: torch.save did not write it; try: a file of "
        "torch.save or numpy.savez",
        origin);
}

}  // namespace

WeightData read_torch_zip(SharedBytes bytes, const std::string& origin) {
  const ZipFile zip(*bytes, origin);
  const std::string folder = folder_of(zip, origin);
  WeightData data(origin, bytes->size());
  data.keep(bytes);
  const auto content = [&](const ZipMember& member) {
    ZipFile::Content found = zip.read(member);
    if (found.owner) data.keep(found.owner);
    return found.bytes;
  };
  if (const ZipMember* order = zip.find(folder + "/byteorder")) {
    if (content(*order) != "little") {
      raise(Fault::checkpoint, "{} was saved on a big-endian machine; try: save it on another",
            origin);
    }
  }
  if (zip.find(folder + "/constants.pkl")) {
    raise(Fault::checkpoint,
          "{} is a TorchScript program; try: torch.save(torch.jit.load(FILE).state_dict(), OTHER)",
          origin);
  }
  const Pickle pickle(content(*zip.find(folder + std::string(pickle_name))), origin);

  std::map<std::string_view, std::string_view> storages;
  add_torch_tensors(
      pickle,
      [&](const TorchStorage& storage) -> Bytes {
        auto found = storages.find(storage.key);
        if (found == storages.end()) {
          const ZipMember* member = zip.find(fmt::format("{}/data/{}", folder, storage.key));
          if (!member) {
            raise(Fault::checkpoint, "{}: storage {} is not in it; try: fetch or save it again",
                  origin, shown(storage.key));
          }
          found = storages.emplace(storage.key, content(*member)).first;
        }
        const auto size = static_cast<int64_t>(element_bytes(storage.element));
        const auto have = static_cast<int64_t>(found->second.size()) / size;
        if (storage.first > have || storage.count > have - storage.first) {
          raise(Fault::checkpoint,
                "{}: storage {} of {} elements has {} bytes; try: fetch or save it again", origin,
                shown(storage.key), storage.count, found->second.size());
        }
        return as_bytes(found->second.substr(static_cast<size_t>(storage.first * size),
                                             static_cast<size_t>(storage.count * size)));
      },
      data);
  return data;
}

}  // namespace convoy
