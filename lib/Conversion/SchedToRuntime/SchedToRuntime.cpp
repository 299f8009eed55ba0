//===- SchedToRuntime.cpp - From schedules to calls of the runtime -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements convert-sched-to-runtime. A memref becomes a pointer to a
// braid_tensor: an argument's is the caller's, a buffer's or view's is filled
// on the stack. A launch hands pointers on; it never copies descriptors.
//
//===----------------------------------------------------------------------===//

#include "braid/Conversion/Passes.h"

#include "KernelFunctions.h"
#include "RuntimeTables.h"
#include "braid/Analysis/ArgumentAccess.h"
#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Dialect/Sched/IR/Sched.h"
#include "braid/runtime.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace braid {
#define GEN_PASS_DEF_CONVERTSCHEDTORUNTIMEPASS
#include "braid/Conversion/Passes.h.inc"
} // namespace braid

using namespace braid;
using namespace braid::sched;

//===----------------------------------------------------------------------===//
// Facts that the conversion needs
//===----------------------------------------------------------------------===//

/// The runtime's name of an element type, or nothing.
static std::optional<int32_t> getDtype(Type type) {
  if (type.isF32())
    return BRAID_F32;
  if (type.isBF16())
    return BRAID_BF16;
  if (type.isF16())
    return BRAID_F16;
  if (isa<Float8E4M3FNType>(type))
    return BRAID_F8E4M3;
  if (isa<Float8E8M0FNUType>(type))
    return BRAID_F8E8M0;
  if (type.isInteger(8))
    return BRAID_I8;
  if (type.isInteger(32))
    return BRAID_I32;
  if (type.isInteger(64))
    return BRAID_I64;
  return std::nullopt;
}

/// "file:line:column" of an op, or "".
static std::string getLocationText(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

/// What an argument is declared as: what its callers have to pass.
static int32_t getDeclaredMetadata(Value argument) {
  MetadataAttrInterface metadata = getMetadata(argument);
  if (!metadata)
    return BRAID_METADATA_NONE;
  if (metadata.isHost())
    return BRAID_METADATA_HOST;
  return metadata.isPersistent() ? BRAID_METADATA_DEVICE_PERSISTENT
                                 : BRAID_METADATA_DEVICE_TRANSIENT;
}

/// Whether element 0 of a memref of this type is where its data begin.
static bool beginsAtItsData(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0;
}

/// What the runtime may rely on for a memref that an op uses.
static int32_t getMetadataKind(Value value,
                               const EffectClassAnalysis &classes) {
  switch (classes.lookup(value).kind) {
  case ValueKind::GraphSafe:
    return BRAID_METADATA_NONE;
  case ValueKind::DevicePersistent:
    return BRAID_METADATA_DEVICE_PERSISTENT;
  case ValueKind::DeviceTransient:
    return BRAID_METADATA_DEVICE_TRANSIENT;
  case ValueKind::HostMetadata:
    // A view at a place that the host computed is no host memory.
    return classes.lookup(getViewSource(value)).kind == ValueKind::HostMetadata
               ? BRAID_METADATA_HOST
               : BRAID_METADATA_DEVICE_TRANSIENT;
  }
  llvm_unreachable("unknown kind");
}

/// Integer and float attributes of an op, which its kernel gets by name.
static SmallVector<Param> getParams(Operation *op) {
  SmallVector<Param> params;
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    std::string name = attribute.getName().str();
    if (auto integer = dyn_cast<IntegerAttr>(attribute.getValue()))
      params.push_back({name, false,
                        integer.getType().isInteger(1) ||
                                integer.getType().isUnsignedInteger()
                            ? int64_t(integer.getValue().getZExtValue())
                            : integer.getValue().getSExtValue()});
    else if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
      params.push_back(
          {name, true, llvm::bit_cast<int64_t>(number.getValueAsDouble())});
  }
  return params;
}

namespace {

/// What is known about the module before anything is converted; patterns see
/// half-converted IR in which arguments have lost their attributes.
struct Facts {
  DenseMap<Value, int32_t> metadata;
  /// Buffers that each segment uses from outside: the parameters of its graph.
  DenseMap<Operation *, SmallVector<Value>> liveIns;
  /// Workspace base and token count of the schedule around each buffer, known
  /// once the schedule is converted.
  struct Workspace {
    Value base, tokens;
  };
  DenseMap<Operation *, Workspace> workspaces;
  /// Access of each operand of a launched op, and whether the host reads it.
  DenseMap<OpOperand *, std::pair<int32_t, bool>> operands;
  /// Functions of the runtime that are declared in the module.
  llvm::StringSet<> declared;
};

/// Checks everything that the conversion relies on, so that patterns cannot
/// fail on a user's program.
class InputVerifier {
public:
  LogicalResult verify(ModuleOp module);

private:
  LogicalResult verifyFunction(func::FuncOp function);
  LogicalResult verifyType(Operation *op, Type type);
};

} // namespace

LogicalResult InputVerifier::verifyType(Operation *op, Type type) {
  if (isa<TensorType>(type))
    return op->emitOpError() << "has a value of type " << type
                             << "; expected buffers (bufferize first)";
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return success();
  if (memref.getRank() > BRAID_MAX_RANK)
    return op->emitOpError() << "has a value of type " << type << " with rank "
                             << memref.getRank() << "; the runtime takes up to "
                             << BRAID_MAX_RANK;
  if (!getDtype(memref.getElementType()))
    return op->emitOpError()
           << "has a value of type " << type
           << "; the runtime has no element type " << memref.getElementType();
  return success();
}

LogicalResult InputVerifier::verifyFunction(func::FuncOp function) {
  if (function.getSymName().starts_with("braid_"))
    return function.emitOpError(
        "has a name that begins with 'braid_', as those of the runtime do; "
        "expected another one");
  if (function.isExternal())
    return function.emitOpError("has no body; expected every called function "
                                "to be defined in the module");
  if (function.getNumResults() != 0)
    return function.emitOpError("returns values; expected outputs to be "
                                "arguments");
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<MemRefType>(type) && !isa<TensorType>(type))
      return function.emitOpError() << "argument " << index << " has type "
                                    << type << "; expected a memref";
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && !beginsAtItsData(memref))
      return function.emitOpError()
             << "argument " << index << " has layout " << memref.getLayout()
             << "; expected a plain memref or strides without an offset";
    if (failed(verifyType(function, type)))
      return failure();
  }
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    return llvm::TypeSwitch<Operation *, WalkResult>(op)
        .Case<ForkOp, JoinOp>([](Operation *op) {
          op->emitOpError("expected records and waits (run "
                          "sched-expand-fork-join first)");
          return WalkResult::interrupt();
        })
        .Case([](RecordOp record) {
          if (record.getSlot())
            return WalkResult::advance();
          record.emitOpError("event is not bound to a slot");
          return WalkResult::interrupt();
        })
        .Case([](WaitOp wait) {
          for (Value event : wait.getEvents())
            if (!event.getDefiningOp<RecordOp>()) {
              wait.emitOpError("waits for an event that is no record's result");
              return WalkResult::interrupt();
            }
          return WalkResult::advance();
        })
        .Case([](AllocOp alloc) {
          auto schedule = alloc->getParentOfType<ScheduleOp>();
          if (schedule && alloc.getOffset() && schedule.getWorkspace())
            return WalkResult::advance();
          alloc.emitOpError("buffer has no place in a schedule's workspace "
                            "(run sched-plan-memory first)");
          return WalkResult::interrupt();
        })
        .Case<SchedulableOpInterface>([](Operation *op) {
          if (isa<LaunchOp>(op->getParentOp()))
            return WalkResult::advance();
          op->emitOpError("is not launched on a stream (run "
                          "sched-form-segments first)");
          return WalkResult::interrupt();
        })
        .Default([](Operation *) { return WalkResult::advance(); });
  });
  return failure(result.wasInterrupted());
}

LogicalResult InputVerifier::verify(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(SchedDialect::getKernelAttrName()) &&
        failed(verifyFunction(function)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Types and helpers that all patterns share.
class RuntimeTypeConverter : public LLVMTypeConverter {
public:
  explicit RuntimeTypeConverter(MLIRContext *context)
      : LLVMTypeConverter(context, getOptions(context)),
        pointer(LLVM::LLVMPointerType::get(context)) {
    addConversion([this](MemRefType) -> Type { return pointer; });
    addConversion([context](StreamType) -> Type {
      return IntegerType::get(context, 32);
    });
    // An event stands for its slot.
    addConversion(
        [context](EventType) -> Type { return IntegerType::get(context, 32); });
    Type i64 = IntegerType::get(context, 64),
         i32 = IntegerType::get(context, 32);
    auto extents = LLVM::LLVMArrayType::get(i64, BRAID_MAX_RANK);
    tensor = LLVM::LLVMStructType::getLiteral(
        context, {pointer, extents, extents, i32, i32});
  }

  LLVM::LLVMPointerType pointer;
  /// braid_tensor: data, sizes, strides, dtype, rank.
  LLVM::LLVMStructType tensor;

private:
  static LowerToLLVMOptions getOptions(MLIRContext *context) {
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    return options;
  }
};

/// Base of the patterns.
template <typename OpTy>
class RuntimePattern : public OpConversionPattern<OpTy> {
public:
  RuntimePattern(RuntimeTypeConverter &types, RuntimeTables &tables,
                 Facts &facts)
      : OpConversionPattern<OpTy>(types, &types.getContext()), types(types),
        tables(tables), facts(facts) {}

protected:
  using Rewriter = ConversionPatternRewriter;

  /// The frame of the call: first argument of the function.
  static Value getFrame(Operation *op) {
    return op->getParentOfType<LLVM::LLVMFuncOp>().getArgument(0);
  }

  static Value constant(OpBuilder &builder, Location loc, int64_t value,
                        unsigned width) {
    return LLVM::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getIntegerType(width), value));
  }
  static Value i32(OpBuilder &builder, Location loc, int64_t value) {
    return constant(builder, loc, value, 32);
  }
  static Value i64(OpBuilder &builder, Location loc, int64_t value) {
    return constant(builder, loc, value, 64);
  }

  /// Room on the stack of the function, taken once at its entry.
  Value createStackSlot(Rewriter &rewriter, Operation *op, Type type,
                        int64_t count = 1) const {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Value size = i64(rewriter, op->getLoc(), count);
    return LLVM::AllocaOp::create(rewriter, op->getLoc(), types.pointer, type,
                                  size, /*alignment=*/8);
  }

  /// Address of a field of a braid_tensor: `field` 0 is data, 1 sizes, 2
  /// strides, 3 dtype, 4 rank.
  Value getField(OpBuilder &builder, Location loc, Value tensor, int32_t field,
                 std::optional<int32_t> index = {}) const {
    SmallVector<LLVM::GEPArg> indices{0, field};
    if (index)
      indices.push_back(*index);
    return LLVM::GEPOp::create(builder, loc, types.pointer, types.tensor,
                               tensor, indices);
  }
  Value loadField(OpBuilder &builder, Location loc, Value tensor, int32_t field,
                  std::optional<int32_t> index = {}) const {
    Type type = field == 0 ? Type(types.pointer) : builder.getI64Type();
    return LLVM::LoadOp::create(builder, loc, type,
                                getField(builder, loc, tensor, field, index));
  }

  /// A new braid_tensor on the stack.
  Value createTensor(Rewriter &rewriter, Operation *op, MemRefType type,
                     Value data, ValueRange sizes, ValueRange strides) const {
    Location loc = op->getLoc();
    Value tensor = createStackSlot(rewriter, op, types.tensor);
    auto store = [&](Value value, int32_t field,
                     std::optional<int32_t> index = {}) {
      LLVM::StoreOp::create(rewriter, loc, value,
                            getField(rewriter, loc, tensor, field, index));
    };
    store(data, 0);
    for (auto [index, size] : llvm::enumerate(sizes))
      store(size, 1, index);
    for (auto [index, stride] : llvm::enumerate(strides))
      store(stride, 2, index);
    store(i32(rewriter, loc, *getDtype(type.getElementType())), 3);
    store(i32(rewriter, loc, type.getRank()), 4);
    return tensor;
  }

  /// An array of pointers to tensors on the stack; null for a null value.
  Value createPointerArray(Rewriter &rewriter, Operation *op,
                           ArrayRef<Value> tensors) const {
    Location loc = op->getLoc();
    if (tensors.empty())
      return LLVM::ZeroOp::create(rewriter, loc, types.pointer);
    Value array = createStackSlot(rewriter, op, types.pointer, tensors.size());
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      Value value = tensor;
      if (!value)
        value = LLVM::ZeroOp::create(rewriter, loc, types.pointer);
      Value slot = LLVM::GEPOp::create(
          rewriter, loc, types.pointer, types.pointer, array,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      LLVM::StoreOp::create(rewriter, loc, value, slot);
    }
    return array;
  }

  /// Calls a function of the runtime, declaring it first if need be.
  Value callRuntime(Rewriter &rewriter, Operation *op, StringRef name,
                    Type result, ValueRange arguments) const {
    auto module = op->getParentOfType<ModuleOp>();
    Type resultType =
        result ? result : LLVM::LLVMVoidType::get(rewriter.getContext());
    if (facts.declared.insert(name).second) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp::create(
          rewriter, module.getLoc(), name,
          LLVM::LLVMFunctionType::get(resultType,
                                      llvm::to_vector(arguments.getTypes())));
    }
    auto call = LLVM::CallOp::create(
        rewriter, op->getLoc(), result ? TypeRange(resultType) : TypeRange(),
        SymbolRefAttr::get(rewriter.getContext(), name), arguments);
    return result ? call.getResult() : Value();
  }

  RuntimeTypeConverter &types;
  RuntimeTables &tables;
  Facts &facts;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// func.func @f(memrefs) becomes an internal llvm.func @f(frame, tensors).
class FuncPattern : public RuntimePattern<func::FuncOp> {
public:
  using RuntimePattern::RuntimePattern;

  LogicalResult matchAndRewrite(func::FuncOp function, OpAdaptor,
                                Rewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(function.getNumArguments());
    signature.addInputs(types.pointer);
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      signature.addInputs(index, types.convertType(type));
    auto lowered = LLVM::LLVMFuncOp::create(
        rewriter, function.getLoc(), function.getSymName(),
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(rewriter.getContext()),
            signature.getConvertedTypes()),
        LLVM::Linkage::Internal);
    rewriter.inlineRegionBefore(function.getBody(), lowered.getBody(),
                                lowered.end());
    if (failed(
            rewriter.convertRegionTypes(&lowered.getBody(), types, &signature)))
      return failure();
    rewriter.eraseOp(function);
    return success();
  }
};

class ReturnPattern : public RuntimePattern<func::ReturnOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// Calls hand the frame on, so that the callee's work joins the caller's.
class CallPattern : public RuntimePattern<func::CallOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(func::CallOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    SmallVector<Value> arguments{getFrame(op)};
    llvm::append_range(arguments, adaptor.getOperands());
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(
        op, TypeRange(), SymbolRefAttr::get(op.getCalleeAttr().getAttr()),
        arguments);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

class DimPattern : public RuntimePattern<memref::DimOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(memref::DimOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    std::optional<int64_t> index = op.getConstantIndex();
    if (!index)
      return rewriter.notifyMatchFailure(op, "index is not a constant");
    rewriter.replaceOp(
        op, loadField(rewriter, op.getLoc(), adaptor.getSource(), 1, *index));
    return success();
  }
};

class CastPattern : public RuntimePattern<memref::CastOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

/// The base buffer of a memref without an offset is itself:
/// expand-strided-metadata traces views back to buffers and arguments, which
/// have none.
class ExtractMetadataPattern
    : public RuntimePattern<memref::ExtractStridedMetadataOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(memref::ExtractStridedMetadataOp op,
                                OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    if (!beginsAtItsData(cast<MemRefType>(op.getSource().getType())))
      return rewriter.notifyMatchFailure(op, "source has an offset");
    Location loc = op.getLoc();
    Value source = adaptor.getSource();
    SmallVector<Value> results{source, i64(rewriter, loc, 0)};
    for (int32_t field : {1, 2})
      for (unsigned i = 0; i < op.getSizes().size(); ++i)
        results.push_back(loadField(rewriter, loc, source, field, i));
    rewriter.replaceOp(op, results);
    return success();
  }
};

class ReinterpretCastPattern
    : public RuntimePattern<memref::ReinterpretCastOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(memref::ReinterpretCastOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto materialize = [&](ArrayRef<int64_t> fixed, ValueRange dynamic) {
      SmallVector<Value> values;
      unsigned next = 0;
      for (int64_t value : fixed)
        values.push_back(ShapedType::isDynamic(value)
                             ? dynamic[next++]
                             : i64(rewriter, loc, value));
      return values;
    };
    SmallVector<Value> offset =
        materialize(op.getStaticOffsets(), adaptor.getOffsets());
    SmallVector<Value> sizes =
        materialize(op.getStaticSizes(), adaptor.getSizes());
    SmallVector<Value> strides =
        materialize(op.getStaticStrides(), adaptor.getStrides());
    MemRefType type = op.getType();
    Value base = loadField(rewriter, loc, adaptor.getSource(), 0);
    Type element = rewriter.getIntegerType(type.getElementTypeBitWidth());
    Value data = LLVM::GEPOp::create(rewriter, loc, types.pointer, element,
                                     base, offset.front());
    rewriter.replaceOp(op,
                       createTensor(rewriter, op, type, data, sizes, strides));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

class SchedulePattern : public RuntimePattern<ScheduleOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(ScheduleOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    int64_t numEvents = op.getEvents().value_or(0);
    op.walk([&](RecordOp record) {
      numEvents = std::max<int64_t>(numEvents, *record.getSlot() + 1);
    });
    LinearAttr workspace = op.getWorkspaceAttr();
    SmallVector<Field> fields{
        Field::i64(0),
        Field::address(tables.getString(function.getSymName())),
        Field::i32(op.getNumStreams()),
        Field::i32(numEvents),
        Field::i64(workspace ? workspace.getPerToken() : 0),
        Field::i64(workspace ? workspace.getFixed() : 0)};
    fields[0].value = RuntimeTables::getStructSize(fields);
    std::string table = tables.addStruct("schedule", fields);

    Value tokens = adaptor.getTokens();
    if (!tokens)
      tokens = i64(rewriter, loc, 1);
    Value frame = getFrame(op);
    Value base =
        callRuntime(rewriter, op, "braid_rt_schedule_begin", types.pointer,
                    {frame, tables.getAddress(rewriter, loc, table), tokens});
    op.walk([&](AllocOp alloc) { facts.workspaces[alloc] = {base, tokens}; });

    SmallVector<Value> streams;
    for (unsigned i = 0; i < op.getNumStreams(); ++i)
      streams.push_back(i32(rewriter, loc, i));
    rewriter.setInsertionPointAfter(op);
    callRuntime(rewriter, op, "braid_rt_schedule_end", nullptr, frame);
    rewriter.inlineBlockBefore(&op.getBody().front(), op, streams);
    rewriter.eraseOp(op);
    return success();
  }
};

class AllocPattern : public RuntimePattern<AllocOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(AllocOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    auto [base, tokens] = facts.workspaces.lookup(op);
    Value offset = i64(rewriter, loc, op.getOffset()->getFixed());
    if (int64_t perToken = op.getOffset()->getPerToken()) {
      Value scaled = LLVM::MulOp::create(rewriter, loc, tokens,
                                         i64(rewriter, loc, perToken));
      offset = LLVM::AddOp::create(rewriter, loc, scaled, offset);
    }
    Value data = LLVM::GEPOp::create(rewriter, loc, types.pointer,
                                     rewriter.getI8Type(), base, offset);

    SmallVector<Value> sizes, strides(type.getRank());
    for (int64_t extent : type.getShape())
      sizes.push_back(ShapedType::isDynamic(extent)
                          ? adaptor.getTokens()
                          : i64(rewriter, loc, extent));
    Value stride = i64(rewriter, loc, 1);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      strides[dim] = stride;
      if (dim > 0)
        stride = LLVM::MulOp::create(rewriter, loc, stride, sizes[dim]);
    }
    rewriter.replaceOp(op,
                       createTensor(rewriter, op, type, data, sizes, strides));
    return success();
  }
};

/// Segments and eager regions: the body runs if the runtime says so.
template <typename OpTy>
class RegionPattern : public RuntimePattern<OpTy> {
public:
  using Base = RuntimePattern<OpTy>;
  using Base::Base;
  using Base::callRuntime;
  using Base::createPointerArray;
  using Base::facts;
  using Base::getFrame;
  using Base::i32;
  using Base::tables;
  using Rewriter = ConversionPatternRewriter;

  LogicalResult matchAndRewrite(OpTy op, typename Base::OpAdaptor,
                                Rewriter &rewriter) const override {
    constexpr bool isSegment = std::is_same_v<OpTy, SegmentOp>;
    Location loc = op.getLoc();

    SmallVector<Value> liveIns;
    SmallVector<int32_t> metadata;
    for (Value value : facts.liveIns.lookup(op)) {
      liveIns.push_back(rewriter.getRemappedValue(value));
      metadata.push_back(facts.metadata.lookup(value));
    }
    StringRef name = op.getName().value_or(isSegment ? "segment" : "eager");
    SmallVector<Field> fields{
        Field::i64(0), Field::address(tables.getString(name)),
        Field::address(tables.getString(getLocationText(loc))),
        Field::i64(liveIns.size()),
        Field::address(tables.getI32Array(metadata))};
    fields[0].value = RuntimeTables::getStructSize(fields);
    std::string table = tables.addStruct("region", fields);

    Value frame = getFrame(op);
    SmallVector<Value> arguments{frame,
                                 tables.getAddress(rewriter, loc, table)};
    if (isSegment)
      arguments.push_back(createPointerArray(rewriter, op, liveIns));
    Value decision = callRuntime(rewriter, op,
                                 isSegment ? "braid_rt_segment_begin"
                                           : "braid_rt_eager_begin",
                                 rewriter.getI32Type(), arguments);
    Value runs = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne,
                                      decision, i32(rewriter, loc, 0));

    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *body = &op.getBody().front();
    rewriter.inlineRegionBefore(op.getBody(), after);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, runs, body, after);
    rewriter.setInsertionPointToEnd(body);
    callRuntime(rewriter, op,
                isSegment ? "braid_rt_segment_end" : "braid_rt_eager_end",
                nullptr, frame);
    LLVM::BrOp::create(rewriter, loc, after);
    rewriter.eraseOp(op);
    return success();
  }
};

class LaunchPattern : public RuntimePattern<LaunchOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(LaunchOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto launched = cast<SchedulableOpInterface>(op.getLaunchedOp());
    SmallVector<Value> operands;
    SmallVector<int32_t> accesses, metadata;
    for (OpOperand *operand : launched.getKernelOperands()) {
      if (!operand) {
        operands.push_back(nullptr);
        accesses.push_back(BRAID_ACCESS_NONE);
        metadata.push_back(BRAID_METADATA_NONE);
        continue;
      }
      operands.push_back(rewriter.getRemappedValue(operand->get()));
      auto [access, isHostRead] = facts.operands.lookup(operand);
      accesses.push_back(access);
      metadata.push_back(isHostRead ? int32_t(BRAID_METADATA_HOST)
                                    : facts.metadata.lookup(operand->get()));
    }
    SmallVector<Param> params = getParams(launched);
    SmallVector<Field> fields{
        Field::i64(0),
        Field::address(tables.getString(launched.getKernelName())),
        Field::address(tables.getString(getLocationText(launched.getLoc()))),
        Field::i64(operands.size()),
        Field::address(tables.getI32Array(accesses)),
        Field::address(tables.getI32Array(metadata)),
        Field::i64(params.size()),
        Field::address(tables.getParams(params)),
        Field::null()};
    // Host code of the module is its own kernel.
    if (auto call = dyn_cast<HostCallOp>(*launched))
      fields.back() = Field::address(getKernelWrapperName(call.getCallee()));
    fields[0].value = RuntimeTables::getStructSize(fields);
    std::string table = tables.addStruct("op", fields);
    callRuntime(rewriter, op, "braid_rt_launch", nullptr,
                {getFrame(op), tables.getAddress(rewriter, loc, table),
                 adaptor.getStream(),
                 createPointerArray(rewriter, op, operands)});
    rewriter.eraseOp(launched);
    rewriter.eraseOp(op);
    return success();
  }
};

class RecordPattern : public RuntimePattern<RecordOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(RecordOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Value slot = i32(rewriter, op.getLoc(), *op.getSlot());
    callRuntime(rewriter, op, "braid_rt_record", nullptr,
                {getFrame(op), adaptor.getStream(), slot});
    rewriter.replaceOp(op, slot);
    return success();
  }
};

class WaitPattern : public RuntimePattern<WaitOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(WaitOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    for (Value event : adaptor.getEvents())
      callRuntime(rewriter, op, "braid_rt_wait", nullptr,
                  {getFrame(op), adaptor.getStream(), event});
    rewriter.eraseOp(op);
    return success();
  }
};

/// The runtime chooses the range: a threshold may be replaced when a context is
/// created. Each body is inlined once.
class DispatchPattern : public RuntimePattern<DispatchOp> {
public:
  using RuntimePattern::RuntimePattern;
  LogicalResult matchAndRewrite(DispatchOp op, OpAdaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    SmallVector<Field> fields{
        Field::i64(0), Field::address(tables.getString(function.getSymName())),
        Field::address(tables.getI64Array(op.getBounds())),
        Field::i32(op.getBounds().size()), Field::i32(op.getGate())};
    fields[0].value = RuntimeTables::getStructSize(fields);
    std::string table = tables.addStruct("dispatch", fields);
    Value range =
        callRuntime(rewriter, op, "braid_rt_dispatch", rewriter.getI32Type(),
                    {getFrame(op), tables.getAddress(rewriter, loc, table),
                     adaptor.getTokens()});

    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    SmallVector<Block *> bodies;
    for (Region &region : op.getRanges()) {
      Block *body = &region.front();
      bodies.push_back(body);
      rewriter.inlineRegionBefore(region, after);
      rewriter.setInsertionPointToEnd(body);
      LLVM::BrOp::create(rewriter, loc, after);
    }
    rewriter.setInsertionPointToEnd(before);
    SmallVector<int32_t> cases;
    for (unsigned index = 0; index + 1 < bodies.size(); ++index)
      cases.push_back(index);
    SmallVector<ValueRange> noOperands(cases.size());
    LLVM::SwitchOp::create(rewriter, loc, range, bodies.back(), ValueRange(),
                           cases, ArrayRef(bodies).drop_back(), noOperands);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Builds `braid_function_<name>` and its entry for each public function.
class DescriptorBuilder {
public:
  DescriptorBuilder(ModuleOp module, RuntimeTypeConverter &types,
                    RuntimeTables &tables)
      : module(module), types(types), tables(tables) {}

  void build(func::FuncOp function);

private:
  std::pair<int64_t, int64_t> getWorkspace(func::FuncOp function);
  std::string buildArguments(func::FuncOp function);
  std::string buildEntry(func::FuncOp function);

  ModuleOp module;
  RuntimeTypeConverter &types;
  RuntimeTables &tables;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> workspaces;
};

class ConvertSchedToRuntimePass
    : public braid::impl::ConvertSchedToRuntimePassBase<
          ConvertSchedToRuntimePass> {
public:
  void runOnOperation() override;
};

} // namespace

/// Own buffers and those of the callees, of which one runs at a time.
std::pair<int64_t, int64_t>
DescriptorBuilder::getWorkspace(func::FuncOp function) {
  auto [it, inserted] = workspaces.try_emplace(function, 0, 0);
  if (!inserted)
    return it->second;
  int64_t perToken = 0, fixed = 0, calleePerToken = 0, calleeFixed = 0;
  function.walk([&](Operation *op) {
    if (auto schedule = dyn_cast<ScheduleOp>(op)) {
      if (LinearAttr workspace = schedule.getWorkspaceAttr()) {
        perToken = std::max(perToken, workspace.getPerToken());
        fixed = std::max(fixed, workspace.getFixed());
      }
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (callee) {
        auto [a, b] = getWorkspace(callee);
        calleePerToken = std::max(calleePerToken, a);
        calleeFixed = std::max(calleeFixed, b);
      }
    }
  });
  return workspaces[function] = {perToken + calleePerToken,
                                 fixed + calleeFixed};
}

std::string DescriptorBuilder::buildArguments(func::FuncOp function) {
  SmallVector<SmallVector<Field>> elements;
  ArgumentAccessAnalysis access;
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    auto type = cast<MemRefType>(argument.getType());
    bool isTokens =
        bool(function.getArgAttr(index, SchedDialect::getTokensAttrName()));
    SmallVector<int64_t> sizes;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      sizes.push_back(!ShapedType::isDynamic(extent) ? extent
                      : dim == 0 && isTokens         ? BRAID_SIZE_TOKENS
                                                     : BRAID_SIZE_ANY);
    // A plain memref's elements lie one after the other, and the code made
    // from it counts on that.
    SmallVector<int64_t> strides;
    if (type.getLayout().isIdentity())
      strides.assign(type.getRank(), BRAID_STRIDE_DENSE);
    else
      for (int64_t stride : type.getStridesAndOffset().first)
        strides.push_back(ShapedType::isDynamic(stride) ? BRAID_STRIDE_ANY
                                                        : stride);
    auto name = function.getArgAttrOfType<StringAttr>(
        index, prefill::PrefillDialect::getNameAttrName());
    SmallVector<Field> fields{
        Field::i64(0),
        Field::address(tables.getString(
            name ? name.str() : "argument" + std::to_string(index))),
        Field::i32(*getDtype(type.getElementType())),
        Field::i32(type.getRank()),
        Field::address(tables.getI64Array(sizes)),
        Field::i32(static_cast<int32_t>(access.get(function, index))),
        Field::i32(getDeclaredMetadata(argument)),
        Field::address(tables.getI64Array(strides))};
    fields[0].value = RuntimeTables::getStructSize(fields);
    elements.push_back(std::move(fields));
  }
  return tables.addStructArray("arguments", elements);
}

/// The entry takes the caller's array of tensors apart.
std::string DescriptorBuilder::buildEntry(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = function.getLoc();
  std::string name = ("braid_entry_" + function.getSymName()).str();
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {types.pointer, types.pointer}),
      LLVM::Linkage::Internal);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments{block->getArgument(0)};
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(LLVM::GEPOp::create(
        builder, loc, types.pointer, types.tensor, block->getArgument(1),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
  LLVM::CallOp::create(builder, loc, TypeRange(),
                       SymbolRefAttr::get(function.getSymNameAttr()),
                       arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return name;
}

void DescriptorBuilder::build(func::FuncOp function) {
  auto [perToken, fixed] = getWorkspace(function);
  SmallVector<Field> fields{
      Field::i64(0),
      Field::i32(BRAID_ABI_MAJOR),
      Field::i32(BRAID_ABI_MINOR),
      Field::address(tables.getString(function.getSymName())),
      Field::i64(function.getNumArguments()),
      Field::address(buildArguments(function)),
      Field::i64(perToken),
      Field::i64(fixed),
      Field::address(buildEntry(function))};
  fields[0].value = RuntimeTables::getStructSize(fields);
  tables.addStruct(("braid_function_" + function.getSymName()).str(), fields,
                   /*isPublic=*/true);
}

void ConvertSchedToRuntimePass::runOnOperation() {
  ModuleOp module = getOperation();
  MLIRContext *context = &getContext();
  if (failed(InputVerifier().verify(module)))
    return signalPassFailure();

  RuntimeTypeConverter types(context);
  RuntimeTables tables(module);
  Facts facts;
  const auto &classes = getAnalysis<EffectClassAnalysis>();
  module.walk([&](Operation *op) {
    for (Value value : op->getOperands())
      if (isa<MemRefType>(value.getType()))
        facts.metadata.try_emplace(value, getMetadataKind(value, classes));
  });
  module.walk([&](SegmentOp segment) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(segment.getBody(), used);
    for (Value value : used)
      if (isa<MemRefType>(value.getType()))
        facts.liveIns[segment].push_back(value);
  });
  DescriptorBuilder descriptors(module, types, tables);
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (function.isPublic() &&
        !function->hasAttr(SchedDialect::getKernelAttrName()))
      descriptors.build(function);
  // The list of layers has done its work.
  for (auto layer : llvm::to_vector(module.getOps<prefill::LayerOp>()))
    layer.erase();

  // How a launch touches its operands is declared on the callee, so it is read
  // before that is lowered.
  module.walk([&](LaunchOp launch) {
    auto op = cast<SchedulableOpInterface>(launch.getLaunchedOp());
    for (OpOperand &operand : op->getOpOperands())
      facts.operands[&operand] = {static_cast<int32_t>(op.getAccess(operand)),
                                  op.isHostOperand(operand)};
  });
  auto runNested = [&](OpPassManager &pm, Operation *op) {
    return runPipeline(pm, op);
  };
  if (failed(lowerKernelFunctions(module, types.tensor, runNested)))
    return signalPassFailure();

  RewritePatternSet patterns(context);
  patterns.add<FuncPattern, ReturnPattern, CallPattern, DimPattern, CastPattern,
               ExtractMetadataPattern, ReinterpretCastPattern, SchedulePattern,
               AllocPattern, RegionPattern<SegmentOp>, RegionPattern<EagerOp>,
               LaunchPattern, RecordPattern, WaitPattern, DispatchPattern>(
      types, tables, facts);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    signalPassFailure();
}
