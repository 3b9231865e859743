#include "frontend/irgen/Symbolic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <numeric>

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

/// `text` as an operand: in parentheses where it is an operation itself.
static std::string operand(const std::string &text) {
  int depth = 0;
  bool isOperation = std::any_of(text.begin(), text.end(), [&](char c) {
    depth += (c == '(') - (c == ')');
    return depth == 0 && c == ' ';
  });
  return isOperation ? "(" + text + ")" : text;
}
static std::string operand(const Symbolic &value) { return operand(value.text()); }

static std::string division(const std::string &lhs, char op, const std::string &rhs) {
  return lhs + " " + op + " " + rhs;
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
  return lhs == rhs ? Symbolic(1) : atom(division(operand(lhs), '/', operand(rhs)));
}

Symbolic Symbolic::remainder(const Symbolic &lhs, const Symbolic &rhs) {
  if (auto divisor = rhs.asConstant(); divisor && *divisor > 0) {
    auto divides = [&](const auto &term) { return term.second % *divisor == 0; };
    if (std::all_of(lhs.terms.begin(), lhs.terms.end(), divides))
      return Symbolic(0);
  }
  return lhs == rhs ? Symbolic(0) : atom(division(operand(lhs), '%', operand(rhs)));
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
      text += (isFirst ? " * " : "") + (isFirst || monomial.size() > 1 ? operand(name) : name);
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

std::vector<std::string> Symbolic::atoms() const {
  std::vector<std::string> names;
  for (const auto &[monomial, coefficient] : terms)
    names.insert(names.end(), monomial.begin(), monomial.end());
  return names;
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

Symbolic Symbolic::primitive(bool dropsAtoms) const {
  if (terms.empty())
    return *this;
  uint64_t constant = 0;
  Monomial shared = terms.begin()->first;
  for (const auto &[monomial, coefficient] : terms) {
    constant = std::gcd(constant, magnitude(coefficient));
    Monomial both;
    std::set_intersection(shared.begin(), shared.end(), monomial.begin(), monomial.end(), std::back_inserter(both));
    shared = std::move(both);
  }
  if (constant > static_cast<uint64_t>(INT64_MAX))
    return *this;
  int64_t divisor = terms.begin()->second < 0 ? -static_cast<int64_t>(constant) : static_cast<int64_t>(constant);
  Symbolic result;
  for (const auto &[monomial, coefficient] : terms) {
    Monomial rest = monomial;
    if (dropsAtoms) {
      rest.clear();
      std::set_difference(monomial.begin(), monomial.end(), shared.begin(), shared.end(), std::back_inserter(rest));
    }
    result.add(rest, coefficient / divisor);
  }
  return result;
}

namespace {
/// The atom of a quotient or a remainder whose operands are names or numbers.
struct Division {
  std::string lhs, rhs;
};
} // namespace

static std::optional<Division> readDivision(llvm::StringRef atom, char op) {
  auto [lhs, rhs] = atom.split(division("", op, ""));
  auto isWord = [](llvm::StringRef text) {
    return !text.empty() && llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  };
  if (!isWord(lhs) || !isWord(rhs))
    return std::nullopt;
  return Division{lhs.str(), rhs.str()};
}

static Symbolic wordSymbol(const std::string &word) {
  int64_t number;
  return llvm::StringRef(word).getAsInteger(10, number) ? Symbolic::atom(word) : Symbolic(number);
}

void Equalities::assume(const Symbolic &lhs, const Symbolic &rhs) {
  Symbolic difference = (reduce(lhs) - reduce(rhs)).primitive(/*dropsAtoms=*/false);
  if (difference == Symbolic(0))
    return;
  if (auto rule = difference.solve()) {
    rules.push_back(*rule);
    learnQuotients(rule->first, rule->second);
  } else {
    rules.emplace_back("", std::move(difference));
  }
}

/// Of `a % b == value` follows `a == a / b * b + value`; where it is 0, so it is for what divides `b`.
void Equalities::learnQuotients(const std::string &remainder, const Symbolic &value) {
  std::optional<Division> known = readDivision(remainder, '%');
  if (!known)
    return;
  auto learn = [&](const std::string &divisor) {
    assume(wordSymbol(known->lhs), wordSymbol(divisor) * Symbolic::atom(division(known->lhs, '/', divisor)) + value);
  };
  learn(known->rhs);
  std::optional<int64_t> number = wordSymbol(known->rhs).asConstant();
  if (!number || !(value == Symbolic(0)))
    return;
  // Divisors beyond these are no sizes of blocks or groups.
  constexpr int64_t kMaxDivisor = 256;
  for (int64_t divisor = 2; divisor < std::min(*number, kMaxDivisor + 1); ++divisor)
    if (*number % divisor == 0)
      learn(std::to_string(divisor));
}

bool Equalities::areEqual(const Symbolic &lhs, const Symbolic &rhs) const {
  if (lhs == rhs)
    return true;
  Symbolic difference = reduce(lhs) - reduce(rhs);
  if (difference == Symbolic(0))
    return true;
  return llvm::any_of(rules, [&](const auto &rule) {
    if (!rule.first.empty())
      return false;
    Symbolic known = reduce(rule.second).primitive(/*dropsAtoms=*/false);
    return known == difference.primitive(/*dropsAtoms=*/false) || known == difference.primitive(/*dropsAtoms=*/true);
  });
}

std::string Equalities::condition(const Symbolic &lhs, const Symbolic &rhs) const {
  for (const Symbolic *side : {&lhs, &rhs})
    for (const std::string &atom : side->atoms())
      if (std::optional<Division> quotient = readDivision(atom, '/')) {
        std::string remainder = division(quotient->lhs, '%', quotient->rhs);
        Equalities promised = *this;
        promised.assume(Symbolic::atom(remainder), 0);
        if (promised.areEqual(lhs, rhs))
          return remainder + " == 0";
      }
  return lhs.text() + " == " + rhs.text();
}

/// A later rule names no atom that an earlier one replaced, so one pass suffices.
Symbolic Equalities::reduce(Symbolic value) const {
  for (const auto &[name, replacement] : rules)
    if (!name.empty())
      value = value.substitute(name, replacement);
  return value;
}
