//===- RuntimeTables.cpp - Constant tables of compiled code -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the constants as LLVM globals.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTables.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace braid;

RuntimeTables::RuntimeTables(ModuleOp module)
    : module(module), builder(module.getContext()),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

std::string RuntimeTables::makeName(StringRef base) {
  // Ops at the old insertion point may be gone.
  builder.setInsertionPointToStart(module.getBody());
  // '.' cannot occur in a C name, so these never meet a user's symbols.
  return ("braid." + base + "." + Twine(nextIndex[base]++)).str();
}

std::string RuntimeTables::getString(StringRef text) {
  std::string &name = strings[text];
  if (!name.empty())
    return name;
  name = makeName("string");
  std::string terminated = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, name,
                         builder.getStringAttr(terminated));
  return name;
}

template <typename T>
std::string RuntimeTables::getArray(ArrayRef<T> values, unsigned width,
                                    llvm::StringMap<std::string> &cache) {
  if (values.empty())
    return "";
  StringRef key(reinterpret_cast<const char *>(values.data()),
                values.size() * sizeof(T));
  std::string &name = cache[key];
  if (!name.empty())
    return name;
  name = makeName("array");
  Type element = builder.getIntegerType(width);
  auto type = LLVM::LLVMArrayType::get(element, values.size());
  auto data = DenseElementsAttr::get(
      RankedTensorType::get(static_cast<int64_t>(values.size()), element),
      values);
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, name, data);
  return name;
}

std::string RuntimeTables::getI32Array(ArrayRef<int32_t> values) {
  return getArray(values, 32, i32Arrays);
}

std::string RuntimeTables::getI64Array(ArrayRef<int64_t> values) {
  return getArray(values, 64, i64Arrays);
}

std::string RuntimeTables::getParams(ArrayRef<Param> params) {
  std::string key;
  SmallVector<SmallVector<Field>> elements;
  for (const Param &param : params) {
    key += param.name + '\0' + std::to_string(param.isFloat) + '\0' +
           std::to_string(param.bits) + '\0';
    elements.push_back({Field::address(getString(param.name)),
                        Field::i32(param.isFloat), Field::i32(0),
                        Field::i64(param.bits)});
  }
  std::string &name = paramArrays[key];
  if (name.empty())
    name = addStructArray("params", elements);
  return name;
}

LLVM::LLVMStructType RuntimeTables::getStructType(ArrayRef<Field> fields) {
  SmallVector<Type> types;
  for (const Field &field : fields)
    types.push_back(field.kind == Field::Kind::I32   ? builder.getI32Type()
                    : field.kind == Field::Kind::I64 ? builder.getI64Type()
                                                     : Type(pointer));
  return LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
}

int64_t RuntimeTables::getStructSize(ArrayRef<Field> fields) {
  int64_t size = 0;
  for (const Field &field : fields) {
    int64_t bytes = field.kind == Field::Kind::I32 ? 4 : 8;
    size = llvm::alignTo(size, bytes) + bytes;
  }
  return llvm::alignTo(size, 8);
}

Value RuntimeTables::getAddress(OpBuilder &builder, Location loc,
                                StringRef symbol) {
  if (symbol.empty())
    return LLVM::ZeroOp::create(builder, loc, pointer);
  return LLVM::AddressOfOp::create(builder, loc, pointer, symbol);
}

Value RuntimeTables::buildStruct(OpBuilder &builder, ArrayRef<Field> fields) {
  Location loc = module.getLoc();
  Value result = LLVM::UndefOp::create(builder, loc, getStructType(fields));
  for (auto [index, field] : llvm::enumerate(fields)) {
    Value value;
    switch (field.kind) {
    case Field::Kind::I32:
      value = LLVM::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(field.value));
      break;
    case Field::Kind::I64:
      value = LLVM::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(field.value));
      break;
    case Field::Kind::Address:
      value = getAddress(builder, loc, field.symbol);
      break;
    }
    result = LLVM::InsertValueOp::create(builder, loc, result, value,
                                         static_cast<int64_t>(index));
  }
  return result;
}

std::string RuntimeTables::addStruct(StringRef name, ArrayRef<Field> fields,
                                     bool isPublic) {
  std::string symbol = makeName(name);
  if (isPublic)
    symbol = name.str();
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(), getStructType(fields), /*isConstant=*/true,
      isPublic ? LLVM::Linkage::External : LLVM::Linkage::Internal, symbol,
      Attribute());
  OpBuilder body(builder.getContext());
  body.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(body, module.getLoc(), buildStruct(body, fields));
  return symbol;
}

std::string
RuntimeTables::addStructArray(StringRef name,
                              ArrayRef<SmallVector<Field>> elements) {
  if (elements.empty())
    return "";
  std::string symbol = makeName(name);
  auto type = LLVM::LLVMArrayType::get(getStructType(elements.front()),
                                       elements.size());
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, symbol, Attribute());
  OpBuilder body(builder.getContext());
  body.createBlock(&global.getInitializerRegion());
  Value result = LLVM::UndefOp::create(body, module.getLoc(), type);
  for (auto [index, fields] : llvm::enumerate(elements))
    result = LLVM::InsertValueOp::create(body, module.getLoc(), result,
                                         buildStruct(body, fields),
                                         static_cast<int64_t>(index));
  LLVM::ReturnOp::create(body, module.getLoc(), result);
  return symbol;
}
