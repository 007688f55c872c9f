#include "support/tar_writer.h"

#include <fmt/format.h>

namespace convoy::test {
namespace {

constexpr size_t block = 512;

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + block - 1) / block * block);
  return bytes;
}

std::string header(const std::string& name, size_t bytes, char type) {
  std::string head(block, '\0');
  const auto put = [&](size_t at, const std::string& text) { head.replace(at, text.size(), text); };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", bytes));
  put(136, "00000000000");
  put(148, "        ");
  head[156] = type;
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return head;
}

}  // namespace

std::string tar_of(const std::vector<TarPart>& parts) {
  std::string tar;
  for (const TarPart& part : parts) {
    if (part.name.size() > 100) {
      tar += header("././@LongLink", part.name.size() + 1, 'L');
      tar += padded(part.name + '\0');
    }
    tar += header(part.name, part.content.size(), part.type) + padded(part.content);
  }
  return tar + std::string(2 * block, '\0');
}

}  // namespace convoy::test
