#include "pictures/jpeg_entropy.h"

#include <algorithm>
#include <cstring>

namespace convoy {
namespace {

// The first members of libjpeg's struct jpeg_entropy_decoder, the same in every libjpeg-turbo.
struct EntropyDecoder {
  void (*start_pass)(j_decompress_ptr);
  boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW*);
};

constexpr std::array<uint8_t, 64> natural{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// The coefficient in the top `size` bits; it is negative if its first bit is 0.
int coefficient(uint64_t buffer, int size) {
  const auto bits = static_cast<int>(buffer >> 1 >> (63 - size));
  const int negative = static_cast<int>(~buffer >> 63);
  return bits + negative * (1 - (1 << size));
}

// Readable bytes behind a stretch: more than an MCU can take when no bits are left. Their content
// does not matter: reading past the end is detected.
constexpr size_t readable_behind = 4096;

}  // namespace

// The most bits of a code and of a coefficient: a refill gives enough for two of each.
constexpr int longest_code = 16, largest_coefficient = 10;

JpegEntropy::Meaning JpegEntropy::dc_meaning(int length, uint8_t symbol) {
  return symbol > 15 ? Meaning() : Meaning::of(length, 0, symbol);
}

JpegEntropy::Meaning JpegEntropy::ac_meaning(int length, uint8_t symbol) {
  const uint32_t run = symbol >> 4;
  const int size = symbol & 15;
  return Meaning::of(length, size == 0 && run != 15 ? Meaning::end : run, size);
}

bool JpegEntropy::Table::make(const JHUFF_TBL& from, Meaning (*meaning)(int, uint8_t)) {
  // Most files have the standard tables, like the file before.
  if (std::equal(lengths.begin(), lengths.end(), from.bits) &&
      std::equal(symbols.begin(), symbols.end(), from.huffval)) {
    return usable;
  }
  std::copy_n(from.bits, lengths.size(), lengths.begin());
  std::copy_n(from.huffval, symbols.size(), symbols.begin());
  known.fill({});
  most.fill(-1);
  usable = false;
  int32_t code = 0, place = 0;
  for (int length = 1; length <= longest_code; ++length, code <<= 1) {
    first[static_cast<size_t>(length)] = place - code;
    for (int i = 0; i < from.bits[length]; ++i, ++code, ++place) {
      most[static_cast<size_t>(length)] = code;
      const Meaning means = meaning(length, from.huffval[place]);
      if (means.run() == Meaning::unknown) return false;
      if (meaning == ac_meaning && means.size() > largest_coefficient) return false;
      if (length > looked_up) continue;
      const auto begin = static_cast<size_t>(code << (looked_up - length));
      const auto count = size_t{1} << (looked_up - length);
      if (begin + count > known.size()) return false;  // libjpeg refuses such a table
      std::fill_n(known.begin() + static_cast<ptrdiff_t>(begin), count, means);
    }
  }
  usable = true;
  return true;
}

bool JpegEntropy::install(jpeg_decompress_struct& file, std::string_view bytes, int64_t x,
                          int64_t width) {
#ifdef LIBJPEG_TURBO_VERSION
  if (file.progressive_mode || file.arith_code || jpeg_has_multiple_scans(&file) ||
      file.comps_in_scan != file.num_components || file.data_precision != 8) {
    return false;
  }
  for (int c = 0; c < file.comps_in_scan; ++c) {
    const jpeg_component_info& component = *file.cur_comp_info[c];
    const JHUFF_TBL* dc = file.dc_huff_tbl_ptrs[component.dc_tbl_no];
    const JHUFF_TBL* ac = file.ac_huff_tbl_ptrs[component.ac_tbl_no];
    if (!dc || !ac) return false;
    if (!dc_[static_cast<size_t>(component.dc_tbl_no)].make(*dc, dc_meaning) ||
        !ac_[static_cast<size_t>(component.ac_tbl_no)].make(*ac, ac_meaning)) {
      return false;
    }
  }
  file_end_ = file.src->next_input_byte + file.src->bytes_in_buffer;
  number_ = 0;
  packed_ = skips_ = false;
  const auto index = read_packed_index(bytes);
  if (index && index->grid.per_row * index->grid.interval == file.MCUs_per_row &&
      index->grid.rows == file.MCU_rows_in_scan) {
    index_ = *index;
    packed_ = true;
    begins_.clear();
    size_t begin = index_.pixels;
    for (int64_t i = 0; i < index_.grid.count(); ++i) {
      begins_.push_back(begin);
      begin += index_.length(i) + 2;
    }
    if (begin > bytes.size()) return false;
    start_ = reinterpret_cast<const uint8_t*>(bytes.data());
    const StretchGrid& grid = index_.grid;
    first_column_ = x / grid.block_width;
    last_column_ = (x + width - 1) / grid.block_width;
  }
  if (!packed_) load(file.src->next_input_byte, file_end_);
  file_ = &file;
  file.client_data = this;
  reinterpret_cast<EntropyDecoder*>(file.entropy)->decode_mcu = decode_mcu;
  return true;
#else
  (void)file, (void)bytes, (void)x, (void)width;
  return false;
#endif
}

void JpegEntropy::give_up() {
  gave_up_ = true;
  std::longjmp(static_cast<JpegErrors*>(file_->err)->jump, 1);
}

// Copies the bytes up to a marker, without the zero byte after each 0xff.
void JpegEntropy::load(const uint8_t* begin, const uint8_t* end) {
  plain_.resize(static_cast<size_t>(end - begin) + readable_behind);
  uint8_t* to = plain_.data();
  while (true) {
    const auto* ones =
        static_cast<const uint8_t*>(std::memchr(begin, 0xff, static_cast<size_t>(end - begin)));
    const uint8_t* until = ones ? ones : end;
    std::memcpy(to, begin, static_cast<size_t>(until - begin));
    to += until - begin;
    begin = until;
    if (end - begin < 2 || begin[1] != 0) break;
    *to++ = 0xff;
    begin += 2;
  }
  next_ = begin;
  end_ = to;
  bits_ = {plain_.data()};
  last_dc_ = {};
}

// The bits below the valid ones are read again by the next refill, with the same values.
inline void JpegEntropy::Bits::refill() {
  uint64_t next = 0;
  std::memcpy(&next, at, 8);
  buffer |= __builtin_bswap64(next) >> left;
  at += (63 - left) >> 3;
  left |= 56;
}

uint8_t JpegEntropy::long_code(uint64_t buffer, const Table& table, int& length) {
  for (length = looked_up + 1; length <= longest_code; ++length) {
    const auto code = static_cast<int32_t>(buffer >> (64 - length));
    if (code > table.most[static_cast<size_t>(length)]) continue;
    const int32_t place = code + table.first[static_cast<size_t>(length)];
    if (place < 0 || place > 255) give_up();
    return table.symbols[static_cast<size_t>(place)];
  }
  give_up();
}

// One branch per coefficient, seldom taken before the block ends, and one refill for two
// coefficients, because decoding the next code waits for it.
template <bool kept>
[[gnu::always_inline]] inline void JpegEntropy::decode_block(Bits& bits, const Table& dc,
                                                             const Table& ac, int& last_dc,
                                                             JCOEF* block) {
  int length = 0;
  bits.refill();
  Meaning m = dc.known[bits.buffer >> (64 - looked_up)];
  if (m.run()) [[unlikely]] {
    const uint8_t symbol = long_code(bits.buffer, dc, length);
    m = dc_meaning(length, symbol);
    if (m.run()) give_up();  // not a symbol of these tables
  }
  last_dc += coefficient(bits.buffer << m.length(), m.size());
  bits.skip(m.bits());
  if (kept) block[0] = static_cast<JCOEF>(last_dc);
  uint32_t k = 1;
  while (true) {
    bits.refill();
    for (int twice = 0; twice < 2; ++twice) {
      m = ac.known[bits.buffer >> (64 - looked_up)];
      if (k + m.run() > 63) {
        if (k == 64) return;  // block complete: this code belongs to the next block
        if (m.run() == Meaning::unknown) {
          const uint8_t symbol = long_code(bits.buffer, ac, length);
          m = ac_meaning(length, symbol);
        }
        if (m.run() == Meaning::end) return bits.skip(m.bits());
        if (k + m.run() > 63) give_up();
      }
      k += m.run();
      const uint64_t behind = bits.buffer << m.length();
      bits.skip(m.bits());
      if (kept) block[natural[k]] = static_cast<JCOEF>(coefficient(behind, m.size()));
      ++k;
    }
  }
}

// Moves to the next stretch; false: the crop does not need it.
bool JpegEntropy::begin_stretch() {
  const StretchGrid& grid = index_.grid;
  const int64_t column = number_ % file_->MCUs_per_row;
  if (column > last_column_ || column + grid.interval <= first_column_) return false;
  const int64_t stretch = number_ / grid.interval;
  const uint8_t* begin = start_ + begins_[static_cast<size_t>(stretch)];
  const uint8_t* end = begin + index_.length(stretch);
  // Another program may have changed the pixels but kept our index.
  const auto due = static_cast<uint8_t>(stretch + 1 == grid.count() ? 0xd9 : 0xd0 + stretch % 8);
  if (end[0] != 0xff || end[1] != due) give_up();
  load(begin, end);
  if (next_ != end) give_up();
  return true;
}

// The next bytes must be the restart marker with the expected number.
void JpegEntropy::restart() {
  if (end_ - bits_.at > 0 || (end_ - bits_.at) * 8 + bits_.left >= 8) give_up();  // unread bytes
  const uint8_t* at = next_;
  while (file_end_ - at >= 2 && at[0] == 0xff && at[1] == 0xff) ++at;
  const int64_t due = (number_ / file_->restart_interval - 1) % 8;
  if (file_end_ - at < 2 || at[0] != 0xff || at[1] != 0xd0 + due) give_up();
  load(at + 2, file_end_);
}

void JpegEntropy::decode(j_decompress_ptr file, JBLOCKROW* blocks) {
  if (packed_) {
    // Rows that libjpeg skips are not decoded: stretches are independent.
    if (number_ % index_.grid.interval == 0) skips_ = !blocks || !begin_stretch();
  } else if (file->restart_interval && number_ && number_ % file->restart_interval == 0) {
    restart();
  }
  ++number_;
  if (packed_ && skips_) return;
  if (blocks) {
    decode_blocks<true>(file, blocks);
  } else {
    decode_blocks<false>(file, blocks);
  }
}

template <bool kept>
void JpegEntropy::decode_blocks(j_decompress_ptr file, JBLOCKROW* blocks) {
  Bits bits = bits_;  // a local copy stays in registers
  for (int i = 0; i < file->blocks_in_MCU; ++i) {
    const int component = file->MCU_membership[i];
    const jpeg_component_info& info = *file->cur_comp_info[component];
    decode_block<kept>(bits, dc_[static_cast<size_t>(info.dc_tbl_no)],
                       ac_[static_cast<size_t>(info.ac_tbl_no)],
                       last_dc_[static_cast<size_t>(component)], kept ? *blocks[i] : nullptr);
  }
  if ((end_ - bits.at) * 8 + bits.left < 0) give_up();  // used bits past the end
  bits_ = bits;
}

boolean JpegEntropy::decode_mcu(j_decompress_ptr file, JBLOCKROW* blocks) {
  static_cast<JpegEntropy*>(file->client_data)->decode(file, blocks);
  return TRUE;
}

}  // namespace convoy
