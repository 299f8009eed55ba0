//===- SchedOps.cpp - Operations of the sched dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verification.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/IR/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace braid::sched;

#define GET_OP_CLASSES
#include "braid/Dialect/Sched/IR/SchedOps.cpp.inc"

/// Gives the region of a new op its one, empty block.
static Block &addBody(OperationState &state) {
  Region *region = state.addRegion();
  region->push_back(new Block);
  return region->front();
}

/// The innermost op around `op` that events must not leave.
static Operation *getEventScope(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<SegmentOp, EagerOp, ScheduleOp>(parent))
      return parent;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// ScheduleOp
//===----------------------------------------------------------------------===//

void ScheduleOp::build(OpBuilder &builder, OperationState &state, Value tokens,
                       unsigned numStreams) {
  if (tokens)
    state.addOperands(tokens);
  Block &body = addBody(state);
  for (unsigned i = 0; i < numStreams; ++i)
    body.addArgument(StreamType::get(builder.getContext()), state.location);
}

void ScheduleOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "s" + std::to_string(argument.getArgNumber()));
}

ParseResult ScheduleOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> streams;
  Type streamType = StreamType::get(parser.getContext());
  if (parser.parseArgumentList(streams, OpAsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &stream : streams)
    stream.type = streamType;

  if (succeeded(parser.parseOptionalKeyword("tokens"))) {
    OpAsmParser::UnresolvedOperand tokens;
    if (parser.parseLParen() || parser.parseOperand(tokens) ||
        parser.parseRParen() ||
        parser.resolveOperand(tokens, parser.getBuilder().getIndexType(),
                              result.operands))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("workspace"))) {
    LinearAttr workspace;
    if (parser.parseLParen() ||
        parser.parseAttribute(workspace, "workspace", result.attributes) ||
        parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("events"))) {
    int64_t events;
    if (parser.parseLParen() || parser.parseInteger(events) ||
        parser.parseRParen())
      return failure();
    result.addAttribute("events",
                        parser.getBuilder().getI64IntegerAttr(events));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, streams))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (OpAsmParser::Argument &stream : streams)
      block.addArgument(
          streamType, stream.ssaName.location.isValid()
                          ? parser.getEncodedSourceLoc(stream.ssaName.location)
                          : result.location);
  }
  return success();
}

void ScheduleOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument stream) { printer.printOperand(stream); });
  printer << ')';
  if (Value tokens = getTokens())
    printer << " tokens(" << tokens << ')';
  if (LinearAttr workspace = getWorkspaceAttr())
    printer << " workspace(" << workspace << ')';
  if (std::optional<uint64_t> events = getEvents())
    printer << " events(" << *events << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"workspace", "events"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ScheduleOp::verify() {
  if (getNumStreams() == 0)
    return emitOpError("owns no stream; expected at least stream 0, the "
                       "caller's");
  for (BlockArgument argument : getBody().getArguments())
    if (!isa<StreamType>(argument.getType()))
      return emitOpError() << "block argument " << argument.getArgNumber()
                           << " has type " << argument.getType()
                           << "; expected !sched.stream";
  if (auto outer = (*this)->getParentOfType<ScheduleOp>()) {
    InFlightDiagnostic diagnostic =
        emitOpError("lies inside another schedule; call a function instead");
    diagnostic.attachNote(outer.getLoc()) << "the other schedule is here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SegmentOp and EagerOp
//===----------------------------------------------------------------------===//

/// A segment or eager region lies in a schedule and in no other one of them.
static LogicalResult verifyRegionPlacement(Operation *op) {
  if (!op->getParentOfType<ScheduleOp>())
    return op->emitOpError("expected to lie in a 'sched.schedule'");
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (!isa<SegmentOp, EagerOp, LaunchOp>(parent))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "must not lie inside '"
                                    << parent->getName() << "'";
    diagnostic.attachNote(parent->getLoc()) << "the enclosing op is here";
    return diagnostic;
  }
  return success();
}

static void buildRegionOp(OpBuilder &, OperationState &state, StringAttr name) {
  if (name)
    state.addAttribute("name", name);
  addBody(state);
}

void SegmentOp::build(OpBuilder &builder, OperationState &state,
                      StringAttr name) {
  buildRegionOp(builder, state, name);
}
LogicalResult SegmentOp::verify() { return verifyRegionPlacement(*this); }

void EagerOp::build(OpBuilder &builder, OperationState &state,
                    StringAttr name) {
  buildRegionOp(builder, state, name);
}
LogicalResult EagerOp::verify() { return verifyRegionPlacement(*this); }

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::build(OpBuilder &, OperationState &state, Value stream) {
  state.addOperands(stream);
  addBody(state);
}

LogicalResult LaunchOp::verify() {
  Block &body = getBody().front();
  if (!llvm::hasSingleElement(body))
    return emitOpError() << "expected exactly one op to launch, got "
                         << llvm::range_size(body);
  Operation &op = body.front();
  auto error = [&](const Twine &what) {
    InFlightDiagnostic diagnostic = emitOpError(what);
    diagnostic.attachNote(op.getLoc()) << "the op to launch is here";
    return diagnostic;
  };
  if (!isa<SchedulableOpInterface>(op))
    return error("cannot launch '" + op.getName().getStringRef() +
                 "': it does not implement SchedulableOpInterface");
  if (op.getNumResults() != 0 ||
      llvm::any_of(op.getOperandTypes(), llvm::IsaPred<TensorType>))
    return error("cannot launch an op on tensors; bufferize it first");
  // The interface says how an op touches its operands, and nothing of memory
  // that its body uses from outside.
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op.getRegions(), values);
  for (Value value : values)
    if (isa<BaseMemRefType>(value.getType())) {
      InFlightDiagnostic diagnostic =
          op.emitOpError() << "cannot be launched: its body uses a memref of "
                              "type "
                           << value.getType()
                           << " that is not an operand, so nothing orders it "
                              "with other work; pass it as an operand";
      diagnostic.attachNote(value.getLoc()) << "the memref comes from here";
      return diagnostic;
    }
  return success();
}

/// A launch whose op was folded away, a copy of a buffer onto itself say,
/// enqueues nothing.
LogicalResult LaunchOp::canonicalize(LaunchOp launch,
                                     PatternRewriter &rewriter) {
  if (!launch.getBody().front().empty())
    return failure();
  rewriter.eraseOp(launch);
  return success();
}

//===----------------------------------------------------------------------===//
// HostCallOp
//===----------------------------------------------------------------------===//

/// The function that is called; null if it is not there.
static FunctionOpInterface findCallee(HostCallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      call, call.getCalleeAttr());
}

EffectClass HostCallOp::getEffectClass() {
  FunctionOpInterface callee = findCallee(*this);
  auto effect = callee ? callee->getAttrOfType<EffectClassAttr>(
                             SchedDialect::getEffectAttrName())
                       : EffectClassAttr();
  return effect ? effect.getValue() : EffectClass::GraphSafe;
}

Access HostCallOp::getAccess(OpOperand &operand) {
  FunctionOpInterface callee = findCallee(*this);
  auto access = callee ? callee.getArgAttrOfType<AccessAttr>(
                             operand.getOperandNumber(),
                             SchedDialect::getAccessAttrName())
                       : AccessAttr();
  // What is not declared may do anything.
  return access ? access.getValue() : Access::ReadWrite;
}

bool HostCallOp::isHostOperand(OpOperand &operand) {
  // A function that needs host values reads what its arguments declare as host
  // metadata.
  FunctionOpInterface callee = findCallee(*this);
  if (!callee)
    return false;
  for (NamedAttribute attribute :
       callee.getArgAttrs(operand.getOperandNumber()))
    if (auto metadata = dyn_cast<MetadataAttrInterface>(attribute.getValue()))
      return metadata.isHost();
  return false;
}

Cost HostCallOp::getCost(int64_t tokens) {
  Cost cost = getDefaultCost(*this, tokens);
  if (getFlopsPerToken())
    cost.flops = getFlopsPerToken()->convertToDouble() * tokens;
  if (getBytesPerToken())
    cost.bytes = getBytesPerToken()->convertToDouble() * tokens;
  return cost;
}

void HostCallOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    unsigned access = static_cast<unsigned>(getAccess(operand));
    if (access & static_cast<unsigned>(Access::Read))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
    if (access & static_cast<unsigned>(Access::Write))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
  // Host code that only reads its arguments is not dead: it may print them.
  effects.emplace_back(MemoryEffects::Write::get(), StreamResource::get());
}

/// An op in the body of `callee` that writes an argument which does not declare
/// that, and the number of the argument; null if there is none.
static std::pair<Operation *, unsigned>
findUndeclaredWrite(FunctionOpInterface callee) {
  std::pair<Operation *, unsigned> found = {nullptr, 0};
  callee->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (!value || !isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
        value = view.getViewSource();
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner()->getParentOp() != callee)
        continue;
      unsigned index = argument.getArgNumber();
      auto access = callee.getArgAttrOfType<AccessAttr>(
          index, SchedDialect::getAccessAttrName());
      if (access && !(static_cast<unsigned>(access.getValue()) &
                      static_cast<unsigned>(Access::Write))) {
        found = {op, index};
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return found;
}

LogicalResult HostCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls " << getCalleeAttr()
                         << ", which is no function of the module";
  auto error = [&](const Twine &what) {
    InFlightDiagnostic diagnostic = emitOpError(what);
    diagnostic.attachNote(callee.getLoc()) << "the function is here";
    return diagnostic;
  };
  if (!callee->hasAttr(SchedDialect::getKernelAttrName()))
    return error("calls a function that does not carry '" +
                 SchedDialect::getKernelAttrName() + "'");
  if (callee.getNumResults() != 0)
    return error("calls a function that returns values");
  if (!llvm::equal(callee.getArgumentTypes(), getArguments().getTypes()))
    return error("passes other types than the function takes");
  if (auto [write, index] = findUndeclaredWrite(callee); write) {
    InFlightDiagnostic diagnostic = callee.emitOpError()
                                    << "writes its argument " << index
                                    << ", but declares that it does not";
    diagnostic.attachNote(write->getLoc()) << "the argument is written here";
    diagnostic.attachNote(getLoc()) << "the function is called here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// DispatchOp
//===----------------------------------------------------------------------===//

ParseResult DispatchOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tokens;
  if (parser.parseKeyword("on") || parser.parseOperand(tokens) ||
      parser.resolveOperand(tokens, parser.getBuilder().getIndexType(),
                            result.operands))
    return failure();
  auto parseRange = [&]() -> ParseResult {
    Region *region = result.addRegion();
    if (parser.parseRegion(*region))
      return failure();
    if (region->empty())
      region->emplaceBlock();
    return success();
  };
  SmallVector<int64_t> bounds;
  while (succeeded(parser.parseOptionalKeyword("upto")))
    if (parser.parseInteger(bounds.emplace_back()) || parseRange())
      return failure();
  result.addAttribute("bounds",
                      parser.getBuilder().getDenseI64ArrayAttr(bounds));
  if (parser.parseKeyword("otherwise") || parseRange())
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void DispatchOp::print(OpAsmPrinter &printer) {
  printer << " on " << getTokens();
  for (auto [bound, region] : llvm::zip(getBounds(), getRanges())) {
    printer << " upto " << bound << ' ';
    printer.printRegion(region);
  }
  printer << " otherwise ";
  printer.printRegion(getRanges().back());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"bounds"});
}

LogicalResult DispatchOp::verify() {
  ArrayRef<int64_t> bounds = getBounds();
  if (getRanges().size() != bounds.size() + 1)
    return emitOpError() << "has " << bounds.size() << " bounds and "
                         << getRanges().size()
                         << " regions; expected one region more than bounds";
  for (size_t i = 0; i < bounds.size(); ++i) {
    int64_t previous = i == 0 ? -1 : bounds[i - 1];
    if (bounds[i] <= previous)
      return emitOpError() << "bound " << i << " is " << bounds[i]
                           << "; expected more than " << previous
                           << ", so that every token range has a member";
  }
  if (getGate() && bounds.size() != 1)
    return emitOpError() << "has a gate and " << bounds.size()
                         << " bounds; expected one, the token threshold";
  for (Operation *parent = (*this)->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<ScheduleOp>(parent)) {
      InFlightDiagnostic diagnostic = emitOpError(
          "chooses between whole schedules; it must not lie in one");
      diagnostic.attachNote(parent->getLoc()) << "the schedule is here";
      return diagnostic;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void RecordOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getEvent(), "e");
}

LogicalResult WaitOp::verify() {
  if (getEvents().empty())
    return emitOpError("waits for nothing; expected at least one event");
  Operation *scope = getEventScope(*this);
  for (Value event : getEvents()) {
    Operation *record = event.getDefiningOp();
    if (!record || getEventScope(record) == scope)
      continue;
    InFlightDiagnostic diagnostic =
        emitOpError() << "waits for an event from outside its '"
                      << (scope ? scope->getName().getStringRef() : "function")
                      << "'; no event crosses that edge";
    diagnostic.attachNote(record->getLoc()) << "the event is recorded here";
    if (scope)
      diagnostic.attachNote(scope->getLoc()) << "the region begins here";
    return diagnostic;
  }
  return success();
}

/// Streams of a fork or join: at least one branch, all different.
static LogicalResult verifyBranches(Operation *op, Value origin,
                                    ValueRange branches) {
  if (branches.empty())
    return op->emitOpError("names no branch; expected at least one stream");
  llvm::SmallDenseSet<Value> seen;
  seen.insert(origin);
  for (Value branch : branches)
    if (!seen.insert(branch).second)
      return op->emitOpError("names a stream twice");
  return success();
}

LogicalResult ForkOp::verify() {
  return verifyBranches(*this, getOrigin(), getBranches());
}
LogicalResult JoinOp::verify() {
  return verifyBranches(*this, getOrigin(), getBranches());
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBuffer(), "buf");
}

LogicalResult AllocOp::verify() {
  MemRefType type = getType();
  int64_t numDynamic = type.getNumDynamicDims();
  if (numDynamic > 1)
    return emitOpError() << "buffer of type " << type << " has " << numDynamic
                         << " dynamic extents; expected at most one, the token "
                            "count";
  if (bool(getTokens()) != (numDynamic == 1))
    return emitOpError() << "buffer of type " << type << " has "
                         << (numDynamic ? "a" : "no")
                         << " dynamic extent, but the op has "
                         << (numDynamic ? "no" : "a") << " token count";
  if (!type.getLayout().isIdentity())
    return emitOpError() << "buffer has layout " << type.getLayout()
                         << "; expected a contiguous buffer";
  if (!type.getElementType().isIntOrFloat())
    return emitOpError() << "buffer has element type " << type.getElementType()
                         << "; expected integers or floats";
  return success();
}

LinearAttr AllocOp::getBytes() {
  MemRefType type = getType();
  std::optional<int64_t> bytes =
      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && bytes)
      bytes = llvm::checkedMul(*bytes, extent);
  // Room for rounding up.
  if (bytes)
    bytes = llvm::checkedAdd(*bytes, int64_t(255));
  if (!bytes)
    return {};
  int64_t rounded = *bytes & ~int64_t(255);
  bool isDynamic = !type.hasStaticShape();
  return LinearAttr::get(getContext(), isDynamic ? rounded : 0,
                         isDynamic ? 0 : rounded);
}
