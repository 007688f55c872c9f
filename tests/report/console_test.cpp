#include "report/console.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/label_metrics.h"

namespace convoy {
namespace {

Bar sample() {
  return {.label = "epoch  3/10",
          .done = 450,
          .total = 1251,
          .loss = 2.3123,
          .metric = test::label_metrics(0, 45.126, 0)[1],
          .images_per_s = 2000.4,
          .eta_s = 3723};
}

// Columns on the screen: escapes take none, a UTF-8 character takes one.
int columns(const std::string& text) {
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else if ((text[i] & 0xc0) != 0x80) {
      ++count;
    }
  }
  return count;
}

TEST(Bar, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(render_bar(sample(), 120, {}),
            "epoch  3/10  ############--------------------   35%   450/1251  loss 2.3123  top-1 "
            "45.13%  2000 img/s  ETA 1:02:03");
}

TEST(Bar, GivesUpTheLeastNeededFirst) {
  EXPECT_EQ(render_bar(sample(), 80, {}),
            "epoch  3/10  ###-----   35%  loss 2.3123  top-1 45.13%  2000 img/s  ETA 1:02:03");
  EXPECT_EQ(render_bar(sample(), 60, {}),
            "epoch  3/10  #####---------   35%  loss 2.3123  ETA 1:02:03");
  EXPECT_EQ(render_bar(sample(), 45, {}), "epoch  3/10   35%  loss 2.3123  ETA 1:02:03");
  EXPECT_EQ(render_bar(sample(), 20, {}), "epoch  3/10   35%");
  EXPECT_EQ(render_bar(sample(), 8, {}), "epoch  ");
  EXPECT_EQ(render_bar(sample(), 0, {}), "");
}

TEST(Bar, FitsEveryWidthInEveryStyle) {
  for (const bool unicode : {false, true}) {
    for (const bool colour : {false, true}) {
      for (int width = 0; width < 200; ++width) {
        const int used = columns(render_bar(sample(), width, {unicode, colour}));
        ASSERT_LE(used, std::max(width - 1, 0)) << width;
        ASSERT_EQ(used, columns(render_bar(sample(), width, {})));
      }
    }
  }
}

TEST(Bar, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(render_bar({.label = "evaluation", .done = 0, .total = 0}, 40, {}),
            "evaluation  ----------------    0%  0/0");
  EXPECT_EQ(render_bar({.label = "evaluation", .done = 9, .total = 4}, 40, {}),
            "evaluation  ################  100%  9/4");
}

struct Screen {
  std::string text;
  double now = 0;
  ConsoleOptions options(bool terminal, bool quiet = false) {
    return {.quiet = quiet,
            .terminal = terminal,
            .style = {},
            .write = [this](std::string_view more) { text += more; },
            .width = [] { return 60; },
            .seconds = [this] { return now; }};
  }
};

TrainProgress progress(int64_t step) {
  return {.epoch = static_cast<double>(step) / 10,
          .step = step,
          .samples = step * 8,
          .loss = 2,
          .lr = 0.1,
          .images_per_s = 100,
          .epoch_loss = 2.5,
          .total_steps = 20,
          .steps_per_epoch = 10,
          .record = step % 5 == 0};
}

const EvalDone eval{
    .epoch = 1, .step = 10, .metrics = test::label_metrics(0.5, 91.2, 99, 912, 990), .total = 1000};

TEST(Console, RedrawsTheBarAtMostTenTimesASecond) {
  Screen screen;
  {
    const auto console = console_listener(screen.options(true));
    for (int step = 1; step <= 9; ++step) {
      console->on(progress(step));
      screen.now += 0.04;
    }
  }
  EXPECT_EQ(screen.text,
            "\repoch 1/2  #----------   10%   1/10  loss 2.0000  100 img/s\x1b[K"
            "\repoch 1/2  ###-----   40%  loss 2.0000  100 img/s  ETA 0:01\x1b[K"
            "\repoch 1/2  ######--   70%  loss 2.0000  100 img/s  ETA 0:01\x1b[K"
            "\r\x1b[K");
}

TEST(Console, BreaksLinesBetweenTheirParts) {
  for (const int width : {30, 40, 60, 200}) {
    Screen screen;
    ConsoleOptions options = screen.options(true);
    options.width = [=] { return width; };
    options.style.colour = true;
    const auto console = console_listener(options);
    console->on(progress(10));
    screen.text.clear();
    console->on(eval);
    console->on(Warning{std::string(300, 'x')});
    std::string text = screen.text.substr(std::string("\r\x1b[K").size());
    for (size_t at = text.find("\x1b["); at != text.npos; at = text.find("\x1b[")) {
      text.erase(at, text.find('m', at) + 1 - at);
    }
    EXPECT_NE(text.find("top-1 91.20%"), text.npos) << text;
    EXPECT_NE(text.find(std::string(300, 'x') + "\n"), text.npos) << "a word is not broken";
    EXPECT_NE(text.find("  top-5 99.00%\n"), text.npos) << text;
    std::string_view rest = text;
    while (!rest.starts_with("Warning")) {
      const size_t end = rest.find('\n');
      EXPECT_LE(end, static_cast<size_t>(width)) << text;
      rest.remove_prefix(end + 1);
    }
  }
}

TEST(Console, WipesTheBarBeforeALineAndAtTheEnd) {
  Screen screen;
  {
    const auto console = console_listener(screen.options(true));
    console->on(RunStart{.model = "m",
                         .dataset = "d",
                         .parameters = 12345,
                         .batch = {.global_batch = 8},
                         .length = {.train_samples = 80, .steps_per_epoch = 10, .epochs = 2},
                         .run_dir = "runs/m"});
    console->on(progress(10));
    console->on(eval);
    console->on(CheckpointSaved{});
    console->on(Warning{"careful"});
    console->on(
        RunEnd{.step = 20, .weights_hash = "00ff", .seconds = 61, .peak_rss_bytes = 1 << 20});
  }
  EXPECT_EQ(screen.text,
            "m on d: 12,345 parameters, 80 samples, batch 8, 2 epochs of\n  10 steps, 1 thread\n"
            "run directory runs/m\n"
            "\repoch 1/2  ###########  100%  10/10  loss 2.0000  100 img/s\x1b[K"
            "\r\x1b[Kepoch 1/2  train loss 2.5000  eval loss 0.5000\n"
            "  top-1 91.20% (912/1000)  top-5 99.00%\n"
            "Warning: careful\n"
            "+---------------------------------------------------------+\n"
            "| m on d                                                  |\n"
            "| train loss  _  2.0000 -> 2.5000                         |\n"
            "| top-1       _  91.20% (912/1000), best 91.20% in epoch  |\n"
            "|                1                                        |\n"
            "| images/s    _  100 on average                           |\n"
            "| steps       20 in 1:01, peak memory 1.0 MiB             |\n"
            "| run         runs/m                                      |\n"
            "+---------------------------------------------------------+\n"
            "next:\n"
            "  convoy report runs/m\n"
            "  convoy eval --checkpoint runs/m\n"
            "  convoy predict --checkpoint runs/m --input FILE\n"
            "weights 00ff\n");
}

TEST(Console, WritesPlainLinesWhereThereIsNoTerminal) {
  Screen screen;
  const auto console = console_listener(screen.options(false));
  for (int step = 1; step <= 10; ++step) console->on(progress(step));
  console->on(eval);
  console->on(Stopped{.step = 10, .signal = 15, .checkpoint = "checkpoints/step-0000010"});
  console->on(RunEnd{.step = 10, .weights_hash = "00ff", .exit = 75});
  EXPECT_EQ(screen.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(screen.text.find('\r'), std::string::npos);
  EXPECT_EQ(screen.text.substr(0, 26), "Train: 1 [ 5/10 ( 50%)]  L");
  EXPECT_NE(screen.text.find("\nTrain: 1 [10/10 (100%)]"), std::string::npos);
  EXPECT_NE(screen.text.find("\nStopped: SIGTERM at step 10, saved checkpoints/step-0000010\n"),
            std::string::npos);
  EXPECT_TRUE(screen.text.ends_with("\nweights 00ff\n"));
}

TEST(Console, QuietLeavesWarningsTheAccuracyAndTheLastLine) {
  for (const bool terminal : {false, true}) {
    Screen screen;
    {
      const auto console = console_listener(screen.options(terminal, true));
      console->on(progress(5));
      console->on(Warning{"careful"});
      console->on(BadSample{.file = "a.jpg", .index = 3, .reason = "cut off"});
      console->on(eval);
      console->on(RunEnd{.step = 20, .weights_hash = "00ff"});
    }
    EXPECT_EQ(screen.text,
              "Warning: careful\nBad sample: a.jpg record 3: cut off\n"
              "top-1 91.20% (912/1000), best 91.20% in epoch 1\nweights 00ff\n");
  }
}

TEST(Console, ABadSampleIsNamedOnce) {
  Screen screen;
  {
    const auto console = console_listener(screen.options(false, true));
    console->on(BadSample{.file = "a.jpg", .index = 3, .reason = "a.jpg: the file is empty"});
  }
  EXPECT_EQ(screen.text, "Bad sample: record 3: a.jpg: the file is empty\n");
}

TEST(Console, NamesFromOutsideCannotForgeLines) {
  for (const bool terminal : {false, true}) {
    Screen screen;
    {
      const auto console = console_listener(screen.options(terminal));
      console->on(RunStart{.model = "m", .dataset = "d", .run_dir = "runs/a\nconvoy: error: b"});
      console->on(Warning{"x\n\x1b[2J"});
      console->on(BadSample{.file = "a\nb.jpg", .index = 3, .reason = "\x1b]0;title\x07"});
      console->on(RunEnd{.step = 20});
    }
    EXPECT_EQ(screen.text.find('\x1b'), std::string::npos) << screen.text;
    EXPECT_EQ(screen.text.find("\nconvoy: error"), std::string::npos) << screen.text;
    EXPECT_NE(screen.text.find("Warning: x\\n\\x1b[2J\n"), std::string::npos) << screen.text;
    EXPECT_NE(screen.text.find("Bad sample: a\\nb.jpg record 3"), std::string::npos);
  }
}

TEST(Console, AStoppedRunSaysHowToGoOn) {
  Screen screen;
  const auto console = console_listener(screen.options(true));
  console->on(Resumed{.step = 3, .path = "checkpoints/step-0000003", .run_dir = "runs/m"});
  console->on(RunEnd{.step = 10, .seconds = 5, .exit = 75});
  EXPECT_EQ(screen.text,
            "Resumed: step 3 from checkpoints/step-0000003\n"
            "exit 75: 10 steps in 0:05, peak memory 0 B\n"
            "go on with: convoy resume runs/m\n");
}

}  // namespace
}  // namespace convoy
