//===- LayoutText.cpp - the text form of a layout -------------------------===//
//
//   layout  := extents ':' part (';' part)*         extents := 'scalar' | INT ('x' INT)*
//   part    := ('reg' | 'lane' | 'warp' | 'block' | 'offset') digit*
//   digit   := '0' | term ('^' term)* | (DIM | '0') '*' RADIX
//   term    := DIM INT                              DIM := 'a'..'z'
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/Layout.h"

#include <cctype>

namespace tile {

constexpr const char *kHwNames[kNumHwDims] = {"reg", "lane", "warp", "block", "offset"};

std::string Layout::str() const {
  std::string text;
  for (int dim = 0; dim < rank(); ++dim)
    text += (dim ? "x" : "") + std::to_string(extents[dim]);
  text += rank() ? ":" : "scalar:";
  bool first = true;
  for (int hw = 0; hw < kNumHwDims; ++hw) {
    bool optional = HwDim(hw) == HwDim::Block && bits(HwDim::Block).empty() && odd(HwDim::Block).empty();
    if (isShared() != (HwDim(hw) == HwDim::Offset) || optional)
      continue;
    text += (first ? " " : "; ") + std::string(kHwNames[hw]);
    first = false;
    for (uint64_t basis : bases[hw]) {
      std::string digit;
      for (int dim = 0; dim < rank(); ++dim)
        if (int64_t coordinate = unpack(dim, basis))
          digit += (digit.empty() ? "" : "^") + std::string(1, char('a' + dim)) + std::to_string(coordinate);
      text += " " + (digit.empty() ? "0" : digit);
    }
    for (const OddDigit &digit : oddDigits[hw])
      text += " " + std::string(1, digit.dim < 0 ? '0' : char('a' + digit.dim)) + "*" + std::to_string(digit.radix);
  }
  return text;
}

namespace {
class Parser {
public:
  Parser(std::string_view text, std::string &error) : rest(text), error(error) {}

  std::optional<Layout> parse() {
    std::optional<Shape> shape = parseShape();
    if (!shape || !expect(':'))
      return std::nullopt;
    bool shared = false;
    std::optional<Layout> result;
    do {
      std::optional<HwDim> hw = parseHwDim();
      if (!hw)
        return std::nullopt;
      shared |= *hw == HwDim::Offset;
      if (!result)
        result = Layout(*shape, shared ? Layout::Kind::Shared : Layout::Kind::Registers);
      if (!parseDigits(*result, *hw))
        return std::nullopt;
    } while (consume(';'));
    if (!rest.empty())
      return fail("`;` or the end");
    return result;
  }

private:
  std::nullopt_t fail(const std::string &expected) {
    skipSpace();
    error =
        "found " + (rest.empty() ? "the end" : "`" + std::string(rest.substr(0, 12)) + "`") + "; expected " + expected;
    return std::nullopt;
  }
  void skipSpace() {
    while (!rest.empty() && rest.front() == ' ')
      rest.remove_prefix(1);
  }
  bool consume(char c) {
    skipSpace();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool expect(char c) {
    if (consume(c))
      return true;
    fail(std::string("`") + c + "`");
    return false;
  }
  std::optional<int64_t> parseInt(const char *what) {
    if (rest.empty() || !std::isdigit(static_cast<unsigned char>(rest.front())))
      return fail(what);
    int64_t value = 0;
    for (int digits = 0; !rest.empty() && std::isdigit(static_cast<unsigned char>(rest.front())); ++digits) {
      if (digits == 9)
        return fail("a number of at most nine digits");
      value = value * 10 + (rest.front() - '0');
      rest.remove_prefix(1);
    }
    return value;
  }

  std::optional<Shape> parseShape() {
    skipSpace();
    Shape shape;
    if (rest.substr(0, 6) == "scalar") {
      rest.remove_prefix(6);
      return shape;
    }
    int bits = 0;
    do {
      std::string_view before = rest;
      std::optional<int64_t> extent = parseInt("an extent or `scalar`");
      if (!extent)
        return std::nullopt;
      if (*extent == 0 || physicalExtent(*extent) != *extent) {
        rest = before;
        return fail("an extent m·2^k with odd m up to " + std::to_string(kMaxOddFactor));
      }
      for (int64_t low = *extent; low % 2 == 0; low /= 2)
        ++bits;
      shape.push_back(*extent);
    } while (consume('x'));
    if (shape.size() > 26 || bits > 40)
      return fail("at most 26 dims and 2^40 elements");
    return shape;
  }

  std::optional<HwDim> parseHwDim() {
    skipSpace();
    for (int hw = 0; hw < kNumHwDims; ++hw) {
      std::string_view name = kHwNames[hw];
      if (rest.substr(0, name.size()) != name)
        continue;
      bool inOrder = hw > lastHw && (lastHw < 0 || HwDim(hw) != HwDim::Offset);
      if (!inOrder)
        return fail("the parts in the order reg, lane, warp, block, or offset alone");
      lastHw = hw;
      rest.remove_prefix(name.size());
      return HwDim(hw);
    }
    return fail("`reg`, `lane`, `warp`, `block` or `offset`");
  }

  bool parseDigits(Layout &layout, HwDim hw) {
    for (skipSpace(); !rest.empty() && rest.front() != ';'; skipSpace())
      if (!parseDigit(layout, hw))
        return false;
    return true;
  }

  bool parseDigit(Layout &layout, HwDim hw) {
    uint64_t basis = 0;
    do {
      skipSpace();
      if (rest.empty()) {
        fail("a dim of the layout or `0`");
        return false;
      }
      bool zero = rest.front() == '0';
      int dim = zero ? OddDigit::kReplicated : rest.front() - 'a';
      if (!zero && (dim < 0 || dim >= layout.rank())) {
        fail("a dim of the layout or `0`");
        return false;
      }
      std::string_view before = rest;
      rest.remove_prefix(1);
      if (consume('*'))
        return parseOdd(layout, hw, dim, before);
      if (zero)
        break;
      std::optional<int64_t> coordinate = parseInt("a coordinate");
      if (!coordinate)
        return false;
      if (*coordinate >> layout.lowBits(dim) != 0) {
        rest = before;
        fail("a coordinate below " + std::to_string(int64_t(1) << layout.lowBits(dim)));
        return false;
      }
      basis ^= layout.pack(dim, *coordinate);
    } while (consume('^'));
    if (!layout.odd(hw).empty() || layout.bits(hw).size() >= 24) {
      fail("at most 24 bits, all of them before the odd digits");
      return false;
    }
    layout.appendBit(hw, basis);
    return true;
  }

  bool parseOdd(Layout &layout, HwDim hw, int dim, std::string_view before) {
    std::optional<int64_t> radix = parseInt("a radix");
    if (!radix)
      return false;
    bool fits = dim >= 0 ? *radix == layout.oddFactor(dim) : *radix <= kMaxOddFactor;
    if (*radix % 2 == 0 || *radix == 1 || !fits) {
      rest = before;
      fail(dim >= 0 ? "the odd factor " + std::to_string(layout.oddFactor(dim)) + " of the dim" : "an odd radix");
      return false;
    }
    layout.appendOdd(hw, {static_cast<int>(*radix), dim});
    return true;
  }

  std::string_view rest;
  std::string &error;
  int lastHw = -1;
};
} // namespace

std::optional<Layout> Layout::parse(std::string_view text, std::string &error) { return Parser(text, error).parse(); }

} // namespace tile
