#include "base/text/json_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>

#include "base/files/random_file.h"

namespace convoy {
namespace {

constexpr size_t most_depth = 64;
constexpr size_t piece_bytes = 1 << 20;

// The bytes of a file, for an istream. nlohmann's parser would stop at a zero byte and skip a byte
// order mark: both are refused here.
class FileBytes : public std::streambuf {
 public:
  FileBytes(const fs::path& path, Fault fault) : file_(path, fault), piece_(piece_bytes, '\0') {}

 protected:
  int_type underflow() override {
    const uint64_t left = file_.size() - offset_;
    if (left == 0) return traits_type::eof();
    const auto bytes = static_cast<size_t>(std::min<uint64_t>(left, piece_.size()));
    file_.read(offset_, piece_.data(), bytes);
    if (std::memchr(piece_.data(), 0, bytes)) throw JsonError("contains a zero byte");
    if (offset_ == 0 && std::string_view(piece_.data(), bytes).starts_with("\xef\xbb\xbf")) {
      throw JsonError("begins with a byte order mark");
    }
    offset_ += bytes;
    setg(piece_.data(), piece_.data(), piece_.data() + bytes);
    return traits_type::to_int_type(piece_[0]);
  }

 private:
  RandomFile file_;
  std::string piece_;
  uint64_t offset_ = 0;
};

// Receives nlohmann's events. `open_` containers are open; those from `skipped_from_` on are of no
// interest.
class RowReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  RowReader(std::span<const JsonTable> tables, const TakeJsonRow& take)
      : tables_(tables), take_(take), has_seen_(tables.size()) {
    for (size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].name.empty()) outermost_ = static_cast<int>(i);
    }
  }

  bool null() override { return leaf([](JsonCell& cell) { cell.kind = Kind::other; }); }
  bool boolean(bool value) override { return whole(value); }
  bool number_integer(int64_t value) override { return whole(value); }
  bool number_unsigned(uint64_t value) override {
    if (value <= INT64_MAX) return whole(static_cast<int64_t>(value));
    return real(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) override { return real(value); }
  bool string(std::string& value) override {
    return leaf([&](JsonCell& cell) {
      cell.kind = Kind::text;
      cell.text.swap(value);
    });
  }
  bool binary(binary_t&) override { return false; }  // does not occur in JSON text

  bool start_object(size_t) override {
    enter();
    if (is_skipping()) return true;
    if (open_ == 1) {
      if (outermost_ >= 0) throw JsonError("is not a list");
    } else if (table_ >= 0 && open_ == row_depth()) {
      begin_row();
    } else {
      skip_container();
    }
    return true;
  }
  bool end_object() override {
    if (!is_skipping() && table_ >= 0 && open_ == row_depth()) {
      take_(static_cast<size_t>(table_), row_, cells_);
      ++row_;
    }
    leave();
    return true;
  }

  bool start_array(size_t) override {
    enter();
    if (is_skipping()) return true;
    if (open_ == 1) {
      if (outermost_ < 0) throw JsonError("is not an object");
      open_table(outermost_);
    } else if (table_ < 0) {  // a member of the outermost object
      if (next_table_ >= 0) {
        open_table(next_table_);
      } else {
        skipped_from_ = open_;
      }
    } else if (open_ == row_depth() + 1 && column_ >= 0 && cell().kind != Kind::numbers) {
      cell().kind = Kind::numbers;
      cell().numbers.clear();
    } else {
      skip_container();
    }
    return true;
  }
  bool end_array() override {
    if (!is_skipping() && table_ >= 0 && open_ + 1 == row_depth()) table_ = -1;
    leave();
    return true;
  }

  bool key(std::string& name) override {
    if (is_skipping()) return true;
    if (open_ == 1) {
      member_ = name;
      next_table_ = -1;
      for (size_t i = 0; i < tables_.size(); ++i) {
        if (tables_[i].name == name) next_table_ = static_cast<int>(i);
      }
      return true;
    }
    const std::vector<std::string>& columns = tables_[static_cast<size_t>(table_)].columns;
    const auto found = std::find(columns.begin(), columns.end(), name);
    column_ = found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
    if (column_ >= 0 && cell().kind != Kind::absent) {
      throw JsonError(fmt::format("has {:?} twice in {}", name, place()));
    }
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    refuse_json(error.what(), table_ >= 0 ? " in " + place() : "");
  }

 private:
  using Kind = JsonCell::Kind;

  bool is_skipping() const { return skipped_from_ > 0; }
  // How many containers are open inside a row, with the row.
  size_t row_depth() const { return table_ == outermost_ ? 2 : 3; }
  std::string place() const { return json_place(tables_[static_cast<size_t>(table_)], row_); }
  JsonCell& cell() { return cells_[static_cast<size_t>(column_)]; }

  void enter() {
    if (++open_ > most_depth) throw JsonError("nests too deeply");
  }
  void leave() {
    if (skipped_from_ == open_) skipped_from_ = 0;
    --open_;
  }

  // A container that is no row, no table and no list of numbers.
  void skip_container() {
    need_no_row(open_);
    if (table_ >= 0 && column_ >= 0) cell().kind = Kind::other;
    skipped_from_ = open_;
  }
  // A value at this depth is not what is expected there if that is a table or a row.
  void need_no_row(size_t depth) const {
    if (table_ < 0 && depth == 2 && next_table_ >= 0) {
      throw JsonError(fmt::format("has {:?} that is not a list", member_));
    }
    if (table_ >= 0 && depth == row_depth()) throw JsonError(place() + " is not an object");
  }

  void open_table(int table) {
    if (has_seen_[static_cast<size_t>(table)]) {
      throw JsonError(fmt::format("has {:?} twice", member_));
    }
    has_seen_[static_cast<size_t>(table)] = true;
    table_ = table;
    row_ = 0;
    cells_.resize(tables_[static_cast<size_t>(table)].columns.size());
  }
  void begin_row() {
    for (JsonCell& each : cells_) each.kind = Kind::absent;
    column_ = -1;
  }

  bool whole(int64_t value) {
    if (add_number(static_cast<double>(value))) return true;
    return leaf([&](JsonCell& cell) {
      cell.kind = Kind::integer;
      cell.integer = value;
      cell.number = static_cast<double>(value);
    });
  }
  bool real(double value) {
    if (add_number(value)) return true;
    return leaf([&](JsonCell& cell) {
      cell.kind = Kind::number;
      cell.number = value;
    });
  }
  // Whether the number belongs to a list in a wanted column.
  bool add_number(double value) {
    if (is_skipping() || table_ < 0 || column_ < 0 || open_ != row_depth() + 1) return false;
    if (cell().kind != Kind::numbers) return true;
    cell().numbers.push_back(value);
    if (cell().numbers.size() > JsonCell::most_numbers) cell().kind = Kind::other;
    return true;
  }
  template <class Set>
  bool leaf(const Set& set) {
    if (is_skipping()) return true;
    if (open_ == 0) throw JsonError(outermost_ >= 0 ? "is not a list" : "is not an object");
    need_no_row(open_ + 1);
    if (table_ < 0 || column_ < 0) return true;
    if (open_ == row_depth()) {
      set(cell());
    } else {
      cell().kind = Kind::other;  // a list of something else than numbers
    }
    return true;
  }

  const std::span<const JsonTable> tables_;
  const TakeJsonRow& take_;
  int outermost_ = -1;  // the table that is the whole file
  std::vector<bool> has_seen_;
  size_t open_ = 0, skipped_from_ = 0;
  std::string member_;
  int next_table_ = -1;  // the one that the last key of the outermost object names
  int table_ = -1;       // the one that is open
  int64_t row_ = 0;
  int column_ = -1;  // the one that the row's last key names
  std::vector<JsonCell> cells_;
};

}  // namespace

std::string json_place(const JsonTable& table, int64_t row) {
  return table.name.empty() ? fmt::format("entry {}", row)
                            : fmt::format("{}[{}]", table.name, row);
}

void for_each_json_row(const fs::path& file, std::span<const JsonTable> tables,
                       const TakeJsonRow& take, Fault fault) {
  FileBytes bytes(file, fault);
  std::istream stream(&bytes);
  RowReader reader(tables, take);
  nlohmann::json::sax_parse(stream, &reader);
}

}  // namespace convoy
