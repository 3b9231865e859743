/// \file
/// What the names in a function mean, by scope: `{ }` opens a scope whose names hide those outside. The module that
/// comes out has no scopes, so a name of an inner one is given a form that no source can write: the n-th scope of a
/// function makes `tmp` into `tmp@n`, and a family `%r<4>` into `%r@n_0` to `%r@n_3`. (PTX ISA 9.0, 5.1 and 5.4.6)
#ifndef BACKEND_SIMULATOR_PTX_NAMES_H
#define BACKEND_SIMULATOR_PTX_NAMES_H

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tile::sim::ptx {

/// The scopes that are open at one place of a text. Names refer to the text.
class Names {
public:
  enum class Meaning : unsigned char { Register, Family, Variable, Label };
  struct Entry {
    Meaning meaning;
    std::string name;   ///< in the module; of a family, without the number
    unsigned count = 0; ///< of a family
    unsigned width = 1; ///< of a register: how many elements a `.v4` has
  };

  void open();
  void close();
  size_t depth() const { return scopes.size(); }

  /// Gives `name` a meaning in the innermost scope. The name that it has in the module, or nothing if the scope has
  /// this name already, by itself or as a member of a family.
  std::optional<std::string> declare(std::string_view name, Meaning meaning, unsigned count = 0, unsigned width = 1);

  /// What `name` means here, a member of a family as the register that it is. Nothing if no open scope says.
  std::optional<Entry> find(std::string_view name) const;
  /// The label of the innermost scope alone: scopes further out may declare it before and after.
  const std::string *findLabel(std::string_view name) const;

private:
  struct Scope {
    unsigned number;
    std::unordered_map<std::string_view, Entry> entries;
    unsigned families = 0;
  };
  static std::optional<Entry> findIn(const Scope &scope, std::string_view name);

  std::vector<Scope> scopes;
  unsigned opened = 0;
};

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_NAMES_H
