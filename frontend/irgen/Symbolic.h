/// Where the value of a compile-time integer comes from: a polynomial over the names of compile-time parameters.
///
/// Two extents agree only if they are the same expression, so that a kernel that is right for one configuration is not
/// ill-typed for the next: `BM` and `BN` differ though both are 128 today. What `static_assert`, `where` and the
/// condition of a taken `static if` say is added as an equality. Functions other than `+ - *` are opaque atoms; of a
/// quotient is known what a promised remainder says: `BK / 32 * 32` is `BK` where `BK % 32 == 0`.
#ifndef FRONTEND_IRGEN_SYMBOLIC_H
#define FRONTEND_IRGEN_SYMBOLIC_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::irgen {

class Symbolic {
public:
  /// A value that is no expression over parameters.
  Symbolic(int64_t constant = 0);
  static Symbolic atom(std::string name);
  /// `name(arguments)`.
  static Symbolic call(std::string_view name, const std::vector<Symbolic> &arguments);
  /// Truncating quotient and remainder: exact where every coefficient divides, else opaque.
  static Symbolic quotient(const Symbolic &lhs, const Symbolic &rhs);
  static Symbolic remainder(const Symbolic &lhs, const Symbolic &rhs);

  friend Symbolic operator+(const Symbolic &lhs, const Symbolic &rhs);
  friend Symbolic operator-(const Symbolic &lhs, const Symbolic &rhs);
  friend Symbolic operator*(const Symbolic &lhs, const Symbolic &rhs);
  friend bool operator==(const Symbolic &lhs, const Symbolic &rhs) { return lhs.terms == rhs.terms; }

  std::optional<int64_t> asConstant() const;
  /// As it would be written: `2 * BM + 1`.
  std::string text() const;

  /// This with `replacement` for the atom `name`.
  Symbolic substitute(const std::string &name, const Symbolic &replacement) const;
  /// An atom that occurs only as a term of its own with coefficient 1 or -1, and the polynomial it equals when this is
  /// 0.
  std::optional<std::pair<std::string, Symbolic>> solve() const;
  /// The names of all that is no constant in it.
  std::vector<std::string> atoms() const;
  /// Without the factors that all terms share, constants always and atoms if asked for. 0 where and only where this
  /// is, unless such an atom is.
  Symbolic primitive(bool dropsAtoms) const;

private:
  using Monomial = std::vector<std::string>; // sorted; empty: the constant term
  void add(const Monomial &monomial, int64_t coefficient);
  size_t degree() const;             // of the longest monomial
  std::map<Monomial, int64_t> terms; // no zero coefficients
};

/// What is known to be equal.
class Equalities {
public:
  void assume(const Symbolic &lhs, const Symbolic &rhs);
  bool areEqual(const Symbolic &lhs, const Symbolic &rhs) const;
  /// What would make them equal if it were known: `BK % 32 == 0`, else the equality itself.
  std::string condition(const Symbolic &lhs, const Symbolic &rhs) const;

private:
  void learnQuotients(const std::string &remainder, const Symbolic &value);
  Symbolic reduce(Symbolic value) const;
  /// Atoms and what each equals. What no atom could be solved for stands under no name: a polynomial that is 0.
  std::vector<std::pair<std::string, Symbolic>> rules;
};

} // namespace tile::irgen

#endif
