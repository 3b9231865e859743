#include "ir/Tile/AccessText.h"

#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

ParseResult tile::parsePositions(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                 DenseI64ArrayAttr &sizes) {
  SmallVector<int64_t> parsed;
  auto parsePosition = [&]() -> ParseResult {
    if (parser.parseOperand(indices.emplace_back()))
      return failure();
    int64_t size = ViewAccess::kPoint;
    if (succeeded(parser.parseOptionalKeyword("gather")))
      size = ViewAccess::kGather;
    else if (succeeded(parser.parseOptionalColon()) && (parser.parsePlus() || parser.parseInteger(size)))
      return failure();
    parsed.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePosition))
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(parsed);
  return success();
}

void tile::printPositions(OpAsmPrinter &printer, Operation *, OperandRange indices, DenseI64ArrayAttr sizes) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(indices, sizes.asArrayRef()), printer, [&](auto position) {
    auto [index, size] = position;
    printer << index;
    if (size == ViewAccess::kGather)
      printer << " gather";
    else if (size != ViewAccess::kPoint)
      printer << " :+ " << size;
  });
  printer << "]";
}

ParseResult tile::parsePositionTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        [&] { return parser.parseType(types.emplace_back()); });
}

void tile::printPositionTypes(OpAsmPrinter &printer, Operation *, TypeRange types) {
  printer << "(";
  llvm::interleaveComma(types, printer);
  printer << ")";
}
