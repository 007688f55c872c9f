// Finds the class names of record files: in a list beside them, or in the records.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/threads/thread_pool.h"

namespace convoy {

// The first word of each line: the classes of labels 1, 2, … A repeated name is Fault::data.
std::vector<std::string> read_class_list(const fs::path& file);

// synsets.txt (which `convoy prepare` writes) or imagenet_lsvrc_2015_synsets.txt in `dir`.
std::optional<std::vector<std::string>> find_class_list(const fs::path& dir);

// The class as a record states it.
struct RecordClass {
  int64_t label = 0;  // counts from 1
  std::string name;   // its synset or text; empty: the record has neither
};
RecordClass class_of_record(std::string_view record, const std::string& origin);

// Collects the classes of records. `glance(i)` reads one without verification, `read(i)` verifies
// checksums; both give nothing for a damaged record. Of more than 65,536 records it looks at
// 65,536, evenly spread. Returns names by label - 1; a class without a name or record gets its
// label as name.
std::vector<std::string> classes_in_records(
    int64_t records, ThreadPool& pool,
    const std::function<std::optional<RecordClass>(int64_t)>& glance,
    const std::function<std::optional<RecordClass>(int64_t)>& read);

}  // namespace convoy
