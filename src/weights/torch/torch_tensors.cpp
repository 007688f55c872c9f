#include "weights/torch/torch_tensors.h"

#include <array>
#include <optional>

#include "base/error.h"
#include "base/text/text.h"
#include "weights/torch/pickle_globals.h"

namespace convoy {
namespace {

using Kind = PickleValue::Kind;

constexpr std::array<std::string_view, 7> containers{
    "state_dict", "model_state_dict", "model", "net", "ema", "state_dict_ema", "model_ema"};
// Keys of optimizer state, which also contains tensors.
constexpr std::array<std::string_view, 6> not_weights{
    "optimizer", "optimizer_state_dict", "optimizer_states", "optim", "scheduler", "lr_scheduler"};
constexpr int deepest = 16;

[[noreturn]] void bad(const std::string& origin, std::string_view why) {
  raise(Fault::checkpoint, "{}: not a sound torch file: {}; try: fetch or save it again", origin,
        why);
}

std::optional<std::string> key_text(const PickleValue& key) {
  if (key.kind == Kind::text) return std::string(key.text);
  if (key.kind == Kind::integer) return std::to_string(key.integer);
  return std::nullopt;
}

class Walk {
 public:
  Walk(const Pickle& pickle, const std::function<Bytes(const TorchStorage&)>& bytes_of,
       WeightData& data)
      : pickle_(pickle), bytes_of_(bytes_of), data_(data) {}

  void run() {
    const PickleValue* dict = &pickle_.at(pickle_.root());
    std::vector<std::string> path, others;
    for (int depth = 0; depth < 4; ++depth) {
      const PickleValue* chosen = nullptr;
      for (const std::string_view name : containers) {
        const PickleValue* inner = pickle_.find(*dict, name);
        if (!inner || !holds_tensors(*inner, 0)) continue;
        if (chosen) {
          others.emplace_back(name);
        } else {
          chosen = inner;
          path.emplace_back(name);
        }
      }
      if (!chosen) break;
      dict = chosen;
    }
    if (dict->kind != Kind::dict) bad(data_.origin, "it holds no dictionary of tensors");
    add(*dict, "", 0);
    if (data_.tensors.empty() && data_.foreign.empty()) {
      raise(Fault::checkpoint, "{} holds no tensors; try: save model.state_dict()", data_.origin);
    }
    if (path.empty()) return;
    data_.note = fmt::format("taken from its {}", join(path, "."));
    if (!others.empty()) data_.note += fmt::format(" (it has {} too)", join(others, ", "));
  }

 private:
  // Shared dictionaries may be reached many times, so visits are limited.
  void visit() {
    if (++visits_ > 8 * pickle_.size() + 1000) bad(data_.origin, "its dictionaries never end");
  }

  bool holds_tensors(const PickleValue& value, int depth) {
    visit();
    if (value.kind == Kind::tensor) return depth > 0;
    if (value.kind != Kind::dict || depth > deepest) return false;
    for (size_t i = 1; i < value.items.size(); i += 2) {
      if (holds_tensors(pickle_.at(value.items[i]), depth + 1)) return true;
    }
    return false;
  }

  void add(const PickleValue& dict, const std::string& prefix, int depth) {
    if (depth > deepest) bad(data_.origin, "its dictionaries nest too deeply");
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      visit();
      const std::optional<std::string> key = key_text(pickle_.at(dict.items[i]));
      const PickleValue& value = pickle_.at(dict.items[i + 1]);
      if (value.kind != Kind::tensor && value.kind != Kind::dict) continue;
      if (!key) bad(data_.origin, "a tensor has no name");
      const std::string name = prefix.empty() ? *key : prefix + "." + *key;
      if (value.kind == Kind::tensor) {
        add_tensor(name, value);
      } else if (depth > 0 ||
                 std::find(not_weights.begin(), not_weights.end(), *key) == not_weights.end()) {
        add(value, name, depth + 1);
      }
    }
  }

  int64_t whole(PickleId id) const {
    const PickleValue& value = pickle_.at(id);
    if (value.kind != Kind::integer) bad(data_.origin, "a size that is no whole number");
    return value.integer;
  }

  void add_tensor(const std::string& name, const PickleValue& tensor) {
    const TorchStorage storage = torch_storage(pickle_, pickle_.at(tensor.items[0]), data_.origin);
    const PickleValue &size = pickle_.at(tensor.items[2]), &stride = pickle_.at(tensor.items[3]);
    if (size.items.size() != stride.items.size() || size.items.size() > Shape::max_rank) {
      bad(data_.origin, fmt::format("tensor {} has {} dimensions and {} strides", shown(name),
                                    size.items.size(), stride.items.size()));
    }
    View view{.element = storage.element, .offset = whole(tensor.items[1])};
    for (size_t i = 0; i < size.items.size(); ++i) {
      view.shape.append(whole(size.items[i]));
      view.strides[i] = whole(stride.items[i]);
    }
    data_.add(name, view, bytes_of_(storage));
  }

  const Pickle& pickle_;
  const std::function<Bytes(const TorchStorage&)>& bytes_of_;
  WeightData& data_;
  size_t visits_ = 0;
};

}  // namespace

// ('storage', type, key, location, count). Old files have a sixth element: None, or (key of the
// view, first element, count) if the storage is a view of the one named by key.
TorchStorage torch_storage(const Pickle& pickle, const PickleValue& storage,
                           const std::string& origin) {
  const auto part = [&](size_t i) -> const PickleValue& { return pickle.at(storage.items[i]); };
  const PickleValue &kind = part(0), &type = part(1), &key = part(2), &count = part(4);
  if (kind.kind != Kind::text || kind.text != "storage" || type.kind != Kind::global ||
      key.kind != Kind::text || count.kind != Kind::integer || count.integer < 0) {
    bad(origin, "a storage with other parts than kind, type, key, place, size");
  }
  const std::optional<Element> element = storage_element(type.text);
  if (!element) bad(origin, fmt::format("a storage of type {}", shown(type.text)));
  TorchStorage found{.element = *element, .key = key.text, .count = count.integer};
  if (storage.items.size() < 6 || part(5).kind == Kind::none) return found;
  const PickleValue& view = part(5);
  if (view.kind != Kind::tuple || view.items.size() != 3 ||
      pickle.at(view.items[1]).kind != Kind::integer ||
      pickle.at(view.items[2]).kind != Kind::integer) {
    bad(origin, "an odd part of a storage");
  }
  found.first = pickle.at(view.items[1]).integer;
  found.count = pickle.at(view.items[2]).integer;
  if (found.first < 0 || found.count < 0) bad(origin, "an odd part of a storage");
  return found;
}

std::vector<TorchStorage> torch_storages(const Pickle& pickle, const std::string& origin) {
  std::vector<TorchStorage> all;
  for (PickleId id = 0; id < pickle.size(); ++id) {
    if (pickle.at(id).kind == Kind::storage) {
      all.push_back(torch_storage(pickle, pickle.at(id), origin));
    }
  }
  return all;
}

void add_torch_tensors(const Pickle& pickle,
                       const std::function<Bytes(const TorchStorage&)>& bytes_of,
                       WeightData& data) {
  Walk(pickle, bytes_of, data).run();
}

}  // namespace convoy
