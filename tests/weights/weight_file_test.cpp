// Files of torch and numpy themselves (tests/fixtures/make_torch_files.py), read as they were
// meant.

#include "weights/weight_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "support/fixture.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/weight_writers.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

template <class T>
std::vector<T> copied(const TensorEntry& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

template <class T>
Json texts(const TensorEntry& tensor) {
  Json all = Json::array();
  for (const T v : copied<T>(tensor)) all.push_back(std::to_string(v));
  return all;
}

// As the fixture writes it.
Json values_of(const TensorEntry& tensor) {
  switch (tensor.dtype) {
    case DType::f32: {
      Json all = Json::array();
      for (const float v : copied<float>(tensor)) {
        all.push_back(std::isfinite(v) ? Json(double{v}) : Json(v > 0 ? "inf" : "-inf"));
      }
      return all;
    }
    case DType::s64:
      return texts<int64_t>(tensor);
    case DType::s32:
      return texts<int32_t>(tensor);
    case DType::u8:
      return texts<uint8_t>(tensor);
    default:
      return "a type that no file gives";
  }
}

std::string fixture_type(DType dtype) {
  return dtype == DType::f32   ? "float32"
         : dtype == DType::s64 ? "int64"
         : dtype == DType::s32 ? "int32"
                               : "uint8";
}

void expect_holds(const WeightFile& file, const Json& truth) {
  EXPECT_EQ(file.tensors().size() + file.foreign().size(), truth.size()) << file.origin();
  for (const auto& [name, t] : truth.items()) {
    const TensorEntry* tensor = file.find(name);
    if (!tensor) {
      EXPECT_TRUE(file.foreign().contains(name)) << file.origin() << ": " << name;
      continue;
    }
    EXPECT_EQ(fixture_type(tensor->dtype), t.at("dtype")) << name;
    EXPECT_EQ(std::vector<int64_t>(tensor->shape.begin(), tensor->shape.end()),
              t.at("shape").get<std::vector<int64_t>>())
        << name;
    EXPECT_EQ(values_of(*tensor), t.at("values")) << file.origin() << ": " << name;
  }
}

TEST(WeightFile, TorchFilesOfBothFormsAreReadAsTorchMeantThem) {
  const Json truth = fixture("torch_files").at("torch");
  for (const char* name : {"torch_zip.pt", "torch_legacy.th", "torch_protocol4.pt"}) {
    // Moved about, the spans stay valid.
    WeightFile first = WeightFile::read(fixture_path("weights") / name);
    const WeightFile file = std::move(first);
    expect_holds(file, truth);
    EXPECT_EQ(file.foreign(), (std::map<std::string, std::string>{{"module.flag", "bool"},
                                                                  {"module.short", "int16"}}));
    EXPECT_EQ(file.note(), "taken from its state_dict");
    EXPECT_EQ(file.format(),
              std::string_view(name) == "torch_legacy.th" ? "PyTorch (legacy)" : "PyTorch (zip)");
    EXPECT_TRUE(std::ranges::is_sorted(file.tensors(), {}, &TensorEntry::name));
  }
}

TEST(WeightFile, NumpyFilesAreReadAsNumpyMeantThem) {
  const Json truth = fixture("torch_files").at("numpy");
  for (const char* name : {"plain.npz", "compressed.npz"}) {
    const WeightFile file = WeightFile::read(fixture_path("weights") / name);
    expect_holds(file, truth);
    EXPECT_EQ(file.format(), "numpy");
    EXPECT_EQ(file.foreign().size(), 2u);
    EXPECT_EQ(file.foreign().at("flag"), "bool");
  }
  const WeightFile one = WeightFile::read(fixture_path("weights/one.npy"));
  expect_holds(one, {{"one", truth.at("fortran")}});
}

TEST(WeightFile, FloatsOfSafetensorsBecomeOurs) {
  const WeightFile file = WeightFile::read(fixture_path("torch.safetensors"));
  EXPECT_EQ(file.format(), "safetensors");
  EXPECT_EQ(file.metadata().at("note"), "by PyTorch");
  EXPECT_EQ(file.foreign(), (std::map<std::string, std::string>{{"flag", "BOOL"}}));
  const Json truth = fixture("torch_safetensors").at("tensors");
  for (const TensorEntry& tensor : file.tensors()) {
    if (tensor.dtype != DType::f32) continue;
    const auto values = truth.at(tensor.name).at("values").get<std::vector<double>>();
    EXPECT_EQ(copied<float>(tensor), std::vector<float>(values.begin(), values.end()))
        << tensor.name;
  }
  EXPECT_NE(file.find("double"), nullptr);
  EXPECT_NE(file.find("brain.weight"), nullptr);
}

TEST(WeightFile, TheContentDecidesNotTheName) {
  const TempFolder folder;
  const fs::path odd = folder / "weights.safetensors";
  fs::copy_file(fixture_path("weights/torch_zip.pt"), odd);
  EXPECT_EQ(WeightFile::read(odd).format(), "PyTorch (zip)");
  fs::copy_file(fixture_path("torch.safetensors"), folder / "x.pth");
  EXPECT_EQ(WeightFile::read(folder / "x.pth").format(), "safetensors");
}

TEST(WeightFile, TensorFlowCheckpointsAreFoundByPrefixIndexAndFolder) {
  const TempFolder folder;
  const TfFiles files = tf_bundle_of({{"w", 1, {2}, floats({1, 2})}});
  const auto write = [&](const char* name, const std::string& bytes) {
    write_atomically(folder / name, bytes, Fault::bug);
  };
  write("net.ckpt-7.index", files.index);
  write("net.ckpt-7.data-00000-of-00001", files.data);
  write("checkpoint", "model_checkpoint_path: \"/elsewhere/net.ckpt-7\"\nall: \"\"\n");
  for (const fs::path& path : {folder / "net.ckpt-7", folder / "net.ckpt-7.index", folder.path()}) {
    const WeightFile file = WeightFile::read(path);
    EXPECT_EQ(file.format(), "TensorFlow checkpoint");
    ASSERT_EQ(file.tensors().size(), 1u);
    EXPECT_EQ(copied<float>(file.tensors()[0]), (std::vector<float>{1, 2}));
    EXPECT_EQ(file.note(), path == folder.path() ? "taken from net.ckpt-7" : "");
  }
  fs::remove(folder / "net.ckpt-7.data-00000-of-00001");
  expect_raises(Fault::checkpoint, {"data-00000-of-00001"},
                [&] { WeightFile::read(folder / "net.ckpt-7"); });
  write("checkpoint", "nothing");
  expect_raises(Fault::checkpoint, {"does not name a checkpoint"},
                [&] { WeightFile::read(folder.path()); });
}

TEST(WeightFile, WhatIsNoWeightsFileIsSaidSo) {
  const TempFolder folder;
  const auto refused = [&](const char* name, const std::string& bytes,
                           std::initializer_list<std::string_view> words) {
    write_atomically(folder / name, bytes, Fault::bug);
    expect_raises(Fault::checkpoint, words, [&] { WeightFile::read(folder / name); });
  };
  refused("text.pt", "these are no weights at all", {"text.pt", "known format", "safetensors"});
  refused("empty", "", {"empty"});
  refused("a.h5", "\x89HDF\r\n\x1a\n and more", {"HDF5", "try: "});
  refused("a.pt", "version https://git-lfs.github.com/spec/v1\n", {"git lfs pull"});
  refused("x.pkl", "\x80\x04K\x01.", {"not one of torch.save"});
  refused("x.zip", zip_of({{"readme.txt", "hello"}}), {"no data.pkl", "try: "});
  refused("x.npz", zip_of({{"a.npy", npy_of("<f4", "()", "1234")}, {"b.txt", ""}}), {"b.txt"});
  refused("x.index", "short", {"known format"});
  expect_raises(Fault::checkpoint, {"folder"}, [&] { WeightFile::read(folder.path()); });
  expect_raises(Fault::checkpoint, {"cannot read", "No such file"},
                [&] { WeightFile::read(folder / "nowhere"); });
}

TEST(WeightFile, EveryFormatSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const WeightFormat& format : weight_format_catalog()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.help.empty()) << format.name;
    EXPECT_TRUE(names.insert(format.name).second) << format.name << " is there twice";
  }
  EXPECT_FALSE(names.empty());
}

}  // namespace
}  // namespace convoy::test
