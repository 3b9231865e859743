/// A dictionary attribute under construction; what does not apply is left out.
#ifndef FRONTEND_IRGEN_FIELDS_H
#define FRONTEND_IRGEN_FIELDS_H

#include "mlir/IR/Builders.h"

#include <string_view>

namespace tile::irgen {

class Fields {
public:
  explicit Fields(mlir::OpBuilder &builder) : builder(builder) {}
  void set(std::string_view name, mlir::Attribute value) { fields.emplace_back(builder.getStringAttr(name), value); }
  void set(std::string_view name, std::string_view value) { set(name, builder.getStringAttr(value)); }
  void set(std::string_view name, const char *value) { set(name, std::string_view(value)); }
  void set(std::string_view name, bool value) { set(name, builder.getBoolAttr(value)); }
  void set(std::string_view name, int64_t value) { set(name, builder.getI64IntegerAttr(value)); }
  void set(std::string_view name, llvm::ArrayRef<mlir::Attribute> value) { set(name, builder.getArrayAttr(value)); }
  mlir::DictionaryAttr get() const { return builder.getDictionaryAttr(fields); }

private:
  mlir::OpBuilder &builder;
  llvm::SmallVector<mlir::NamedAttribute> fields;
};

} // namespace tile::irgen

#endif
