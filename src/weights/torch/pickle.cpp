#include "weights/torch/pickle.h"

#include <unordered_map>

#include "base/files/byte_reader.h"
#include "weights/torch/pickle_globals.h"
#include "weights/weight_data.h"

namespace convoy {

using Kind = PickleValue::Kind;

// A network needs about ten values per tensor; this is enough for any checkpoint and little memory.
constexpr size_t most_values = 1 << 19;
constexpr PickleId none_id = 0, true_id = 1, false_id = 2;

class PickleMachine {
 public:
  PickleMachine(Pickle& pickle, std::string_view bytes, const std::string& origin)
      : pickle_(pickle), reader_(bytes, origin, "its pickle"), origin_(origin) {
    for (const Kind kind : {Kind::none, Kind::boolean, Kind::boolean}) make({.kind = kind});
    pickle_.values_[true_id].integer = 1;
  }

  void run() {
    if (reader_.byte() != 0x80) reader_.fail("it does not begin as a pickle");
    const int protocol = reader_.byte();
    if (protocol < 2 || protocol > 5) reader_.fail("its protocol is unknown");
    while (step(reader_.byte())) {
    }
    pickle_.root_ = pop();
    pickle_.bytes_read_ = reader_.position();
  }

 private:
  // Returns false at the end.
  bool step(uint8_t op) {
    switch (op) {
      case '.':
        return false;
      case 0x95:  // FRAME: a hint for buffered reading
        reader_.take(8);
        break;
      case '(':
        marks_.push_back(stack_.size());
        break;
      case '0':
        if (marked() && stack_.size() == marks_.back()) {
          marks_.pop_back();
        } else {
          pop();
        }
        break;
      case '1':
        to_mark();
        break;
      case '2':
        push(top());
        break;
      default:
        if (!plain_value(op) && !container(op) && !memory(op) && !object(op)) {
          reader_.fail(fmt::format("opcode {:#04x}, which torch never writes", op));
        }
    }
    return true;
  }

  bool plain_value(uint8_t op) {
    switch (op) {
      case 'N':
        push(none_id);
        return true;
      case 0x88:
        push(true_id);
        return true;
      case 0x89:
        push(false_id);
        return true;
      case 'J':
        return integer(reader_.number<int32_t>());
      case 'K':
        return integer(reader_.number<uint8_t>());
      case 'M':
        return integer(reader_.number<uint16_t>());
      case 0x8a:  // LONG1
        return long_integer(reader_.take(reader_.byte()));
      case 0x8b:  // LONG4
        return long_integer(reader_.take(reader_.number<uint32_t>()));
      case 'G':
        return big_endian_real(reader_.number<uint64_t>());
      case 'X':
        return string(Kind::text, reader_.take(reader_.number<uint32_t>()));
      case 0x8c:  // SHORT_BINUNICODE
        return string(Kind::text, reader_.take(reader_.byte()));
      case 0x8d:  // BINUNICODE8
        return string(Kind::text, reader_.take(reader_.number<uint64_t>()));
      case 'T':  // strings of Python 2
        return string(Kind::text, reader_.take(reader_.number<uint32_t>()));
      case 'U':
        return string(Kind::text, reader_.take(reader_.byte()));
      case 'B':
        return string(Kind::bytes, reader_.take(reader_.number<uint32_t>()));
      case 'C':
        return string(Kind::bytes, reader_.take(reader_.byte()));
      default:
        return false;
    }
  }

  bool container(uint8_t op) {
    switch (op) {
      case '}':
        push(make({.kind = Kind::dict}));
        return true;
      case ']':
      case 0x8f:  // EMPTY_SET
        push(make({.kind = Kind::list}));
        return true;
      case ')':
        return tuple({});
      case 't':
        return tuple(to_mark());
      case 0x85:
      case 0x86:
      case 0x87:  // TUPLE1 to TUPLE3
        return tuple(pop_last(op - 0x84u));
      case 0x91:  // FROZENSET
        push(make({.kind = Kind::list, .items = to_mark()}));
        return true;
      case 'a':
        return extend(Kind::list, pop_last(1));
      case 'e':
      case 0x90:  // ADDITEMS
        return extend(Kind::list, to_mark());
      case 's':
        return extend(Kind::dict, pop_last(2));
      case 'u': {
        std::vector<PickleId> items = to_mark();
        if (items.size() % 2 != 0) reader_.fail("a key without a value");
        return extend(Kind::dict, std::move(items));
      }
      default:
        return false;
    }
  }

  bool memory(uint8_t op) {
    switch (op) {
      case 'q':
        return remember(reader_.byte());
      case 'r':
        return remember(reader_.number<uint32_t>());
      case 0x94:  // MEMOIZE
        return remember(memo_.size());
      case 'h':
        return recall(reader_.byte());
      case 'j':
        return recall(reader_.number<uint32_t>());
      default:
        return false;
    }
  }

  bool object(uint8_t op) {
    switch (op) {
      case 'c': {
        const std::string_view module = reader_.line(), name = reader_.line();
        return global(module, name);
      }
      case 0x93: {  // STACK_GLOBAL
        const std::vector<PickleId> parts = pop_last(2);
        const PickleValue &module = value(parts[0]), &name = value(parts[1]);
        if (module.kind != Kind::text || name.kind != Kind::text) reader_.fail("a nameless global");
        return global(module.text, name.text);
      }
      case 'Q': {  // BINPERSID
        const PickleValue& id = value(pop());
        if (id.kind != Kind::tuple || id.items.size() < 5 || id.items.size() > 6) {
          reader_.fail("a storage with other parts than kind, type, key, place, size");
        }
        push(make({.kind = Kind::storage, .items = id.items}));
        return true;
      }
      case 'R':
      case 0x81: {  // REDUCE, NEWOBJ
        const PickleId arguments = pop(), function = pop();
        return call(value(function), arguments);
      }
      case 'b': {  // BUILD: sets attributes, which we do not need
        pop();
        const Kind kind = value(top()).kind;
        if (kind != Kind::dict && kind != Kind::opaque && kind != Kind::tensor) {
          reader_.fail("attributes of what can have none");
        }
        return true;
      }
      default:
        return false;
    }
  }

  bool global(std::string_view module, std::string_view name) {
    std::string full = fmt::format("{}.{}", module, name);
    if (!pickle_global(full)) refuse(full);
    pickle_.names_.push_back(std::move(full));
    push(make({.kind = Kind::global, .text = pickle_.names_.back()}));
    return true;
  }

  [[noreturn]] void refuse(std::string_view name) const {
    std::string plain = shown(name);
    if (plain.size() >= 2 && plain.front() == '"' && plain.back() == '"') {
      plain = plain.substr(1, plain.size() - 2);
    }
    raise(Fault::checkpoint,
          "{} asks to run {}; a weights file never needs that; try: save model.state_dict() alone",
          origin_, plain);
  }

  bool call(const PickleValue& function, PickleId with) {
    if (function.kind != Kind::global) reader_.fail("a call of a value that is no function");
    const PickleValue& arguments = value(with);
    if (arguments.kind != Kind::tuple) reader_.fail("a call without arguments");
    const std::vector<PickleId>& args = arguments.items;  // valid until the next make()
    switch (*pickle_global(function.text)) {
      case PickleGlobal::ordered_dict:
        push(make({.kind = Kind::dict, .items = pairs(args)}));
        return true;
      case PickleGlobal::rebuild_tensor:
        if (args.size() < 4 || value(args[0]).kind != Kind::storage ||
            value(args[1]).kind != Kind::integer || value(args[2]).kind != Kind::tuple ||
            value(args[3]).kind != Kind::tuple) {
          reader_.fail("a tensor with other parts than storage, offset, size, stride");
        }
        push(make({.kind = Kind::tensor, .items = {args.begin(), args.begin() + 4}}));
        return true;
      case PickleGlobal::rebuild_parameter:
        if (args.empty() || value(args[0]).kind != Kind::tensor) reader_.fail("an odd parameter");
        push(args[0]);
        return true;
      case PickleGlobal::size:
        if (args.size() != 1 || value(args[0]).kind != Kind::tuple) reader_.fail("an odd size");
        push(args[0]);
        return true;
      case PickleGlobal::storage:
        refuse(function.text);
      case PickleGlobal::inert:
        push(make({.kind = Kind::opaque}));
        return true;
    }
    return false;
  }

  // OrderedDict() or OrderedDict([[key, value], …]). Copies the items, since the list may be used
  // again.
  std::vector<PickleId> pairs(const std::vector<PickleId>& args) {
    std::vector<PickleId> items;
    if (args.empty()) return items;
    const PickleValue& list = value(args[0]);
    if (args.size() > 1 || (list.kind != Kind::list && list.kind != Kind::tuple)) {
      reader_.fail("an odd OrderedDict");
    }
    copied_ += list.items.size();
    if (copied_ > most_values) reader_.fail("it holds too many values");
    for (const PickleId id : list.items) {
      const PickleValue& pair = value(id);
      if ((pair.kind != Kind::list && pair.kind != Kind::tuple) || pair.items.size() != 2) {
        reader_.fail("an odd OrderedDict");
      }
      items.insert(items.end(), pair.items.begin(), pair.items.end());
    }
    return items;
  }

  bool integer(int64_t number) {
    push(make({.kind = Kind::integer, .integer = number}));
    return true;
  }
  // Two's complement. An integer of more than 64 bits is kept as bytes (torch's magic number).
  bool long_integer(std::string_view bytes) {
    if (bytes.size() > 8) {
      push(make({.kind = Kind::opaque, .text = bytes}));
      return true;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      number |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    }
    if (!bytes.empty() && bytes.size() < 8 && (bytes.back() & 0x80)) {
      number |= ~uint64_t{0} << (8 * bytes.size());
    }
    return integer(static_cast<int64_t>(number));
  }
  bool big_endian_real(uint64_t bits) {
    const uint64_t swapped = __builtin_bswap64(bits);
    PickleValue v{.kind = Kind::real};
    std::memcpy(&v.real, &swapped, sizeof v.real);
    push(make(std::move(v)));
    return true;
  }
  bool string(Kind kind, std::string_view text) {
    push(make({.kind = kind, .text = text}));
    return true;
  }
  bool tuple(std::vector<PickleId> items) {
    push(make({.kind = Kind::tuple, .items = std::move(items)}));
    return true;
  }

  bool extend(Kind kind, const std::vector<PickleId>& items) {
    PickleValue& target = pickle_.values_[top()];
    if (target.kind == Kind::opaque) return true;
    if (target.kind != kind) reader_.fail("items of what can have none");
    target.items.insert(target.items.end(), items.begin(), items.end());
    return true;
  }

  bool remember(uint64_t place) {
    if (memo_.size() >= most_values) reader_.fail("it remembers too many values");
    memo_[place] = top();
    return true;
  }
  bool recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) reader_.fail("it recalls what it never remembered");
    push(found->second);
    return true;
  }

  const PickleValue& value(PickleId id) const { return pickle_.values_[id]; }
  PickleId make(PickleValue v) {
    if (pickle_.values_.size() >= most_values) reader_.fail("it holds too many values");
    pickle_.values_.push_back(std::move(v));
    return static_cast<PickleId>(pickle_.values_.size() - 1);
  }

  bool marked() const { return !marks_.empty(); }
  void push(PickleId id) { stack_.push_back(id); }
  PickleId top() const {
    if (stack_.size() <= (marked() ? marks_.back() : 0)) reader_.fail("it takes what is not there");
    return stack_.back();
  }
  PickleId pop() {
    const PickleId id = top();
    stack_.pop_back();
    return id;
  }
  std::vector<PickleId> pop_last(size_t count) {
    std::vector<PickleId> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  std::vector<PickleId> to_mark() {
    if (!marked()) reader_.fail("it closes a list that was never opened");
    const auto begin = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    std::vector<PickleId> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  Pickle& pickle_;
  ByteReader reader_;
  const std::string& origin_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleId> memo_;
  size_t copied_ = 0;
};

Pickle::Pickle(std::string_view bytes, const std::string& origin) {
  PickleMachine(*this, bytes, origin).run();
}

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != Kind::dict) return nullptr;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& k = at(dict.items[i]);
    if (k.kind == Kind::text && k.text == key) return &at(dict.items[i + 1]);
  }
  return nullptr;
}

}  // namespace convoy
