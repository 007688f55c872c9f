// Files: whole reads, and writes that are either complete or never happened.
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

// For what the system refused, `reason` being its errno: "cannot {what} {path}: ...; try: ...". A
// full disk, a quota or a limit on the size of files is Fault::no_space, anything else `fault`.
// `otherwise` is what to try then; empty: nothing is known that would help.
[[noreturn]] void raise_file_error(std::string_view what, const fs::path& path, int reason,
                                   Fault fault, std::string_view otherwise = {});

// The file's bytes. A failure is `fault`, with the path and the system's reason.
std::string read_file(const fs::path& path, Fault fault);

// Writes beside, fsyncs, renames over `path`, fsyncs the folder. After a crash either the old or
// the new content is there; what a killed process left beside (base/files/temporary_name.h) goes
// first. A full disk is Fault::no_space, anything else `fault`.
void write_atomically(const fs::path& path, std::string_view content, Fault fault);
void write_atomically(const fs::path& path, std::span<const std::string_view> parts, Fault fault);

// Writes and fsyncs a new file in place: for folders that are themselves committed by rename. One
// that is there already, or a link, is a failure.
void write_synced(const fs::path& path, std::span<const std::string_view> parts, Fault fault);

// Makes a finished folder visible under its final name, durably.
void commit_folder(const fs::path& temporary, const fs::path& final_path, Fault fault);

// Gives a finished file its final name, durably; what had that name is gone.
void replace_file(const fs::path& from, const fs::path& to, Fault fault);

// Writes all of it to an open file, as part of `operation`; false: errno says why not.
bool write_all(int descriptor, std::string_view bytes, FileOperation& operation);

// Points the symbolic link at `target` (relative to the link's folder) in one step.
void replace_link(const fs::path& link, const fs::path& target, Fault fault);

// fsync of a file that is open elsewhere, by path.
void sync_file(const fs::path& path, Fault fault);

void make_folders(const fs::path& path, Fault fault);
// Only the last folder of the path, which must not be there yet.
void make_new_folder(const fs::path& path, Fault fault);

// 16 hex digits of XXH3-64.
std::string hash_hex(uint64_t hash);
uint64_t hash_bytes(std::string_view bytes);
// The hash of the parts laid end to end.
uint64_t hash_parts(std::span<const std::string_view> parts);

}  // namespace convoy
