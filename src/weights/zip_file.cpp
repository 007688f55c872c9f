#include "weights/zip_file.h"

#include <zlib.h>

#include <algorithm>

#include "base/files/byte_reader.h"
#include "weights/weight_data.h"

namespace convoy {
namespace {

constexpr uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50,
                   wide_end_mark = 0x06064b50, wide_locator_mark = 0x07064b50;
constexpr size_t end_bytes = 22, wide_locator_bytes = 20, longest_comment = 65535;
constexpr uint16_t stored = 0, deflated = 8;
constexpr uint16_t encrypted = 1;  // flag bit
constexpr uint32_t see_wide = 0xffffffff;
constexpr uint64_t greatest_ratio = 1032;  // the maximum of deflate
// All members together may expand to the larger of this multiple of the file size and this minimum.
constexpr uint64_t most_expansion = 8, small_anyway = 16 << 20;

uint32_t checksum(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const size_t part = std::min<size_t>(bytes.size(), 1u << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(part));
    bytes.remove_prefix(part);
  }
  return static_cast<uint32_t>(crc);
}

struct Inflater {
  z_stream stream{};
  Inflater() { expect(inflateInit2(&stream, -15) == Z_OK, "zlib does not start"); }  // raw deflate
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

// Null if `packed` is not a deflate stream of exactly `size` bytes. Memory grows with the bytes
// really produced, not with the claimed size, and never beyond it.
std::shared_ptr<const std::string> inflated(std::string_view packed, uint64_t size) {
  Inflater inflater;
  z_stream& z = inflater.stream;
  auto output = std::make_shared<std::string>();
  size_t have = 0;
  while (true) {
    if (z.avail_in == 0 && !packed.empty()) {
      const size_t part = std::min<size_t>(packed.size(), 1u << 30);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      z.avail_in = static_cast<uInt>(part);
      packed.remove_prefix(part);
    }
    if (have == output->size()) {
      const uint64_t room = std::min<uint64_t>(size + 1, std::max<uint64_t>(2 * have, 4096));
      if (room == have) return nullptr;  // the stream is longer than claimed
      output->resize(static_cast<size_t>(room));
    }
    const size_t part = std::min<size_t>(output->size() - have, 1u << 30);
    z.next_out = reinterpret_cast<Bytef*>(output->data()) + have;
    z.avail_out = static_cast<uInt>(part);
    const int code = inflate(&z, Z_NO_FLUSH);
    have += part - z.avail_out;
    if (code == Z_STREAM_END) break;
    if (code != Z_OK && code != Z_BUF_ERROR) return nullptr;
    if (code == Z_BUF_ERROR && z.avail_in == 0 && packed.empty()) return nullptr;
    if (have > size) return nullptr;
  }
  if (have != size || z.avail_in != 0 || !packed.empty()) return nullptr;
  output->resize(have);
  return output;
}

}  // namespace

std::string_view first_zip_name(std::string_view head) {
  constexpr size_t length_at = 26, name_at = 30;
  if (head.size() < name_at || !head.starts_with("PK\x03\x04")) return {};
  uint16_t length = 0;
  std::memcpy(&length, head.data() + length_at, sizeof length);
  return head.substr(name_at, length);
}

void ZipFile::fail(std::string_view why) const {
  raise(Fault::checkpoint, "{}: not a sound zip file: {}; try: fetch or save it again", origin_,
        why);
}

ZipFile::ZipFile(std::string_view bytes, std::string origin)
    : bytes_(bytes), origin_(std::move(origin)) {
  // The end record is the last thing in the file except for a comment whose length it contains.
  size_t end = bytes.npos;
  for (size_t comment = 0; comment <= longest_comment && comment + end_bytes <= bytes.size();
       ++comment) {
    const size_t at = bytes.size() - end_bytes - comment;
    ByteReader reader(bytes.substr(at), origin_, "the zip directory");
    if (reader.number<uint32_t>() != end_mark) continue;
    reader.take(end_bytes - 6);
    if (reader.number<uint16_t>() != comment) continue;
    end = at;
    break;
  }
  if (end == bytes.npos) fail("it has no directory at its end");
  ByteReader reader(bytes.substr(end + 4), origin_, "the zip directory");
  const auto disk = reader.number<uint16_t>(), first_disk = reader.number<uint16_t>();
  reader.take(2);
  uint64_t count = reader.number<uint16_t>(), size = reader.number<uint32_t>(),
           offset = reader.number<uint32_t>();
  uint64_t limit = end;
  if (end >= wide_locator_bytes) {
    ByteReader locator(bytes.substr(end - wide_locator_bytes), origin_, "the zip64 directory");
    if (locator.number<uint32_t>() == wide_locator_mark) {
      locator.take(4);
      const auto at = locator.number<uint64_t>();
      if (at > end - wide_locator_bytes) fail("its zip64 directory lies outside of it");
      ByteReader wide(bytes.substr(static_cast<size_t>(at)), origin_, "the zip64 directory");
      if (wide.number<uint32_t>() != wide_end_mark) fail("its zip64 directory is not there");
      wide.take(28);
      count = wide.number<uint64_t>();
      size = wide.number<uint64_t>();
      offset = wide.number<uint64_t>();
      limit = at;
    }
  }
  if (disk != first_disk) fail("it is one of several parts");
  if (offset > limit || size > limit - offset) fail("its directory lies outside of it");
  read_directory(offset, size, count);
}

void ZipFile::read_directory(uint64_t offset, uint64_t size, uint64_t count) {
  ByteReader reader(bytes_.substr(static_cast<size_t>(offset), static_cast<size_t>(size)), origin_,
                    "the zip directory");
  while (!reader.done()) {
    ZipMember member = read_entry(reader);
    place(member, offset);
    members_.push_back(member);
  }
  if (members_.size() != count) fail("its directory has another number of entries than it claims");

  std::sort(members_.begin(), members_.end(),
            [](const ZipMember& a, const ZipMember& b) { return a.header < b.header; });
  for (size_t i = 1; i < members_.size(); ++i) {
    const ZipMember &before = members_[i - 1], &here = members_[i];
    if (here.header < before.data + before.packed) {
      fail(fmt::format("member {} overlaps {}", shown(here.name), shown(before.name)));
    }
  }
  std::sort(members_.begin(), members_.end(),
            [](const ZipMember& a, const ZipMember& b) { return a.name < b.name; });
  for (size_t i = 1; i < members_.size(); ++i) {
    if (members_[i].name == members_[i - 1].name) {
      fail(fmt::format("member {} appears twice", shown(members_[i].name)));
    }
  }
  check_expansion();
}

// `inflated` never produces more than the directory claims, so checking the claims is enough.
void ZipFile::check_expansion() const {
  const uint64_t most = std::max<uint64_t>(bytes_.size() * most_expansion, small_anyway);
  uint64_t sum = 0;  // cannot overflow: each is at most greatest_ratio times a part of the file
  for (const ZipMember& member : members_) {
    if (member.method == deflated) sum += member.size;
  }
  if (sum > most) {
    raise(Fault::checkpoint,
          "{}: would expand from {} bytes to {}, more than {} times; try: save it without "
          "compression (numpy.savez)",
          origin_, bytes_.size(), sum, most_expansion);
  }
}

ZipMember ZipFile::read_entry(ByteReader& reader) const {
  ZipMember member;
  if (reader.number<uint32_t>() != entry_mark) fail("its directory is damaged");
  reader.take(4);
  const auto flags = reader.number<uint16_t>();
  member.method = reader.number<uint16_t>();
  reader.take(4);
  member.crc = reader.number<uint32_t>();
  member.packed = reader.number<uint32_t>();
  member.size = reader.number<uint32_t>();
  const auto name = reader.number<uint16_t>(), extra = reader.number<uint16_t>(),
             comment = reader.number<uint16_t>();
  reader.take(8);
  member.header = reader.number<uint32_t>();
  member.name = reader.take(name);
  ByteReader fields(reader.take(extra), origin_, "the zip directory");
  reader.take(comment);
  while (fields.left() >= 4) {
    const auto id = fields.number<uint16_t>(), bytes = fields.number<uint16_t>();
    ByteReader field(fields.take(bytes), origin_, "the zip directory");
    if (id != 1) continue;  // 1: 64-bit sizes, each present only if the 32-bit field is all ones
    for (uint64_t* number : {&member.size, &member.packed, &member.header}) {
      if (*number == see_wide) *number = field.number<uint64_t>();
    }
  }
  if (flags & encrypted) fail(fmt::format("member {} is encrypted", shown(member.name)));
  return member;
}

void ZipFile::place(ZipMember& member, uint64_t directory) const {
  const std::string name = shown(member.name);
  if (member.header > directory) fail(fmt::format("member {} lies outside of it", name));
  ByteReader reader(bytes_.substr(static_cast<size_t>(member.header),
                                  static_cast<size_t>(directory - member.header)),
                    origin_, "a zip member");
  if (reader.number<uint32_t>() != local_mark) fail(fmt::format("member {} is not there", name));
  reader.take(4);
  const auto method = reader.number<uint16_t>();
  reader.take(16);
  const auto name_bytes = reader.number<uint16_t>(), extra = reader.number<uint16_t>();
  if (reader.take(name_bytes) != member.name || method != member.method) {
    fail(fmt::format("member {} is another one in its own header", name));
  }
  reader.take(extra);
  member.data = member.header + reader.position();
  if (member.packed > reader.left()) fail(fmt::format("member {} lies outside of it", name));
  const bool sound = member.method == stored     ? member.size == member.packed
                     : member.method == deflated ? member.size / greatest_ratio <= member.packed
                                                 : false;
  if (!sound) fail(fmt::format("member {} cannot have that method and size", name));
}

const ZipMember* ZipFile::find(std::string_view name) const {
  const auto found = std::lower_bound(
      members_.begin(), members_.end(), name,
      [](const ZipMember& member, std::string_view wanted) { return member.name < wanted; });
  return found != members_.end() && found->name == name ? &*found : nullptr;
}

ZipFile::Content ZipFile::read(const ZipMember& member) const {
  Content content{
      bytes_.substr(static_cast<size_t>(member.data), static_cast<size_t>(member.packed)), nullptr};
  if (member.method == deflated) {
    content.owner = inflated(content.bytes, member.size);
    if (!content.owner) fail(fmt::format("member {} does not expand", shown(member.name)));
    content.bytes = *content.owner;
  }
  if (checksum(content.bytes) != member.crc) {
    fail(fmt::format("the checksum of member {} is wrong", shown(member.name)));
  }
  return content;
}

}  // namespace convoy
