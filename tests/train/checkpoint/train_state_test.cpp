#include "train/checkpoint/train_state.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "base/threads/thread_pool.h"
#include "support/raises.h"

namespace convoy {
namespace {

StateFile sample() {
  StateFile file;
  file.state = {.step = 1500,
                .epoch = 3.2,
                .samples = int64_t{1} << 60,
                .numbers = {{"loss", 0.1}},
                .texts = {{"isa", "avx2"}, {"note", "a \"b\"\n\t€"}}};
  file.best_step = 1000;
  file.files = {{"model.safetensors", {123, 0x0123456789abcdef}}};
  file.log_lengths = {{"log.txt", 77}};
  return file;
}

TEST(TrainState, ComesBackAsItWas) {
  const StateFile read = state_file_from_json(to_json(sample()), "state.json");
  EXPECT_EQ(read.state.step, 1500);
  EXPECT_EQ(read.state.epoch, 3.2);
  EXPECT_EQ(read.state.samples, int64_t{1} << 60);
  EXPECT_EQ(read.state.numbers, sample().state.numbers);
  EXPECT_EQ(read.state.texts, sample().state.texts);
  EXPECT_EQ(read.best_step, 1000);
  EXPECT_EQ(read.files.at("model.safetensors").bytes, 123u);
  EXPECT_EQ(read.files.at("model.safetensors").hash, 0x0123456789abcdefu);
  EXPECT_EQ(read.log_lengths, sample().log_lengths);
  EXPECT_EQ(to_json(read), to_json(sample()));
}

TEST(TrainState, EveryDoubleComesBackBitForBitAlsoInAThreadThatFlushesSubnormals) {
  StateFile file = sample();
  auto& numbers = file.state.numbers;
  numbers = {{"zero", 0.0},
             {"minus zero", -0.0},
             {"inf", INFINITY},
             {"-inf", -INFINITY},
             {"nan", NAN},
             {"-nan", -NAN},
             {"payload", std::bit_cast<double>(0x7ff4000000000123u)},
             {"tiny", std::bit_cast<double>(uint64_t{1})},
             {"least", DBL_MIN},
             {"most", DBL_MAX},
             {"whole", 3.0},
             {"third", 1.0 / 3}};
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    numbers["random" + std::to_string(i)] = std::bit_cast<double>(random.bits());
  }
  std::thread([&] {  // its own, so that the setting ends with it
    flush_subnormals();
    const StateFile read = state_file_from_json(to_json(file), "state.json");
    ASSERT_EQ(read.state.numbers.size(), numbers.size());
    for (const auto& [key, value] : numbers) {
      EXPECT_EQ(std::bit_cast<uint64_t>(read.state.numbers.at(key)), std::bit_cast<uint64_t>(value))
          << key;
    }
  })
      .join();
}

TEST(TrainState, EveryChangeOfAByteIsNoticedOrMeansNothing) {
  const std::string sound = to_json(sample());
  for (size_t i = 0; i < sound.size(); ++i) {
    for (const int change : {1, 4, 128}) {
      std::string text = sound;
      text[i] = static_cast<char>(text[i] ^ change);
      try {
        const StateFile read = state_file_from_json(text, "state.json");
        EXPECT_EQ(to_json(read), sound) << i;  // white space
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::checkpoint);
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        EXPECT_TRUE(std::string_view(error.what()).starts_with("state.json: "));
      }
    }
  }
  for (size_t length = 0; length + 1 < sound.size(); ++length) {
    EXPECT_THROW(state_file_from_json(sound.substr(0, length), "state.json"), Error) << length;
  }
  for (const char* text : {"", "null", "[]", "{}", "{\"format\":1}", "{\"format\":\"x\"}"}) {
    EXPECT_THROW(state_file_from_json(text, "state.json"), Error) << text;
  }
}

TEST(TrainState, WhatNestsDeeplyIsDamagedAndTakesNoStack) {
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  const std::string front = to_json(sample()).substr(0, 2);  // "{", and the end of the line
  for (const std::string& text :
       {deep, front + "\"a\": " + deep + "}",
        front + "\"hash\": \"0123456789abcdef\", \"format\": 1, \"a\": " + deep + "}"}) {
    test::expect_raises(Fault::checkpoint, {"state.json: damaged", "nests too deeply"},
                        [&] { state_file_from_json(text, "state.json"); });
  }
}

TEST(TrainState, ANewerFormatSaysSo) {
  try {
    state_file_from_json("{\"format\": 2}", "state.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "state.json: format 2 is newer than this Convoy; try: a newer Convoy");
  }
}

}  // namespace
}  // namespace convoy
