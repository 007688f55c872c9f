#include "app/prepare/write_tree.h"

#include <algorithm>
#include <set>

#include "app/prepare/content_hashes.h"
#include "app/prepare/journal.h"
#include "base/error.h"
#include "base/files/file_writer.h"
#include "base/files/folder.h"
#include "base/files/regular_file.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"
#include "pictures/jpeg_pack.h"
#include "pictures/picture.h"

namespace convoy {
namespace {

// The content that the output file must have. Fault::data if the picture is invalid.
std::string content_of(const FileToWrite& file, TreeMode mode) {
  if (file.text) return *file.text;
  if (!file.is_picture) return read_file(file.from.path(), Fault::data);
  std::string bytes = read_raw(file.from);
  const std::string origin = file.from.path();
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(bytes, origin);
  if (file.form != PictureForm::as_is) return in_form(std::move(bytes), origin, file.form);
  if (mode == TreeMode::copy || info.format != PictureFormat::jpeg) return bytes;
  return pack_jpeg(bytes, origin);
}

uint64_t missing_bytes(const std::vector<FileToWrite>& files, const fs::path& output) {
  uint64_t sum = 0;
  for (const FileToWrite& file : files) {
    std::error_code code;
    const uint64_t there = fs::file_size(output / file.to, code);
    if (!file.is_link && (code || there == 0)) sum += file.from.bytes;
  }
  return sum;
}

void make_folders_of(const std::vector<FileToWrite>& files, const fs::path& output) {
  std::set<fs::path> folders;
  for (const FileToWrite& file : files) folders.insert((output / file.to).parent_path());
  for (const fs::path& folder : folders) make_folders(folder, Fault::usage);
}

// Replaces a file of an earlier run that is not right.
void link_file(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::remove(to, code);
  fs::create_hard_link(fs::canonical(from, code), to, code);
  if (code) {
    raise(Fault::usage, "cannot link {} to {}: {}; try: --pictures copy", to.string(),
          from.string(), code.message());
  }
}

class TreeWriter {
 public:
  TreeWriter(const std::vector<FileToWrite>& files, const fs::path& output, TreeMode mode,
             bool was_finished)
      : files_(files),
        output_(output),
        mode_(mode),
        was_finished_(was_finished),
        hashes_(output),
        states_(files.size()) {}

  void write_all(ThreadPool& pool, BadPictures& bad) {
    const auto count = static_cast<int>(files_.size());
    SharedProgress progress(mode_ == TreeMode::pack ? "packing" : "copying", count);
    pool.run(count, [&](int i, int) {
      const FileToWrite& file = files_[static_cast<size_t>(i)];
      make(file, states_[static_cast<size_t>(i)], [&](std::string& content) {
        return bad.survives([&] { content = content_of(file, mode_); }, progress);
      });
      progress.add(1);
    });
  }

  void read_again(ThreadPool& pool) const {
    const auto count = static_cast<int>(files_.size());
    SharedProgress progress("reading again", count);
    pool.run(count, [&](int i, int) {
      const State& state = states_[static_cast<size_t>(i)];
      progress.add(1);
      if (!state.is_new) return;  // was just read back
      const fs::path path = output_ / files_[static_cast<size_t>(i)].to;
      if (hash_bytes(read_file(path, Fault::data)) == state.hash) return;
      raise(Fault::data, "{} does not read back as it was written; try: another disk for --output",
            path.string());
    });
  }

  TreeResult finish() {
    TreeResult result;
    std::vector<ContentHashes::Line> lines;
    for (size_t i = 0; i < files_.size(); ++i) {
      const State& state = states_[i];
      if (state.is_bad) {
        ++result.left_out;
        continue;
      }
      ++result.files;
      result.made += state.is_new;
      result.bytes_before += files_[i].from.bytes;
      result.bytes += state.bytes;
      lines.push_back({files_[i].to, state.hash});
    }
    hashes_.finish(lines);
    return result;
  }

 private:
  struct State {
    bool is_bad = false, is_new = false;
    uint64_t hash = 0, bytes = 0;
  };

  // `load` returns the content, or false if the picture is bad.
  template <class Load>
  void make(const FileToWrite& file, State& state, const Load& load) {
    const fs::path path = output_ / file.to;
    const std::optional<uint64_t> noted = hashes_.noted(file.to);
    std::string content;
    state.is_bad = !noted && !load(content);
    if (state.is_bad) return;
    state.hash = noted ? *noted : hash_bytes(content);
    if (is_sound(file, path, state)) {
      if (!noted) hashes_.note(file.to, state.hash);
      return;
    }
    state.is_bad = noted && !load(content);
    if (state.is_bad) return;
    if (file.is_link) {
      link_file(file.from.path(), path);
    } else {
      FileWriter writer(path, Fault::usage);
      writer.write(content);
      writer.commit(false);  // a million fsyncs would take hours: a single one follows at the end
    }
    state = {.is_new = true, .hash = hash_bytes(content), .bytes = content.size()};
    hashes_.note(file.to, state.hash);
  }

  // Whether the file of an earlier run exists with the right content.
  bool is_sound(const FileToWrite& file, const fs::path& path, State& state) const {
    if (!is_there(path)) return false;
    const std::string bytes = read_file(path, Fault::data);
    state.bytes = bytes.size();
    if (hash_bytes(bytes) == state.hash) return true;
    if (!was_finished_) return false;
    raise(Fault::data,
          "{} is damaged: it differs from what was made of {}; try: remove it and repeat "
          "the command",
          path.string(), file.text ? "the annotations" : file.from.path());
  }

  const std::vector<FileToWrite>& files_;
  const fs::path& output_;
  TreeMode mode_;
  bool was_finished_;
  ContentHashes hashes_;
  std::vector<State> states_;
};

}  // namespace

TreeResult write_tree(const std::vector<FileToWrite>& files, const fs::path& output, TreeMode mode,
                      bool was_finished, ThreadPool& pool, BadPictures& bad) {
  make_folders_of(files, output);
  expect_room(output, missing_bytes(files, output));
  TreeWriter writer(files, output, mode, was_finished);
  writer.write_all(pool, bad);
  writer.read_again(pool);
  return writer.finish();
}

std::vector<FileToWrite> files_to_write(const fs::path& folder) {
  std::vector<FileToWrite> files;
  bool has_pictures = false;
  for (const fs::path& path : files_below(folder, Fault::data)) {
    const fs::path to = path.lexically_relative(folder);
    if (to == "prepare.json") continue;  // describes its own folder only
    const std::string within = (path.parent_path() / "").string();
    files.push_back({.from = {.class_name = to.parent_path().string(),
                              .name = path.filename().string(),
                              .within = std::make_shared<const std::string>(within),
                              .bytes = regular_bytes(path, Fault::data),
                              .tar = {}},
                     .to = to.string(),
                     .is_picture = names_picture(path)});
    has_pictures |= files.back().is_picture;
  }
  if (!has_pictures) {
    raise(Fault::data, "{} has no pictures; try: files that end in .jpg, .png, .bmp, .tif or .webp",
          folder.string());
  }
  std::ranges::sort(files, {}, &FileToWrite::to);
  return files;
}

}  // namespace convoy
