// Groups of ranks: the same promises among some of the ranks, by MPI and in the tests' own world.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dist/gradient_exchange.h"
#include "dist/world.h"
#include "support/process.h"
#include "support/thread_world.h"

namespace convoy {
namespace {

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// A message to the next rank of the group, with a tag that the world uses at the same time.
int from_the_one_before(Transport& group, int mine) {
  const int n = group.size(), rank = group.rank();
  int theirs = -1;
  const auto in = group.receive((rank + n - 1) % n, 5, bytes_of(theirs));
  group.wait(group.send((rank + 1) % n, 5, bytes_of(mine)));
  group.wait(in);
  return theirs;
}

// Everything a group can do; `ranks`: of the world, this one among them.
void check_group(Transport& world, const std::vector<int>& ranks) {
  const std::unique_ptr<Transport> group = world.group(ranks);
  const auto place = static_cast<int>(std::ranges::find(ranks, world.rank()) - ranks.begin());
  ASSERT_EQ(group->size(), std::ssize(ranks));
  EXPECT_EQ(group->rank(), place);
  for (int a = 0; a < group->size(); ++a) {
    for (int b = 0; b < group->size(); ++b) {
      EXPECT_EQ(group->host_of(a) == group->host_of(b),
                world.host_of(ranks[static_cast<size_t>(a)]) ==
                    world.host_of(ranks[static_cast<size_t>(b)]));
    }
  }
  EXPECT_EQ(group->host_of(0), 0);
  const int mine = world.rank() * 10;
  for (int round = 0; round < 3; ++round) {
    group->barrier();
    const int before = ranks[static_cast<size_t>((place + group->size() - 1) % group->size())];
    EXPECT_EQ(from_the_one_before(*group, mine + round), before * 10 + round);
    EXPECT_EQ(group->broadcast(group->size() - 1, std::to_string(world.rank())),
              std::to_string(ranks.back()));
    const std::vector<std::string> texts = group->all_gather(std::string(place + 1u, 'x'));
    std::vector<int> numbers(ranks.size());
    group->all_gather(std::as_bytes(std::span(&mine, 1)),
                      std::as_writable_bytes(std::span(numbers)));
    for (size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_EQ(texts[i].size(), i + 1);
      EXPECT_EQ(numbers[i], ranks[i] * 10);
    }
  }
  const SharedMemory memory = group->share(sizeof(int) * ranks.size());
  ASSERT_FALSE(memory.bytes.empty());
  auto* shared = reinterpret_cast<int*>(memory.bytes.data());
  shared[group->local_rank()] = mine;
  group->barrier();
  const std::vector<int> neighbours = group->neighbours();
  for (size_t i = 0; i < neighbours.size(); ++i) {
    EXPECT_EQ(shared[i], ranks[static_cast<size_t>(neighbours[i])] * 10);
  }
  group->barrier();
}

// What stages of a pipeline with several instances do: sums of gradients within the group alone.
void check_sums(Transport& world, const std::vector<int>& ranks) {
  const std::unique_ptr<Transport> group = world.group(ranks);
  const ReplicaSplit split(group->size(), group->size());
  ThreadPool pool(1);
  GradientExchange exchange(*group, split, {.floats = 100, .buckets = {{0, 100}}}, pool);
  for (int step = 0; step < 2; ++step) {
    exchange.start();
    std::ranges::fill(exchange.data().first(100), static_cast<float>(world.rank() + step));
    exchange.begin(0);
    exchange.finish();
    const int sum = std::accumulate(ranks.begin(), ranks.end(), 0) + group->size() * step;
    for (const float x : exchange.data().first(100)) EXPECT_EQ(x, static_cast<float>(sum));
    group->barrier();
  }
}

// Every world is cut into groups in several ways, all at once.
void check_groups(Transport& world) {
  const int rank = world.rank();
  std::vector<int> all(static_cast<size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  check_group(world, all);
  check_group(world, {rank});
  std::vector<int> alike;
  for (const int r : all) {
    if (r % 2 == rank % 2) alike.push_back(r);
  }
  check_group(world, alike);
  check_sums(world, alike);
  std::vector<int> others = all;
  std::erase(others, 1);
  if (rank != 1) check_group(world, others);
  const std::unique_ptr<Transport> part = world.group(alike);
  check_group(*part, {part->rank()});  // a group of a group
  world.barrier();
}

TEST(Groups, DoAmongSomeRanksWhatAWorldDoes) {
  for (const std::vector<int>& hosts :
       std::vector<std::vector<int>>{{0, 0, 0}, {0, 1, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}}) {
    test::with_ranks(hosts, check_groups);
  }
}

// mpirun starts this very program, and the ranks run this very test.
TEST(GroupsDist, DoAmongSomeRanksWhatAWorldDoes) {
  if (World::started_by_mpi()) {
    check_groups(World::get());
    return World::get().leave();
  }
  for (const int ranks : {3, 4}) {
    const test::TempFolder folder;
    const test::Arguments itself{fs::read_symlink("/proc/self/exe").string(),
                                 "--gtest_filter=GroupsDist.DoAmongSomeRanksWhatAWorldDoes"};
    const test::Finished end =
        test::Process({}, folder.path(), test::joined(test::mpirun(ranks), itself)).wait();
    EXPECT_EQ(end.code, 0) << end.out << end.err;
  }
}

}  // namespace
}  // namespace convoy
