// Helpers on text: misspelt words, lists of words, patterns, numbers with units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The candidate nearest to `word` by edit distance; empty if none is near enough.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

std::vector<std::string> split(std::string_view text, char separator);
// The words between spaces, tabs and carriage returns.
std::vector<std::string> split_at_blanks(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Whether the text has digits and nothing else.
bool is_number(std::string_view text);
// The word with quotes if a shell needs them.
std::string in_shell(const std::string& word);

// Shell-style pattern with * and ?.
bool matches_pattern(std::string_view text, std::string_view pattern);

// "16G", "1.5 GiB", "500M", "1024": bytes; K M G T are powers of 1024. Usage error otherwise.
int64_t parse_bytes(std::string_view text);
std::string human_bytes(double bytes);      // "1.5 MiB"
std::string human_seconds(double seconds);  // "1:02:03"
std::string with_commas(long long number);  // "1,234,567"

}  // namespace convoy
