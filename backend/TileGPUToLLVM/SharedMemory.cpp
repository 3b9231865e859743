#include "backend/TileGPUToLLVM/SharedMemory.h"

#include "backend/TileGPUToLLVM/GlobalMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Bytes of a register that holds `count` elements: as wide as a 32-bit register where they fill it.
static int64_t wordBytesFor(Type element, int64_t count) {
  int64_t bytes = memoryBytes(element);
  return bytes == 8 ? 8 : std::min<int64_t>(bytes * count, 4);
}

Operation *tgpu::emitSharedStore(Emitter &emit, Value address, Value predicate, ValueRange values) {
  Type element = values[0].getType();
  int64_t bytes = wordBytesFor(element, values.size());
  SmallVector<Value> words = packWords(emit, values, bytes);
  Type word = words[0].getType();
  if (!predicate) {
    Value stored = words[0];
    if (words.size() > 1) {
      auto type = VectorType::get(words.size(), word);
      stored = LLVM::PoisonOp::create(emit.builder, emit.loc, type);
      for (auto [i, value] : llvm::enumerate(words))
        stored = LLVM::InsertElementOp::create(emit.builder, emit.loc, stored, value, emit.i32(i));
    }
    return LLVM::StoreOp::create(emit.builder, emit.loc, stored, address, bytes * words.size());
  }
  std::string list, constraints = "b,r", vector;
  SmallVector<Value> operands = {predicate, address};
  for (auto [i, value] : llvm::enumerate(words)) {
    list += (i ? ", $" : "$") + std::to_string(i + 2);
    constraints += bytes == 8 ? ",l" : bytes == 4 ? ",r" : ",h";
    operands.push_back(bytes == 1 ? arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI16Type(), value)
                                  : value);
  }
  if (words.size() > 1) {
    list = "{" + list + "}";
    vector = ".v" + std::to_string(words.size());
  }
  emit.ptx("@$0 st.shared" + vector + ".b" + std::to_string(8 * bytes) + " [$1], " + list + ";", constraints, operands,
           {}, Emitter::Effect::Memory);
  return emit.lastPtx;
}

SmallVector<Value> tgpu::emitSharedLoad(Emitter &emit, Value address, Type element, int64_t count) {
  int64_t bytes = wordBytesFor(element, count), words = memoryBytes(element) * count / bytes;
  Type word = emit.builder.getIntegerType(8 * bytes);
  Type type = words > 1 ? Type(VectorType::get(words, word)) : word;
  Value loaded = LLVM::LoadOp::create(emit.builder, emit.loc, type, address, bytes * words);
  if (words == 1)
    return unpackWords(emit, loaded, element, count);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < words; ++i)
    parts.push_back(LLVM::ExtractElementOp::create(emit.builder, emit.loc, loaded, emit.i32(i)));
  return unpackWords(emit, parts, element, count);
}

/// Sends the 32-bit registers that make up `value` through `shuffle` one by one.
static Value perRegister(Emitter &emit, Value value, llvm::function_ref<Value(Value)> shuffle) {
  OpBuilder &b = emit.builder;
  Type type = value.getType();
  int64_t bytes = memoryBytes(type);
  if (bytes == 4)
    return unpackWords(emit, shuffle(packWords(emit, value, 4)[0]), type, 1)[0];
  Value bits = packWords(emit, value, bytes)[0];
  if (bytes < 4) {
    Value wide = arith::ExtUIOp::create(b, emit.loc, b.getI32Type(), bits);
    Value narrow = arith::TruncIOp::create(b, emit.loc, bits.getType(), shuffle(wide));
    return unpackWords(emit, narrow, type, 1)[0];
  }
  Value halves = emit.bitcast(bits, VectorType::get(2, b.getI32Type()));
  Value result = LLVM::PoisonOp::create(b, emit.loc, halves.getType());
  for (int64_t i = 0; i < 2; ++i) {
    Value half = LLVM::ExtractElementOp::create(b, emit.loc, halves, emit.i32(i));
    result = LLVM::InsertElementOp::create(b, emit.loc, result, shuffle(half), emit.i32(i));
  }
  return unpackWords(emit, emit.bitcast(result, bits.getType()), type, 1)[0];
}

/// PTX ISA, shfl.sync: a clamp of 31 and no segment mask let every lane reach every other.
static Value shuffleWord(Emitter &emit, Value word, Value operand, NVVM::ShflKind kind) {
  return NVVM::ShflOp::create(emit.builder, emit.loc, word.getType(), emit.i32(-1), word, operand, emit.i32(31), kind,
                              UnitAttr());
}

Value tgpu::emitShuffleXor(Emitter &emit, Value value, int64_t mask) {
  return perRegister(emit, value,
                     [&](Value word) { return shuffleWord(emit, word, emit.i32(mask), NVVM::ShflKind::bfly); });
}

Value tgpu::emitShuffle(Emitter &emit, Value value, Value source) {
  return perRegister(emit, value, [&](Value word) { return shuffleWord(emit, word, source, NVVM::ShflKind::idx); });
}
