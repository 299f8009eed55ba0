//===- FormSegments.cpp - Captured segments and eager regions -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-form-segments: from the straight-line body of a function on
// buffers to a serial schedule on stream 0.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_FORMSEGMENTSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {

/// One step of the function in program order.
struct Step {
  enum Kind {
    Captured, ///< a launch that may be captured
    Eager,    ///< a launch that must not be
    Call,     ///< a call of another function, which has its own schedule
  };
  Operation *op;
  Kind kind;
};

class FormSegmentsPass
    : public braid::sched::impl::FormSegmentsPassBase<FormSegmentsPass> {
public:
  using FormSegmentsPassBase::FormSegmentsPassBase;

  void runOnOperation() override;

private:
  void copyEagerCallees();
  LogicalResult checkFunction(func::FuncOp function);
  void findTokens(func::FuncOp function);
  LogicalResult formSchedule(func::FuncOp function,
                             const EffectClassAnalysis &classes);
  LogicalResult classify(Block &block, bool isEager);
  Step::Kind classifyLaunch(SchedulableOpInterface op, bool isEager);
  LogicalResult convertAllocs();
  void buildSchedule(func::FuncOp function);

  /// The token count of each function; null if no argument carries it.
  DenseMap<Operation *, Value> tokenCounts;
  /// Functions that run outside any graph because their callers do.
  DenseSet<Operation *> eagerFunctions;

  const EffectClassAnalysis *classes;
  Value tokens; ///< that of the function at hand
  SmallVector<Step> steps;
  /// Pure ops: views, sizes, constants. They come before all launches, since
  /// nothing that a launch does can change what they compute.
  SmallVector<Operation *> values;
  SmallVector<memref::AllocOp> allocs;
};

} // namespace

LogicalResult FormSegmentsPass::checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow between blocks; expected a "
                                "straight-line body");
  if (function.getNumResults() != 0) {
    InFlightDiagnostic diagnostic = function.emitOpError()
                                    << "returns values of types "
                                    << function.getResultTypes()
                                    << "; expected outputs to be arguments";
    diagnostic.attachNote()
        << "write into an argument marked 'bufferization.writable'";
    return diagnostic;
  }
  return success();
}

/// The token count, read from the first argument that carries it. Every other
/// read of a token extent is replaced by it: the runtime has checked that they
/// are equal.
void FormSegmentsPass::findTokens(func::FuncOp function) {
  SmallVector<BlockArgument> carriers;
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(),
                            SchedDialect::getTokensAttrName()))
      carriers.push_back(argument);
  if (carriers.empty())
    return;

  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value tokens = memref::DimOp::create(builder, loc, carriers.front(), zero);
  tokenCounts[function] = tokens;
  for (BlockArgument carrier : carriers)
    for (Operation *user : llvm::make_early_inc_range(carrier.getUsers())) {
      auto dim = dyn_cast<memref::DimOp>(user);
      if (dim && dim.getResult() != tokens && dim.getConstantIndex() == 0) {
        dim.replaceAllUsesWith(tokens);
        dim.erase();
      }
    }
}

Step::Kind FormSegmentsPass::classifyLaunch(SchedulableOpInterface op,
                                            bool isEager) {
  std::string reason;
  if (std::optional<CaptureObstacle> obstacle =
          findCaptureObstacle(op, *classes))
    reason = obstacle->reason;
  else if (isEager)
    reason = "the program places it in an eager region";
  else if (eagerFunctions.contains(op->getParentOfType<func::FuncOp>()))
    reason = "its function is called inside an eager region";
  else if (!capture)
    reason = "capture is off";
  else
    return Step::Captured;
  remark::analysis(
      op->getLoc(),
      remark::RemarkOpts::name("EagerOp")
          .category("sched-segment")
          .function(op->getParentOfType<func::FuncOp>().getSymName()))
      << (op->getName().getStringRef() + " stays eager: " + reason).str();
  return Step::Eager;
}

/// Whether `call` calls host code that is launched as one kernel.
static bool isKernelCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && callee->hasAttr(SchedDialect::getKernelAttrName());
}

/// Sorts the ops of a block into steps, values and buffers. Eager regions are
/// taken apart.
LogicalResult FormSegmentsPass::classify(Block &block, bool isEager) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<EagerRegionOpInterface>(op)) {
      Block &body = op.getRegion(0).front();
      Operation *terminator = body.getTerminator();
      op.replaceAllUsesWith(terminator->getOperands());
      if (failed(classify(body, /*isEager=*/true)))
        return failure();
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (auto schedulable = dyn_cast<SchedulableOpInterface>(op)) {
      steps.push_back({&op, classifyLaunch(schedulable, isEager)});
      continue;
    }
    if (auto call = dyn_cast<func::CallOp>(op);
        call && isKernelCall(call) && call.getNumResults() == 0) {
      OpBuilder builder(call);
      auto hostCall = HostCallOp::create(
          builder, call.getLoc(), call.getCalleeAttr().getAttr(),
          call.getOperands(), FloatAttr(), FloatAttr());
      call.erase();
      auto schedulable = cast<SchedulableOpInterface>(*hostCall);
      steps.push_back({hostCall, classifyLaunch(schedulable, isEager)});
      continue;
    }
    if (isa<func::CallOp>(op)) {
      // Views of a result would have to come after the call.
      if (op.getNumResults() != 0)
        return op.emitOpError("returns values; expected outputs to be "
                              "arguments");
      steps.push_back({&op, Step::Call});
      continue;
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      allocs.push_back(alloc);
      continue;
    }
    // The workspace owns every buffer, so nothing is freed one by one.
    if (isa<memref::DeallocOp>(op)) {
      op.erase();
      continue;
    }
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op)) {
      // The index of an extent that the token count replaced, for example.
      if (op.use_empty() && !(tokens && tokens.getDefiningOp() == &op))
        op.erase();
      else
        values.push_back(&op);
      continue;
    }
    return op.emitOpError("cannot be scheduled: expected an op with "
                          "SchedulableOpInterface, a call, a view or a size");
  }
  return success();
}

/// Buffers become parts of the workspace; their one dynamic extent has to be
/// the token count, or the workspace's size would not be known.
LogicalResult FormSegmentsPass::convertAllocs() {
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    for (Value size : alloc.getDynamicSizes())
      if (size != tokens) {
        InFlightDiagnostic diagnostic =
            alloc.emitOpError() << "buffer of type " << type
                                << " has an extent that is not the token count";
        diagnostic.attachNote(size.getLoc()) << "the extent comes from here";
        return diagnostic;
      }
    if (type.getNumDynamicDims() > 1)
      return alloc.emitOpError()
             << "buffer of type " << type
             << " has more than one dynamic extent; expected at most one, the "
                "token count";
    OpBuilder builder(alloc);
    auto buffer = AllocOp::create(builder, alloc.getLoc(), type,
                                  type.getNumDynamicDims() ? tokens : Value(),
                                  /*offset=*/nullptr);
    alloc.replaceAllUsesWith(buffer.getBuffer());
    alloc.erase();
    values.push_back(buffer);
  }
  return success();
}

void FormSegmentsPass::buildSchedule(func::FuncOp function) {
  Block &entry = function.getBody().front();
  OpBuilder builder(entry.getTerminator());
  auto schedule = ScheduleOp::create(builder, function.getLoc(), tokens);
  Block &body = schedule.getBody().front();
  Value stream = schedule.getStream(0);

  // Buffers first, then the values in their own order: views of buffers come
  // after the buffers, and launches use both.
  for (Operation *op : values)
    if (isa<AllocOp>(op))
      op->moveBefore(&body, body.end());
  for (Operation *op : values)
    if (!isa<AllocOp>(op))
      op->moveBefore(&body, body.end());

  Block *region = nullptr; // the open segment or eager region
  Step::Kind regionKind = Step::Call;
  unsigned numSegments = 0, numEager = 0;
  for (Step &step : steps) {
    if (step.kind == Step::Call) {
      step.op->moveBefore(&body, body.end());
      region = nullptr;
      continue;
    }
    if (!region || regionKind != step.kind) {
      builder.setInsertionPointToEnd(&body);
      bool isSegment = step.kind == Step::Captured;
      std::string name =
          (function.getSymName() + (isSegment ? ".segment" : ".eager") +
           Twine(isSegment ? numSegments++ : numEager++))
              .str();
      Location loc = step.op->getLoc();
      Operation *op =
          isSegment
              ? SegmentOp::create(builder, loc, builder.getStringAttr(name))
                    .getOperation()
              : EagerOp::create(builder, loc, builder.getStringAttr(name))
                    .getOperation();
      region = &op->getRegion(0).front();
      regionKind = step.kind;
    }
    builder.setInsertionPointToEnd(region);
    auto launch = LaunchOp::create(builder, step.op->getLoc(), stream);
    Block &launchBody = launch.getBody().front();
    step.op->moveBefore(&launchBody, launchBody.end());
  }
  remark::passed(function.getLoc(), remark::RemarkOpts::name("RegionsFormed")
                                        .category("sched-segment")
                                        .function(function.getSymName()))
      << remark::metric("Segments", numSegments)
      << remark::metric("EagerRegions", numEager)
      << remark::metric("Launches", llvm::count_if(steps, [](Step step) {
                          return step.kind != Step::Call;
                        }));
}

/// Whether the pass has anything to do in `function`.
static bool needsSchedule(func::FuncOp function) {
  // Host code of a kernel is launched as a whole.
  if (function.isExternal() ||
      function->hasAttr(SchedDialect::getKernelAttrName()))
    return false;
  bool isScheduled = false, hasWork = false;
  function.walk([&](Operation *op) {
    isScheduled |= isa<ScheduleOp>(op);
    hasWork |= isa<SchedulableOpInterface, func::CallOp>(op);
  });
  return hasWork && !isScheduled;
}

/// Gives each call in an eager region a copy of its callee that forms no
/// segments, and that copy's calls likewise.
void FormSegmentsPass::copyEagerCallees() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  DenseMap<Operation *, func::FuncOp> copies;
  llvm::SetVector<Operation *> originals;
  SmallVector<func::CallOp> worklist;
  module.walk([&](EagerRegionOpInterface eager) {
    eager->walk([&](func::CallOp call) { worklist.push_back(call); });
  });
  while (!worklist.empty()) {
    func::CallOp call = worklist.pop_back_val();
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !needsSchedule(callee) || eagerFunctions.contains(callee))
      continue;
    func::FuncOp &copy = copies[callee];
    if (!copy) {
      copy = callee.clone();
      copy.setPrivate();
      copy.setName((callee.getSymName() + ".eager").str());
      symbols.insert(copy, Block::iterator(callee->getNextNode()));
      eagerFunctions.insert(copy);
      originals.insert(callee);
      copy.walk([&](func::CallOp inner) { worklist.push_back(inner); });
    }
    call.setCalleeAttr(FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  }
  for (Operation *original : originals)
    if (cast<func::FuncOp>(original).isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(original, module))
      original->erase();
}

LogicalResult
FormSegmentsPass::formSchedule(func::FuncOp function,
                               const EffectClassAnalysis &analysis) {
  classes = &analysis;
  tokens = tokenCounts.lookup(function);
  steps.clear();
  values.clear();
  allocs.clear();
  Block &entry = function.getBody().front();
  if (failed(classify(entry, /*isEager=*/false)))
    return failure();
  // The token count itself stays outside the schedule that takes it.
  if (tokens) {
    Operation *dim = tokens.getDefiningOp();
    llvm::erase_if(values, [&](Operation *op) {
      return op == dim || op == dim->getOperand(1).getDefiningOp();
    });
  }
  if (failed(convertAllocs()))
    return failure();
  buildSchedule(function);
  entry.walk([](EagerRegionOpInterface eager) { eager->erase(); });
  return success();
}

void FormSegmentsPass::runOnOperation() {
  tokenCounts.clear();
  eagerFunctions.clear();
  copyEagerCallees();
  SmallVector<func::FuncOp> functions;
  getOperation().walk([&](func::FuncOp function) {
    if (needsSchedule(function))
      functions.push_back(function);
  });
  for (func::FuncOp function : functions) {
    if (failed(checkFunction(function)))
      return signalPassFailure();
    findTokens(function);
  }
  // Of the program as it is now: the lines above have made values.
  EffectClassAnalysis analysis(getOperation());
  for (func::FuncOp function : functions)
    if (failed(formSchedule(function, analysis)))
      return signalPassFailure();
}
