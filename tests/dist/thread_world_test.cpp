// The tests' own world keeps the promises of dist/transport.h that exchanges rely on.
#include "support/thread_world.h"

#include <gtest/gtest.h>

#include <array>

namespace convoy {
namespace {

TEST(ThreadWorld, TheFirstMessageMeetsTheFirstReceiveWhicheverIsAskedForFirst) {
  test::with_ranks({0, 1}, [](Transport& transport) {
    constexpr int tag = 3;
    const std::array<int, 2> sent{11, 22};
    std::array<int, 2> received{};
    const auto bytes_of = [](auto& number) {
      return std::as_writable_bytes(std::span(&number, 1));
    };
    if (transport.rank() == 0) {
      for (const int& number : sent) {
        transport.wait(transport.send(1, tag, std::as_bytes(std::span(&number, 1))));
        transport.barrier();
        transport.barrier();
      }
      return;
    }
    const Transport::Ticket first = transport.receive(0, tag, bytes_of(received[0]));
    const Transport::Ticket second = transport.receive(0, tag, bytes_of(received[1]));
    transport.barrier();  // one message is there
    EXPECT_FALSE(transport.is_done(second));
    transport.barrier();
    transport.barrier();  // both are
    EXPECT_TRUE(transport.is_done(second));
    EXPECT_TRUE(transport.is_done(first));
    transport.barrier();
    EXPECT_EQ(received, sent);
  });
}

}  // namespace
}  // namespace convoy
