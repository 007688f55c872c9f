// Collectives are started non-blocking and polled: MPI's blocking calls spin, and a rank that waits
// for rank 0's checkpoint must not occupy a core.
//
// Shared memory is an unnamed file of the host's first rank, which the others open through /proc.
// So it needs no /dev/shm (64 MB in many containers), and a killed run leaves nothing behind.

#include "dist/world.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <exception>

#include "base/error.h"
#include "base/process.h"

namespace convoy {
namespace {

bool joined = false;

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  raise(Fault::peer, "{} failed: {}; try: convoy resume, when all hosts answer again", what,
        std::string_view(text.data(), static_cast<size_t>(length)));
}

int length_of(size_t bytes) {
  expect(bytes <= INT_MAX, "a message of less than 2 GiB");
  return static_cast<int>(bytes);
}

std::span<std::byte> map_file(int file, size_t bytes) {
  if (file < 0) return {};
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return {};
  return {static_cast<std::byte*>(memory), bytes};
}

}  // namespace

struct MpiRanks::Messages {
  explicit Messages(MPI_Comm communicator) : all(communicator) {}
  MPI_Comm all;                    // our duplicate, apart from what libraries do with the world's
  MPI_Comm local = MPI_COMM_NULL;  // the ranks of this host
  std::vector<MPI_Request> requests;
  std::vector<Ticket> unused;

  Ticket slot() {
    if (unused.empty()) {
      requests.push_back(MPI_REQUEST_NULL);
      return static_cast<Ticket>(requests.size()) - 1;
    }
    const Ticket ticket = unused.back();
    unused.pop_back();
    return ticket;
  }
  MPI_Request& at(Ticket ticket) { return requests[static_cast<size_t>(ticket)]; }
};

bool World::started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

World& World::get() {
  static World world;
  joined = true;
  return world;
}

bool World::is_joined() { return joined; }

World::World() : host_name_(convoy::host_name()) {
  if (!started_by_mpi()) return;
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init");
  if (provided < MPI_THREAD_SERIALIZED) {
    raise(Fault::usage, "this MPI allows no calls from several threads; try: Debian's Open MPI");
  }
  MPI_Comm all = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &all), "MPI_Comm_dup");
  open(std::make_unique<Messages>(all));
}

MpiRanks::MpiRanks() = default;
MpiRanks::~MpiRanks() = default;

void MpiRanks::open(std::unique_ptr<Messages> messages) {
  messages_ = std::move(messages);
  check(MPI_Comm_set_errhandler(messages_->all, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int size = 1;
  MPI_Comm_rank(messages_->all, &rank_);
  MPI_Comm_size(messages_->all, &size);
  check(MPI_Comm_split_type(messages_->all, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL,
                            &messages_->local),
        "MPI_Comm_split_type");
  // The first rank identifies a host; hosts are numbered in the order of their first ranks.
  int first = rank_;
  check(MPI_Bcast(&first, 1, MPI_INT, 0, messages_->local), "MPI_Bcast");
  std::vector<int> firsts(static_cast<size_t>(size));
  check(MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, messages_->all),
        "MPI_Allgather");
  hosts_.assign(firsts.size(), 0);
  int hosts = 0;
  for (int r = 0; r < size; ++r) {
    const int of = firsts[static_cast<size_t>(r)];
    hosts_[static_cast<size_t>(r)] = of == r ? hosts++ : hosts_[static_cast<size_t>(of)];
  }
}

std::unique_ptr<Transport> MpiRanks::group(const std::vector<int>& ranks) {
  expect(std::ranges::is_sorted(ranks) && std::ranges::binary_search(ranks, rank_),
         "a group that this rank is in");
  struct Group final : MpiRanks {
    explicit Group(std::unique_ptr<Messages> messages) {
      if (messages) open(std::move(messages));
    }
    // Free the communicator only if no error occurred and MPI still runs.
    ~Group() override {
      int ended = 1;
      MPI_Finalized(&ended);
      if (!messages_ || ended || std::uncaught_exceptions() > 0) return;
      MPI_Comm_free(&messages_->local);
      MPI_Comm_free(&messages_->all);
    }
  };
  if (!messages_) return std::make_unique<Group>(nullptr);
  constexpr int tag = 0;  // only for making the group
  MPI_Group whole = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_group(messages_->all, &whole), "MPI_Comm_group");
  check(MPI_Group_incl(whole, static_cast<int>(ranks.size()), ranks.data(), &part),
        "MPI_Group_incl");
  check(MPI_Comm_create_group(messages_->all, part, tag, &made), "MPI_Comm_create_group");
  MPI_Group_free(&part);
  MPI_Group_free(&whole);
  return std::make_unique<Group>(std::make_unique<Messages>(made));
}

Transport::Ticket MpiRanks::send(int to, int tag, std::span<const std::byte> bytes) {
  const Ticket ticket = messages_->slot();
  check(MPI_Isend(bytes.data(), length_of(bytes.size()), MPI_BYTE, to, tag, messages_->all,
                  &messages_->at(ticket)),
        "sending");
  return ticket;
}

Transport::Ticket MpiRanks::receive(int from, int tag, std::span<std::byte> bytes) {
  const Ticket ticket = messages_->slot();
  check(MPI_Irecv(bytes.data(), length_of(bytes.size()), MPI_BYTE, from, tag, messages_->all,
                  &messages_->at(ticket)),
        "receiving");
  return ticket;
}

bool MpiRanks::is_done(Ticket ticket) {
  int done = 0;
  check(MPI_Test(&messages_->at(ticket), &done, MPI_STATUS_IGNORE), "waiting for a message");
  if (done) messages_->unused.push_back(ticket);
  return done != 0;
}

void MpiRanks::barrier() {
  if (!messages_) return;
  const Ticket ticket = messages_->slot();
  check(MPI_Ibarrier(messages_->all, &messages_->at(ticket)), "a barrier");
  wait(ticket);
}

void MpiRanks::broadcast(int root, std::span<std::byte> bytes) {
  if (!messages_) return;
  const Ticket ticket = messages_->slot();
  check(MPI_Ibcast(bytes.data(), length_of(bytes.size()), MPI_BYTE, root, messages_->all,
                   &messages_->at(ticket)),
        "a broadcast");
  wait(ticket);
}

void MpiRanks::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  expect(all.size() == mine.size() * static_cast<size_t>(size()), "room for what every rank gives");
  if (!messages_) {
    std::copy(mine.begin(), mine.end(), all.begin());
    return;
  }
  const int length = length_of(mine.size());
  const Ticket ticket = messages_->slot();
  check(MPI_Iallgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, messages_->all,
                       &messages_->at(ticket)),
        "a gathering");
  wait(ticket);
}

std::vector<std::string> MpiRanks::all_gather(const std::string& mine) {
  if (!messages_) return {mine};
  const auto n = static_cast<size_t>(size());
  const int64_t length = length_of(mine.size());
  std::vector<int64_t> lengths(n);
  all_gather(std::as_bytes(std::span(&length, 1)), std::as_writable_bytes(std::span(lengths)));
  std::vector<int> counts(n), offsets(n);
  size_t total = 0;
  for (size_t r = 0; r < n; ++r) {
    counts[r] = static_cast<int>(lengths[r]);
    offsets[r] = length_of(total);
    total += static_cast<size_t>(lengths[r]);
  }
  std::string joint(total, '\0');
  const Ticket ticket = messages_->slot();
  check(
      MPI_Iallgatherv(mine.data(), static_cast<int>(length), MPI_BYTE, joint.data(), counts.data(),
                      offsets.data(), MPI_BYTE, messages_->all, &messages_->at(ticket)),
      "a gathering");
  wait(ticket);
  std::vector<std::string> all;
  for (size_t r = 0; r < n; ++r) {
    all.push_back(joint.substr(static_cast<size_t>(offsets[r]), static_cast<size_t>(counts[r])));
  }
  return all;
}

SharedMemory MpiRanks::share(size_t bytes) {
  expect(bytes > 0, "shared memory of no size");
  struct Where {
    int pid = 0, file = -1;
  } where;
  const bool first = local_rank() == 0;
  if (first) {
    where = {::getpid(), ::memfd_create("convoy", MFD_CLOEXEC)};
    if (where.file >= 0 && ::ftruncate(where.file, static_cast<off_t>(bytes)) != 0) {
      ::close(where.file);
      where.file = -1;
    }
  }
  if (messages_) {
    check(MPI_Bcast(&where, sizeof where, MPI_BYTE, 0, messages_->local), "a broadcast");
  }
  int file = where.file;
  if (!first && file >= 0) {
    file = ::open(fmt::format("/proc/{}/fd/{}", where.pid, where.file).c_str(), O_RDWR | O_CLOEXEC);
  }
  std::span<std::byte> memory = map_file(file, bytes);
  int all_have = memory.empty() ? 0 : 1;
  if (messages_) {  // also: the first rank keeps its file open until all have opened it
    check(MPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, messages_->local),
          "a reduction");
  }
  if (file >= 0) ::close(file);
  if (!all_have) {
    if (!memory.empty()) ::munmap(memory.data(), memory.size());
    return {};
  }
  ::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);  // where the system supports it for files
  return {memory, {memory.data(), [bytes](void* begin) { ::munmap(begin, bytes); }}};
}

std::string World::label() const {
  return size() == 1 ? "" : fmt::format("[rank {} host {}] ", rank(), host_name_);
}

void World::leave() {
  if (!messages_) return;
  barrier();
  MPI_Finalize();
}

void World::abort(int code) {
  if (messages_) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace convoy
