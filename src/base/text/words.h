// The words for the values of an enumeration, on the command line and in files. They are in one
// table beside the enumeration, in the order of its enumerators, which count from 0; the compiler
// finds the table by the type:
//
//   enum class Form { round, square };
//   constexpr auto words_of(Form) { return words<Form>("round", "square"); }
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace convoy {

template <class E>
struct Word {
  std::string_view text;
  E value;
};

template <class E, class... Text>
constexpr std::array<Word<E>, sizeof...(Text)> words(const Text&... texts) {
  int next = 0;
  return {Word<E>{texts, static_cast<E>(next++)}...};
}

template <class E>
concept HasWords = requires(E value) {
  words_of(value);
};

template <HasWords E>
constexpr std::string_view word_of(E value) {
  for (const Word<E>& word : words_of(value)) {
    if (word.value == value) return word.text;
  }
  return {};
}

// Nothing if no value has this word.
template <HasWords E>
constexpr std::optional<E> value_of(std::string_view text) {
  for (const Word<E>& word : words_of(E{})) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

}  // namespace convoy
