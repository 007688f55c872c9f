#include "weights/tensorflow/tf_object_graph.h"

#include <set>

#include "base/proto_fields.h"

namespace convoy {

// TrackableObjectGraph has nodes (field 1); a node has attributes (field 2); an attribute has a
// full name (field 2) and a checkpoint key (field 3).
std::map<std::string, std::string> tf_full_names(std::string_view message,
                                                 const std::string& origin) {
  constexpr std::string_view what = "its graph of objects";
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  bool unique = true;
  const auto take_attribute = [&](std::string_view attribute) {
    std::string full, key;
    for_each_field(attribute, origin, what, [&](const ProtoField& f) {
      if (f.number == 2) full = f.bytes;
      if (f.number == 3) key = f.bytes;
    });
    const bool optimiser = key.starts_with("optimizer/") || key.find(".OPTIMIZER_SLOT") != key.npos;
    if (full.empty() || key.empty() || optimiser || names.contains(key)) return;
    unique = taken.insert(full).second && unique;
    names.emplace(std::move(key), std::move(full));
  };
  for_each_field(message, origin, what, [&](const ProtoField& node) {
    if (node.number != 1 || !node.is_bytes) return;
    for_each_field(node.bytes, origin, what, [&](const ProtoField& f) {
      if (f.number == 2 && f.is_bytes) take_attribute(f.bytes);
    });
  });
  return unique ? names : std::map<std::string, std::string>{};
}

}  // namespace convoy
