#include "config/completion.h"

#include "config/shell.h"
#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::shell;

std::vector<CompletionVerb> verbs() {
  Fields field({});
  bool nesterov = false;
  int threads = 0;
  std::string optimizer, name;
  field("optimizer", optimizer, "the rule's \"update\": [sgd] $(touch x) `y` \\",
        one_of({"sgd", "adam", "adamw", "bad choice", "$(evil)"}), {"opt", "o"});
  field("nesterov", nesterov, "look ahead");
  field("threads", threads, "worker threads");
  field("run-name", name, "name");
  return {{"train", "train a network: it's [fast]", field.all(), {}},
          {"completion", "print a script", {}, {"bash", "zsh", "fish"}}};
}

// What bash offers for the last of these words.
std::string bash_offers(const std::string& words) {
  const test::ScratchFolder folder;
  const std::string script = folder.write("c.bash", completion_script("bash", "convoy", verbs()));
  const std::string probe =
      folder.write("probe.bash", "source " + script + "\nCOMP_WORDS=(" + words +
                                     ")\n"
                                     "COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n"
                                     "_convoy\n"
                                     "echo \"${COMPREPLY[*]}\"\n");
  return shell("bash --norc " + probe + " 2>&1").output;
}

TEST(Completion, BashOffersVerbsOptionsAndValues) {
  EXPECT_EQ(bash_offers("convoy tr"), "train\n");
  EXPECT_EQ(bash_offers("convoy ''"), "train completion --help --version\n");
  EXPECT_EQ(bash_offers("convoy train --n"), "--nesterov --no-nesterov\n");
  EXPECT_EQ(bash_offers("convoy train --optimizer ''"), "sgd adam adamw\n");
  EXPECT_EQ(bash_offers("convoy train --optimizer ad"), "adam adamw\n");
  EXPECT_EQ(bash_offers("convoy train -o s"), "sgd\n");
  EXPECT_EQ(bash_offers("convoy train --optimizer = ad"), "adam adamw\n");
  EXPECT_EQ(bash_offers("convoy train --optimizer ="), "sgd adam adamw\n");
  EXPECT_EQ(bash_offers("convoy train --threads ''"), "\n");
  EXPECT_EQ(bash_offers("convoy train --help ''"), "all options\n");
  EXPECT_EQ(bash_offers("convoy completion ''"), "bash zsh fish\n");
  EXPECT_EQ(bash_offers("convoy nonsense --x"), "\n");
}

TEST(Completion, EveryScriptIsValidForItsShell) {
  const test::ScratchFolder folder;
  for (const std::string name : {"bash", "zsh", "fish"}) {
    if (!test::has_program(name)) continue;  // bash is always there
    const std::string script = folder.write(name, completion_script(name, "convoy", verbs()));
    const test::ShellResult result = shell(name + " -n " + script + " 2>&1");
    EXPECT_EQ(result.code, 0) << result.output;
    EXPECT_EQ(result.output, "");
  }
}

TEST(Completion, FishOffersVerbsOptionsAndValues) {
  if (!test::has_program("fish")) GTEST_SKIP() << "no fish here";
  const test::ScratchFolder folder;
  const std::string script = folder.write("c.fish", completion_script("fish", "convoy", verbs()));
  const auto offers = [&](const std::string& typed) {
    return shell("HOME=" + folder.path() + " fish -c 'source " + script + "; complete -C \"" +
                 typed + "\"' 2>&1")
        .output;
  };
  EXPECT_TRUE(contains(offers("convoy tr"), "train\ttrain a network: it's [fast]"));
  EXPECT_TRUE(contains(offers("convoy train --opt"), "--optimizer"));
  EXPECT_TRUE(contains(offers("convoy train --no"), "--no-nesterov"));
  EXPECT_TRUE(contains(offers("convoy train --optimizer "), "adamw"));
  EXPECT_TRUE(contains(offers("convoy completion "), "zsh"));
}

TEST(Completion, ZshOptionsAreAccepted) {
  if (!test::has_program("zsh")) GTEST_SKIP() << "no zsh here";
  const test::ScratchFolder folder;
  const std::string script = folder.write("_convoy", completion_script("zsh", "convoy", verbs()));
  // Completion itself needs a terminal; what _arguments is given does not.
  const std::string probe = folder.write("probe.zsh",
                                         "compdef() { : }\n"
                                         "_arguments() { print -rl -- \"$@\" }\n"
                                         "source " +
                                             script +
                                             "\n"
                                             "words=(convoy train --o); CURRENT=3\n"
                                             "_convoy\n");
  const test::ShellResult result = shell("zsh -f " + probe + " 2>&1");
  EXPECT_TRUE(contains(result.output, ":text:(sgd adam adamw)\n"));
  EXPECT_TRUE(
      contains(result.output, "--optimizer=[the rule's \"update\"\\: \\[sgd\\] $(touch x)"));
  EXPECT_TRUE(contains(result.output, "--no-nesterov[look ahead]\n"));
}

TEST(Completion, AnotherShellIsRefused) {
  EXPECT_EQ(test::usage_error([] { completion_script("tcsh", "convoy", {}); }),
            "no completion for the shell tcsh; try: one of bash, zsh, fish");
}

}  // namespace
}  // namespace convoy
