// Our own Huffman decoder, which replaces libjpeg's: when a crop is decoded, most of the time is
// spent there. It looks up code and coefficient together, and decodes only the needed stretches of
// a packed file. It leaves files that it cannot decode to libjpeg.
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
  // Call it after jpeg_start_decompress and jpeg_crop_scanline, before the first line. From then on
  // libjpeg calls this object for every block, until the file is aborted; the object must live that
  // long. `bytes` is the file. Only `width` columns of the picture, from `x` on, need to be right.
  // False: we cannot decode this file, and libjpeg decodes it itself.
  bool install(jpeg_decompress_struct& file, std::string_view bytes, int64_t x, int64_t width);

  // Whether the last decode stopped because of an error in the file. The caller then decodes again
  // without this object: libjpeg handles damaged files.
  bool gave_up() const { return gave_up_; }
  void forget() { gave_up_ = false; }

 private:
  static constexpr int looked_up = 10;  // bits of the lookup index

  // The meaning of the next bits: a run of zeros, then a coefficient of `size` bits after the code.
  // One word; its lowest bits are the total length of code and coefficient, ready to shift by.
  struct Meaning {
    static constexpr uint32_t end = 64;       // as run: the block ends
    static constexpr uint32_t unknown = 128;  // as run: a longer code, or an invalid one

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
    std::array<int32_t, 17> first;  // index of a length's first symbol, minus its code
    std::array<uint8_t, 256> symbols{};
    std::array<uint8_t, 17> lengths{};  // number of codes of each length; 0: no table yet
    bool usable = false;

    // False: the table is unusual, and libjpeg may still accept it.
    bool make(const JHUFF_TBL& from, Meaning (*meaning)(int length, uint8_t symbol));
  };

  // The bits of a stretch. The bytes have no stuffing, and bytes behind the end are readable.
  struct Bits {
    const uint8_t* at = nullptr;
    uint64_t buffer = 0;  // the next bits, at its top
    int left = 0;         // how many of them are valid

    void refill();  // to at least 56 bits
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
  // Decodes a code that is longer than the lookup table's.
  uint8_t long_code(uint64_t buffer, const Table& table, int& length);
  void load(const uint8_t* begin, const uint8_t* end);
  bool begin_stretch();
  void restart();
  [[noreturn]] void give_up();

  jpeg_decompress_struct* file_ = nullptr;
  std::array<Table, 4> dc_, ac_;
  Bits bits_;
  std::vector<uint8_t> plain_;     // the bytes of the stretch without stuffing
  const uint8_t* end_ = nullptr;   // of the stretch
  const uint8_t* next_ = nullptr;  // what follows in the file: a marker, or the end of the file
  const uint8_t* file_end_ = nullptr;
  std::array<int, 4> last_dc_{};
  int64_t number_ = 0;  // of the next MCU
  bool gave_up_ = false;
  // For packed files only.
  bool packed_ = false, skips_ = false;
  PackedIndex index_;
  const uint8_t* start_ = nullptr;              // of the file
  std::vector<size_t> begins_;                  // where each stretch begins
  int64_t first_column_ = 0, last_column_ = 0;  // of the needed MCUs
};

}  // namespace convoy
