// The ways that a request for memory takes give the same: all lanes at once, some of them, lanes in two regions, and
// lanes of which one has something to report.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

namespace {
struct Transfer {
  const char *type; ///< `v4.u32`
  const char *registers;
  unsigned bytes;
};
} // namespace

static constexpr Transfer kTransfers[] = {
    {"u8", "%h1", 1},
    {"s8", "%r1", 1},
    {"v2.u8", "{%r1, %r2}", 2},
    {"u16", "%h1", 2},
    {"s16", "%d1", 2},
    {"v4.u16", "{%r1, %r2, %r3, %r4}", 8},
    {"b32", "%r1", 4},
    {"s32", "%d1", 4},
    {"v2.u32", "{%r1, %r2}", 8},
    {"v4.f32", "{%f1, %f2, %f3, %f4}", 16},
    {"u64", "%d1", 8},
    {"v2.b64", "{%d1, %d2}", 16},
};

/// Copies `transfer.bytes` a lane through shared memory from p0, or p2 where predicate 1 holds, to p1, in the lanes
/// where predicate 2 holds. `predicates` sets both.
static KernelRun copying(const Transfer &transfer, const std::string &predicates) {
  std::string type = transfer.type, registers = transfer.registers, bytes = std::to_string(transfer.bytes);
  KernelRun run("mov.u32 %r10, %tid.x;\nmul.wide.u32 %d10, %r10, " + bytes + ";\n" + predicates +
                    "add.s64 %d11, %d50, %d10;\n@%p1 add.s64 %d11, %d52, %d10;\nadd.s64 %d12, %d51, %d10;\n"
                    "mov.u32 %r11, buffer;\nmad.lo.u32 %r11, %r10, " +
                    bytes + ", %r11;\n" + "@%p2 ld.global." + type + " " + registers + ", [%d11];\n" +
                    "@%p2 st.shared." + type + " [%r11], " + registers + ";\n" + "@%p2 ld.shared." + type + " " +
                    registers + ", [%r11];\n" + "@%p2 st.global." + type + " [%d12], " + registers + ";",
                ".shared .align 16 .b8 buffer[512];");
  std::vector<uint8_t> first(32 * transfer.bytes), second(32 * transfer.bytes);
  for (unsigned i = 0; i < first.size(); ++i) {
    first[i] = uint8_t(i * 7 + 200);
    second[i] = uint8_t(i * 11 + 90);
  }
  run.add(first);
  run.addOutput<uint8_t>(32 * transfer.bytes);
  run.add(second);
  return run;
}

/// What `copying` leaves: each lane's bytes where `copies(lane)` says from, 0, 2, or 1 for those that it does not
/// write.
template <class From> static std::vector<uint8_t> expected(const KernelRun &run, unsigned bytes, const From &from) {
  std::vector<uint8_t> result(32 * bytes);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = lane * bytes; i < (lane + 1) * bytes; ++i)
      result[i] = from(lane) == 1 ? 0x5a : run.get<uint8_t>(from(lane))[i];
  return result;
}

TEST(MemoryWays, AllLanesOfOneRegion) {
  for (const Transfer &transfer : kTransfers) {
    KernelRun run = copying(transfer, "setp.lt.u32 %p2, %r10, 32;\nsetp.gt.u32 %p1, %r10, 32;\n");
    RunResult result = run.run();
    EXPECT_EQ(summary(result), "") << transfer.type;
    EXPECT_EQ(result.longWays.requests, 0u) << transfer.type;
    EXPECT_EQ(run.get<uint8_t>(1), expected(run, transfer.bytes, [](unsigned) { return 0; })) << transfer.type;
  }
}

TEST(MemoryWays, SomeLanesOfOneRegion) {
  for (const Transfer &transfer : kTransfers) {
    KernelRun run =
        copying(transfer, "and.b32 %r12, %r10, 5;\nsetp.eq.u32 %p2, %r12, 4;\nsetp.gt.u32 %p1, %r10, 32;\n");
    RunResult result = run.run();
    EXPECT_EQ(summary(result), "") << transfer.type;
    EXPECT_EQ(result.longWays.requests, 0u) << transfer.type;
    EXPECT_EQ(run.get<uint8_t>(1), expected(run, transfer.bytes, [](unsigned lane) { return (lane & 5) == 4 ? 0 : 1; }))
        << transfer.type;
  }
}

TEST(MemoryWays, LanesInTwoRegions) {
  for (const Transfer &transfer : kTransfers) {
    KernelRun run = copying(transfer, "and.b32 %r12, %r10, 3;\nsetp.eq.u32 %p1, %r12, 1;\nsetp.ne.u32 %p2, %r12, 2;\n");
    RunResult result = run.run();
    EXPECT_EQ(summary(result), "") << transfer.type;
    EXPECT_EQ(result.longWays.requests, 1u) << transfer.type;
    EXPECT_EQ(run.get<uint8_t>(1),
              expected(run, transfer.bytes, [](unsigned lane) { return lane % 4 == 1   ? 2
                                                                       : lane % 4 == 2 ? 1
                                                                                       : 0; }))
        << transfer.type;
  }
}

/// Lane 9 alone has an address that is wrong by `wrong`: the others go on, and it reads zero.
static KernelRun withWrongLane(const std::string &wrong, std::vector<uint32_t> &values) {
  KernelRun run("mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\nadd.s64 %d2, %d51, %d1;\n"
                "setp.eq.u32 %p1, %r0, 9;\n@%p1 " +
                wrong + "\nmov.b32 %r1, 77;\nld.global.u32 %r1, [%d0];\n@!%p1 st.global.u32 [%d2], %r1;");
  values.resize(32);
  for (unsigned i = 0; i < 32; ++i)
    values[i] = i + 100;
  run.add(values);
  run.addOutput<uint32_t>(32);
  values[9] = 0x5a;
  return run;
}

TEST(MemoryWays, AWrongLaneIsLeftOut) {
  const std::pair<const char *, Fault> cases[] = {
      {"add.s64 %d0, %d50, 128;", Fault::OutOfBounds}, {"add.s64 %d0, %d50, 126;", Fault::OutOfBounds},
      {"add.s64 %d0, %d50, -4;", Fault::OutOfBounds},  {"mov.b64 %d0, -8;", Fault::OutOfBounds},
      {"add.s64 %d0, %d50, 6;", Fault::Misaligned},    {"mov.b64 %d0, %d40;", Fault::Undefined}};
  for (auto [wrong, fault] : cases) {
    std::vector<uint32_t> values;
    KernelRun run = withWrongLane(wrong, values);
    RunResult result = run.run();
    ASSERT_EQ(result.findings.size(), 1u) << wrong << summary(result);
    EXPECT_EQ(result.findings[0].fault, fault) << wrong;
    EXPECT_EQ(result.findings[0].place.thread[0], 9u) << wrong;
    EXPECT_EQ(run.get<uint32_t>(1), values) << wrong;
  }
}

} // namespace tile::sim::test
