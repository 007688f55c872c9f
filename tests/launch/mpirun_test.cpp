#include "launch/mpirun.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "launch/supervisor.h"
#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

std::string line(const MpirunOptions& options) {
  ::unsetenv("CONVOY_MPIRUN");
  return " " +
         join(mpirun_words(place_ranks(parse_hosts("a:2,b:1", "-H"), 0, false), options), " ") +
         " ";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(" " + part + " ") != text.npos;
}

TEST(Mpirun, FollowsOurPlacementAndBindsNothing) {
  const std::string plain = line({});
  EXPECT_TRUE(plain.starts_with(" mpirun ")) << plain;
  EXPECT_TRUE(has(plain, "-H a:2,b:1 -np 3 --map-by slot --bind-to none --tag-output")) << plain;
  EXPECT_EQ(plain.find("oversubscribe"), plain.npos);
  EXPECT_EQ(plain.find("plm_rsh_args"), plain.npos);
  EXPECT_EQ(plain.find("if_include"), plain.npos);
}

TEST(Mpirun, EveryOptionIsUsed) {
  const std::string all = line({.interface = "eth0",
                                .ssh_port = 3022,
                                .prefix = "/usr/mpi",
                                .global = {"--mca", "pml", "ob1"},
                                .local = {"--display-map"},
                                .variables = {{"A", "1 2"}, {"B", ""}},
                                .forwarded = {"A", "PATH"},
                                .oversubscribe = true});
  for (const char* part :
       {"--prefix /usr/mpi", "--mca plm_rsh_args -p 3022", "--mca btl_tcp_if_include eth0",
        "--mca oob_tcp_if_include eth0", "--mca pml ob1", "-x A=1 2", "-x B=", "-x PATH",
        "--display-map", "--mca mpi_yield_when_idle 1"}) {
    EXPECT_TRUE(has(all, part)) << part << " in" << all;
  }
  EXPECT_FALSE(has(all, "-x A")) << all;
}

TEST(Mpirun, TheProgramCanBeAnother) {
  ::setenv("CONVOY_MPIRUN", "/bin/other", 1);
  EXPECT_EQ(mpirun_words({{{"a", 1}}}, {})[0], "/bin/other");
  ::unsetenv("CONVOY_MPIRUN");
}

TEST(Mpirun, WordsAreThoseOfAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(shell_words("", "x"), Words{});
  EXPECT_EQ(shell_words("  a  'b c'\t\"d'e\"f ''", "x"), (Words{"a", "b c", "d'ef", ""}));
  expect_raises(Fault::usage, {"--mpi-args", "open '"}, [] { shell_words("a 'b", "mpi-args"); });
}

TEST(Mpirun, OurVariablesAndPathsAreForwarded) {
  const char* environment[] = {
      "HOME=/x", "PATH=/bin", "CONVOY_B=1", "CONVOY_A=", "LD_LIBRARY_PATH=", "PATHS=1", nullptr};
  EXPECT_EQ(join(forwarded_variables(environment), " "), "CONVOY_A CONVOY_B LD_LIBRARY_PATH PATH");
}

TEST(Mpirun, TheRankThatWasKilledIsFoundInWhatItSays) {
  EXPECT_EQ(killed_rank({"----",
                         "mpirun noticed that process rank 2 with PID 0 on node n17 exited on "
                         "signal 9 (Killed)."}),
            "rank 2 (host n17) was killed by signal 9");
  EXPECT_EQ(killed_rank({"mpirun noticed that process rank 12 with PID 77 on node n17",
                         "exited on signal 11 (Segmentation fault)."}),
            "rank 12 (host n17) was killed by signal 11");
  EXPECT_EQ(killed_rank({"process rank x with PID", ""}), "");
  EXPECT_EQ(killed_rank({}), "");
}

}  // namespace
}  // namespace convoy
