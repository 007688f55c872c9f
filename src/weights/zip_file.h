// Reads members of a zip file, stored or deflated, as torch.save and numpy.savez write them. Only
// members of the central directory count; each is checked against its local header and checksum,
// and members may not overlap. The total expanded size is limited to a few times the file size:
// trained weights hardly compress, so a file that expands a thousandfold is an attack.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

struct ZipMember {
  std::string_view name;  // points into the file's bytes
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0;
  uint64_t header = 0;  // offset of its local header
  uint64_t data = 0;    // offset of its data
};

// The name of the first member, from the first bytes of a file; empty: not a zip file.
std::string_view first_zip_name(std::string_view head);

class ZipFile {
 public:
  // Borrows the bytes. Fault::checkpoint if the directory is invalid.
  ZipFile(std::string_view bytes, std::string origin);

  // Sorted bytewise by name.
  const std::vector<ZipMember>& members() const { return members_; }
  const ZipMember* find(std::string_view name) const;  // null if absent

  struct Content {
    std::string_view bytes;                    // points into the file if the member is stored
    std::shared_ptr<const std::string> owner;  // owns the bytes if they were inflated
  };
  // The member's content, after its checksum was verified.
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
