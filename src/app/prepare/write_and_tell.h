// Writes what a preparation makes, and tells how much that was.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/prepare/journal.h"
#include "app/prepare/prepare_kind.h"
#include "app/prepare/write_shards.h"
#include "app/prepare/write_tree.h"

namespace convoy {

void tell_resumed(const Journal& journal, const PrepareSite& site);

// Writes the records of a split, reports them, and notes them in `result`. Returns how many
// pictures were left out.
int64_t write_and_tell(const ShardRecords& records, const ShardsSpec& spec, ThreadPool& pool,
                       BadPictures& bad, nlohmann::ordered_json& result);

// Refuses a folder from which earlier runs left out more pictures than --max-bad allows.
void check_left_out(int64_t left_out, const PrepareSite& site);

// Writes a tree of files; `what` is all that determines it (Journal).
void write_and_tell(const std::vector<FileToWrite>& files, nlohmann::ordered_json what,
                    TreeMode mode, const PrepareSite& site);

}  // namespace convoy
