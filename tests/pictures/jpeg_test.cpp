#include "pictures/jpeg.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/raises.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

// Every file of shared/data/fixtures/jpeg, as a user would want it. `refused` names words of the
// error; of the others the pixels are Pillow's, bit for bit.
struct Case {
  const char* file;
  const char* refused = "";
  const char* remark = "";
  int components = 3;
  bool progressive = false;
};
constexpr const char* early = "Premature end of JPEG file";
constexpr const char* damaged = "premature end of data segment";
const Case cases[] = {
    {.file = "libjpeg-turbo/monkey12.jpg", .refused = "data precision 12"},
    {.file = "libjpeg-turbo/testimgari.jpg"},  // arithmetic coding
    {.file = "libjpeg-turbo/testimgint.jpg"},
    {.file = "libjpeg-turbo/testorig.jpg"},
    {.file = "opencv/space_shuttle_progressive.jpg", .progressive = true},
    {.file = "pillow/app13-multiple_progressive.jpg", .progressive = true},
    {.file = "pillow/app13.jpg"},
    {.file = "pillow/exif_gps.jpg"},
    {.file = "pillow/flower.jpg"},
    {.file = "pillow/hopper.jpg"},
    {.file = "pillow/hopper_16bit_qtables.jpg"},
    // Its EXIF is bad, and so are its pixels: Pillow shows torn stripes.
    {.file = "pillow/hopper_bad_exif.jpg", .refused = damaged},
    {.file = "pillow/hopper_gray.jpg", .components = 1},
    {.file = "pillow/hopper_orientation_2.jpg"},
    {.file = "pillow/hopper_orientation_3.jpg"},
    {.file = "pillow/hopper_orientation_4.jpg"},
    {.file = "pillow/hopper_orientation_5.jpg"},
    {.file = "pillow/hopper_orientation_6.jpg"},
    {.file = "pillow/hopper_orientation_7.jpg"},
    {.file = "pillow/hopper_orientation_8.jpg"},
    {.file = "pillow/icc-after-SOF.jpg", .components = 1},
    {.file = "pillow/invalid-exif.jpg"},
    {.file = "pillow/jpeg_ff00_header.jpg", .remark = "extraneous bytes"},
    {.file = "pillow/junk_jpeg_header.jpg", .remark = "extraneous bytes"},
    {.file = "pillow/multiple_exif.jpg", .components = 1},
    {.file = "pillow/orientation_rectangle.jpg"},
    {.file = "pillow/pil_sample_cmyk.jpg", .components = 4},
    {.file = "pillow/pil_sample_rgb.jpg"},
    {.file = "pillow/truncated_app14.jpg", .remark = "extraneous bytes"},
    {.file = "pillow/truncated_jpeg.jpg", .refused = early},
    // Noise, which no decoder of this kind of file can tell from a picture.
    {.file = "torchvision/damaged_jpeg/bad_huffman.jpg"},
    {.file = "torchvision/damaged_jpeg/corrupt.jpg", .refused = damaged},
    {.file = "torchvision/damaged_jpeg/corrupt34_2.jpg", .refused = "cannot hold 2544x3300 pixels"},
    {.file = "torchvision/damaged_jpeg/corrupt34_3.jpg", .refused = "cannot hold 2544x3300 pixels"},
    {.file = "torchvision/damaged_jpeg/corrupt34_4.jpg", .refused = "cannot hold 2544x3300 pixels"},
    {.file = "torchvision/damaged_png/sigsegv.png", .refused = "cut off"},
    {.file = "torchvision/dog2_progressive.jpg", .progressive = true},
    {.file = "torchvision/encode_jpeg/grace_hopper_517x606.jpg"},
    {.file = "torchvision/fakedata/logos/cmyk_pytorch.jpg", .components = 4},
    {.file = "torchvision/fakedata/logos/gray_pytorch.jpg", .components = 1},
    {.file = "torchvision/fakedata/logos/gray_pytorch.png", .components = 1},
    {.file = "torchvision/fakedata/logos/grayalpha_pytorch.png", .components = 2},
    {.file = "torchvision/fakedata/logos/palette_pytorch.png", .components = 1},
    {.file = "torchvision/fakedata/logos/rgb_pytorch.jpg"},
    {.file = "torchvision/fakedata/logos/rgb_pytorch.png"},
    {.file = "torchvision/fakedata/logos/rgb_pytorch16.png"},
    {.file = "torchvision/fakedata/logos/rgbalpha_pytorch.png", .components = 4},
    {.file = "torchvision/interlaced_png/wizard_low-interlaced.png",
     .components = 4,
     .progressive = true},
    {.file = "torchvision/toosmall_png/heapbof.png", .refused = "neither a JPEG nor a PNG"},
};

TEST(SharedPictures, AreDecodedAsPillowDoesOrRefused) {
  const auto folder = shared_data("fixtures/jpeg");
  if (!folder) GTEST_SKIP();
  const Json peer = fixture("pictures/pictures").at("shared");
  EXPECT_EQ(std::size(cases), peer.size());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.file);
    const std::string bytes = read_file(*folder / c.file, Fault::bug);
    if (*c.refused) {
      expect_raises(Fault::data, {"its name", c.refused},
                    [&] { decode_picture(bytes, "its name", false); });
      continue;
    }
    PictureDecoder decoder;
    const PictureInfo info = decoder.open(bytes, c.file);
    EXPECT_EQ(info.components, c.components);
    EXPECT_EQ(info.progressive, c.progressive);
    EXPECT_EQ(info.cmyk, info.format == PictureFormat::jpeg && c.components == 4);
    const Json& want = peer.at(c.file);
    ASSERT_TRUE(want.is_object());
    EXPECT_EQ(info.width, want.at("width"));
    EXPECT_EQ(info.height, want.at("height"));
    EXPECT_EQ(info.orientation, want.at("orientation"));
    Pixels pixels;
    decoder.decode({0, 0, info.width, info.height}, DecodeSpeed::exact, 1, pixels);
    EXPECT_EQ(crc_of(pixels), want.at("crc32"));
    std::string remarks;
    for (const std::string& remark : decoder.remarks()) remarks += remark;
    if (*c.remark) {
      EXPECT_NE(remarks.find(c.remark), remarks.npos) << remarks;
    } else {
      EXPECT_EQ(remarks, "");
    }
  }
}

TEST(Jpeg, EveryCodingGivesPillowsPixels) {
  const Json peer = fixture("pictures/pictures").at("made");
  for (const std::string& name : made_pictures(".jpg")) {
    SCOPED_TRACE(name);
    const Pixels pixels = decode_picture(picture_bytes(name), name, false);
    EXPECT_EQ(pixels.region.width, peer.at(name).at("width"));
    EXPECT_EQ(pixels.region.height, peer.at(name).at("height"));
    EXPECT_EQ(crc_of(pixels), peer.at(name).at("crc32"));
  }
}

TEST(Jpeg, APartIsThatOfTheWhole) {
  for (const std::string& name : made_pictures(".jpg")) {
    const std::string bytes = picture_bytes(name);
    expect_equal_parts(bytes, decode_picture(bytes, name, false), 150, name);
  }
}

TEST(Jpeg, AFastPartIsNearAndASmallOneIsTheSmallPicture) {
  PictureDecoder decoder;
  for (const char* name : {"flower.jpg", "hopper.jpg", "sampled_2x2.jpg", "grey.jpg", "cmyk.jpg"}) {
    const std::string bytes = picture_bytes(name);
    const Pixels whole = decode_picture(bytes, name, false);
    for (const int shrink : {1, 2, 4, 8}) {
      SCOPED_TRACE(fmt::format("{} at 1/{}", name, shrink));
      const int64_t width = (whole.region.width + shrink - 1) / shrink;
      const int64_t height = (whole.region.height + shrink - 1) / shrink;
      const PixelRect region{width / 3, height / 4, width - width / 3, height / 2};
      Pixels part;
      decoder.open(bytes, name);
      decoder.decode(region, DecodeSpeed::fast, shrink, part);
      // Against the mean of the pixels that each stands for.
      double error = 0;
      for (int64_t y = region.y; y < region.y + region.height; ++y) {
        for (int64_t x = region.x; x < region.x + region.width; ++x) {
          double sum = 0, count = 0;
          for (int64_t v = y * shrink; v < std::min((y + 1) * shrink, whole.region.height); ++v) {
            for (int64_t u = x * shrink; u < std::min((x + 1) * shrink, whole.region.width); ++u) {
              sum += whole.at(u, v)[1];
              ++count;
            }
          }
          error += std::abs(sum / count - part.at(x, y)[1]);
        }
      }
      EXPECT_LT(error / static_cast<double>(region.width * region.height), 5);
    }
  }
}

// Once wrote to memory of the picture before.
TEST(Jpeg, OneDecoderIsFastAndExactInTurn) {
  const std::vector<std::string> names{"sampled_1x1.jpg", "sampled_2x2.jpg", "grey.jpg",
                                       "sampled_2x1.jpg", "progressive.jpg", "cmyk.jpg"};
  const PixelRect region{20, 30, 50, 25};
  const auto decode = [&](PictureDecoder& decoder, const std::string& name, int round) {
    const std::string bytes = picture_bytes(name);
    Pixels part;
    decoder.open(bytes, name);
    decoder.decode(region, round % 2 ? DecodeSpeed::fast : DecodeSpeed::exact, 1, part);
    return rgb_of(part, region);
  };
  PictureDecoder decoder;
  Random random(random_key(5, Purpose::generated));
  for (int round = 0; round < 400; ++round) {
    const std::string& name = names[random.below(static_cast<uint32_t>(names.size()))];
    PictureDecoder fresh;
    ASSERT_EQ(decode(decoder, name, round), decode(fresh, name, round)) << round << " " << name;
  }
}

TEST(Jpeg, AFileThatEndsEarlyIsRefusedUnlessTheCropEndsBefore) {
  const std::string bytes = picture_bytes("flower.jpg");
  const Pixels whole = decode_picture(bytes, "flower", false);
  const std::string half = bytes.substr(0, bytes.size() / 2);
  expect_raises(Fault::data, {"half.jpg", "Premature end", "try: a whole copy"},
                [&] { decode_picture(half, "half.jpg", false); });
  PictureDecoder decoder;
  const PixelRect region{10, 10, 200, 50};
  Pixels part;
  decoder.open(half, "half");
  decoder.decode(region, DecodeSpeed::exact, 1, part);
  EXPECT_EQ(rgb_of(part, region), rgb_of(whole, region));
  // After a refusal the decoder serves the next file.
  expect_raises(Fault::data, {"Premature end"}, [&] {
    const PictureInfo info = decoder.open(half, "half");
    decoder.decode({0, 0, info.width, info.height}, DecodeSpeed::exact, 1, part);
  });
  decoder.open(bytes, "flower");
  decoder.decode(whole.region, DecodeSpeed::exact, 1, part);
  EXPECT_EQ(crc_of(part), crc_of(whole));
  // Every length is refused, or gives the whole picture where only the end marker is missing.
  const std::string small = picture_bytes("one_pixel.jpg");
  for (size_t size = 0; size < small.size(); ++size) {
    try {
      decode_picture(small.substr(0, size), "cut", false);
      EXPECT_GE(size + 2, small.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::data) << error.what();
    }
  }
}

TEST(Jpeg, WhatIsWrittenIsReadAgain) {
  const Pixels whole = decode_picture(picture_bytes("flower.jpg"), "flower", false);
  const Pixels again = decode_picture(encode_jpeg(whole, 97), "again", false);
  ASSERT_EQ(again.region, whole.region);
  const std::string a = rgb_of(whole, whole.region), b = rgb_of(again, whole.region);
  double error = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    error += std::abs(static_cast<uint8_t>(a[i]) - static_cast<uint8_t>(b[i]));
  }
  EXPECT_LT(error / static_cast<double>(a.size()), 1.5);
  Pixels nothing;
  expect_raises(Fault::data, {"0x0"}, [&] { encode_jpeg(nothing, 90); });
}

}  // namespace
}  // namespace convoy::test
