// `atom` and `red`: every operation and type, in global and shared memory. Each thread has a cell of its own, whose
// start is the first operand; what all threads of a CTA leave in one cell follows, for operations whose order does not
// show.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

namespace {
struct AtomicRow {
  const char *operation, *type;
  unsigned bytes;
  const Format *format = nullptr;
  bool hasReduction = true;
};
} // namespace

static const AtomicRow kRows[] = {
    {"add", "u32", 4},
    {"add", "s32", 4},
    {"add", "u64", 8},
    {"add", "f32", 4, &numerics::kF32},
    {"add", "f64", 8, &numerics::kF64},
    {"add.noftz", "f16", 2, &numerics::kF16},
    {"add.noftz", "bf16", 2, &numerics::kBF16},
    {"add.noftz", "f16x2", 4},
    {"add.noftz", "bf16x2", 4},
    {"and", "b32", 4},
    {"and", "b64", 8},
    {"cas", "b16", 2, nullptr, false},
    {"cas", "b32", 4, nullptr, false},
    {"cas", "b64", 8, nullptr, false},
    {"dec", "u32", 4},
    {"exch", "b32", 4, nullptr, false},
    {"exch", "b64", 8, nullptr, false},
    {"inc", "u32", 4},
    {"max", "s32", 4},
    {"max", "s64", 8},
    {"max", "u32", 4},
    {"max", "u64", 8},
    {"min", "s32", 4},
    {"min", "s64", 8},
    {"min", "u32", 4},
    {"min", "u64", 8},
    {"or", "b32", 4},
    {"or", "b64", 8},
    {"xor", "b32", 4},
    {"xor", "b64", 8},
};

/// The forms of one row on a cell at `place`.
static void append(std::vector<FormText> &forms, const AtomicRow &row, const std::string &space,
                   const std::string &place) {
  std::string name = "." + space + "." + row.operation + "." + row.type, old = row.bytes == 8   ? "%d30"
                                                                               : row.bytes == 4 ? "%r30"
                                                                                                : "%h30";
  std::string bits = ".b" + std::to_string(8 * row.bytes), third = row.operation == std::string("cas") ? ", $c" : "";
  std::string begin = "st." + space + bits + " " + place + ", $a; ",
              end = " ld." + space + bits + " $d, " + place + ";";
  // Every second comparison succeeds.
  if (!third.empty())
    begin = "and.b32 %r31, %r0, 1; setp.eq.u32 %p1, %r31, 0; selp.b" + std::to_string(8 * row.bytes) + " " + old +
            ", $a, $b, %p1; st." + space + bits + " " + place + ", " + old + "; ";
  forms.push_back({"atom" + name, begin + "atom" + name + " $d, " + place + ", $b" + third + ";"});
  forms.push_back(
      {"atom" + name + " in memory", begin + "atom" + name + " " + old + ", " + place + ", $b" + third + ";" + end});
  if (row.hasReduction)
    forms.push_back({"red" + name, begin + "red" + name + " " + place + ", $b;" + end});
}

/// `{prefix40, …}` of `count` registers from `first` on.
static std::string vectorOf(const std::string &prefix, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(first + i);
  return text + "}";
}

/// Takes {$c, $a} apart into `count` registers of `bytes` bytes from number 10 on.
static std::string unpack(unsigned count, unsigned bytes) {
  std::string prefix = bytes == 2 ? "%h" : "%r";
  unsigned perWord = 8 / bytes, first = bytes == 2 ? 10 : 40;
  if (count < perWord)
    return "cvt.u32.u64 %r39, $c; mov.b32 " + vectorOf(prefix, first, count) + ", %r39;";
  std::string text = "mov.b64 " + vectorOf(prefix, first, perWord) + ", $c;";
  return count == perWord ? text : text + " mov.b64 " + vectorOf(prefix, first + perWord, perWord) + ", $a;";
}
/// Puts as many from number 20 on together into %d30 and %d31.
static std::string repack(unsigned count, unsigned bytes) {
  std::string prefix = bytes == 2 ? "%h" : "%r";
  unsigned perWord = 8 / bytes, first = bytes == 2 ? 20 : 50;
  if (count < perWord)
    return " mov.b32 %r39, " + vectorOf(prefix, first, count) + "; cvt.u64.u32 %d30, %r39; mov.b64 %d31, 0;";
  std::string text = " mov.b64 %d30, " + vectorOf(prefix, first, perWord) + ";";
  return text + (count == perWord ? " mov.b64 %d31, 0;"
                                  : " mov.b64 %d31, " + vectorOf(prefix, first + perWord, perWord) + ";");
}

/// Vectors and, with f32, 128 bits: on 16 bytes of global memory of each thread at %d60, {$a, $b} at first, with {$c,
/// $a}.
static void giveWide(const Sink &sink, const Format &format) {
  unsigned bytes = unsigned(format.width() / 8), perWord = 8 / bytes;
  std::vector<Values> columns(3), elements = operandColumns(std::vector<OperandType>(3 * perWord, {&format, bytes}),
                                                            1024, 1024, format.width() + format.fractionBits);
  for (unsigned i = 0; i < 3 * perWord; ++i)
    for (size_t row = 0; row < elements[i].size(); ++row) {
      columns[i / perWord].resize(elements[i].size());
      columns[i / perWord][row] |= elements[i][row] << 8 * bytes * (i % perWord);
    }
  const std::string begin = "st.global.v2.b64 [%d60], {$a, $b}; ",
                    fold = " mul.lo.u64 %d30, %d30, 31; add.u64 $d, %d30, %d31;";
  const std::string end = " ld.global.v2.b64 {%d30, %d31}, [%d60];" + fold;
  std::vector<FormText> forms;
  auto add = [&](const std::string &operation, unsigned count, const std::string &type, unsigned registerBytes) {
    std::string prefix = registerBytes == 2 ? "%h" : "%r";
    std::string values = vectorOf(prefix, registerBytes == 2 ? 10 : 40, count);
    std::string old = vectorOf(prefix, registerBytes == 2 ? 20 : 50, count);
    std::string rest = ".global." + operation + ".v" + std::to_string(count) + "." + type;
    std::string start = begin + unpack(count, registerBytes);
    forms.push_back({"atom" + rest, start + " atom" + rest + " " + old + ", [%d60], " + values + ";" +
                                        repack(count, registerBytes) + fold});
    forms.push_back({"red" + rest, start + " red" + rest + " [%d60], " + values + ";" + end});
  };
  std::string type = format.name;
  if (bytes == 4)
    for (unsigned count : {2u, 4u})
      add("add", count, type, 4);
  else
    for (std::string operation : {"add.noftz", "min.noftz", "max.noftz"}) {
      for (unsigned count : {2u, 4u, 8u})
        add(operation, count, type, 2);
      for (unsigned count : {2u, 4u})
        add(operation, count, type + "x2", 4);
    }
  if (bytes == 4) {
    const std::string third = "mov.b128 %q1, {$c, $a}; ", old = " mov.b128 {%d30, %d31}, %q0;";
    forms.push_back({"atom.global.exch.b128", begin + third + "atom.global.exch.b128 %q0, [%d60], %q1;" + old + fold});
    forms.push_back(
        {"atom.global.exch.b128 in memory", begin + third + "atom.global.exch.b128 %q0, [%d60], %q1;" + end});
    // Every second comparison succeeds.
    const std::string swap =
        "and.b32 %r31, %r0, 1; setp.eq.u32 %p1, %r31, 0; selp.b64 %d32, $a, $c, %p1; mov.b128 %q2, "
        "{%d32, $b}; atom.global.cas.b128 %q0, [%d60], %q2, %q1;";
    forms.push_back({"atom.global.cas.b128", begin + third + swap + old + fold});
    forms.push_back({"atom.global.cas.b128 in memory", begin + third + swap + end});
    forms.push_back(
        {"ld.b128, st.b128", third + "st.global.b128 [%d60], %q1; ld.global.b128 %q0, [%d60];" + old + fold});
  }
  // The cells lie behind what the forms give.
  size_t rows = columns[0].size();
  forms[0].code = "mad.wide.u32 %d60, %r2, 16, " + std::string("%d103") + "; add.s64 %d60, %d60, " +
                  std::to_string(forms.size() * rows * 8) + "; " + forms[0].code;
  Kernel kernel = elementwise({"atom.vectors." + type, {8, 8, 8}, 8, forms}, std::move(columns));
  kernel.declarations = ".reg .b128 %q<3>;\n";
  kernel.addResult("cells of vectors of " + type, rows * 2, 8);
  sink(kernel);
}

void giveAtomics(const Sink &sink) {
  for (unsigned bytes : {2u, 4u, 8u})
    for (const Format *format :
         {(const Format *)nullptr, &numerics::kF16, &numerics::kBF16, &numerics::kF32, &numerics::kF64}) {
      std::vector<FormText> forms;
      for (const AtomicRow &row : kRows)
        if (row.bytes == bytes && row.format == format) {
          append(forms, row, "global", "[$o]");
          append(forms, row, "shared", "[%d40]");
        }
      if (forms.empty())
        continue;
      // The cell's address comes with the first form; all of them follow it in one thread.
      forms[0].code = "mov.u64 %d40, cells; mad.wide.u32 %d40, %r0, 8, %d40; " + forms[0].code;
      std::vector<OperandType> types(3, {format, bytes});
      std::string name = std::string("atom.") + (format ? format->name : "b") + std::to_string(8 * bytes);
      Kernel kernel =
          elementwise({name, {bytes, bytes, bytes}, bytes, forms}, operandColumns(types, 2048, 2048, bytes));
      kernel.declarations = ".shared .align 8 .b8 cells[1024];\n";
      sink(kernel);
    }
  for (const Format *format : {&numerics::kF32, &numerics::kF16, &numerics::kBF16})
    giveWide(sink, *format);
  // All threads of a CTA on one cell.
  std::vector<FormText> forms;
  for (std::string name :
       {"add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32"})
    for (std::string operation : {"red.shared.", "atom.shared."})
      forms.push_back({operation + name + " of 128 threads",
                       "setp.eq.u32 %p1, %r0, 0; mov.u32 %r32, 1234567; bar.sync 0; @%p1 st.shared.b32 [cells], %r32; "
                       "bar.sync 0; " +
                           operation + name + (operation[0] == 'a' ? " %r30, " : " ") + "[cells], " +
                           (name == "inc.u32" ? "2000000" : "$a") + "; bar.sync 0; ld.shared.b32 $d, [cells];"});
  Kernel kernel = elementwise({"atom-together", {4}, 4, forms}, operandColumns({{nullptr, 4}}, 1024, 1024, 3));
  kernel.declarations = ".shared .align 8 .b8 cells[8];\n";
  sink(kernel);
}

} // namespace tile::sim::validate
