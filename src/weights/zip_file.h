// The members of a zip file, stored or deflated, as torch.save and numpy.savez write them. Only the
// central directory counts, every member is checked against its own header and checksum, no two may
// share a byte, and all together may not expand to more than a few times the file: numbers of a
// network hardly shrink, so what expands a thousandfold was made to take the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

struct ZipMember {
  std::string_view name;  // in the file's bytes
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0;
  uint64_t header = 0;  // where its local header begins
  uint64_t data = 0;    // where its bytes begin
};

// The name of the first member, from the first bytes of a file; empty: it is no zip file.
std::string_view first_zip_name(std::string_view head);

class ZipFile {
 public:
  // Borrows the bytes. Fault::checkpoint where the directory is not sound.
  ZipFile(std::string_view bytes, std::string origin);

  // Names sorted bytewise.
  const std::vector<ZipMember>& members() const { return members_; }
  const ZipMember* find(std::string_view name) const;  // null: there is none

  struct Content {
    std::string_view bytes;                    // of the file itself where it is stored
    std::shared_ptr<const std::string> owner;  // where it had to be expanded
  };
  // Checked against its checksum.
  Content read(const ZipMember& member) const;

 private:
  void read_directory(uint64_t offset, uint64_t size, uint64_t count);
  ZipMember read_entry(class ByteReader& reader) const;
  void place(ZipMember& member, uint64_t directory) const;
  void check_expansion() const;
  [[noreturn]] void fail(std::string_view why) const;

  std::string_view bytes_;
  std::string origin_;
  std::vector<ZipMember> members_;
};

}  // namespace convoy
