//===- RuntimeTables.h - Constant tables of compiled code -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the constants that compiled code hands to the runtime: strings, arrays
// and the structs of braid/runtime.h and braid/compiled.h. The layouts here and
// there have to agree.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_CONVERSION_SCHEDTORUNTIME_RUNTIMETABLES_H
#define BRAID_LIB_CONVERSION_SCHEDTORUNTIME_RUNTIMETABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace braid {

/// One field of a constant struct: an integer, a string, the address of a
/// symbol (null if the name is empty), or the bits of a double.
class Field {
public:
  static Field i32(int64_t value) { return {Kind::I32, value, {}}; }
  static Field i64(int64_t value) { return {Kind::I64, value, {}}; }
  static Field address(llvm::StringRef symbol) {
    return {Kind::Address, 0, symbol.str()};
  }
  static Field null() { return address(""); }

  enum class Kind { I32, I64, Address };
  Kind kind;
  int64_t value;
  std::string symbol;

private:
  Field(Kind kind, int64_t value, std::string symbol)
      : kind(kind), value(value), symbol(std::move(symbol)) {}
};

/// A parameter of an op.
struct Param {
  std::string name;
  bool isFloat;
  int64_t bits; ///< the integer, or the bits of the double
};

/// Creates constants in one module. Equal strings and arrays are shared.
class RuntimeTables {
public:
  explicit RuntimeTables(mlir::ModuleOp module);

  /// Symbol of a zero-terminated string.
  std::string getString(llvm::StringRef text);
  /// Symbol of an array; "" for an empty one.
  std::string getI32Array(llvm::ArrayRef<int32_t> values);
  std::string getI64Array(llvm::ArrayRef<int64_t> values);
  /// Symbol of an array of braid_param; "" for an empty one.
  std::string getParams(llvm::ArrayRef<Param> params);
  /// Symbol of a new constant struct. `name` is made unique unless `isPublic`.
  std::string addStruct(llvm::StringRef name, llvm::ArrayRef<Field> fields,
                        bool isPublic = false);
  /// Symbol of a new array of structs of equal layout; "" for an empty one.
  std::string addStructArray(llvm::StringRef name,
                             llvm::ArrayRef<llvm::SmallVector<Field>> elements);

  /// Address of a symbol as a value; null pointer for "".
  mlir::Value getAddress(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::StringRef symbol);

  /// Bytes of a struct with these fields, naturally aligned.
  static int64_t getStructSize(llvm::ArrayRef<Field> fields);

private:
  std::string makeName(llvm::StringRef base);
  mlir::LLVM::LLVMStructType getStructType(llvm::ArrayRef<Field> fields);
  mlir::Value buildStruct(mlir::OpBuilder &builder,
                          llvm::ArrayRef<Field> fields);
  template <typename T>
  std::string getArray(llvm::ArrayRef<T> values, unsigned width,
                       llvm::StringMap<std::string> &cache);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::LLVM::LLVMPointerType pointer;
  llvm::StringMap<std::string> strings, i32Arrays, i64Arrays, paramArrays;
  llvm::StringMap<unsigned> nextIndex;
};

} // namespace braid

#endif // BRAID_LIB_CONVERSION_SCHEDTORUNTIME_RUNTIMETABLES_H
