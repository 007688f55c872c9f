// Python pickles, read without Python: a small stack machine that builds plain values and calls
// nothing. It knows the opcodes that torch.save writes (protocols 2 to 4) and a short list of
// names; a pickle that asks for any other is refused with that name. Values live in one table and
// refer to each other by number, so what a pickle shares, or ties into a ring, costs nothing here.
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
    tuple,   // torch.Size too
    list,    // sets too
    dict,    // items: key, value, key, value …
    global,  // text: module.name
    storage,
    tensor,
    opaque  // something harmless that is of no use here: a device, a numpy scalar, a Namespace
  };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;        // borrowed from the pickle's bytes or from the Pickle
  std::vector<PickleId> items;  // storage: the parts of its persistent id.
                                // tensor: storage, offset, size, stride
};

class Pickle {
 public:
  // Reads one pickle from the front of `bytes`, which must outlive it. Fault::checkpoint otherwise;
  // `origin` stands for the file.
  Pickle(std::string_view bytes, const std::string& origin);

  PickleId root() const { return root_; }
  const PickleValue& at(PickleId id) const { return values_[id]; }
  size_t size() const { return values_.size(); }
  size_t bytes_read() const { return bytes_read_; }

  // The value of a key of a dictionary that is this text; null: there is none.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;  // a vector would take three times as much while it grows
  std::deque<std::string> names_;   // of globals
  PickleId root_ = 0;
  size_t bytes_read_ = 0;
};

}  // namespace convoy
