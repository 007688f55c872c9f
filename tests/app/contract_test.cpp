// What users and other programs rely on: names of files, events and their fields, the hash,
// spellings of options, and what appears where.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cstring>
#include <regex>
#include <set>

#include "app/command.h"
#include "base/text/text.h"
#include "support/places.h"
#include "support/run_files.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::TempFolder;
using test::tiny;
using test::TinyRun;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Contract, ARunDirectoryHasItsFiles) {
  const TinyRun run(tiny({"--epochs", "1", "--ema-decay", "0.9"}));
  run.whole();
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(run.dir())) {
    const std::string name = entry.path().lexically_relative(run.dir());
    if (!name.starts_with("tb/events.out.tfevents.")) names.insert(name);  // with time and host
  }
  const std::string last = "checkpoints/step-0000016";
  EXPECT_EQ(names, (std::set<std::string>{".lock",
                                          "args.yml",
                                          "env.json",
                                          "log.txt",
                                          "metrics.jsonl",
                                          "sessions.jsonl",
                                          "summary.csv",
                                          "tb",
                                          "checkpoints",
                                          "checkpoints/best",
                                          "checkpoints/last",
                                          last,
                                          last + "/ema.safetensors",
                                          last + "/model.safetensors",
                                          last + "/optimizer.safetensors",
                                          last + "/state.json",
                                          "plots",
                                          "plots/calibration.png",
                                          "plots/confusion_matrix.png",
                                          "plots/curves.png",
                                          "plots/first_batch.png",
                                          "plots/least_sure.png",
                                          "plots/predictions.csv",
                                          "plots/report.html",
                                          "plots/worst.png",
                                          "weights",
                                          "weights/best.safetensors",
                                          "weights/last.safetensors"}));
  EXPECT_EQ(test::lines_of(read_file(run.dir() / "summary.csv", Fault::bug)).at(0),
            "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr");
  const Json env = Json::parse(read_file(run.dir() / "env.json", Fault::bug));
  for (const char* key : {"convoy", "compiler", "onednn", "host", "cpu", "cores", "isa"}) {
    EXPECT_TRUE(env.contains(key)) << key;
  }
}

TEST(Contract, ANameThatIsTakenGetsANumber) {
  const TinyRun run(tiny({"--max-steps", "1", "--checkpoint-epochs", "0", "--eval-epochs", "0"}));
  for (int i = 0; i < 3; ++i) run.whole();
  for (const char* name : {"a", "a-2", "a-3"}) {
    EXPECT_TRUE(fs::exists(run.folder() / "runs" / name / "weights/last.safetensors")) << name;
  }
}

// event -> fields, from the table in docs/formats/run_directory.md.
std::map<std::string, std::vector<std::string>> documented_fields() {
  const std::string text =
      read_file(test::source_dir() / "docs/formats/run_directory.md", Fault::bug);
  std::map<std::string, std::vector<std::string>> events;
  const std::regex row(R"(\| `([a-z_]+)` \| `([a-z0-9_ ]+)`.*)");
  std::smatch match;
  for (const std::string& line : test::lines_of(text.substr(text.find("| event | fields |")))) {
    if (std::regex_match(line, match, row)) events[match[1]] = split(match[2].str(), ' ');
  }
  return events;
}

TEST(Contract, EventsHaveTheirFields) {
  const auto documented = documented_fields();
  // These must always exist; more fields may be added.
  const std::map<std::string, std::vector<std::string>> promised{
      {"train",
       {"epoch", "step", "samples", "loss", "lr", "images_per_s", "data_wait_s", "rss_bytes"}},
      {"eval", {"epoch", "step", "loss", "top1", "top5", "correct", "total"}},
      {"run_end", {"step", "weights_hash", "seconds", "peak_rss_bytes", "exit"}}};
  for (const auto& [event, fields] : promised) {
    for (const std::string& field : fields) {
      EXPECT_NE(std::ranges::find(documented.at(event), field), documented.at(event).end())
          << event << " " << field;
    }
  }
  std::set<std::string> seen;
  for (const char* rate : {"0.1", "1e10"}) {
    const TinyRun run(tiny({"--epochs", "2", "--log-steps", "5", "--lr", rate}));
    test::run_convoy(run.train(), run.folder());
    for (const Json& event : test::events(run.dir())) {
      const std::string kind = event.at("event");
      std::vector<std::string> fields{"event"};
      ASSERT_TRUE(documented.contains(kind)) << kind;
      fields.insert(fields.end(), documented.at(kind).begin(), documented.at(kind).end());
      fields.emplace_back("t");
      std::vector<std::string> actual;
      for (const auto& [key, value] : event.items()) actual.push_back(key);
      EXPECT_EQ(actual, fields) << kind;
      seen.insert(kind);
    }
    EXPECT_EQ(test::events(run.dir()).front().at("event"), "run_start");
    EXPECT_EQ(test::events(run.dir()).back().at("event"), "run_end");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"run_start", "plan", "train", "eval", "checkpoint",
                                         "nonfinite", "run_end"}));
}

// Computes the hash from its definition and the file format alone, without our reader of
// safetensors.
std::string hash_of_file(const fs::path& path) {
  const std::string bytes = read_file(path, Fault::bug);
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), 8);
  const auto header = nlohmann::json::parse(bytes.substr(8, header_bytes));  // sorted by key
  XXH3_state_t* state = XXH3_createState();
  XXH3_64bits_reset(state);
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || name.ends_with("num_batches_tracked")) continue;
    EXPECT_EQ(tensor.at("dtype"), "F32") << name;
    const auto begin = tensor.at("data_offsets")[0].get<size_t>(),
               end = tensor.at("data_offsets")[1].get<size_t>();
    XXH3_64bits_update(state, bytes.data() + 8 + header_bytes + begin, end - begin);
  }
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}", hash);
}

TEST(Contract, TheLastLineIsTheHashOfTheWeights) {
  for (const bool quiet : {false, true}) {
    const TinyRun run(tiny({"--epochs", "1", "--ema-decay", "0.9"}));
    Arguments arguments = run.train();
    if (!quiet) std::erase(arguments, "--quiet");
    const Finished end = test::run_convoy(arguments, run.folder());
    EXPECT_EQ(end.code, 0) << end.err;
    const std::string hash = hash_of_file(run.dir() / "weights/last.safetensors");
    const std::vector<std::string> lines = test::lines_of(end.out);
    EXPECT_EQ(lines.back(), "weights " + hash);
    if (quiet) {
      ASSERT_EQ(lines.size(), 2u) << end.out;
      EXPECT_TRUE(lines[0].starts_with("top-1 ")) << end.out;
    }
    EXPECT_EQ(test::weights_hash_of(run.dir()), hash);
    EXPECT_EQ(hash_of_file(run.dir() / "checkpoints/last/model.safetensors"), hash);
    const Finished info =
        test::run_convoy({"info", "runs/a/weights/last.safetensors"}, run.folder());
    EXPECT_EQ(test::lines_of(info.out).back(), "weights " + hash);
  }
}

TEST(Contract, ARunsOptionsAreARecipe) {
  const TinyRun first(tiny({"--epochs", "2", "--lr", "0.05", "--nesterov", "--label-smoothing",
                            "0.1", "--lr-schedule", "stepped", "--augment", "flip"}));
  first.whole();
  fs::copy_file(first.dir() / "args.yml", first.folder() / "args.yml");
  const Finished end =
      test::run_convoy({"train", "--config", "args.yml", "--name", "b", "--quiet"}, first.folder());
  EXPECT_TRUE(end.out.ends_with("\nweights " + test::weights_hash_of(first.dir()) + "\n"))
      << end.out << end.err;
  EXPECT_EQ(test::comparable_events(first.folder() / "runs/b"),
            test::comparable_events(first.dir()));
  // Each value with where it came from.
  const std::string args = read_file(first.dir() / "args.yml", Fault::bug);
  EXPECT_TRUE(has(args, "\nlr: 0.05  # command line\n")) << args;
  EXPECT_TRUE(has(args, "\nmomentum: 0.9  # default\n")) << args;
}

// A peak that grows with the batch, and a schedule under torchvision's name: both survive the
// record of the run, and the log has the peak that was meant.
TEST(Contract, ARunsLearningRateIsRecordedAsItWasGiven) {
  const TinyRun first(tiny({"--epochs", "2", "--base_learning_rate", "0.8", "--lr-batch", "256",
                            "--lr-scheduler", "steplr", "--lr-step-size", "1", "--lr-gamma", "0.5",
                            "--log-steps", "1", "--eval-epochs", "0"}));
  first.whole();
  std::vector<double> rates;
  for (const Json& event : test::events(first.dir())) {
    if (event.at("event") == "run_start") {
      EXPECT_FLOAT_EQ(event.at("lr").get<float>(), 0.05f);
    }
    if (event.at("event") == "train") rates.push_back(event.at("lr").get<double>());
  }
  ASSERT_EQ(rates.size(), 32u);
  EXPECT_FLOAT_EQ(float(rates[15]), 0.05f);
  EXPECT_FLOAT_EQ(float(rates[16]), 0.025f);
  fs::copy_file(first.dir() / "args.yml", first.folder() / "args.yml");
  const Finished end =
      test::run_convoy({"train", "--config", "args.yml", "--name", "b", "--quiet"}, first.folder());
  EXPECT_EQ(end.out, "weights " + test::weights_hash_of(first.dir()) + "\n") << end.err;
}

TEST(Contract, OptionsMayBeSpelledInSeveralWays) {
  const Arguments rest{"--dataset",   "generated", "--generated-samples",
                       "64",          "--model",   "cifar_resnet8",
                       "--max-steps", "2",         "--quiet"};
  const TempFolder folder;
  std::string expected;
  for (const Arguments& options : std::vector<Arguments>{
           {"--batch-size", "8", "--lr", "0.05", "--nesterov", "--generated-image-size", "8"},
           {"--batch_size=8", "--lr=0.05", "--nesterov=true", "--generated_image_size=8"},
           {"--set", "batch-size=8", "--set", "lr=0.05", "--set", "nesterov=true", "--set",
            "generated_image_size=8"},
           {"-b", "8", "--learning-rate", "0.05", "--nesterov", "--generated-image-size=8"},
           {"--config", "mine.yml", "--lr", "0.05"}}) {
    test::write_bytes(folder / "mine.yml",
                      "base: below\nbatch_size: 8\nlr: 3\ngenerated-image-size: 8\n");
    test::write_bytes(folder / "below.yml", "nesterov: true\nbatch-size: 99\n");
    const Finished end = test::run_convoy(joined(joined({"train"}, rest), options), folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    if (expected.empty()) expected = end.out;
    EXPECT_EQ(end.out, expected) << testing::PrintToString(options);
  }
  const Finished without = test::run_convoy(
      joined(joined({"train"}, rest), {"--config", "mine.yml", "--lr", "0.05", "--no-nesterov"}),
      folder.path());
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_NE(without.out, expected);
}

TEST(Contract, HelpExplainsEveryOptionOfEveryVerb) {
  const TempFolder folder;
  for (const CommandDef& command : command_catalog()) {
    const Finished help =
        test::run_convoy({std::string(command.name), "--help", "all"}, folder.path());
    EXPECT_EQ(help.code, 0) << command.name;
    EXPECT_EQ(help.err, "");
    for (const Field& field : described(command.describe)) {
      EXPECT_TRUE(has(help.out, "--" + field.key) || has(help.out, "--[no-]" + field.key))
          << command.name << " --" << field.key;
    }
  }
}

TEST(Contract, CompletionKnowsEveryVerbAndOption) {
  const TempFolder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Finished script = test::run_convoy({"completion", shell}, folder.path());
    EXPECT_EQ(script.code, 0) << shell;
    for (const CommandDef& command : command_catalog()) {
      EXPECT_TRUE(has(script.out, std::string(command.name))) << shell << " " << command.name;
      for (const Field& field : described(command.describe)) {
        EXPECT_TRUE(has(script.out, field.key)) << shell << " " << field.key;
      }
    }
  }
}

TEST(Contract, ListAndInfoTellWhatThereIs) {
  const TempFolder folder;
  for (const auto& [kind, word] :
       std::vector<std::pair<std::string, std::string>>{{"models", "cifar_resnet20 "},
                                                        {"datasets", "fashion-mnist "},
                                                        {"augmentations", "pad-crop "},
                                                        {"augmentations", "auto-augment-imagenet "},
                                                        {"optimizers", "sgd "},
                                                        {"lr-schedules", "polynomial "},
                                                        {"recipes", "demo "},
                                                        {"ops", "convolution "},
                                                        {"verbs", "train "}}) {
    const Finished list = test::run_convoy({"list", kind}, folder.path());
    EXPECT_EQ(list.code, 0) << kind << list.err;
    EXPECT_TRUE(has(list.out, word)) << list.out;
  }
  const Finished some = test::run_convoy({"list", "models", "cifar_resnet5?"}, folder.path());
  EXPECT_EQ(test::lines_of(some.out).size(), 2u) << some.out;
  const Finished wrong = test::run_convoy({"list", "modles"}, folder.path());
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "models")) << wrong.err;
  const Finished model = test::run_convoy({"info", "cifar_resnet20"}, folder.path());
  EXPECT_TRUE(has(model.out, "cifar_resnet20: 269,722 parameters")) << model.out;
  EXPECT_TRUE(has(test::run_convoy({"info"}, folder.path()).out, "oneDNN"));
  EXPECT_EQ(test::run_convoy({"info", "cifar_resnet21"}, folder.path()).code, 2);

  const TinyRun run(tiny({"--max-steps", "1"}));
  run.whole();
  EXPECT_TRUE(has(test::run_convoy({"info", "runs/a"}, run.folder()).out, "step-0000001"));
  EXPECT_TRUE(has(test::run_convoy({"info", "runs/a/checkpoints/last"}, run.folder()).out,
                  "step 1, epoch 0.06"));
  EXPECT_TRUE(has(
      test::run_convoy({"info", "runs/a/weights/last.safetensors", "--tensors"}, run.folder()).out,
      "fc.weight"));
}

TEST(Contract, OutputThatIsNoTerminalHasPlainLines) {
  const TinyRun run(tiny({"--epochs", "2", "--log-steps", "8"}));
  Arguments arguments = run.train();
  std::erase(arguments, "--quiet");
  const Finished end = test::run_convoy(arguments, run.folder());
  EXPECT_EQ(end.err, "");
  EXPECT_FALSE(has(end.out, "\x1b")) << end.out;
  EXPECT_FALSE(has(end.out, "\r")) << end.out;
  EXPECT_EQ(std::ranges::count_if(test::lines_of(end.out),
                                  [](const auto& line) { return line.starts_with("Train: "); }),
            4);
  EXPECT_FALSE(has(read_file(run.dir() / "log.txt", Fault::bug), "\x1b"));
  const Finished eval = test::run_convoy({"eval", "--checkpoint", "runs/a"}, run.folder());
  EXPECT_EQ(eval.code, 0);
  EXPECT_FALSE(has(eval.out, "\x1b")) << eval.out;
  EXPECT_TRUE(has(eval.out, "Acc@1")) << eval.out;
}

// What a person at a terminal of 120 columns sees.
std::string seen_on_a_terminal(const Arguments& arguments, const fs::path& folder,
                               const std::string& variable = "LANG=C") {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0);
  winsize size{.ws_row = 24, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(master, TIOCSWINSZ, &size);
  std::array<char, 100> slave{};
  ::ptsname_r(master, slave.data(), slave.size());
  Arguments words = joined({test::convoy_program()}, arguments);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<std::string, 3> variables{"TERM=xterm", "LC_ALL=C.UTF-8", variable};
  std::array<char*, 4> environment{variables[0].data(), variables[1].data(), variables[2].data(),
                                   nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, slave.data(), O_WRONLY | O_NOCTTY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = -1;
  EXPECT_EQ(::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment.data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  std::string seen;
  std::array<char, 4096> buffer{};
  // An error when the program has closed its side.
  for (ssize_t got; (got = ::read(master, buffer.data(), buffer.size())) > 0;) {
    seen.append(buffer.data(), static_cast<size_t>(got));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(master);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << seen;
  return seen;
}

TEST(Contract, ATerminalShowsABarWithSpeedAndTimeLeft) {
  const TempFolder folder;
  const std::string seen =
      seen_on_a_terminal(joined({"train", "--name", "a"}, tiny({"--epochs", "15"})), folder.path());
  EXPECT_TRUE(has(seen, "\r\x1b[K")) << seen;
  EXPECT_TRUE(has(seen, "━")) << seen;
  EXPECT_TRUE(has(seen, " img/s")) << seen;
  EXPECT_TRUE(has(seen, "ETA ")) << seen;
  EXPECT_TRUE(has(seen, "epoch 15/15")) << seen;
  const size_t last = seen.rfind("weights ");
  ASSERT_NE(last, std::string::npos);
  EXPECT_EQ(seen.substr(last), "weights " + test::weights_hash_of(folder / "runs/a") + "\r\n");
  EXPECT_FALSE(has(read_file(folder / "runs/a/log.txt", Fault::bug), "\x1b"));
  // Quiet is quiet there too.
  EXPECT_EQ(test::lines_of(seen_on_a_terminal(joined({"train", "--quiet"}, tiny({"--epochs", "1"})),
                                              folder.path()))
                .size(),
            2u);
}

TEST(Contract, ATerminalShowsNoColourWhereNoColorIsSet) {
  const TempFolder folder;
  const Arguments once = joined({"train"}, tiny({"--epochs", "1"}));
  EXPECT_TRUE(has(seen_on_a_terminal(once, folder.path()), "\x1b[1m"));
  EXPECT_FALSE(has(seen_on_a_terminal(once, folder.path(), "NO_COLOR=1"), "\x1b[1m"));
}

}  // namespace
}  // namespace convoy
