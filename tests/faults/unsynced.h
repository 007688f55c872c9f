// What a power cut would take: contents and names that no fsync has made durable yet. The harshest
// disk there is: of these nothing survives. Removals are not brought back.
#pragma once

#include <string>

namespace faults {

// A name that was not there before.
void note_created(const std::string& path);
// Before the write.
void note_written(const std::string& path);
// Of a file: its content; of a folder: the names in it.
void note_synced(const std::string& path);
// Does it, and keeps what had the name until the folder is synced.
int renamed(const char* from, const char* to, int (*next)(const char*, const char*));
void note_exchanged(const std::string& one, const std::string& other);

// As after a power cut at this moment.
void lose_unsynced();

}  // namespace faults
