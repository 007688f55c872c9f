#include "app/predict/found_objects.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace convoy {
namespace {

const CocoIds& ids() {
  static const CocoIds known({"background", "cat", "dog"}, 3, "");
  return known;
}

FoundInPicture two_objects() {
  const auto object = [](int32_t label, float score, const Box& box) {
    return in_pixels(Detection{box, label, score}, 640, 480);
  };
  return {.index = 3,
          .file = "a \"b\".jpg",
          .width = 640,
          .height = 480,
          .objects = {object(2, 0.75f, {0.25f, 0.125f, 0.5f, 0.375f}),
                      object(1, 0.0625f, {-0.25f, 0.5f, 1.25f, 1})}};
}

TEST(FoundObjects, AreInPixelsOfTheirPicture) {
  const FoundInPicture picture = two_objects();
  EXPECT_EQ(picture.objects[0].x, 80);
  EXPECT_EQ(picture.objects[0].y, 120);
  EXPECT_EQ(picture.objects[0].width, 160);
  EXPECT_EQ(picture.objects[0].height, 120);
  EXPECT_EQ(picture.objects[1].y, -120);  // not clipped
  EXPECT_EQ(picture.objects[1].height, 720);
}

TEST(FoundObjects, ATextHasALineForEach) {
  FoundInPicture picture = two_objects();
  EXPECT_EQ(text_lines(picture, ids(), 0),
            "a \"b\".jpg   75.0%   18 dog                 80.0   120.0   160.0   120.0\n"
            "a \"b\".jpg    6.2%   17 cat                320.0  -120.0   320.0   720.0\n");
  EXPECT_EQ(text_lines(picture, ids(), 0.75).find('\n'),
            text_lines(picture, ids(), 0.75).size() - 1);
  EXPECT_EQ(text_lines(picture, ids(), 0.76), "a \"b\".jpg  no object\n");
  picture.file.clear();
  EXPECT_EQ(text_lines(picture, ids(), 0.76), "     3  no object\n");
}

TEST(FoundObjects, AJsonLineHasAllOfThem) {
  FoundInPicture picture = two_objects();
  EXPECT_EQ(
      json_line(picture, ids()),
      R"({"index":3,"file":"a \"b\".jpg","width":640,"height":480,"objects":[)"
      R"({"class":2,"category":18,"name":"dog","score":0.75,"box":[80.0,120.0,160.0,120.0]},)"
      R"({"class":1,"category":17,"name":"cat","score":0.0625,"box":[320.0,-120.0,320.0,720.0]}]})"
      "\n");
  picture.objects.clear();
  picture.file.clear();
  EXPECT_EQ(json_line(picture, ids()),
            "{\"index\":3,\"width\":640,\"height\":480,\"objects\":[]}\n");
}

TEST(FoundObjects, CocosResultsAreAListOfAllObjects) {
  CocoResults results;
  EXPECT_EQ(nlohmann::json::parse(results.text()), nlohmann::json::array());
  FoundInPicture picture = two_objects();
  picture.objects[0].score = 0.1;  // a number without an exact decimal form is kept to the last bit
  results.add(42, picture.objects, ids());
  results.add(43, {}, ids());
  results.add(44, std::span(picture.objects).first(1), ids());
  const nlohmann::json read = nlohmann::json::parse(results.text());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(
      read[0],
      (nlohmann::json{
          {"image_id", 42}, {"category_id", 18}, {"bbox", {80, 120, 160, 120}}, {"score", 0.1}}));
  EXPECT_EQ(read[1].at("category_id"), 17);
  EXPECT_EQ(read[2].at("image_id"), 44);
}

}  // namespace
}  // namespace convoy
