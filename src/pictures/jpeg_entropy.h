// Huffman decoding of our own, put in the place of libjpeg's: where a crop is decoded most of the
// time goes there. It looks up code and coefficient at once, and of a packed file decodes only the
// stretches that are needed. What it does not like it leaves to libjpeg.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pictures/jpeg_errors.h"
#include "pictures/packed_index.h"

namespace convoy {

class JpegEntropy {
 public:
  // After jpeg_start_decompress and jpeg_crop_scanline, before the first line. From then on
  // libjpeg asks here for every block, until the file is aborted; the object must stay. `bytes` is
  // the file. Only `width` columns from `x` on, of the whole picture, must be right. False: the
  // file is none of those we decode, and libjpeg goes on by itself.
  bool install(jpeg_decompress_struct& file, std::string_view bytes, int64_t x, int64_t width);

  // Whether the last decode ended because something was wrong with the file. libjpeg knows better
  // what to make of it: begin again without.
  bool gave_up() const { return gave_up_; }
  void forget() { gave_up_ = false; }

 private:
  static constexpr int looked_up = 10;  // bits

  // What the next bits mean: a run of zeros, then a coefficient of `size` bits behind the code. One
  // word, with the bits of code and coefficient together lowest, where shifts take them from.
  struct Meaning {
    static constexpr uint32_t end = 64;       // for a run: the block has no more
    static constexpr uint32_t unknown = 128;  // for a run: a longer code, or none

    uint32_t word = unknown << 24;

    static Meaning of(int length, uint32_t run, int size) {
      return {static_cast<uint32_t>(length + size) | static_cast<uint32_t>(size) << 8 |
              static_cast<uint32_t>(length) << 16 | run << 24};
    }
    int bits() const { return static_cast<int>(word & 63); }
    int size() const { return static_cast<int>(word >> 8 & 15); }
    int length() const { return static_cast<int>(word >> 16 & 31); }
    uint32_t run() const { return word >> 24; }
  };
  struct Table {
    std::array<Meaning, 1 << looked_up> known;
    std::array<int32_t, 18> most;   // the largest code of each length, or -1
    std::array<int32_t, 17> first;  // place of a length's first symbol, less its code
    std::array<uint8_t, 256> symbols{};
    std::array<uint8_t, 17> lengths{};  // how many codes have each; 0: no table was made
    bool usable = false;

    // False: libjpeg may know what to do with such a table.
    bool make(const JHUFF_TBL& from, Meaning (*meaning)(int length, uint8_t symbol));
  };

  // The bits of a stretch. Their bytes hold no stuffing, and behind them more may be read.
  struct Bits {
    const uint8_t* at = nullptr;
    uint64_t buffer = 0;  // the next ones, at its top
    int left = 0;         // how many of them count

    void refill();  // 56 at least
    void skip(int count) {
      buffer <<= count;
      left -= count;
    }
  };

  static boolean decode_mcu(j_decompress_ptr file, JBLOCKROW* blocks);
  void decode(j_decompress_ptr file, JBLOCKROW* blocks);
  template <bool kept>
  void decode_block(Bits& bits, const Table& dc, const Table& ac, int& last_dc, JCOEF* block);
  template <bool kept>
  void decode_blocks(j_decompress_ptr file, JBLOCKROW* blocks);
  static Meaning dc_meaning(int length, uint8_t symbol);
  static Meaning ac_meaning(int length, uint8_t symbol);
  // Of a code that is not in the table of short ones.
  uint8_t long_code(uint64_t buffer, const Table& table, int& length);
  void load(const uint8_t* begin, const uint8_t* end);
  bool begin_stretch();
  void restart();
  [[noreturn]] void give_up();

  jpeg_decompress_struct* file_ = nullptr;
  std::array<Table, 4> dc_, ac_;
  Bits bits_;
  std::vector<uint8_t> plain_;     // the stretch without its stuffing
  const uint8_t* end_ = nullptr;   // of it
  const uint8_t* next_ = nullptr;  // what stands behind it in the file: a marker, or the file's end
  const uint8_t* file_end_ = nullptr;
  std::array<int, 4> last_dc_{};
  int64_t number_ = 0;  // of the next MCU
  bool gave_up_ = false;
  // Of a packed file.
  bool packed_ = false, skips_ = false;
  PackedIndex index_;
  const uint8_t* start_ = nullptr;              // of the file
  std::vector<size_t> begins_;                  // of stretches
  int64_t first_column_ = 0, last_column_ = 0;  // of needed MCUs
};

}  // namespace convoy
