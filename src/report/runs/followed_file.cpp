#include "report/runs/followed_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files/regular_file.h"

namespace convoy {
namespace {

constexpr size_t block = size_t{1} << 20;  // read at a time; also the longest line
constexpr size_t kept_bytes = 64;

// An open regular file.
class Opened {
 public:
  explicit Opened(const fs::path& path)
      : path_(path), file_(open_regular(path, Fault::checkpoint)) {}
  ~Opened() { ::close(file_.descriptor); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  uint64_t size() const { return file_.bytes; }
  int descriptor() const { return file_.descriptor; }
  uint64_t number() const {
    struct stat about {};
    return ::fstat(file_.descriptor, &about) == 0 ? about.st_ino : 0;
  }
  // As many bytes as there are; the file may be cut meanwhile.
  std::string read(uint64_t offset, size_t bytes) const {
    std::string into(bytes, '\0');
    size_t done = 0;
    while (done < bytes) {
      const ssize_t got = ::pread(file_.descriptor, into.data() + done, bytes - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) raise_file_error("read", path_, errno, Fault::checkpoint);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    into.resize(done);
    return into;
  }

 private:
  const fs::path& path_;
  RegularFile file_;
};

bool is_missing(const fs::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

FollowedFile::News FollowedFile::read(const std::function<void()>& restart,
                                      const std::function<void(std::string_view line)>& take) {
  if (is_missing(path_)) return News::gone;
  const Opened file(path_);
  const bool was_read = number_ != 0;
  const bool continues = was_read && file.number() == number_ && file.size() >= offset_ &&
                         file.read(offset_ - end_.size(), end_.size()) == end_;
  if (!continues) {
    if (was_read) restart();
    offset_ = 0;
    end_.clear();
    number_ = file.number();
  }
  bool is_more = false;
  while (offset_ < file.size()) {
    const std::string text = file.read(offset_, block);
    size_t complete = text.rfind('\n') + 1;  // 0: none
    if (complete > 0) {
      for_each_line(std::string_view(text).substr(0, complete), take);
      is_more = true;
    } else if (text.size() == block) {
      complete = block;  // of a line that is too long; its rest is no JSON and counts for nothing
    } else {
      break;
    }
    offset_ += complete;
    const std::string_view read = std::string_view(text).substr(0, complete);
    end_ = read.substr(read.size() - std::min(read.size(), kept_bytes));
  }
  if (was_read && !continues) return News::restarted;
  return is_more ? News::more : News::none;
}

std::string last_lines(const fs::path& path, uint64_t bytes, bool* is_whole) {
  if (is_whole) *is_whole = true;
  if (is_missing(path)) return "";
  const Opened file(path);
  const uint64_t from = file.size() > bytes ? file.size() - bytes : 0;
  // One byte more tells whether the first line is whole.
  const uint64_t begin = from > 0 ? from - 1 : 0;
  std::string text = file.read(begin, static_cast<size_t>(file.size() - begin));
  if (from > 0) text.erase(0, std::min(text.size(), text.find('\n') + 1));
  if (is_whole) *is_whole = from == 0;
  text.resize(text.rfind('\n') + 1);
  return text;
}

std::string first_lines(const fs::path& path, uint64_t bytes) {
  if (is_missing(path)) return "";
  const Opened file(path);
  std::string text = file.read(0, static_cast<size_t>(std::min(bytes, file.size())));
  text.resize(text.rfind('\n') + 1);
  return text;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view)>& take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace convoy
