// The program as the shell sees it: output, standard error, exit codes.

#include "app/program.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

#include "app/command.h"
#include "config/shell.h"
#include "config/support.h"
#include "support/places.h"

namespace convoy {
namespace {

using test::contains;
using test::shell;

const std::string program = test::convoy_program();

// Exit code, and standard error alone.
test::ShellResult errors_of(const std::string& arguments) {
  return shell(program + " " + arguments + " 2>&1 >/dev/null");
}

TEST(Program, ShowsHelp) {
  const test::ShellResult help = shell(program + " --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(contains(help.output, "Usage: convoy VERB [options]"));
  EXPECT_TRUE(contains(help.output, "completion"));
  EXPECT_EQ(shell(program + " -h").output, help.output);
  EXPECT_EQ(shell(program + " help").output, help.output);
  const test::ShellResult none = errors_of("");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output, help.output);
}

TEST(Program, EveryVerbHasHelpAndASummary) {
  for (const CommandDef& command : command_catalog()) {
    const std::string name(command.name);
    EXPECT_FALSE(command.summary.empty()) << name;
    EXPECT_TRUE(command.usage.starts_with(name)) << name;
    const test::ShellResult help = shell(program + " " + name + " --help");
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_TRUE(contains(help.output, "Usage: convoy " + name));
    EXPECT_TRUE(contains(help.output, "--help"));
    EXPECT_EQ(shell(program + " help " + name).output, help.output);
    const test::ShellResult wrong = errors_of(name + " --no-such-option-at-all 1");
    EXPECT_EQ(wrong.code, 2) << name;
    EXPECT_TRUE(contains(wrong.output, "convoy: error: unknown option --no-such-option-at-all"));
  }
}

TEST(Program, WarnsOnceOfOptionsThatWereGivenTwice) {
  const test::ShellResult twice = errors_of("list verbs --num-classes 3 --num-classes 4");
  EXPECT_EQ(twice.code, 0);
  EXPECT_EQ(twice.output,
            "Warning: given again later, so that it does not count: --num-classes 3\n");
  EXPECT_EQ(errors_of("list verbs --num-classes 3 --num-classes 3").output, "");
}

TEST(Program, TellsItsVersion) {
  const test::ShellResult result = shell(program + " --version");
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.output.starts_with("convoy "));
}

TEST(Program, RefusesInOneLineWithTheFaultsCode) {
  for (const auto& [arguments, message] :
       {std::pair{"complétion", "unknown verb"},
        {"completon bash", "convoy: error: unknown verb completon; nearest: completion"},
        {"--verbose train", "convoy: error: unknown option --verbose before the verb"},
        {"help nothing-like-it", "unknown verb nothing-like-it"},
        {"completion", "convoy: error: missing SHELL"},
        {"completion tcsh", "no completion for the shell tcsh"},
        {"completion bash zsh", "unexpected word \"zsh\""},
        {"completion --shel bash", "unknown option --shel"},
        {"\"$(printf 'two\\nlines')\"", "unknown verb two\\nlines"}}) {
    const test::ShellResult result = errors_of(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(contains(result.output, message));
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
  }
}

TEST(Program, EveryExceptionHasItsLineAndCode) {
  const auto outcome = [](auto thrown) {
    testing::internal::CaptureStderr();
    const int code = with_exit_code([&]() -> int { throw thrown; });
    return std::pair{code, testing::internal::GetCapturedStderr()};
  };
  using Outcome = std::pair<int, std::string>;
  EXPECT_EQ(outcome(Error(Fault::data, "bad\nfile")), Outcome(3, "convoy: error: bad\\nfile\n"));
  EXPECT_EQ(outcome(Error(Fault::checkpoint, "x")).first, 4);
  EXPECT_EQ(outcome(std::bad_alloc()),
            Outcome(6, "convoy: error: out of memory; try: a smaller --batch-size\n"));
  EXPECT_EQ(outcome(std::runtime_error("odd")), Outcome(1, "convoy: error: unexpected: odd\n"));
  EXPECT_EQ(outcome(42).first, 1);
  EXPECT_EQ(outcome(std::system_error(std::make_error_code(std::errc::broken_pipe))),
            Outcome(141, ""));
  EXPECT_EQ(with_exit_code([] { return 75; }), 75);
}

TEST(Program, CompletionScriptsAreValid) {
  for (const std::string name : {"bash", "zsh", "fish"}) {
    EXPECT_EQ(shell(program + " completion " + name + " >/dev/null").code, 0);
    if (!test::has_program(name)) continue;
    const test::ShellResult result =
        shell(program + " completion " + name + " | " + name + " -n 2>&1");
    EXPECT_EQ(result.code, 0) << result.output;
  }
}

TEST(Program, ToleratesReadersThatLeave) {
  // The pipe's reader is gone before the program starts to write.
  const test::ShellResult code =
      shell("bash -c '{ { sleep 0.1; " + program + " --help; echo $? >&3; } | true; } 3>&1' 2>&1");
  EXPECT_EQ(code.output, "0\n");
}

TEST(Program, AFullDiskBehindTheOutputIsAnError) {
  // The second and third print more than what stdout holds back.
  for (const char* typed : {" --help", " list models", " completion bash"}) {
    const test::ShellResult result = shell(program + typed + " 2>&1 >/dev/full");
    EXPECT_EQ(result.code, 6) << typed;
    EXPECT_TRUE(contains(result.output, "convoy: error: cannot write to the standard output"))
        << typed << result.output;
    EXPECT_TRUE(contains(result.output, "; try: ")) << typed << result.output;
  }
}

TEST(Program, LivesWithoutStandardStreams) {
  EXPECT_EQ(shell(program + " --help <&- >&- 2>&-").code, 0);
  EXPECT_EQ(shell(program + " nonsense <&- >&- 2>&-").code, 2);
}

}  // namespace
}  // namespace convoy
