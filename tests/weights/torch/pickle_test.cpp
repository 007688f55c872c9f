#include "weights/torch/pickle.h"

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/weight_writers.h"
#include "weights/torch/torch_file.h"

namespace convoy::test {
namespace {

using Kind = PickleValue::Kind;
using std::string_literals::operator""s;

std::string head(const std::string& body) { return "\x80\x02" + body; }

void expect_refused(const std::string& pickle, std::initializer_list<std::string_view> words) {
  expect_raises(Fault::checkpoint, words, [&] { Pickle(pickle, "x.pt"); });
}

TEST(Pickle, PlainValuesAreRead) {
  const std::string bytes =
      head("}(X\x01\x00\x00\x00"s + "aK\x07" + "U\x02" + "bcJ\xff\xff\xff\xff" + "C\x01" +
           "dG\x3f\xf8\x00\x00\x00\x00\x00\x00"s + "M\x01\x02" + "\x8a\x02\x00\xff"s +
           "K\x01K\x02\x86" + "\x88u.rest");
  const Pickle pickle(bytes, "x.pt");
  const PickleValue& dict = pickle.at(pickle.root());
  ASSERT_EQ(dict.kind, Kind::dict);
  ASSERT_EQ(dict.items.size(), 10u);
  EXPECT_EQ(pickle.find(dict, "a")->integer, 7);
  EXPECT_EQ(pickle.find(dict, "bc")->integer, -1);
  EXPECT_EQ(pickle.find(dict, "nothing"), nullptr);
  EXPECT_EQ(pickle.at(dict.items[4]).kind, Kind::bytes);
  EXPECT_EQ(pickle.at(dict.items[5]).real, 1.5);
  EXPECT_EQ(pickle.at(dict.items[6]).integer, 513);
  EXPECT_EQ(pickle.at(dict.items[7]).integer, -256);
  EXPECT_EQ(pickle.at(dict.items[8]).items.size(), 2u);
  EXPECT_EQ(pickle.bytes_read(), bytes.size() - 4);
}

TEST(Pickle, OnlyTheNamesOnTheListMayBeMentioned) {
  for (const char* name :
       {"os\nsystem", "posix\nsystem", "builtins\neval", "builtins\nexec", "builtins\ngetattr",
        "subprocess\nPopen", "torch.storage\n_load_from_bytes", "torch._utils\n_rebuild_qtensor",
        "torchvision.models.resnet\nResNet", "numpy.core.multiarray\n_reconstruct",
        "collections\nOrderedDict.fromkeys", "torch\nload", "\n", "functools\npartial",
        "operator\nattrgetter", "__main__\nNet"}) {
    const std::string dotted = [&] {
      std::string text = name;
      std::replace(text.begin(), text.end(), '\n', '.');
      return text;
    }();
    expect_refused(head("c" + std::string(name) + "\n."),
                   {"x.pt asks to run " + dotted, "a weights file never needs that", "try: "});
  }
  // However it is spelled.
  expect_refused(head("X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93."s),
                 {"asks to run os.system"});
  // Beside sound tensors too.
  expect_refused(pickled_dict({{"a", "cos\nsystem\n(" + pickled_text("rm -rf /") + "tR"}}),
                 {"asks to run os.system"});
  // Known names may not be called in other places either.
  expect_refused(head("ctorch\nFloatStorage\n)R."), {"asks to run torch.FloatStorage"});
  expect_refused(head("cos\nsys\"tem\x01\n)R."), {"asks to run os.sys\\\"tem\\x01"});
}

TEST(Pickle, OpcodesThatTorchNeverWritesAreRefused) {
  // INST, OBJ, EXT1, PERSID, NEWOBJ_EX, INT, LONG, STRING, UNICODE, FLOAT, GET, PUT, BYTEARRAY8 …
  for (const char op : {'i', 'o', '\x82', '\x83', '\x84', 'P',    '\x92', 'I', 'L',    'S', 'V',
                        'F', 'g', 'p',    '\x96', '\x97', '\x98', 'd',    'l', '\x8e', 'z', '\0'}) {
    expect_refused(head(std::string("(") + op + "x\ny\n."), {"opcode 0x"});
  }
}

TEST(Pickle, BrokenOnesAreRefused) {
  expect_refused("", {"ends too early"});
  expect_refused("abc", {"does not begin as a pickle"});
  expect_refused("\x80\x09.", {"protocol"});
  expect_refused(head("."), {"takes what is not there"});
  expect_refused(head("0."), {"takes what is not there"});
  expect_refused(head("t."), {"never opened"});
  expect_refused(head("(K\x01u."), {"a key without"});
  expect_refused(head("h\x05."), {"never remembered"});
  expect_refused(head("K\x01K\x02"
                      "a."),
                 {"items of what can have none"});
  expect_refused(head("K\x01)R."), {"no function"});
  expect_refused(head("ccollections\nOrderedDict\nK\x01R."), {"without arguments"});
  expect_refused(head("ccollections\nOrderedDict\n(K\x01tR."), {"odd OrderedDict"});
  expect_refused(head("K\x01Q."), {"a storage with other parts"});
  expect_refused(head("K\x01N"
                      "b."),
                 {"attributes"});
  expect_refused(head("ctorch._utils\n_rebuild_tensor_v2\n)R."), {"a tensor with other parts"});
  expect_refused(head("ctorch._utils\n_rebuild_parameter\n(K\x01tR."), {"odd parameter"});
  expect_refused(head("X\xff\xff\xff\x7f"
                      "abc."),
                 {"ends too early"});
  expect_refused(head("\x8b\xff\xff\xff\xff."), {"ends too early"});
  expect_refused(head("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                      "abc."),
                 {"ends too early"});
  expect_refused(head("cos"), {"a line has no end"});
  // A mark keeps what lies below it.
  expect_refused(head("K\x01(0"
                      "0."),
                 {"takes what"});
}

TEST(Pickle, NothingIsAllocatedThatTheFileDoesNotCover) {
  const auto cost = [](const std::string& pickle) {
    const AllocationCounter counter;
    try {
      Pickle(pickle, "x.pt");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::checkpoint);
    }
    return counter.bytes();
  };
  constexpr int64_t few = 1 << 20;
  EXPECT_LT(cost(head("X\xff\xff\xff\x7f"
                      "abc.")),
            few);
  EXPECT_LT(cost(head("r\xff\xff\xff\xff.")), few);
  EXPECT_LT(cost(head("Nr\xff\xff\xff\xff"
                      "0.")),
            few);
  // Too many values, all alike: the table stops at half a million.
  EXPECT_LT(cost(head(std::string(8 << 20, ')') + ".")), 300 << 20);
  EXPECT_LT(cost(head(std::string(8 << 20, 'N') + ".")), 300 << 20);
  // One long list, copied by every OrderedDict.
  std::string copies =
      "ccollections\nOrderedDict\nq\x01"
      "0](";
  for (int i = 0; i < 20000; ++i) copies += "NN\x86";
  copies += "e\x85q\x02";
  for (int i = 0; i < 20000; ++i) copies += "h\x01h\x02R0";
  EXPECT_LT(cost(head(copies + ".")), 64 << 20);
}

TEST(Pickle, RingsAndEndlessSharingEnd) {
  const auto read = [](const std::string& pickle) {
    return read_torch_legacy(
        std::make_shared<const std::string>(torch_legacy_of(pickle, {{"0", floats({1}), 1}})),
        "x.pt");
  };
  const std::string tensor = pickled_tensor("FloatStorage", "0", 1, 0, {1}, {1});
  // A dictionary that holds itself.
  expect_raises(Fault::checkpoint, {"nest too deeply"}, [&] {
    read("\x80\x02}q\x01(" + pickled_text("a") + "h\x01" + pickled_text("t") + tensor + "u.");
  });
  // Twenty times twice the one before: a million names.
  std::string laughs = "\x80\x02" + tensor + "q\x00"s;
  for (char i = 1; i <= 14; ++i) {
    laughs += "}(" + pickled_text("a") + "h" + char(i - 1) + pickled_text("b") + "h" + char(i - 1) +
              "uq" + i;
  }
  expect_raises(Fault::checkpoint, {"never end"}, [&] { read(laughs + "."); });
}

}  // namespace
}  // namespace convoy::test
