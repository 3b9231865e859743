// Loads and stores: every type and vector through local, shared and generic addresses, into registers of their width
// and wider ones.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

/// A load of `type` in vectors of `count`, all elements xor-ed with a rotation each, so that their order shows.
static FormText loadForm(const std::string &space, const std::string &place, const std::string &type, unsigned count,
                         bool wide) {
  std::string vector = count == 1 ? "" : ".v" + std::to_string(count), registers;
  for (unsigned i = 0; i < count; ++i)
    registers += (i ? ", " : "") + std::string(wide ? "%d" : "%r") + std::to_string(40 + i);
  std::string name = "ld" + space + vector + "." + type;
  std::string code = name + " " + (count == 1 ? registers : "{" + registers + "}") + ", " + place + "; mov.b64 $d, 0;";
  for (unsigned i = 0; i < count; ++i) {
    std::string element = "%d" + std::to_string(40 + i);
    if (!wide)
      code += " cvt.u64.u32 " + element + ", %r" + std::to_string(40 + i) + ";";
    code += " shl.b64 %d30, $d, 7; shr.u64 %d31, $d, 57; or.b64 $d, %d30, %d31; xor.b64 $d, $d, " + element + ";";
  }
  return {name + (wide ? " to 64 bits" : ""), code};
}

void giveLoads(const Sink &sink) {
  const std::string fill = "st.shared.v2.b64 [%d50], {$a, $b}; st.local.v2.b64 [frame], {$a, $b}; mov.u64 %d51, frame; "
                           "cvta.local.u64 %d51, %d51; cvta.shared.u64 %d52, %d50; ";
  std::vector<FormText> forms;
  for (auto [space, place] : {std::pair<std::string, std::string>(".shared", "[%d50]"),
                              {".local", "[frame]"},
                              {"", "[%d51]"},
                              {"", "[%d52]"},
                              {".volatile.shared", "[%d50]"},
                              {".relaxed.cta.shared", "[%d50]"}})
    for (std::string type :
         {"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"}) {
      unsigned bits = unsigned(std::stoi(type.substr(1)));
      for (unsigned count : {1u, 2u, 4u})
        for (bool wide : {false, true})
          if (count * bits <= 128 && (wide || bits < 64) && (!wide || type[0] != 'f' || bits == 64))
            forms.push_back(loadForm(space, place, type, count, wide));
    }
  // Narrow stores leave what is beside them.
  for (std::string type : {"b8", "b16", "b32"})
    for (unsigned count : {1u, 2u, 4u}) {
      std::string vector = count == 1 ? "" : ".v" + std::to_string(count), name = "st.shared" + vector + "." + type;
      std::string values = count == 1 ? "%r40" : count == 2 ? "{%r40, %r41}" : "{%r40, %r41, %r40, %r41}";
      forms.push_back(
          {name, "st.shared.v2.b64 [%d50], {$a, $b}; mov.b64 {%r40, %r41}, $b; " + name + " [%d50], " + values +
                     "; ld.shared.v2.b64 {%d30, %d31}, [%d50]; mul.lo.u64 %d30, %d30, 31; add.u64 $d, %d30, %d31;"});
    }
  // A policy of the cache has no effect.
  forms.push_back({"L2::cache_hint", "createpolicy.fractional.L2::evict_last.b64 %d53, 0f3f800000; "
                                     "st.global.L1::evict_last.L2::cache_hint.b64 [$o], $a, %d53; "
                                     "red.global.add.L2::cache_hint.u64 [$o], $b, %d53; "
                                     "ld.global.L2::cache_hint.b64 $d, [$o], %d53;"});
  forms[0].code = "mov.u64 %d50, cells; mad.wide.u32 %d50, %r0, 16, %d50; " + fill + forms[0].code;
  Kernel kernel = elementwise({"ld", {8, 8}, 8, forms}, operandColumns({{nullptr, 8}, {nullptr, 8}}, 512, 512, 3));
  kernel.declarations = ".shared .align 16 .b8 cells[2048];\n.local .align 16 .b8 frame[16];\n";
  sink(kernel);
}

} // namespace tile::sim::validate
