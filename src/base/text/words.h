// The words for the values of an enumeration, on the command line and in files. They are in one
// table beside the enumeration; the compiler finds it by the type:
//
//   enum class Form { round, square };
//   constexpr std::array<Word<Form>, 2> words_of(Form) {
//     return {{{"round", Form::round}, {"square", Form::square}}};
//   }
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

template <class E>
struct Word {
  std::string_view text;
  E value;
};

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
