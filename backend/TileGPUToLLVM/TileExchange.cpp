#include "backend/TileGPUToLLVM/TileExchange.h"

#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

//===-- Shared memory

SharedAddresses::SharedAddresses(Emitter &emit, ArrayRef<CoordTerm> threadTerms, bool disjoint, const Layout &shared,
                                 int64_t elementBytes, Value base)
    : emit(emit), elementBytes(elementBytes), base(base),
      offset(emit, threadTerms, shared.bits(HwDim::Offset).size(), disjoint) {}

std::pair<Value, int64_t> SharedAddresses::split(int64_t part) {
  int64_t mixed = offset.mixedBits(part);
  Value &address = bases[mixed];
  if (!address)
    address = emit.offset(base, emit.mul(offset.with(mixed), emit.i32(elementBytes)));
  return {address, (part - mixed) * elementBytes};
}

Value SharedAddresses::at(int64_t part, int64_t bytes) {
  auto [address, more] = split(part);
  return bytes + more ? emit.offset(address, emit.i64(bytes + more)) : address;
}

void tgpu::emitTileStore(Emitter &emit, const SharedAccess &access, const Layout &registers, const Layout &shared,
                         ValueRange values, Value base) {
  SharedAddresses addresses(emit, access.threadTerms, access.disjoint, shared, memoryBytes(values[0].getType()), base);
  Value owner = ThreadCoordinates(emit, registers).isOwner();
  for (auto [i, vector] : llvm::enumerate(access.registers))
    emitSharedStore(emit, addresses.at(access.offsets[i]), owner,
                    llvm::map_to_vector(vector, [&](int64_t reg) -> Value { return values[reg]; }));
}

SmallVector<Value> tgpu::emitTileLoad(Emitter &emit, const SharedAccess &access, const Layout &registers,
                                      const Layout &shared, Type element, Value base) {
  SharedAddresses addresses(emit, access.threadTerms, access.disjoint, shared, memoryBytes(element), base);
  SmallVector<Value> loaded(registers.numRegisters());
  for (auto [i, vector] : llvm::enumerate(access.registers))
    for (auto [reg, value] :
         llvm::zip_equal(vector, emitSharedLoad(emit, addresses.at(access.offsets[i]), element, vector.size())))
      loaded[reg] = value;
  for (int64_t reg = 0; reg < registers.numRegisters(); ++reg)
    loaded[reg] = loaded[access.representative[reg]];
  return loaded;
}

SlicedConversion::SlicedConversion(Emitter &emit, const SharedExchange &exchange, const Layout &from, const Layout &to,
                                   ValueRange values, Value base)
    : emit(emit), exchange(exchange), values(values), element(values[0].getType()),
      stores(exchange.matrices
                 ? SharedAddresses(emit, exchange.matrices->threadTerms, exchange.matrices->disjoint, exchange.layout,
                                   memoryBytes(element),
                                   LLVM::PtrToIntOp::create(emit.builder, emit.loc, emit.builder.getI32Type(), base))
                 : SharedAddresses(emit, exchange.store.threadTerms, exchange.store.disjoint, exchange.layout,
                                   memoryBytes(element), base)),
      loads(emit, exchange.load.threadTerms, exchange.load.disjoint, exchange.layout, memoryBytes(element), base) {
  assert(keepsWarps(from, to) && "no warp barrier orders what another warp wrote");
}

void SlicedConversion::storeVectors(int64_t slice) {
  for (auto [i, vector] : llvm::enumerate(exchange.store.registers))
    if (exchange.store.rounds[i] == slice)
      markSlice(emitSharedStore(emit, stores.at(exchange.store.offsets[i], slice * exchange.bytes), Value(),
                                llvm::map_to_vector(vector, [&](int64_t reg) -> Value { return values[reg]; })));
}

/// PTX ISA, stmatrix.
void SlicedConversion::storeMatrices(int64_t slice) {
  constexpr int64_t kWordBytes = 4;
  const MatrixAccess &access = *exchange.matrices;
  for (auto [registers, offset, round] : llvm::zip_equal(access.registers, access.offsets, access.rounds)) {
    if (round != slice)
      continue;
    SmallVector<Value> words =
        packWords(emit, llvm::map_to_vector(registers, [&](int64_t reg) -> Value { return values[reg]; }), kWordBytes);
    auto [address, bytes] = stores.split(offset);
    bytes += slice * exchange.bytes;
    std::string list, constraints = "r";
    for (size_t i = 0; i < words.size(); ++i) {
      list += (i ? ", $" : "$") + std::to_string(i + 1);
      constraints += ",r";
    }
    SmallVector<Value> operands = {address};
    operands.append(words);
    emit.ptx("stmatrix.sync.aligned.m8n8.x" + std::to_string(access.matrices) + ".shared.b16 [$0+" +
                 std::to_string(bytes) + "], {" + list + "};",
             constraints, operands, {}, Emitter::Effect::Memory);
    markSlice(emit.lastPtx);
  }
}

SmallVector<std::pair<int64_t, Value>> SlicedConversion::convert(int64_t slice) {
  int64_t begin = slice * exchange.bytes;
  exchange.matrices ? storeMatrices(slice) : storeVectors(slice);
  emit.warpBarrier();
  SmallVector<std::pair<int64_t, Value>> loaded;
  for (auto [i, vector] : llvm::enumerate(exchange.load.registers))
    if (exchange.load.rounds[i] == slice)
      for (auto [reg, value] : llvm::zip_equal(vector, emitSharedLoad(emit, loads.at(exchange.load.offsets[i], begin),
                                                                      element, static_cast<int64_t>(vector.size()))))
        loaded.emplace_back(reg, value);
  llvm::sort(loaded, llvm::less_first());
  return loaded;
}

/// Address of the element of register `reg` in row-major order.
static Value rowMajorAddress(Emitter &emit, const ThreadCoordinates &coordinates, const Layout &layout, int64_t reg,
                             int64_t elementBytes, Value base) {
  Value position = emit.i32(0);
  for (int dim = 0; dim < layout.rank(); ++dim)
    position = emit.add(emit.mul(position, emit.i32(layout.extent(dim))), coordinates.coordinate(dim, reg));
  return emit.offset(base, emit.mul(position, emit.i32(elementBytes)));
}

void tgpu::emitRowMajorStore(Emitter &emit, const Layout &registers, ValueRange values, Value base) {
  ThreadCoordinates coordinates(emit, registers);
  Value owner = coordinates.isOwner();
  for (auto [reg, value] : llvm::enumerate(values))
    if (registers.isOwner(reg, 0, 0))
      emitSharedStore(emit, rowMajorAddress(emit, coordinates, registers, reg, memoryBytes(value.getType()), base),
                      owner, value);
}

SmallVector<Value> tgpu::emitRowMajorLoad(Emitter &emit, const Layout &registers, Type element, Value base) {
  ThreadCoordinates coordinates(emit, registers);
  SmallVector<Value> loaded;
  for (int64_t reg = 0; reg < registers.numRegisters(); ++reg)
    loaded.push_back(emitSharedLoad(
        emit, rowMajorAddress(emit, coordinates, registers, reg, memoryBytes(element), base), element, 1)[0]);
  return loaded;
}

//===-- Shuffles

/// The parity of the bits of `value` under `mask`, as i1; null for no bits.
static Value parityOf(Emitter &emit, Value value, uint64_t mask) {
  if (mask == 0)
    return Value();
  Value masked = emit.bitAnd(value, emit.i32(mask));
  if (llvm::isPowerOf2_64(mask))
    return emit.compare(arith::CmpIPredicate::ne, masked, emit.i32(0));
  Value count = math::CtPopOp::create(emit.builder, emit.loc, masked);
  return emit.compare(arith::CmpIPredicate::ne, emit.bitAnd(count, emit.i32(1)), emit.i32(0));
}

static void applyStages(Emitter &emit, ArrayRef<SelectStage> stages, SmallVector<Value> &registers) {
  for (const SelectStage &stage : stages) {
    Value lanes = parityOf(emit, emit.lane(), stage.laneMask), warps = parityOf(emit, emit.warp(), stage.warpMask);
    Value swap = lanes && warps ? emit.bitXor(lanes, warps) : lanes ? lanes : warps;
    if (!swap)
      continue;
    SmallVector<Value> before(registers);
    for (auto [i, value] : llvm::enumerate(registers))
      value = emit.select(swap, before[i ^ stage.registerXor], before[i]);
  }
}

/// The exclusive or of the columns selected by the bits of `index`.
static Value applyLinear(Emitter &emit, ArrayRef<uint64_t> columns, Value index) {
  Value result = emit.i32(0);
  for (auto [bit, column] : llvm::enumerate(columns)) {
    if (column == 0)
      continue;
    Value digit = emit.bitAnd(emit.builder.createOrFold<arith::ShRUIOp>(emit.loc, index, emit.i32(bit)), emit.i32(1));
    result = emit.bitXor(result, emit.mul(digit, emit.i32(column)));
  }
  return result;
}

static bool isIdentity(ArrayRef<uint64_t> columns) {
  for (auto [bit, column] : llvm::enumerate(columns))
    if (column != uint64_t(1) << bit)
      return false;
  return true;
}

static SmallVector<Value> emitShuffles(Emitter &emit, const ShuffleProgram &program, ValueRange values);

/// Packs elements that stay neighbours once, before all selects, instead of for each shuffle.
static SmallVector<Value> emitWordShuffles(Emitter &emit, const ShuffleProgram &program, const ShuffleProgram &words,
                                           ValueRange values) {
  constexpr int64_t kWordBytes = 4;
  auto inputs = llvm::map_to_vector(program.inputs, [&](int64_t reg) -> Value { return values[reg]; });
  SmallVector<Value> sent = packWords(emit, inputs, kWordBytes);
  SmallVector<Value> received =
      unpackWords(emit, emitShuffles(emit, words, sent), values[0].getType(), program.numReceived);
  return llvm::map_to_vector(program.outputs, [&](int64_t reg) { return received[reg]; });
}

static SmallVector<Value> emitShuffles(Emitter &emit, const ShuffleProgram &program, ValueRange values) {
  if (int64_t perWord = 4 / memoryBytes(values[0].getType()); perWord > 1)
    if (std::optional<ShuffleProgram> words = inWords(program, perWord))
      return emitWordShuffles(emit, program, *words, values);
  SmallVector<Value> working = llvm::map_to_vector(program.inputs, [&](int64_t reg) -> Value { return values[reg]; });
  applyStages(emit, program.before, working);
  bool movesByXor = isIdentity(program.laneColumns) && llvm::all_of(program.warpColumns, [](auto c) { return !c; });
  Value source;
  if (!movesByXor)
    source = emit.bitXor(applyLinear(emit, program.laneColumns, emit.lane()),
                         applyLinear(emit, program.warpColumns, emit.warp()));
  SmallVector<Value> received(program.numReceived);
  Type element = values[0].getType();
  for (const ShuffleRound &round : program.rounds) {
    auto sent = llvm::map_to_vector(round.sources, [&](int64_t reg) { return working[reg]; });
    SmallVector<Value> results(sent);
    if (!round.local) {
      int64_t bytes = memoryBytes(element) * sent.size();
      Value word = sent.size() == 1 ? sent[0] : packWords(emit, sent, bytes)[0];
      Value moved = movesByXor ? emitShuffleXor(emit, word, round.laneXor)
                               : emitShuffle(emit, word, emit.bitXor(source, emit.i32(round.laneXor)));
      results = sent.size() == 1 ? SmallVector<Value>{moved} : unpackWords(emit, moved, element, sent.size());
    }
    for (auto [to, value] : llvm::zip_equal(round.results, results))
      received[to] = value;
  }
  applyStages(emit, program.after, received);
  return llvm::map_to_vector(program.outputs, [&](int64_t reg) { return received[reg]; });
}

SmallVector<Value> tgpu::emitConversion(Emitter &emit, const ConversionPlan &plan, const Layout &from, const Layout &to,
                                        ValueRange values, Value base) {
  switch (plan.kind) {
  case ConversionKind::Identity:
    return llvm::to_vector(values);
  case ConversionKind::RegisterPermute:
    return llvm::map_to_vector(plan.registers, [&](int64_t reg) -> Value { return values[reg]; });
  case ConversionKind::Shuffle:
    return emitShuffles(emit, plan.shuffle, values);
  case ConversionKind::SharedMemory:
    const SharedExchange &exchange = plan.exchange;
    emitTileStore(emit, exchange.store, from, exchange.layout, values, base);
    emit.barrier();
    return emitTileLoad(emit, exchange.load, to, exchange.layout, values[0].getType(), base);
  }
  llvm_unreachable("all kinds of conversion are handled");
}
