#include "frontend/irgen/Symbolic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>

using namespace tile;
using namespace tile::irgen;

/// What grows past these is kept as one opaque atom: terms of a polynomial, factors of a term, characters of an atom.
static constexpr size_t kMaxTerms = 32;
static constexpr size_t kMaxDegree = 8;
static constexpr size_t kMaxAtom = 200;

Symbolic::Symbolic(int64_t constant) { add({}, constant); }

/// A long name ends in a digest of all of it, so that doubling what it is made of, line by line, does not double it.
Symbolic Symbolic::atom(std::string name) {
  if (name.size() > kMaxAtom) {
    auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(name));
    name = name.substr(0, kMaxAtom / 2) + "… #" + llvm::toHex(llvm::ArrayRef(digest).take_front(16));
  }
  Symbolic result;
  result.add({std::move(name)}, 1);
  return result;
}

Symbolic Symbolic::call(std::string_view name, const std::vector<Symbolic> &arguments) {
  std::string text(name);
  for (const Symbolic &argument : arguments)
    text += (&argument == &arguments.front() ? "(" : ", ") + argument.text();
  return atom(text + ")");
}

void Symbolic::add(const Monomial &monomial, int64_t coefficient) {
  auto [it, isNew] = terms.try_emplace(monomial, 0);
  it->second = static_cast<int64_t>(static_cast<uint64_t>(it->second) + static_cast<uint64_t>(coefficient));
  if (it->second == 0)
    terms.erase(it);
}

namespace tile::irgen {

Symbolic operator+(const Symbolic &lhs, const Symbolic &rhs) {
  Symbolic sum = lhs;
  for (const auto &[monomial, coefficient] : rhs.terms)
    sum.add(monomial, coefficient);
  return sum.terms.size() <= kMaxTerms ? sum : Symbolic::atom("(" + lhs.text() + ") + (" + rhs.text() + ")");
}

Symbolic operator-(const Symbolic &lhs, const Symbolic &rhs) { return lhs + Symbolic(-1) * rhs; }

Symbolic operator*(const Symbolic &lhs, const Symbolic &rhs) {
  if (lhs.terms.size() * rhs.terms.size() > kMaxTerms || lhs.degree() + rhs.degree() > kMaxDegree)
    return Symbolic::atom("(" + lhs.text() + ") * (" + rhs.text() + ")");
  Symbolic product;
  for (const auto &[leftMonomial, leftCoefficient] : lhs.terms)
    for (const auto &[rightMonomial, rightCoefficient] : rhs.terms) {
      Symbolic::Monomial monomial = leftMonomial;
      monomial.insert(monomial.end(), rightMonomial.begin(), rightMonomial.end());
      std::sort(monomial.begin(), monomial.end());
      product.add(monomial, static_cast<int64_t>(static_cast<uint64_t>(leftCoefficient) *
                                                 static_cast<uint64_t>(rightCoefficient)));
    }
  return product;
}

} // namespace tile::irgen

static std::string operand(const Symbolic &value) {
  std::string text = value.text();
  return text.find(' ') == std::string::npos || text.back() == ')' ? text : "(" + text + ")";
}

Symbolic Symbolic::quotient(const Symbolic &lhs, const Symbolic &rhs) {
  if (auto divisor = rhs.asConstant(); divisor && *divisor > 0) {
    auto divides = [&](const auto &term) { return term.second % *divisor == 0; };
    if (std::all_of(lhs.terms.begin(), lhs.terms.end(), divides)) {
      Symbolic result;
      for (const auto &[monomial, coefficient] : lhs.terms)
        result.add(monomial, coefficient / *divisor);
      return result;
    }
  }
  return lhs == rhs ? Symbolic(1) : atom(operand(lhs) + " / " + operand(rhs));
}

Symbolic Symbolic::remainder(const Symbolic &lhs, const Symbolic &rhs) {
  if (auto divisor = rhs.asConstant(); divisor && *divisor > 0) {
    auto divides = [&](const auto &term) { return term.second % *divisor == 0; };
    if (std::all_of(lhs.terms.begin(), lhs.terms.end(), divides))
      return Symbolic(0);
  }
  return lhs == rhs ? Symbolic(0) : atom(operand(lhs) + " % " + operand(rhs));
}

size_t Symbolic::degree() const {
  size_t degree = 0;
  for (const auto &[monomial, coefficient] : terms)
    degree = std::max(degree, monomial.size());
  return degree;
}

std::optional<int64_t> Symbolic::asConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::string Symbolic::text() const {
  if (terms.empty())
    return "0";
  std::string text;
  auto append = [&](const Monomial &monomial, int64_t coefficient) {
    bool isNegative = coefficient < 0;
    uint64_t magnitude = isNegative ? 0 - static_cast<uint64_t>(coefficient) : static_cast<uint64_t>(coefficient);
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    bool isFirst = magnitude != 1 || monomial.empty();
    if (isFirst)
      text += std::to_string(magnitude);
    for (const std::string &name : monomial) {
      text += isFirst ? " * " + name : name;
      isFirst = true;
    }
  };
  for (const auto &[monomial, coefficient] : terms)
    if (!monomial.empty())
      append(monomial, coefficient);
  if (auto constant = terms.find({}); constant != terms.end())
    append({}, constant->second);
  return text;
}

Symbolic Symbolic::substitute(const std::string &name, const Symbolic &replacement) const {
  Symbolic result;
  for (const auto &[monomial, coefficient] : terms) {
    Symbolic term(coefficient);
    for (const std::string &factor : monomial)
      term = term * (factor == name ? replacement : atom(factor));
    result = result + term;
  }
  return result;
}

std::optional<std::pair<std::string, Symbolic>> Symbolic::solve() const {
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial.size() != 1 || (coefficient != 1 && coefficient != -1))
      continue;
    const std::string &name = monomial.front();
    auto mentions = [&](const auto &term) {
      return std::find(term.first.begin(), term.first.end(), name) != term.first.end();
    };
    if (std::count_if(terms.begin(), terms.end(), mentions) != 1)
      continue;
    Symbolic rest = *this - Symbolic(coefficient) * atom(name);
    return std::pair(name, Symbolic(-coefficient) * rest);
  }
  return std::nullopt;
}

void Equalities::assume(const Symbolic &lhs, const Symbolic &rhs) {
  if (auto rule = (reduce(lhs) - reduce(rhs)).solve())
    rules.push_back(std::move(*rule));
}

bool Equalities::areEqual(const Symbolic &lhs, const Symbolic &rhs) const {
  return lhs == rhs || reduce(lhs) == reduce(rhs);
}

/// A later rule names no atom that an earlier one replaced, so one pass suffices.
Symbolic Equalities::reduce(Symbolic value) const {
  for (const auto &[name, replacement] : rules)
    value = value.substitute(name, replacement);
  return value;
}
