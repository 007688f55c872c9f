#include "data/sources/data_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "data/dataset.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::expect_raises;

void put(const fs::path& path) {
  fs::create_directories(path.parent_path());
  test::write_bytes(path, "x");
}

TEST(DataFolder, OneThatIsNotThereIsToldWithTheNearestName) {
  const test::TempFolder folder;
  fs::create_directories(folder / "data/flowers");
  const std::string near = (folder / "data/flowers").string();
  expect_raises(Fault::data, {"there is no folder", "data/flower ", "try: --data-dir", near},
                [&] { infer_dataset((folder / "data/flower").string()); });
  expect_raises(Fault::data, {"there is no folder", "data/flowerz/", "try: --data-dir", near},
                [&] { infer_dataset((folder / "data/flowerz/").string()); });
  expect_raises(Fault::data, {"there is no folder", "has flowers"},
                [&] { infer_dataset((folder / "data/somewhere/else").string()); });
  // Also where the name, or an option, says which dataset it is.
  for (const DatasetDef& def : dataset_catalog()) {
    if (!def.has_files) continue;
    expect_raises(Fault::data, {"there is no folder", "cifar-nope"},
                  [&] { open_dataset(def.name, {.data_dir = folder / "cifar-nope"}); });
  }
}

TEST(DataFolder, AFileOrAnEmptyFolderIsCalledThat) {
  const test::TempFolder folder;
  put(folder / "notes.txt");
  put(folder / "flowers.tgz");
  fs::create_directories(folder / "empty/.git");
  expect_raises(Fault::data, {"notes.txt is a file", "try:"},
                [&] { infer_dataset((folder / "notes.txt").string()); });
  expect_raises(Fault::data, {"flowers.tgz is a file", "unpack it"},
                [&] { infer_dataset((folder / "flowers.tgz").string()); });
  expect_raises(Fault::data, {"is empty", "folders train and val", "--val-share"},
                [&] { infer_dataset((folder / "empty").string()); });
}

TEST(DataFolder, OneThatMayNotBeReadIsCalledThat) {
  const test::TempFolder folder;
  put(folder / "closed/train/a/1.jpg");
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(folder / "closed", fs::perms::none);
  // The superuser may read everything: another user looks.
  constexpr uid_t another = 65534;
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::seteuid(another), 0);
  }
  expect_raises(Fault::data, {"cannot look into", "closed", "Permission denied", "try:"},
                [&] { infer_dataset((folder / "closed").string()); });
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(folder / "closed", fs::perms::all);
}

TEST(DataFolder, WhatIsInOneThatIsNoDatasetIsTold) {
  const test::TempFolder folder;
  put(folder / "pets/cat/1.jpg");
  put(folder / "pets/dog/1.jpg");
  expect_raises(Fault::data, {"has the folders cat, dog", "--val-share 0.1"},
                [&] { infer_dataset((folder / "pets").string()); });
  put(folder / "download/pets/train/cat/1.jpg");
  expect_raises(Fault::data, {"pets in it is one", "--data-dir", "download/pets"},
                [&] { infer_dataset((folder / "download").string()); });
  put(folder / "papers/a.pdf");
  for (const char* name : {"b", "c", "d", "e", "f"}) put(folder / "papers" / name);
  expect_raises(Fault::data, {"no dataset", "a.pdf, b, c, d and 2 more", "train and val"},
                [&] { infer_dataset((folder / "papers").string()); });
}

TEST(DataFolder, CifarForPythonIsCalledThat) {
  const test::TempFolder folder;
  put(folder / "cifar-10-batches-py/data_batch_1");
  expect_raises(Fault::data, {"Python version", "binary version"},
                [&] { open_dataset("cifar-10", {.data_dir = folder / "cifar-10-batches-py"}); });
}

}  // namespace
}  // namespace convoy
