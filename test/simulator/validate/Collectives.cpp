// What a warp or a CTA does together: `shfl`, `vote`, `match`, `redux`, `elect`, `bar.red`; of all lanes, and of those
// that a branch leaves.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

/// `code` by the lanes where %p3 holds alone, whose mask is %r30; the others keep zero.
static FormText amongSome(const std::string &name, const std::string &zero, const std::string &code, unsigned number) {
  std::string label = "skip" + std::to_string(number);
  return {name + " of some lanes",
          zero + " $d, 0; setp.ge.s32 %p3, $c, 0; vote.sync.ballot.b32 %r30, %p3, -1;\n@!%p3 bra " + label + ";\n" +
              code + "\n" + label + ":\nbar.warp.sync -1;"};
}

void giveCollectives(const Sink &sink) {
  std::vector<Values> columns = operandColumns({{nullptr, 4}, {nullptr, 4}, {nullptr, 4}}, 4096, 8192, 11);
  std::vector<FormText> shuffles;
  for (std::string mode : {"up", "down", "bfly", "idx"}) {
    std::string name = "shfl.sync." + mode + ".b32";
    shuffles.push_back({name, name + " $d, $a, $b, $c, -1;"});
    shuffles.push_back({name + " p", name + " %r31|%p1, $a, $b, $c, -1; selp.b32 $d, 1, 0, %p1;"});
    for (unsigned clamp : {0x00u, 0x1fu, 0x181fu, 0x1c03u})
      shuffles.push_back(
          {name + " within " + std::to_string(clamp), name + " $d, $a, 3, " + std::to_string(clamp) + ", -1;"});
  }
  shuffles.push_back(amongSome("shfl.sync.idx.b32", "mov.b32",
                               "brev.b32 %r31, %r30; clz.b32 %r31, %r31; shfl.sync.idx.b32 $d, $a, %r31, 31, %r30;",
                               0));
  sink(elementwise({"shfl", {4, 4, 4}, 4, shuffles}, columns));

  std::vector<FormText> votes;
  unsigned number = 0;
  // Rarely and often true, so that all outcomes occur.
  for (std::string predicate :
       {"setp.lt.s32 %p1, $a, 0;", "setp.ne.s32 %p1, $a, $b;", "and.b32 %r31, $b, 63; setp.eq.s32 %p1, %r31, 5;"})
    for (std::string vote : {"all", "any", "uni", "ballot"}) {
      std::string name = "vote.sync." + vote + (vote == "ballot" ? ".b32" : ".pred"), of = std::to_string(number);
      bool isBallot = vote == "ballot";
      auto code = [&](const std::string &mask) {
        return predicate + (isBallot ? name + " $d, %p1, " + mask + ";"
                                     : name + " %p2, !%p1, " + mask + "; selp.b32 $d, 1, 0, %p2;");
      };
      votes.push_back({name + " " + of, code("-1")});
      votes.push_back(amongSome(name + " " + of, "mov.b32", code("%r30"), number++));
    }
  for (std::string kind : {"any", "all"})
    for (unsigned kept : {0u, 3u}) {
      std::string name = "match." + kind + ".sync.b32", mask = std::to_string(kept);
      std::string code = "and.b32 %r31, $a, " + mask + "; " + name + " $d, %r31, ";
      votes.push_back({name + " of " + mask, code + "-1;"});
      votes.push_back(amongSome(name + " of " + mask, "mov.b32", code + "%r30;", number++));
      code = "and.b32 %r31, $a, " + mask + "; mov.b64 %d30, {$c, %r31}; and.b64 %d30, %d30, -4294967295; ";
      votes.push_back({"match." + kind + ".sync.b64 of " + mask, code + "match." + kind + ".sync.b64 $d, %d30, -1;"});
    }
  votes.push_back(
      {"match.all.sync.b32 p", "and.b32 %r31, $a, 0; match.all.sync.b32 %r32|%p1, %r31, -1; selp.b32 $d, 1, 0, %p1;"});
  for (std::string type :
       {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}) {
    std::string name = "redux.sync." + type;
    votes.push_back({name, name + " $d, $a, -1;"});
    votes.push_back(amongSome(name, "mov.b32", name + " $d, $a, %r30;", number++));
  }
  votes.push_back({"elect.sync", "elect.sync %r31|%p1, -1; selp.b32 $d, %r31, 77, %p1;"});
  votes.push_back(
      amongSome("elect.sync", "mov.b32", "elect.sync %r31|%p1, %r30; selp.b32 $d, %r31, 77, %p1;", number++));
  sink(elementwise({"votes", {4, 4, 4}, 4, votes}, columns));

  std::vector<FormText> barriers = {
      {"bar.red.popc.u32", "setp.lt.s32 %p1, $a, 0; bar.red.popc.u32 $d, 0, %p1;"},
      {"bar.red.and.pred", "setp.ne.s32 %p1, $a, 0; bar.red.and.pred %p2, 0, %p1; selp.b32 $d, 1, 0, %p2;"},
      {"bar.red.or.pred",
       "and.b32 %r31, $a, 127; setp.eq.s32 %p1, %r31, 5; bar.red.or.pred %p2, 1, %p1; selp.b32 $d, 1, 0, %p2;"},
      {"barrier.sync", "barrier.sync 3; mov.b32 $d, $a;"},
  };
  sink(elementwise({"bar.red", {4, 4, 4}, 4, barriers}, columns));
}

} // namespace tile::sim::validate
