// Reads Python pickles without Python: a small stack machine that builds plain values and calls
// nothing. It knows the opcodes that torch.save writes (protocols 2 to 4) and a short list of
// global names; a pickle with any other name is refused, and the message tells that name. Values
// are in one table and refer to each other by index, so shared and cyclic values cost nothing
// extra.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

using PickleId = uint32_t;

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,
    integer,
    real,
    text,    // str
    bytes,   // bytes
    tuple,   // also torch.Size
    list,    // also sets
    dict,    // items: key, value, key, value …
    global,  // text: module.name
    storage,
    tensor,
    opaque  // harmless and unused: a device, a numpy scalar, a Namespace
  };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;        // borrowed from the pickle's bytes or from Pickle
  std::vector<PickleId> items;  // storage: parts of its persistent id;
                                // tensor: storage, offset, size, stride
};

class Pickle {
 public:
  // Reads one pickle from the start of `bytes`, which must outlive this object. Fault::checkpoint
  // on errors; `origin` names the file in messages.
  Pickle(std::string_view bytes, const std::string& origin);

  PickleId root() const { return root_; }
  const PickleValue& at(PickleId id) const { return values_[id]; }
  size_t size() const { return values_.size(); }
  size_t bytes_read() const { return bytes_read_; }

  // The value of a string key of a dictionary; null if absent.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;  // a vector would need three times the memory while growing
  std::deque<std::string> names_;   // of globals
  PickleId root_ = 0;
  size_t bytes_read_ = 0;
};

}  // namespace convoy
