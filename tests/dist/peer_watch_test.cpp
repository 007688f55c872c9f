#include "dist/peer_watch.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "support/raises.h"

namespace convoy {
namespace {

using Doing = PeerWatch::Doing;

constexpr double timeout_s = 1.0, beat_s = 0.1;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// A rank that lives in this process.
struct Rank {
  std::atomic<int> calls{0};
  std::unique_ptr<PeerWatch> watch;

  Rank(int rank, int size, std::unique_ptr<WatchDoor> door, const std::string& address) {
    watch = std::make_unique<PeerWatch>(
        PeerWatch::Options{rank, size, "host" + std::to_string(rank), timeout_s, beat_s},
        std::move(door), address, [this](const PeerLoss&) { ++calls; });
    watch->is_doing(Doing::working);
  }
  std::string text() const {
    const std::optional<PeerLoss> loss = watch->loss();
    return loss ? loss->text : "";
  }
};

// Rank 0 and some others as threads of this process.
struct Ranks {
  std::string address;
  std::vector<std::unique_ptr<Rank>> all;

  // `here` of `size` ranks; the others are up to the test.
  Ranks(int size, int here) {
    auto door = std::make_unique<WatchDoor>("lo");
    address = door->address();
    all.push_back(std::make_unique<Rank>(0, size, std::move(door), address));
    for (int rank = 1; rank < here; ++rank) {
      all.push_back(std::make_unique<Rank>(rank, size, nullptr, address));
    }
  }

  // Keeps everybody busy meanwhile. True when all have seen a loss before the time is over.
  bool all_lose(double seconds) {
    const double end = steady_seconds() + seconds;
    const auto have_lost = [](const auto& rank) { return rank->calls > 0; };
    while (steady_seconds() < end) {
      for (const auto& rank : all) {
        if (rank->watch->doing() == Doing::working) rank->watch->advance();
      }
      if (std::ranges::all_of(all, have_lost)) return true;
      sleep_for(0.01);
    }
    return false;
  }

  // Leaves this rank out of all that follows, though it lives on.
  void forget(size_t rank) {
    idle = std::move(all[rank]);
    all.erase(all.begin() + static_cast<long>(rank));
  }
  std::unique_ptr<Rank> idle;
};

// A rank as a process of its own that beats until a signal or a loss (exit 7) ends it.
pid_t child_rank(int rank, int size, const std::string& address) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  PeerWatch watch({rank, size, "child", timeout_s, beat_s}, nullptr, address,
                  [](const PeerLoss&) { ::_exit(7); });
  watch.is_doing(Doing::working);
  watch.at_step(37);
  for (int i = 0; i < 2000; ++i) {
    watch.advance();
    sleep_for(0.01);
  }
  ::_exit(0);
}

int exit_code_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(PeerWatch, RanksThatWorkAndLeaveAreNotLost) {
  Ranks ranks(4, 4);
  EXPECT_FALSE(ranks.all_lose(2 * timeout_s));
  ranks.all[3].reset();  // says goodbye
  ranks.all.pop_back();
  EXPECT_FALSE(ranks.all_lose(1.5 * timeout_s));
  for (const auto& rank : ranks.all) EXPECT_EQ(rank->text(), "");
}

TEST(PeerWatch, TheKilledAreNamedAtOnceEverywhere) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    Ranks ranks(3, 2);
    const pid_t child = child_rank(2, 3, ranks.address);
    EXPECT_FALSE(ranks.all_lose(0.6));
    const double begin = steady_seconds();
    ::kill(child, signal);
    EXPECT_TRUE(ranks.all_lose(timeout_s + 1));
    const double took = steady_seconds() - begin;
    EXPECT_LT(took, signal == SIGKILL ? timeout_s / 2 : timeout_s + 0.5);
    for (const auto& rank : ranks.all) {
      const PeerLoss loss = *rank->watch->loss();
      EXPECT_EQ(loss.rank, 2);
      EXPECT_EQ(loss.exit_code, 7);
      EXPECT_EQ(rank->calls, 1);
      EXPECT_EQ(loss.told, rank != ranks.all[0]);
      for (const std::string& part : {std::string("rank 2 (host child, pid "),
                                      std::to_string(child), std::string("step 37")}) {
        EXPECT_NE(loss.text.find(part), loss.text.npos) << loss.text;
      }
      const char* word = signal == SIGKILL ? "was lost" : "stopped answering";
      EXPECT_NE(loss.text.find(word), loss.text.npos) << loss.text;
    }
    ::kill(child, SIGKILL);
    exit_code_of(child);
  }
}

TEST(PeerWatch, TheOthersNoticeThatRankZeroIsGone) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t zero = ::fork();
    if (zero == 0) {
      auto door = std::make_unique<WatchDoor>("lo");
      const std::string address = door->address();
      (void)!::write(told[1], address.data(), address.size());
      PeerWatch watch({0, 2, "zero", timeout_s, beat_s}, std::move(door), address,
                      [](const PeerLoss&) {});
      sleep_for(20);
      ::_exit(0);
    }
    char address[1024];
    const ssize_t length = ::read(told[0], address, sizeof address);
    ASSERT_GT(length, 0);
    Rank one(1, 2, nullptr, {address, static_cast<size_t>(length)});
    sleep_for(0.5);
    EXPECT_EQ(one.calls, 0);
    ::kill(zero, signal);
    for (int i = 0; i < 300 && !one.calls; ++i) sleep_for(0.01);
    EXPECT_EQ(one.calls, 1);
    EXPECT_NE(one.text().find("rank 0 (host zero, pid " + std::to_string(zero)), std::string::npos)
        << one.text();
    ::kill(zero, SIGKILL);
    exit_code_of(zero);
    ::close(told[0]);
    ::close(told[1]);
  }
}

TEST(PeerWatch, WhoStandsStillWhileOthersWaitIsNamed) {
  Ranks ranks(3, 3);
  for (const auto& rank : ranks.all) rank->watch->at_step(5);
  ranks.all[0]->watch->is_doing(Doing::waiting);
  ranks.all[2]->watch->is_doing(Doing::waiting);
  // Slow is not still.
  EXPECT_FALSE(ranks.all_lose(2 * timeout_s));
  ranks.forget(1);
  EXPECT_TRUE(ranks.all_lose(2 * timeout_s + 1));
  EXPECT_NE(ranks.all[0]->text().find("rank 1 (host host1"), std::string::npos);
  EXPECT_NE(ranks.all[0]->text().find("stands still at step 5"), std::string::npos);
}

TEST(PeerWatch, LongWorkHasMoreTime) {
  Ranks ranks(2, 2);
  ranks.all[1]->watch->is_doing(Doing::waiting);
  ranks.all[0]->watch->is_doing(Doing::long_work);
  EXPECT_FALSE(ranks.all_lose(2.5 * timeout_s));
}

TEST(PeerWatch, AllWaitingForOneAnotherIsALossToo) {
  Ranks ranks(2, 2);
  for (const auto& rank : ranks.all) rank->watch->is_doing(Doing::waiting);
  EXPECT_TRUE(ranks.all_lose(3 * timeout_s));
  EXPECT_NE(ranks.all[1]->text().find("all ranks wait"), std::string::npos);
  EXPECT_EQ(ranks.all[1]->watch->loss()->rank, -1);
}

TEST(PeerWatch, WhoFailsTakesTheOthersAlongWithItsCode) {
  for (const size_t failing : {0u, 2u}) {
    Ranks ranks(3, 3);
    EXPECT_FALSE(ranks.all_lose(0.5));
    ranks.all[failing]->watch->fail(3, "bad data in\nx.jpg");
    ranks.forget(failing);
    EXPECT_TRUE(ranks.all_lose(timeout_s));
    for (const auto& rank : ranks.all) {
      EXPECT_EQ(rank->watch->loss()->exit_code, 3);
      EXPECT_EQ(rank->watch->loss()->rank, static_cast<int>(failing));
      EXPECT_TRUE(rank->watch->loss()->told);
      EXPECT_NE(rank->text().find("bad data in\\nx.jpg"), std::string::npos) << rank->text();
    }
    EXPECT_EQ(ranks.idle->calls, 0);
  }
}

TEST(PeerWatch, WhoNeverComesIsLost) {
  Ranks ranks(3, 2);
  EXPECT_TRUE(ranks.all_lose(timeout_s + 1));
  EXPECT_NE(ranks.all[0]->text().find("rank 2 has never reached rank 0"), std::string::npos);
}

// Connects as a stranger and says something.
LineSocket stranger(const std::string& address, const std::string& says) {
  const size_t first = address.find(' '), second = address.find(' ', first + 1);
  const int port = std::stoi(address.substr(first + 1, second - first - 1));
  auto socket = LineSocket::connect("127.0.0.1", static_cast<uint16_t>(port), 2);
  EXPECT_TRUE(socket);
  if (!says.empty()) socket->send(says);
  return std::move(*socket);
}

std::string next_line(LineSocket& socket) {
  for (int i = 0; i < 300; ++i) {
    if (const std::optional<std::string> line = socket.next()) return *line;
    sleep_for(0.01);
  }
  ADD_FAILURE() << "nothing came";
  return "";
}

// What a rank answers to a challenge, by the protocol of peer_watch_parts.h.
std::string hello(const WatchKey& key, const std::string& challenge, int rank,
                  const std::string& host, const std::string& drawn = std::string(32, '0')) {
  const std::string who = fmt::format("{} 99 {}", rank, host);
  return fmt::format("hello {} 99 {} {} {}", rank, drawn,
                     key.proof(fmt::format("member {} {} {}", challenge, drawn, who)), host);
}

WatchKey key_of(const std::string& address) { return *WatchKey::read(address.substr(0, 32)); }

std::string challenge_of(LineSocket& socket) {
  const std::string line = next_line(socket);
  EXPECT_EQ(line.substr(0, 10), "challenge ");
  return line.substr(10);
}

TEST(PeerWatch, StrangersAndNonsenseChangeNothing) {
  Ranks ranks(2, 2);
  EXPECT_FALSE(ranks.all_lose(0.5));
  const WatchKey key = key_of(ranks.address);
  const std::string drawn(32, '0');
  std::vector<LineSocket> strangers;
  for (const std::string& says :
       {std::string("hello 0 1 1 x"), std::string("GET / HTTP/1.1"), std::string(""),
        "hello " + key.text() + " 1 1 x", "hello 1 99 " + drawn + " " + drawn + " x",
        hello(key, drawn, 1, "x"), hello(WatchKey::drawn(), drawn, 1, "x"),
        std::string(200000, 'x'), std::string("lost 1 7 all is lost"), std::string("bye"),
        std::string("\0\1\2", 3)}) {
    strangers.push_back(stranger(ranks.address, says));
  }
  // These know the key, but are there already or are no ranks of the run.
  for (const int rank : {1, 0, 2, -1}) {
    strangers.push_back(stranger(ranks.address, ""));
    strangers.back().send(hello(key, challenge_of(strangers.back()), rank, "x"));
  }
  EXPECT_FALSE(ranks.all_lose(timeout_s));
  strangers.clear();
  EXPECT_FALSE(ranks.all_lose(timeout_s));
}

TEST(PeerWatch, AnAnswerIsGoodForOneChallengeOnly) {
  Ranks ranks(2, 1);
  const WatchKey key = key_of(ranks.address);
  LineSocket first = stranger(ranks.address, ""), second = stranger(ranks.address, "");
  const std::string answer = hello(key, challenge_of(first), 1, "n5");
  EXPECT_NE(challenge_of(second), "");
  second.send(answer);
  for (int i = 0; i < 20 && !second.is_closed(); ++i) {
    EXPECT_FALSE(second.next());
    sleep_for(0.02);
  }
  EXPECT_TRUE(second.is_closed());
  EXPECT_EQ(ranks.all[0]->calls, 0);
}

// Rank 0 proves that it knows the key as well, and the key itself is never sent.
TEST(PeerWatch, RankZeroMustAnswerToo) {
  Ranks ranks(2, 1);
  const WatchKey key = key_of(ranks.address);
  LineSocket rank = stranger(ranks.address, "");
  const std::string challenge = challenge_of(rank), drawn(32, 'a');
  const std::string said = hello(key, challenge, 1, "n5", drawn);
  EXPECT_EQ(said.find(key.text()), said.npos);
  rank.send(said);
  EXPECT_EQ(next_line(rank), "welcome " + key.proof("zero " + drawn + " " + challenge));
  EXPECT_EQ(next_line(rank).substr(0, 11), "beat host0 ");
}

TEST(PeerWatch, AFalseRankZeroIsNotBelieved) {
  WatchDoor door("lo");
  Rank one(1, 2, nullptr, door.address());
  std::optional<LineSocket> member;
  for (int i = 0; i < 200 && !member; ++i) {
    member = door.accept();
    sleep_for(0.01);
  }
  ASSERT_TRUE(member);
  member->send("challenge " + std::string(32, '0'));
  EXPECT_EQ(next_line(*member).substr(0, 8), "hello 1 ");
  for (const char* says : {"welcome 0", "lost 1 7 all is lost", "bye", "beat x 1 1"}) {
    member->send(says);
  }
  for (int i = 0; i < 300 && !one.calls; ++i) sleep_for(0.01);
  EXPECT_NE(one.text().find("rank 0 (host unknown, pid 0) stopped answering"), std::string::npos)
      << one.text();
}

TEST(PeerWatch, NonsenseFromARankIsSilence) {
  Ranks ranks(2, 1);
  LineSocket rank = stranger(ranks.address, "");
  rank.send(hello(key_of(ranks.address), challenge_of(rank), 1, "n5"));
  const double end = steady_seconds() + timeout_s + 1;
  while (steady_seconds() < end && !ranks.all[0]->calls) {
    for (const char* says :
         {"beat", "beat 1 2", "beat x y z", "beat 1 2 9", "fail", "fail x y", ""}) {
      rank.send(says);
    }
    sleep_for(0.05);
  }
  EXPECT_NE(ranks.all[0]->text().find("rank 1 (host n5, pid 99) stopped answering"),
            std::string::npos)
      << ranks.all[0]->text();
}

TEST(PeerWatch, AnAddressThatIsNoneIsRefused) {
  for (const char* wrong : {"", "x", "0 1", "zz 80 127.0.0.1", "00112233445566778899aabbccddeeff",
                            "00112233445566778899aabbccddeeff 99999 127.0.0.1",
                            "00112233445566778899aabbccddeeff 80"}) {
    test::expect_raises(Fault::peer, {"no address of rank 0"}, [&] {
      PeerWatch({1, 2, "h", 1, 0.1}, nullptr, wrong, [](const PeerLoss&) {});
    });
  }
}

TEST(PeerWatch, TheDoorIsAtTheChosenInterfaceAlone) {
  const WatchDoor door("127.0.0.0/8");
  ASSERT_EQ(door.descriptors().size(), 1u);
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  ASSERT_EQ(::getsockname(door.descriptors()[0], reinterpret_cast<sockaddr*>(&bound), &length), 0);
  EXPECT_EQ(bound.sin_family, AF_INET);
  EXPECT_EQ(ntohl(bound.sin_addr.s_addr), INADDR_LOOPBACK);
}

TEST(PeerWatch, InterfacesAreChosenByNameAndByNetwork) {
  EXPECT_EQ(host_addresses("lo").front(), "127.0.0.1");
  EXPECT_EQ(host_addresses("127.0.0.0/8"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(host_addresses("no-such-one,1.2.3.0/24,x/y,/8,1.2.3.4/99").size(), 0u);
  test::expect_raises(Fault::usage, {"no network interface", "nope0"}, [] { WatchDoor("nope0"); });
}

}  // namespace
}  // namespace convoy
