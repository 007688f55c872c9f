#include "launch/hosts.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

std::string text(const std::vector<LaunchHost>& hosts) {
  std::string all;
  for (const LaunchHost& host : hosts) all += host.name + "=" + std::to_string(host.slots) + " ";
  return all;
}

TEST(Hosts, ListsHaveNamesAndSlots) {
  EXPECT_EQ(text(parse_hosts("n1:2,n2:3", "-H")), "n1=2 n2=3 ");
  EXPECT_EQ(text(parse_hosts("n1,10.0.0.7", "-H")), "n1=0 10.0.0.7=0 ");
  EXPECT_EQ(text(parse_hosts("n1,n1,n2", "-H")), "n1=2 n2=0 ");
  EXPECT_EQ(text(parse_hosts("n1:2,n1:2", "-H")), "n1=4 ");
}

TEST(Hosts, FilesHaveOneOnALine) {
  EXPECT_EQ(text(parse_hostfile("# ours\n\nn1 slots=2  # the big one\n\tn2:3\r\nn3", "f")),
            "n1=2 n2=3 n3=0 ");
}

TEST(Hosts, WhatIsNoListIsRefusedWithItsPlace) {
  for (const char* wrong : {"", ",", "n1,,n2", "n1:", "n1:0", "n1:x", "n1:-1", "n1:2:3", ":2",
                            "n1 n2", "-oProxyCommand=x", "n1;reboot", "$(x)", "n1:99999999999"}) {
    expect_raises(Fault::usage, {"--hosts", "try"}, [&] { parse_hosts(wrong, "--hosts"); });
  }
}

TEST(Hosts, WhatIsNoHostfileIsRefusedWithItsLine) {
  for (const char* wrong : {"ok\nn1 slots=0", "ok\nn1 slots", "ok\nn1 max_slots=2",
                            "ok\nn1 slots=1 x=2", "ok\n-l root", "ok\nn1 slots=1e3"}) {
    expect_raises(Fault::usage, {"hosts.txt:2", "try"},
                  [&] { parse_hostfile(wrong, "hosts.txt"); });
  }
  expect_raises(Fault::usage, {"hosts.txt names no host"},
                [] { parse_hostfile("# none\n\n", "hosts.txt"); });
}

}  // namespace
}  // namespace convoy
