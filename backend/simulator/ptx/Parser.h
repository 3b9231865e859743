/// \file
/// PTX text to `ptx::Module`, or the first thing in it that is no PTX. Everything that chapters 4 and 5 of the PTX ISA
/// 9.0 say is read, but for textures, C preprocessor lines, and registers outside functions, which are refused. Names
/// are checked (a branch to a label that is not there is an error), instructions are not: that is `decode/`'s.
#ifndef BACKEND_SIMULATOR_PTX_PARSER_H
#define BACKEND_SIMULATOR_PTX_PARSER_H

#include "backend/simulator/ptx/Syntax.h"

#include <cassert>
#include <utility>
#include <variant>

namespace tile::sim::ptx {

/// Where a text stops to be PTX, both from 1, and what was found and expected there.
struct ParseError {
  unsigned line = 1, column = 1;
  std::string message;
};

/// A module, or an error. `*` and `->` need a module.
class [[nodiscard]] Parsed {
public:
  Parsed(Module module) : content(std::move(module)) {}
  Parsed(ParseError error) : content(std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  Module &operator*() {
    assert(*this && "an error has no module");
    return *std::get_if<0>(&content);
  }
  const Module &operator*() const {
    assert(*this && "an error has no module");
    return *std::get_if<0>(&content);
  }
  Module *operator->() { return &**this; }
  const Module *operator->() const { return &**this; }

  const ParseError &error() const {
    assert(!*this && "a module has no error");
    return *std::get_if<1>(&content);
  }

private:
  std::variant<Module, ParseError> content;
};

/// Reads a whole module. `text` is not referred to afterwards. Never fails otherwise than by the result, whatever the
/// bytes are.
Parsed parse(std::string_view text);

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_PARSER_H
