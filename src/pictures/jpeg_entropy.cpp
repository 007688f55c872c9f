#include "pictures/jpeg_entropy.h"

#include <algorithm>
#include <cstring>

namespace convoy {
namespace {

// How libjpeg's struct jpeg_entropy_decoder begins, in every version of libjpeg-turbo there is.
struct EntropyDecoder {
  void (*start_pass)(j_decompress_ptr);
  boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW*);
};

constexpr uint8_t end_of_block = 64;  // as a run

constexpr std::array<uint8_t, 64> natural{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// A coefficient from its bits: those that begin with 0 are negative.
int extended(uint32_t bits, int size) {
  const auto value = static_cast<int>(bits);
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

}  // namespace

void JpegEntropy::Table::make(const JHUFF_TBL& from, bool is_dc) {
  // Most files have the standard's tables, as the one before.
  if (std::equal(lengths.begin(), lengths.end(), from.bits) &&
      std::equal(symbols.begin(), symbols.end(), from.huffval)) {
    return;
  }
  std::copy_n(from.bits, lengths.size(), lengths.begin());
  std::copy_n(from.huffval, symbols.size(), symbols.begin());
  known.fill({});
  int32_t code = 0, place = 0;
  most.fill(-1);
  for (int length = 1; length <= 16; ++length, code <<= 1) {
    first[static_cast<size_t>(length)] = place - code;
    for (int i = 0; i < from.bits[length]; ++i, ++code, ++place) {
      most[static_cast<size_t>(length)] = code;
      if (length > looked_up) continue;
      const uint8_t symbol = from.huffval[place];
      const int run = is_dc ? 0 : symbol >> 4, size = symbol & 15, spare = looked_up - length;
      for (int32_t rest = 0; rest < 1 << spare; ++rest) {
        const auto at = static_cast<size_t>(code << spare | rest);
        if (at >= known.size()) return;  // libjpeg has refused such a table
        Meaning& m = known[at];
        m.run = static_cast<uint8_t>(run);
        m.bits = static_cast<uint8_t>(length);
        m.value = 0;
        m.size = static_cast<uint8_t>(size);
        if (size == 0) {
          // A run of 15 and no coefficient are sixteen zeros; any other is the end.
          if (!is_dc && run != 15) m.run = end_of_block;
        } else if (size <= spare) {
          m.value = static_cast<int16_t>(
              extended(static_cast<uint32_t>(rest >> (spare - size)) & ((1u << size) - 1), size));
          m.bits = static_cast<uint8_t>(length + size);
          m.size = 0;
        }
      }
    }
  }
}

bool JpegEntropy::install(jpeg_decompress_struct& file, std::string_view bytes,
                          const PixelRect& part) {
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
    dc_[static_cast<size_t>(component.dc_tbl_no)].make(*dc, true);
    ac_[static_cast<size_t>(component.ac_tbl_no)].make(*ac, false);
  }
  bits_ = {file.src->next_input_byte, file.src->next_input_byte + file.src->bytes_in_buffer};
  number_ = 0;
  last_dc_ = {};
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
    // What libjpeg looks at above the first line, to upsample colour.
    constexpr int64_t above = 2;
    first_row_ = part.y / grid.block_height - above;
    first_column_ = part.x / grid.block_width;
    last_column_ = (part.x + part.width - 1) / grid.block_width;
  }
  file_ = &file;
  file.client_data = this;
  reinterpret_cast<EntropyDecoder*>(file.entropy)->decode_mcu = decode_mcu;
  return true;
#else
  (void)file, (void)bytes, (void)part;
  return false;
#endif
}

void JpegEntropy::give_up() {
  gave_up_ = true;
  std::longjmp(static_cast<JpegErrors*>(file_->err)->jump, 1);
}

inline void JpegEntropy::Bits::refill() {
  if (left > 32) return;
  if (end - at >= 4) {
    uint32_t next = 0;
    std::memcpy(&next, at, 4);
    next = __builtin_bswap32(next);
    const uint32_t inverse = ~next;  // a byte of ones, which may begin a marker, is zero here
    if (((inverse - 0x01010101u) & ~inverse & 0x80808080u) == 0) {
      buffer |= uint64_t{next} << (32 - left);
      left += 32;
      at += 4;
      return;
    }
  }
  *this = refilled_slowly(*this);  // by value: else no member could stay in a register
}

// Byte by byte: a zero behind 0xff is stuffing, anything else a marker, where the bits end.
JpegEntropy::Bits JpegEntropy::Bits::refilled_slowly(Bits b) {
  while (b.left <= 56) {
    if (b.at < b.end && (*b.at != 0xff || (b.end - b.at >= 2 && b.at[1] == 0))) {
      b.buffer |= uint64_t{*b.at} << (56 - b.left);
      b.at += *b.at == 0xff ? 2 : 1;
    } else {
      b.made_up += 8;
    }
    b.left += 8;
  }
  return b;
}

inline int JpegEntropy::Bits::take(int count) {
  const auto value = static_cast<int>(buffer >> (64 - count));
  buffer <<= count;
  left -= count;
  return value;
}

JpegEntropy::LongCode JpegEntropy::long_code(uint64_t buffer, const Table& table) {
  for (int length = looked_up + 1; length <= 16; ++length) {
    const auto code = static_cast<int32_t>(buffer >> (64 - length));
    if (code > table.most[static_cast<size_t>(length)]) continue;
    const int32_t place = code + table.first[static_cast<size_t>(length)];
    if (place < 0 || place > 255) give_up();
    return {length, table.symbols[static_cast<size_t>(place)]};
  }
  give_up();
}

template <bool kept>
[[gnu::always_inline]] inline void JpegEntropy::decode_block(Bits& bits, const Table& dc,
                                                             const Table& ac, int& last_dc,
                                                             JCOEF* block) {
  bits.refill();
  const Meaning& first = dc.known[bits.buffer >> (64 - looked_up)];
  int difference = first.value, size = first.size;
  if (first.bits) {
    bits.take(first.bits);
  } else {
    const LongCode code = long_code(bits.buffer, dc);
    bits.take(code.length);
    size = code.symbol;
    if (size > 15) give_up();
  }
  if (size) difference = extended(static_cast<uint32_t>(bits.take(size)), size);
  last_dc += difference;
  if (kept) block[0] = static_cast<JCOEF>(last_dc);
  for (int k = 1; k < 64; ++k) {
    bits.refill();
    const Meaning m = ac.known[bits.buffer >> (64 - looked_up)];
    int run = m.run, more = m.size, value = m.value;
    if (m.bits) [[likely]] {
      bits.take(m.bits);
    } else {
      const LongCode code = long_code(bits.buffer, ac);
      bits.take(code.length);
      run = code.symbol >> 4;
      more = code.symbol & 15;
      value = 0;
      if (more == 0 && run != 15) run = end_of_block;
    }
    if (run == end_of_block) break;
    if (more) value = extended(static_cast<uint32_t>(bits.take(more)), more);
    k += run;
    if (k > 63) give_up();
    if (kept) block[natural[static_cast<size_t>(k)]] = static_cast<JCOEF>(value);
  }
}

// Finds the next stretch; false: nobody needs it.
bool JpegEntropy::begin_stretch() {
  const StretchGrid& grid = index_.grid;
  const int64_t row = number_ / file_->MCUs_per_row, column = number_ % file_->MCUs_per_row;
  if (row < first_row_ || column > last_column_ || column + grid.interval <= first_column_) {
    return false;
  }
  const int64_t stretch = number_ / grid.interval;
  const uint8_t* begin = start_ + begins_[static_cast<size_t>(stretch)];
  bits_ = {begin, begin + index_.length(stretch)};
  last_dc_ = {};
  return true;
}

// The marker between two intervals must be the next, and the one that is due.
void JpegEntropy::restart() {
  // Bytes that were read ahead are none: a marker stops reading.
  if (bits_.left - bits_.made_up >= 8) give_up();
  const uint8_t* at = bits_.at;
  while (bits_.end - at >= 2 && at[0] == 0xff && at[1] == 0xff) ++at;
  const int64_t due = (number_ / file_->restart_interval - 1) % 8;
  if (bits_.end - at < 2 || at[0] != 0xff || at[1] != 0xd0 + due) give_up();
  bits_ = {at + 2, bits_.end};
  last_dc_ = {};
}

void JpegEntropy::decode(j_decompress_ptr file, JBLOCKROW* blocks) {
  if (packed_) {
    if (number_ % index_.grid.interval == 0) skips_ = !begin_stretch();
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
  Bits bits = bits_;  // in registers
  for (int i = 0; i < file->blocks_in_MCU; ++i) {
    const int component = file->MCU_membership[i];
    const jpeg_component_info& info = *file->cur_comp_info[component];
    decode_block<kept>(bits, dc_[static_cast<size_t>(info.dc_tbl_no)],
                       ac_[static_cast<size_t>(info.ac_tbl_no)],
                       last_dc_[static_cast<size_t>(component)], kept ? *blocks[i] : nullptr);
  }
  if (bits.left < bits.made_up) give_up();
  bits_ = bits;
}

boolean JpegEntropy::decode_mcu(j_decompress_ptr file, JBLOCKROW* blocks) {
  static_cast<JpegEntropy*>(file->client_data)->decode(file, blocks);
  return TRUE;
}

}  // namespace convoy
