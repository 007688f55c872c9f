// Reads whole files, and writes files atomically: a write is either complete or has no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace convoy {

class FileOperation;
namespace fs = std::filesystem;

// Raises for a failed system call whose errno is `reason`: "cannot {what} {path}: ...; try: ...". A
// full disk, a quota or a limit on file sizes is Fault::no_space, anything else `fault`.
// `otherwise` is the advice in that case; empty: no advice.
[[noreturn]] void raise_file_error(std::string_view what, const fs::path& path, int reason,
                                   Fault fault, std::string_view otherwise = {});

// The file's bytes. A failure is `fault`, with the path and the system's reason.
std::string read_file(const fs::path& path, Fault fault);

// Writes a temporary file, fsyncs it, renames it over `path` and fsyncs the folder. After a crash
// the file has either the old or the new content. Temporary files of killed processes
// (base/files/temporary_name.h) are removed first. A full disk is Fault::no_space, anything else
// `fault`.
void write_atomically(const fs::path& path, std::string_view content, Fault fault);
void write_atomically(const fs::path& path, std::span<const std::string_view> parts, Fault fault);

// Writes and fsyncs a new file in place, for folders that are themselves committed by rename. Fails
// if the file, or a link of this name, exists already.
void write_synced(const fs::path& path, std::span<const std::string_view> parts, Fault fault);

// Makes a finished folder visible under its final name, durably.
void commit_folder(const fs::path& temporary, const fs::path& final_path, Fault fault);

// Renames a finished file, durably; an existing file of that name is replaced.
void replace_file(const fs::path& from, const fs::path& to, Fault fault);

// Writes all bytes to an open file, as part of `operation`. False: errno has the reason.
bool write_all(int descriptor, std::string_view bytes, FileOperation& operation);

// Makes the symbolic link point to `target` (relative to the link's folder) atomically.
void replace_link(const fs::path& link, const fs::path& target, Fault fault);

// Fsyncs, by path, a file that is open elsewhere.
void sync_file(const fs::path& path, Fault fault);

void make_folders(const fs::path& path, Fault fault);
// Makes only the last folder of the path, which must not exist yet.
void make_new_folder(const fs::path& path, Fault fault);

// 16 hex digits of XXH3-64.
std::string hash_hex(uint64_t hash);
uint64_t hash_bytes(std::string_view bytes);
// The hash of the parts as one text.
uint64_t hash_parts(std::span<const std::string_view> parts);

}  // namespace convoy
