#include "backend/simulator/exec/SystemCalls.h"

#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"

#include <algorithm>

namespace tile::sim {

/// Argument `number` of a call, in `lane`.
template <class T> static T argument(Warp &warp, const Op &op, unsigned number, unsigned lane) {
  T value;
  std::memcpy(&value, warp.cta.callMemory(warp, lane) + warp.row<uint64_t>(op.source(number))[lane], sizeof(T));
  return value;
}

/// The bytes behind a generic address, and how many there are; null if it leads nowhere.
static std::pair<const uint8_t *, uint64_t> memoryAt(Warp &warp, unsigned lane, uint64_t address) {
  Region region;
  if (windowOf(address) == kLocalWindow) {
    region = warp.cta.local(warp, lane);
    address &= kWindowBytes - 1;
  } else if (Region *found = warp.cta.grid.regionAt(address)) {
    region = *found;
  }
  if (!region.bytes || !region.contains(address, 1))
    return {nullptr, 0};
  uint64_t offset = address - region.start;
  return {region.bytes + offset, region.size - offset};
}

/// The string at a generic address, up to its zero or the end of its memory.
static std::string textAt(Warp &warp, unsigned lane, uint64_t address) {
  auto [bytes, size] = memoryAt(warp, lane, address);
  return bytes ? std::string(bytes, std::find(bytes, bytes + size, 0)) : "(no text)";
}

/// One conversion of a format with its argument; values are 8 bytes each but `int`s, which C promotes to 4.
static std::string formatOne(Warp &warp, unsigned lane, std::string directive, const uint8_t *values, uint64_t size,
                             uint64_t &offset) {
  char kind = directive.back(), text[512];
  bool isLong = directive.find('l') != std::string::npos || kind == 'p' || kind == 's' ||
                std::string_view("aAeEfFgG").find(kind) != std::string_view::npos;
  unsigned width = isLong ? 8 : 4;
  offset = (offset + width - 1) / width * width;
  if (offset + width > size)
    return "(missing)";
  uint64_t raw = 0;
  std::memcpy(&raw, values + offset, width);
  offset += width;
  directive.erase(std::remove_if(directive.begin(), directive.end(), [](char c) { return c == 'l' || c == 'h'; }),
                  directive.end());
  if (kind == 's')
    return textAt(warp, lane, raw);
  if (std::string_view("aAeEfFgG").find(kind) != std::string_view::npos) {
    double value;
    std::memcpy(&value, &raw, sizeof(value));
    std::snprintf(text, sizeof(text), directive.c_str(), value);
  } else if (kind == 'c') {
    std::snprintf(text, sizeof(text), directive.c_str(), int(raw));
  } else if (kind == 'p') {
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(raw));
  } else {
    directive.insert(directive.size() - 1, "ll");
    bool isSigned = kind == 'd' || kind == 'i';
    long long value = isLong ? static_cast<long long>(raw) : isSigned ? int32_t(raw) : static_cast<long long>(raw);
    std::snprintf(text, sizeof(text), directive.c_str(), value);
  }
  return text;
}

static std::string format(Warp &warp, unsigned lane, const std::string &pattern, const uint8_t *values, uint64_t size) {
  std::string result;
  uint64_t offset = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      result += pattern[i];
      continue;
    }
    size_t end = pattern.find_first_of("%cdiouxXeEfFgGaAps", i + 1);
    // `*` would take its width from the values; it is printed as it stands, like whatever else is no directive.
    if (end == std::string::npos || end - i > 16 || pattern.find_first_not_of("0123456789.+-# lh", i + 1) != end) {
      result += pattern.substr(i);
      break;
    }
    result += pattern[end] == '%' ? "%" : formatOne(warp, lane, pattern.substr(i, end - i + 1), values, size, offset);
    i = end;
  }
  return result;
}

/// `vprintf(format, values)`, lane by lane.
static Step runPrint(Warp &warp, const Op &op) {
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    auto [values, size] = memoryAt(warp, lane, argument<uint64_t>(warp, op, 1, lane));
    std::string text = format(warp, lane, textAt(warp, lane, argument<uint64_t>(warp, op, 0, lane)), values, size);
    warp.cta.grid.print(text);
    int32_t printed = text.size();
    if (op.sources > 2)
      std::memcpy(warp.cta.callMemory(warp, lane) + warp.row<uint64_t>(op.source(2))[lane], &printed, sizeof(printed));
  }
  return Step::Next;
}

/// `__assertfail(condition, file, line, function, bytes of a character)`: the grid ends.
static Step runAssertFail(Warp &warp, const Op &op) {
  unsigned lane = __builtin_ctz(warp.active);
  warp.cta.report(Fault::Assertion, warp, lane, op,
                  "assertion `" + textAt(warp, lane, argument<uint64_t>(warp, op, 0, lane)) + "` failed, " +
                      textAt(warp, lane, argument<uint64_t>(warp, op, 1, lane)) + ":" +
                      std::to_string(argument<uint32_t>(warp, op, 2, lane)));
  warp.cta.grid.stopped = true;
  return Step::Yield;
}

static constexpr SystemCall kSystemCalls[] = {
    {"__assertfail", 5, runAssertFail},
    {"vprintf", 2, runPrint},
};

const SystemCall *findSystemCall(std::string_view name) {
  for (const SystemCall &call : kSystemCalls)
    if (call.name == name)
      return &call;
  return nullptr;
}

} // namespace tile::sim
