#include "backend/TileGPUToLLVM/GlobalMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

int64_t tgpu::memoryBytes(Type element) { return isa<LLVM::LLVMPointerType>(element) ? 8 : elementBytes(element); }

//===-- Words -----------------------------------------------------------------------------------------------------===//

/// The element as an integer of its size in memory, and back.
static Value toBits(Emitter &emit, Value value) {
  OpBuilder &b = emit.builder;
  Type type = value.getType();
  if (isa<IndexType>(type))
    return arith::IndexCastOp::create(b, emit.loc, b.getI64Type(), value);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(b, emit.loc, b.getI64Type(), value);
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, emit.loc, b.getI8Type(), value);
  return emit.bitcast(value, b.getIntegerType(type.getIntOrFloatBitWidth()));
}

static Value fromBits(Emitter &emit, Value bits, Type type) {
  OpBuilder &b = emit.builder;
  if (isa<IndexType>(type))
    return arith::IndexCastOp::create(b, emit.loc, type, bits);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, emit.loc, type, bits);
  if (type.isInteger(1))
    return emit.compare(arith::CmpIPredicate::ne, bits, emit.constant(b.getI8Type(), 0));
  return emit.bitcast(bits, type);
}

/// A vector of `values`, LLVM values of one type.
static Value buildVector(Emitter &emit, ArrayRef<Value> values) {
  auto type = VectorType::get(values.size(), values[0].getType());
  Value vector = LLVM::PoisonOp::create(emit.builder, emit.loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(emit.builder, emit.loc, vector, value, emit.i32(i));
  return vector;
}

/// Bytes as one word, the first one low. As a vector of bytes LLVM would begin with a register that it never sets,
/// which is no fault, for all of it is replaced, but looks like one. Conversions of 8-bit floats give and take halves.
static Value joinBytes(Emitter &emit, ArrayRef<Value> bytes, Type word) {
  Type i16 = emit.builder.getI16Type();
  SmallVector<Value> halves;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    Value low = arith::ExtUIOp::create(emit.builder, emit.loc, i16, bytes[i]);
    Value high = arith::ExtUIOp::create(emit.builder, emit.loc, i16, bytes[i + 1]);
    Value placed = emit.builder.createOrFold<arith::ShLIOp>(emit.loc, high, emit.constant(i16, 8));
    halves.push_back(emit.bitOr(low, placed));
  }
  return halves.size() == 1 ? halves[0] : emit.bitcast(buildVector(emit, halves), word);
}

SmallVector<Value> tgpu::packWords(Emitter &emit, ValueRange values, int64_t wordBytes) {
  SmallVector<Value> words;
  int64_t perWord = wordBytes / memoryBytes(values[0].getType());
  Type word = emit.builder.getIntegerType(8 * wordBytes);
  for (size_t i = 0; i < values.size(); i += perWord) {
    auto bits = llvm::map_to_vector(values.slice(i, perWord), [&](Value value) { return toBits(emit, value); });
    words.push_back(perWord == 1                     ? bits[0]
                    : bits[0].getType().isInteger(8) ? joinBytes(emit, bits, word)
                                                     : emit.bitcast(buildVector(emit, bits), word));
  }
  return words;
}

SmallVector<Value> tgpu::unpackWords(Emitter &emit, ValueRange words, Type element, int64_t count) {
  SmallVector<Value> values;
  int64_t bytes = memoryBytes(element), perWord = count / static_cast<int64_t>(words.size());
  for (Value word : words) {
    if (perWord == 1) {
      values.push_back(fromBits(emit, word, element));
      continue;
    }
    Value vector = emit.bitcast(word, VectorType::get(perWord, emit.builder.getIntegerType(8 * bytes)));
    for (int64_t i = 0; i < perWord; ++i)
      values.push_back(
          fromBits(emit, LLVM::ExtractElementOp::create(emit.builder, emit.loc, vector, emit.i32(i)), element));
  }
  return values;
}

//===-- Instructions ----------------------------------------------------------------------------------------------===//

namespace {
/// The registers of one instruction: how many words of which size.
struct Words {
  explicit Words(const GlobalAddress &address) {
    int64_t total = memoryBytes(address.element) * address.vector;
    bytes = memoryBytes(address.element) == 8 ? 8 : std::min<int64_t>(total, 4);
    count = total / bytes;
  }
  /// The register class in a constraint: predicates aside, 8- and 16-bit values share one.
  std::string constraint() const { return bytes == 8 ? "l" : bytes == 4 ? "r" : "h"; }
  /// `.v4.b32`
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" + std::to_string(8 * bytes);
  }
  /// `{$first, …}`
  std::string list(int first) const {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count > 1 ? "{" + text + "}" : text;
  }
  int64_t bytes, count;
};
} // namespace

static std::string bracket(int operand, int64_t bytes) {
  return "[$" + std::to_string(operand) + (bytes ? "+" + std::to_string(bytes) : std::string()) + "]";
}

/// PTX ISA, "Cache Eviction Priority Hints" and `.volatile`. A volatile access takes no other qualifier.
static std::string cacheSuffix(CacheHint cache) {
  switch (cache) {
  case CacheHint::Default:
  case CacheHint::Volatile:
    return "";
  case CacheHint::Streaming:
    return ".L1::no_allocate";
  case CacheHint::EvictFirst:
    return ".L1::evict_first";
  case CacheHint::EvictLast:
    return ".L1::evict_last";
  }
  llvm_unreachable("all cache hints are handled");
}

static Value plainPointer(Emitter &emit, const GlobalAddress &address) {
  return address.bytes ? emit.offset(address.pointer, emit.i64(address.bytes)) : address.pointer;
}

/// Words of a plain access: one scalar or a vector of them.
static Type wordType(Emitter &emit, const Words &words) {
  Type word = emit.builder.getIntegerType(8 * words.bytes);
  return words.count > 1 ? Type(VectorType::get(words.count, word)) : word;
}

SmallVector<Value> tgpu::emitLoadWords(Emitter &emit, const GlobalAddress &address, Value predicate,
                                       ValueRange others) {
  Words words(address);
  Type word = emit.builder.getIntegerType(8 * words.bytes);
  if (!predicate && address.cache == CacheHint::Default) {
    auto load = LLVM::LoadOp::create(emit.builder, emit.loc, wordType(emit, words), plainPointer(emit, address),
                                     words.bytes * words.count);
    load.setInvariant(address.constant);
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < words.count && words.count > 1; ++i)
      loaded.push_back(LLVM::ExtractElementOp::create(emit.builder, emit.loc, load, emit.i32(i)));
    if (words.count == 1)
      loaded.push_back(load);
    return loaded;
  }
  bool isVolatile = address.cache == CacheHint::Volatile;
  // Outputs come first in the numbering, then predicate and pointer, then the values that outputs start from.
  int pointer = words.count + (predicate ? 1 : 0);
  std::string text = predicate ? "@$" + std::to_string(words.count) + " " : "";
  text += isVolatile ? "ld.volatile.global" : address.constant ? "ld.global.nc" : "ld.global";
  text +=
      cacheSuffix(address.cache) + words.suffix() + " " + words.list(0) + ", " + bracket(pointer, address.bytes) + ";";
  std::string constraints;
  for (int64_t i = 0; i < words.count; ++i)
    constraints += "=" + words.constraint() + ",";
  constraints += predicate ? "b,l" : "l";
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.push_back(address.pointer);
  if (predicate)
    for (auto [i, other] : llvm::enumerate(packWords(emit, others, words.bytes))) {
      constraints += "," + std::to_string(i);
      operands.push_back(
          words.bytes == 1 ? arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI16Type(), other) : other);
    }
  // A byte travels in a 16-bit register.
  Type held = words.bytes == 1 ? emit.builder.getI16Type() : word;
  SmallVector<Value> loaded =
      emit.ptx(text, constraints, operands, SmallVector<Type>(words.count, held),
               address.constant && !isVolatile ? Emitter::Effect::None : Emitter::Effect::Memory);
  if (words.bytes == 1)
    loaded = {arith::TruncIOp::create(emit.builder, emit.loc, word, loaded[0])};
  return loaded;
}

SmallVector<Value> tgpu::emitLoad(Emitter &emit, const GlobalAddress &address, Value predicate, ValueRange others) {
  return unpackWords(emit, emitLoadWords(emit, address, predicate, others), address.element, address.vector);
}

int64_t tgpu::wordBytesOf(const GlobalAddress &address) { return Words(address).bytes; }

void tgpu::emitStore(Emitter &emit, const GlobalAddress &address, Value predicate, ValueRange values) {
  Words words(address);
  SmallVector<Value> packed = packWords(emit, values, words.bytes);
  if (!predicate && address.cache == CacheHint::Default) {
    Value value = words.count > 1 ? buildVector(emit, packed) : packed[0];
    LLVM::StoreOp::create(emit.builder, emit.loc, value, plainPointer(emit, address), words.bytes * words.count);
    return;
  }
  int pointer = predicate ? 1 : 0;
  std::string text = predicate ? "@$0 " : "";
  text += address.cache == CacheHint::Volatile ? "st.volatile.global" : "st.global";
  text += cacheSuffix(address.cache) + words.suffix() + " " + bracket(pointer, address.bytes) + ", " +
          words.list(pointer + 1) + ";";
  std::string constraints = predicate ? "b,l" : "l";
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.push_back(address.pointer);
  for (Value word : packed) {
    constraints += "," + words.constraint();
    operands.push_back(
        words.bytes == 1 ? arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI16Type(), word) : word);
  }
  emit.ptx(text, constraints, operands, {}, Emitter::Effect::Memory);
}
