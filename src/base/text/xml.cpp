#include "base/text/xml.h"

#include <expat.h>
#include <fmt/core.h>

#include <exception>
#include <memory>
#include <vector>

namespace convoy {
namespace {

constexpr size_t most_depth = 64;

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

class Reader {
 public:
  explicit Reader(const std::function<void(const XmlEvent&)>& take)
      : parser_(XML_ParserCreate(nullptr)), take_(take) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), begin, end);
    XML_SetCharacterDataHandler(parser_.get(), characters);
    XML_SetStartDoctypeDeclHandler(parser_.get(), doctype);
  }

  void read(std::string_view text) {
    const auto length = static_cast<int>(text.size());
    const bool is_read = XML_Parse(parser_.get(), text.data(), length, 1) == XML_STATUS_OK;
    if (failure_) std::rethrow_exception(failure_);  // exceptions may not pass through C
    if (!is_read) throw XmlError(said(XML_ErrorString(XML_GetErrorCode(parser_.get()))));
  }

 private:
  std::string said(std::string_view what) const { return fmt::format("line {}: {}", line(), what); }
  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser_.get())); }

  template <class Body>
  void guarded(Body&& body) {
    if (failure_) return;
    try {
      body();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static void XMLCALL begin(void* self, const XML_Char* name, const XML_Char**) {
    Reader& reader = *static_cast<Reader*>(self);
    reader.guarded([&] { reader.open(name); });
  }
  static void XMLCALL end(void* self, const XML_Char*) {
    Reader& reader = *static_cast<Reader*>(self);
    reader.guarded([&] { reader.close(); });
  }
  static void XMLCALL characters(void* self, const XML_Char* text, int length) {
    Reader& reader = *static_cast<Reader*>(self);
    reader.guarded([&] {
      if (!reader.open_.empty()) {
        reader.open_.back().text.append(text, static_cast<size_t>(length));
      }
    });
  }
  static void XMLCALL doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    Reader& reader = *static_cast<Reader*>(self);
    reader.guarded([&] { throw XmlError(reader.said("a DOCTYPE, which is not read")); });
  }

  struct Open {
    size_t path_bytes;  // of the path without this element
    std::string text;
  };

  void open(std::string_view name) {
    if (open_.size() == most_depth) {
      throw XmlError(said(fmt::format("elements nest more than {} deep", most_depth)));
    }
    open_.push_back({path_.size(), ""});
    if (!path_.empty()) path_ += '/';
    path_ += name;
    take_({path_, "", true, line()});
  }

  void close() {
    std::string_view text = open_.back().text;
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    text = text.substr(0, text.find_last_not_of(blanks) + 1);
    take_({path_, text, false, line()});
    path_.resize(open_.back().path_bytes);
    open_.pop_back();
  }

  std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser_;
  const std::function<void(const XmlEvent&)>& take_;
  std::string path_;
  std::vector<Open> open_;
  std::exception_ptr failure_;
};

}  // namespace

void for_each_xml_element(std::string_view text, const std::function<void(const XmlEvent&)>& take) {
  if (text.size() > most_xml_bytes) {
    throw XmlError(fmt::format("{} bytes, more than {}", text.size(), most_xml_bytes));
  }
  Reader(take).read(text);
}

}  // namespace convoy
