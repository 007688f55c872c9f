#include "support/mutate.h"

#include <array>
#include <cstring>

namespace convoy::test {
namespace {

constexpr std::array<uint64_t, 14> extremes{0,
                                            1,
                                            0x7f,
                                            0x80,
                                            0xff,
                                            0x7fff,
                                            0xffff,
                                            0x7fffffff,
                                            0x80000000,
                                            0xffffffff,
                                            0x7fffffffffffffff,
                                            0x8000000000000000,
                                            0xffffffffffffffff,
                                            0x4000000000000000};

void change(std::string& bytes, const std::vector<std::string>& seeds, Random& random) {
  const auto size = static_cast<uint32_t>(bytes.size());
  const size_t place = random.below(size);
  switch (random.below(9)) {
    case 0:
      bytes[place] = static_cast<char>(random.bits());
      break;
    case 1:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8)));
      break;
    case 2:
      bytes.resize(place);
      break;
    case 3:
      bytes.erase(place, 1 + random.below(32));
      break;
    case 4:
      bytes.insert(place, std::string(1 + random.below(32), static_cast<char>(random.bits())));
      break;
    case 5: {  // an extreme number over what is there, 1 to 8 bytes wide
      const uint64_t number = extremes[random.below(extremes.size())];
      const size_t wide = std::min<size_t>(size_t{1} << random.below(4), bytes.size() - place);
      std::memcpy(bytes.data() + place, &number, wide);
      break;
    }
    case 6: {  // a piece of a sound file
      const std::string& other = seeds[random.below(static_cast<uint32_t>(seeds.size()))];
      const size_t from = random.below(static_cast<uint32_t>(other.size()));
      const std::string piece = other.substr(from, 1 + random.below(128));
      if (random.below(2)) {
        bytes.insert(place, piece);
      } else {
        bytes.replace(place, piece.size(), piece);
      }
      break;
    }
    case 7: {  // the rest of another
      const std::string& other = seeds[random.below(static_cast<uint32_t>(seeds.size()))];
      bytes =
          bytes.substr(0, place) + other.substr(random.below(static_cast<uint32_t>(other.size())));
      break;
    }
    default:  // a number a little off
      bytes[place] = static_cast<char>(bytes[place] + static_cast<int>(random.below(7)) - 3);
      break;
  }
}

}  // namespace

std::string mutated(std::string bytes, const std::vector<std::string>& seeds, Random& random) {
  const uint32_t changes = 1 + random.below(4);
  for (uint32_t i = 0; i < changes && !bytes.empty(); ++i) change(bytes, seeds, random);
  return bytes;
}

}  // namespace convoy::test
