// A view of the source as ANTLR's character stream, one character a byte, so that token positions are byte offsets and
// no byte sequence is refused. Only comments and strings hold bytes past 0x7F.
#ifndef FRONTEND_PARSE_BYTESTREAM_H
#define FRONTEND_PARSE_BYTESTREAM_H

#include "antlr4-runtime.h"

#include <algorithm>
#include <string_view>

namespace tile::syntax {

class ByteStream final : public antlr4::CharStream {
public:
  explicit ByteStream(std::string_view text, size_t start) : text(text), position(start) {}

  void consume() override { ++position; }
  size_t LA(ssize_t i) override {
    size_t at = i > 0 ? position + i - 1 : position + i;
    return at < text.size() ? static_cast<unsigned char>(text[at]) : antlr4::IntStream::EOF;
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return position; }
  void seek(size_t index) override { position = std::min(index, text.size()); }
  size_t size() override { return text.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval &interval) override {
    return std::string(text.substr(interval.a, interval.b - interval.a + 1));
  }
  std::string toString() const override { return std::string(text); }

private:
  std::string_view text;
  size_t position;
};

} // namespace tile::syntax

#endif // FRONTEND_PARSE_BYTESTREAM_H
