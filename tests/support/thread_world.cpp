#include "support/thread_world.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

namespace convoy::test {
namespace {

// What the ranks have between them.
struct Meeting {
  std::vector<int> hosts;
  bool memory = true;
  std::mutex mutex;
  std::condition_variable changed;
  // By from, to, tag and number: the first message meets the first receive, whichever is asked for
  // first.
  std::map<std::tuple<int, int, int, int>, std::string> mail;
  std::vector<std::string> brought;
  int came = 0, round = 0;
  struct Block {
    std::shared_ptr<std::vector<uint64_t>> memory;
    int came = 0, left = 0;
  };
  std::map<int, Block> blocks;                                                  // by host
  std::map<std::pair<std::vector<int>, int>, std::unique_ptr<Meeting>> groups;  // the n-th of ranks

  // Everyone brings something and gets what all brought.
  std::vector<std::string> meet(int rank, const std::string& mine) {
    std::unique_lock lock(mutex);
    const int now = round;
    brought.resize(hosts.size());
    brought[static_cast<size_t>(rank)] = mine;
    if (++came == static_cast<int>(hosts.size())) {
      came = 0;
      ++round;
      last = brought;
      changed.notify_all();
    } else {
      changed.wait(lock, [&] { return round != now; });
    }
    return last;
  }
  std::vector<std::string> last;
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ThreadRank final : public Transport {
 public:
  ThreadRank(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.hosts.size()); }
  int host_of(int rank) const override { return meeting_.hosts[static_cast<size_t>(rank)]; }

  Ticket send(int to, int tag, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(meeting_.mutex);
    meeting_.mail[{rank_, to, tag, sent_[{to, tag}]++}] = text_of(bytes);
    open_.push_back({});
    return static_cast<Ticket>(open_.size()) - 1;
  }
  Ticket receive(int from, int tag, std::span<std::byte> bytes) override {
    open_.push_back({true, {from, rank_, tag, received_[{from, tag}]++}, bytes});
    return static_cast<Ticket>(open_.size()) - 1;
  }
  bool is_done(Ticket ticket) override {
    Open& open = open_[static_cast<size_t>(ticket)];
    if (!open.receives) return true;
    const std::lock_guard lock(meeting_.mutex);
    const auto found = meeting_.mail.find(open.message);
    if (found == meeting_.mail.end()) return false;
    const std::string& text = found->second;
    if (text.size() != open.bytes.size()) throw std::runtime_error("a message of that size");
    std::memcpy(open.bytes.data(), text.data(), text.size());
    meeting_.mail.erase(found);
    return true;
  }
  void barrier() override { meeting_.meet(rank_, ""); }
  using Transport::broadcast;
  void broadcast(int root, std::span<std::byte> bytes) override {
    const auto all = meeting_.meet(rank_, text_of(bytes));
    std::memcpy(bytes.data(), all[static_cast<size_t>(root)].data(), bytes.size());
  }
  std::vector<std::string> all_gather(const std::string& mine) override {
    return meeting_.meet(rank_, mine);
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const auto texts = meeting_.meet(rank_, text_of(mine));
    for (size_t r = 0; r < texts.size(); ++r) {
      std::memcpy(all.data() + r * mine.size(), texts[r].data(), mine.size());
    }
  }
  SharedMemory share(size_t bytes) override {
    // Among the ranks of the host alone: whoever comes first makes it, the last one clears the
    // table.
    const auto ranks = static_cast<int>(neighbours().size());
    std::unique_lock lock(meeting_.mutex);
    auto& [block, came, left] = meeting_.blocks[host_of(rank_)];
    meeting_.changed.wait(lock, [&] { return left == 0; });
    if (came++ == 0) block = std::make_shared<std::vector<uint64_t>>(bytes / 8 + 1);
    if (came == ranks) left = ranks;
    meeting_.changed.notify_all();
    meeting_.changed.wait(lock, [&] { return left > 0; });
    const std::shared_ptr<std::vector<uint64_t>> mine = block;
    if (--left == 0) came = 0;
    meeting_.changed.notify_all();
    if (!meeting_.memory) return {};
    return {{reinterpret_cast<std::byte*>(mine->data()), bytes}, mine};
  }

  std::unique_ptr<Transport> group(const std::vector<int>& ranks) override {
    const std::lock_guard lock(meeting_.mutex);
    auto& made = meeting_.groups[{ranks, groups_[ranks]++}];
    if (!made) {
      made = std::make_unique<Meeting>();
      made->memory = meeting_.memory;
      std::map<int, int> hosts;  // they count from 0 in the order of their first rank
      for (const int rank : ranks) {
        const auto next = static_cast<int>(hosts.size());
        made->hosts.push_back(hosts.try_emplace(host_of(rank), next).first->second);
      }
    }
    const auto place = std::ranges::find(ranks, rank_) - ranks.begin();
    return std::make_unique<ThreadRank>(*made, static_cast<int>(place));
  }

 private:
  struct Open {
    bool receives = false;
    std::tuple<int, int, int, int> message;  // of `mail`
    std::span<std::byte> bytes;
  };
  Meeting& meeting_;
  int rank_;
  std::vector<Open> open_;
  std::map<std::pair<int, int>, int> sent_, received_;  // by the other rank and tag
  std::map<std::vector<int>, int> groups_;              // made so far
};

}  // namespace

void with_ranks(const std::vector<int>& hosts, const std::function<void(Transport&)>& body,
                bool memory) {
  Meeting meeting;
  meeting.hosts = hosts;
  meeting.memory = memory;
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> failures(hosts.size());
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadRank transport(meeting, static_cast<int>(rank));
        body(transport);
      } catch (...) {
        failures[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace convoy::test
