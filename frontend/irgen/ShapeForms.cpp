/// Other forms of an operand whose shape does not fit: transposed, or reduced along the other axis. These slips are far
/// likelier than extents that were meant to agree, so their edits come first. Tiles of more than two dims have too many
/// forms to guess one.
#include "frontend/irgen/Emitter.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

bool Emitter::isSameShape(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to) const {
  return from.size() == to.size() && llvm::all_of(llvm::zip_equal(from, to), [&](const auto &dims) {
           auto [l, r] = dims;
           return compare(l, r) == Agreement::Same;
         });
}

/// The reduction that gave the elements of `value`, looked for through what keeps or adds dims.
const Emitter::Reduced *Emitter::reductionBehind(mlir::Value value) const {
  constexpr size_t kMaxVisited = 32;
  llvm::SmallVector<mlir::Value> visited = {value};
  for (size_t i = 0; i < visited.size() && i < kMaxVisited; ++i) {
    mlir::Operation *op = visited[i] ? visited[i].getDefiningOp() : nullptr;
    if (!op)
      continue;
    if (auto known = reductions.find(op); known != reductions.end() && mlir::isa<ReduceOp>(op))
      return &known->second;
    if (op->getNumRegions() == 0)
      for (mlir::Value operand : op->getOperands())
        if (mlir::isa<mlir::RankedTensorType>(operand.getType()))
          visited.push_back(operand);
  }
  return nullptr;
}

std::vector<Emitter::Form> Emitter::formsOf(const Operand &operand) const {
  std::vector<Form> forms;
  if (!operand.value.isTile() || !operand.value.ssa())
    return forms;
  std::vector<Dim> shape = operand.value.type().shape;
  std::string written = text(operand.range);
  bool isLine = shape.size() == 2 && shape[0].isOne() != shape[1].isOne();
  if (shape.size() == 2) {
    std::string other = spelledOperand(operand.range) + ".T";
    static constexpr std::pair<std::string_view, std::string_view> endings[] = {
        {".T", ""}, {"[None, :]", "[:, None]"}, {"[:, None]", "[None, :]"}};
    for (auto [ending, replacement] : endings)
      if (llvm::StringRef(written).ends_with(ending) && spelledOperand(operand.range) == written) {
        other = written.substr(0, written.size() - ending.size()) + std::string(replacement);
        break;
      }
    forms.push_back(
        {{shape[1], shape[0]}, operand.range, other, "write ", "", isLine ? Form::Doubt::Some : Form::Doubt::Much});
  }
  const Reduced *reduced = reductionBehind(operand.value.ssa());
  if (!reduced || (shape.size() != 1 && !isLine))
    return forms;
  const Dim &kept = reduced->source[1 - reduced->axis], &other = reduced->source[reduced->axis];
  size_t place = shape.size() == 2 && shape[0].isOne() ? 1 : 0;
  if (compare(shape[place], kept) != Agreement::Same)
    return forms; // something else has changed the extent since
  shape[place] = other;
  if (reduced->keeps && shape.size() == 2)
    std::swap(shape[0], shape[1]);
  const SourceRange &axis = reduced->axisRange;
  bool isWithin = axis.file == operand.range.file && axis.begin >= operand.range.begin && axis.end <= operand.range.end;
  forms.push_back({shape, axis, std::to_string(1 - reduced->axis), "reduce along axis ",
                   ", which leaves " + quote(other.symbol.text()), isWithin ? Form::Doubt::Little : Form::Doubt::Some});
  return forms;
}

bool Emitter::suggestForm(DiagnosticBuilder &diagnostic, const Operand &left, const Operand &right,
                          ShapesFit fits) const {
  const std::vector<Dim> &leftShape = left.value.type().shape, &rightShape = right.value.type().shape;
  std::vector<Form> fitting;
  for (Form &form : formsOf(left))
    if (fits(form.shape, rightShape))
      fitting.push_back(std::move(form));
  if (!(left.range == right.range))
    for (Form &form : formsOf(right))
      if (fits(leftShape, form.shape))
        fitting.push_back(std::move(form));
  if (fitting.empty())
    return false;
  auto less = [](const Form &lhs, const Form &rhs) { return lhs.doubt < rhs.doubt; };
  Form::Doubt least = std::min_element(fitting.begin(), fitting.end(), less)->doubt;
  llvm::erase_if(fitting, [&](const Form &form) { return form.doubt > least; });
  const Form &first = fitting.front();
  if (fitting.size() == 1) {
    diagnostic.replace(first.range, first.text, first.lead, first.trail);
    return true;
  }
  const Form &second = fitting[1];
  diagnostic.help(first.lead + quote(first.text) + first.trail + ", or " + second.lead + quote(second.text) +
                  second.trail);
  return true;
}
