//===- Verify.cpp - Is every schedule free of races? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-verify: runs the analyses over each schedule, checks what
// may be captured and where buffers end, and says what is wrong. What is
// ordered and what conflicts is found in lib/Analysis.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Analysis/HappensBefore.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_VERIFYPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {

/// Errors of one schedule after which the rest is left out.
constexpr unsigned kMaxErrors = 10;

/// Verifies one schedule.
class ScheduleVerifier {
public:
  ScheduleVerifier(ScheduleOp schedule, BufferAccessAnalysis &accesses,
                   const EffectClassAnalysis &classes)
      : schedule(schedule), accesses(accesses), classes(classes) {}

  LogicalResult verify();

private:
  void verifyBuffers();
  void verifyCapture(SegmentOp segment);
  void verifyHostValue(SegmentOp segment, Operation *op, Value value);
  void emit(const SyncViolation &violation);
  void emit(const Hazard &hazard);

  bool isFull() const { return numErrors >= kMaxErrors; }
  InFlightDiagnostic error(Operation *op) {
    ++numErrors;
    return op->emitOpError();
  }

  ScheduleOp schedule;
  BufferAccessAnalysis &accesses;
  const EffectClassAnalysis &classes;
  unsigned numErrors = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string getStreamName(unsigned stream) {
  return "%s" + std::to_string(stream);
}

/// The op that a launch launches.
static Operation *getWork(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getLaunchedOp();
  return op;
}

/// The op's name, with the kernel's or callee's where that says more.
static std::string getName(Operation *op) {
  op = getWork(op);
  std::string name = "'" + op->getName().getStringRef().str();
  if (auto call = dyn_cast<func::CallOp>(op))
    name += " @" + call.getCallee().str();
  else if (auto schedulable = dyn_cast<SchedulableOpInterface>(op);
           schedulable &&
           schedulable.getKernelName() != op->getName().stripDialect())
    name += " @" + schedulable.getKernelName().str();
  return name + "'";
}

static std::string getBufferName(Value base) {
  std::string name = getArgumentName(base);
  if (!name.empty())
    return name;
  if (auto global = base.getDefiningOp<memref::GetGlobalOp>())
    return "global '" + global.getName().str() + "'";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "buffer of type '" << base.getType() << "'";
  return text;
}

/// "schedule", "segment" or "eager region".
static std::string getRegionName(Operation *region) {
  std::string name = region->getName().stripDialect().str();
  return isa<EagerOp>(region) ? name + " region" : name;
}

static void noteBuffer(InFlightDiagnostic &diagnostic, Value base) {
  diagnostic.attachNote(base.getLoc()) << getBufferName(base) << " is here";
}

//===----------------------------------------------------------------------===//
// Buffers and capture
//===----------------------------------------------------------------------===//

/// Every buffer ends below the workspace, and its size is told in the token
/// count that its offset is told in.
void ScheduleVerifier::verifyBuffers() {
  TokenRange range = getTokenRange(schedule);
  Value tokens = schedule.getTokens();
  schedule.walk([&](AllocOp alloc) {
    if (isFull())
      return;
    if (Value size = alloc.getTokens()) {
      if (!tokens)
        tokens = size;
      if (size != tokens) {
        InFlightDiagnostic diagnostic =
            error(alloc) << "takes another token count than its schedule or "
                            "another buffer of it; expected one for all";
        diagnostic.attachNote(tokens.getLoc()) << "that one is here";
        diagnostic.attachNote(size.getLoc()) << "this one is here";
        return;
      }
    }
    if (!alloc.getOffsetAttr())
      return;
    std::optional<ByteSpan> span = getByteSpan(alloc);
    if (!span) {
      error(alloc) << "buffer of type " << alloc.getType()
                   << " exceeds 2^63 bytes";
      return;
    }
    LinearAttr workspace = schedule.getWorkspaceAttr();
    if (!workspace)
      return;
    if (std::optional<int64_t> overflow =
            findOverflow(*span, workspace, range)) {
      InFlightDiagnostic diagnostic = error(alloc)
                                      << "ends above the workspace for "
                                      << *overflow << " tokens";
      diagnostic.attachNote(schedule.getLoc())
          << "the workspace is " << workspace << " here";
    }
  });
}

/// What a graph does was decided when it was captured, so the host must not
/// decide anything in it that may differ at a replay.
void ScheduleVerifier::verifyHostValue(SegmentOp segment, Operation *op,
                                       Value value) {
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    value = worklist.pop_back_val();
    // Graphs are kept apart by token count.
    if (value == schedule.getTokens() || !seen.insert(value).second)
      continue;
    Operation *definition = value.getDefiningOp();
    if (definition && isa<memref::DimOp>(definition))
      continue;
    if (definition && definition->getNumRegions() == 0 &&
        isMemoryEffectFree(definition)) {
      llvm::append_range(worklist, definition->getOperands());
      continue;
    }
    // An induction variable takes the same values again if the bounds do.
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVar() &&
          segment->isProperAncestor(loop)) {
        worklist.append(
            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
        continue;
      }
    }
    InFlightDiagnostic diagnostic =
        error(op) << "must not be captured: the host decides by a value that "
                     "may differ at a replay; expected constants and token "
                     "counts only";
    diagnostic.attachNote(value.getLoc()) << "the value comes from here";
    diagnostic.attachNote(segment.getLoc()) << "the segment begins here";
    return;
  }
}

void ScheduleVerifier::verifyCapture(SegmentOp segment) {
  segment.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isFull())
      return WalkResult::interrupt();
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      auto work = cast<SchedulableOpInterface>(launch.getLaunchedOp());
      if (std::optional<CaptureObstacle> obstacle =
              findCaptureObstacle(work, classes)) {
        InFlightDiagnostic diagnostic = error(work) << "must not be captured: "
                                                    << obstacle->reason;
        diagnostic.attachNote(segment.getLoc()) << "the segment begins here";
        if (obstacle->operand)
          diagnostic.attachNote(
              getViewSource(obstacle->operand->get()).getLoc())
              << "the operand comes from here";
      }
      return WalkResult::skip();
    }
    if (isa<func::CallOp>(op)) {
      InFlightDiagnostic diagnostic =
          error(op) << "must not be captured: the callee forms its own "
                       "segments; expected the call outside, or in a "
                       "'sched.eager'";
      diagnostic.attachNote(segment.getLoc()) << "the segment begins here";
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      verifyHostValue(segment, op, branch.getCondition());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
        unsigned before = numErrors;
        verifyHostValue(segment, op, bound);
        if (numErrors != before)
          break;
      }
    }
    return WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void ScheduleVerifier::emit(const SyncViolation &violation) {
  std::string stream = getStreamName(violation.stream);
  Operation *op = violation.op;
  auto noteRegion = [&](InFlightDiagnostic &diagnostic) {
    if (violation.region)
      diagnostic.attachNote(violation.region->getLoc())
          << "the " << getRegionName(violation.region) << " begins here";
  };
  auto noteLast = [&](InFlightDiagnostic &diagnostic) {
    diagnostic.attachNote(getWork(violation.other)->getLoc())
        << "the last op on " << stream << ", " << getName(violation.other)
        << ", is here";
  };
  switch (violation.kind) {
  case SyncViolation::UnknownOp: {
    InFlightDiagnostic diagnostic =
        error(op) << "is not known to sched-verify; expected launches, "
                     "records, waits, regions, calls, 'scf.for', 'scf.if' and "
                     "ops without memory effects";
    noteRegion(diagnostic);
    break;
  }
  case SyncViolation::NoStream: {
    InFlightDiagnostic diagnostic =
        error(op) << "runs on no stream; expected it in a 'sched.launch'";
    noteRegion(diagnostic);
    break;
  }
  case SyncViolation::UnknownStream: {
    InFlightDiagnostic diagnostic =
        error(op) << "uses a stream that its schedule does not own; expected "
                     "one of the schedule's block arguments";
    diagnostic.attachNote(schedule.getLoc()) << "the schedule begins here";
    break;
  }
  case SyncViolation::UnknownEvent: {
    InFlightDiagnostic diagnostic =
        error(op) << "waits for an event that no record of its schedule gives";
    diagnostic.attachNote(schedule.getLoc()) << "the schedule begins here";
    break;
  }
  case SyncViolation::EventCrossesEdge: {
    InFlightDiagnostic diagnostic = error(op)
                                    << "waits for an event from outside its '"
                                    << violation.region->getName()
                                    << "'; no event crosses that edge";
    if (violation.other)
      diagnostic.attachNote(violation.other->getLoc())
          << "the event is recorded here";
    noteRegion(diagnostic);
    break;
  }
  case SyncViolation::EarlyStart: {
    InFlightDiagnostic diagnostic =
        error(getWork(op)) << "on " << stream
                           << " starts before the work that precedes the "
                           << getRegionName(violation.region)
                           << "; expected a wait on " << stream
                           << " for an event that comes from %s0";
    noteRegion(diagnostic);
    break;
  }
  case SyncViolation::Unjoined: {
    InFlightDiagnostic diagnostic =
        error(op) << "ends before " << stream << " is joined: %s0 does not "
                  << "wait for " << getName(violation.other)
                  << "; expected a record after it on " << stream
                  << " and a wait for that on %s0";
    noteLast(diagnostic);
    break;
  }
  case SyncViolation::OpenAtCapture: {
    InFlightDiagnostic diagnostic =
        error(op) << (isa<SegmentOp>(op) ? "begins" : "may capture")
                  << " while " << stream << " is not joined: %s0 does not "
                  << "wait for " << getName(violation.other)
                  << "; expected a record after it on " << stream
                  << " and a wait for that on %s0";
    noteLast(diagnostic);
    break;
  }
  case SyncViolation::SlotReused: {
    InFlightDiagnostic diagnostic =
        error(op) << "waits for an event whose slot was recorded again; "
                     "expected the wait before the second record, or another "
                     "slot";
    if (violation.other)
      diagnostic.attachNote(violation.other->getLoc())
          << "the event is recorded here";
    diagnostic.attachNote(violation.second->getLoc())
        << "its slot is recorded again here";
    break;
  }
  case SyncViolation::TooDeep:
    error(op) << "is nested too deeply for sched-verify; expected at most six "
                 "loops in one another";
    break;
  }
}

/// "reads argument 0 (read-after-write), but nothing orders ..."
void ScheduleVerifier::emit(const Hazard &hazard) {
  Operation *op = getWork(hazard.after->op);
  if (hazard.kind == Hazard::UnknownBuffer) {
    InFlightDiagnostic diagnostic =
        error(op) << "operand " << hazard.operand->getOperandNumber()
                  << " cannot be followed to a buffer; expected a view of an "
                     "allocation or of a function argument";
    diagnostic.attachNote(hazard.operand->get().getLoc())
        << "the operand comes from here";
    return;
  }
  if (hazard.kind == Hazard::ForeignBuffer) {
    InFlightDiagnostic diagnostic =
        error(op) << "uses a " << getBufferName(hazard.afterBase)
                  << " that is none of its schedule";
    noteBuffer(diagnostic, hazard.afterBase);
    return;
  }
  std::string name = getBufferName(hazard.afterBase);
  if (hazard.kind == Hazard::Uninitialized) {
    InFlightDiagnostic diagnostic =
        error(op) << "reads a " << name << ", which "
                  << (hazard.onSomePath ? "not every path to it writes"
                                        : "nothing writes before it");
    noteBuffer(diagnostic, hazard.afterBase);
    return;
  }

  bool isShared = hazard.beforeBase != hazard.afterBase;
  std::string first = getName(hazard.before->op), second = getName(op);
  std::string streamOfFirst = getStreamName(hazard.before->stream),
              streamOfSecond = getStreamName(hazard.after->stream);
  auto noteBuffers = [&](InFlightDiagnostic &diagnostic) {
    noteBuffer(diagnostic, hazard.afterBase);
    if (isShared)
      diagnostic.attachNote(hazard.beforeBase.getLoc())
          << getBufferName(hazard.beforeBase)
          << " shares bytes with it, first for " << hazard.tokens << " tokens";
  };
  auto noteFirst = [&](InFlightDiagnostic &diagnostic, const char *does) {
    diagnostic.attachNote(getWork(hazard.before->op)->getLoc())
        << first << " " << does << " it here, on " << streamOfFirst;
  };
  if (isa_and_nonnull<AllocOp>(hazard.afterBase.getDefiningOp()))
    name = "a " + name;

  switch (hazard.kind) {
  case Hazard::SharedInOneOp: {
    InFlightDiagnostic diagnostic =
        error(op) << "uses " << name
                  << " and another buffer that shares bytes with it, and "
                     "writes one of them; expected distinct memory";
    noteBuffers(diagnostic);
    return;
  }
  case Hazard::Overwritten: {
    InFlightDiagnostic diagnostic =
        error(op) << "reads " << name << " after " << first
                  << " wrote another buffer into its bytes; expected buffers "
                     "that are needed at the same time to share none";
    noteFirst(diagnostic, "overwrites");
    noteBuffers(diagnostic);
    return;
  }
  case Hazard::HostRead: {
    InFlightDiagnostic diagnostic =
        error(op) << "reads " << name
                  << " on the host while it is enqueued, but nothing makes "
                     "the host wait for "
                  << first << " on " << streamOfFirst
                  << "; expected host values from before the schedule";
    noteFirst(diagnostic, "writes");
    noteBuffers(diagnostic);
    return;
  }
  default:
    break;
  }

  bool isWrite = hazard.kind != Hazard::ReadAfterWrite;
  const char *kind = hazard.kind == Hazard::ReadAfterWrite ? "read-after-write"
                     : hazard.kind == Hazard::WriteAfterRead
                         ? "write-after-read"
                         : "write-after-write";
  InFlightDiagnostic diagnostic =
      error(op) << (isWrite ? "writes " : "reads ") << name << " (" << kind
                << "), but nothing orders " << first << " on " << streamOfFirst
                << " before " << second << " on " << streamOfSecond
                << "; expected a record after " << first
                << " and a wait before " << second;
  noteFirst(diagnostic,
            hazard.kind == Hazard::WriteAfterRead ? "reads" : "writes");
  noteBuffers(diagnostic);
}

LogicalResult ScheduleVerifier::verify() {
  HappensBefore order(schedule, accesses);
  bool isUnderstood = true;
  for (const SyncViolation &violation : order.getViolations()) {
    if (isFull())
      break;
    emit(violation);
    // Accesses mean nothing where part of the program is not known.
    switch (violation.kind) {
    case SyncViolation::UnknownOp:
    case SyncViolation::NoStream:
    case SyncViolation::UnknownStream:
    case SyncViolation::UnknownEvent:
    case SyncViolation::EventCrossesEdge:
    case SyncViolation::TooDeep:
      isUnderstood = false;
      break;
    default:
      break;
    }
  }
  schedule.walk([&](SegmentOp segment) { verifyCapture(segment); });
  verifyBuffers();
  if (isUnderstood && !isFull())
    for (const Hazard &hazard :
         findHazards(order, accesses, kMaxErrors - numErrors))
      emit(hazard);
  return success(numErrors == 0);
}

namespace {
class VerifyPass : public braid::sched::impl::VerifyPassBase<VerifyPass> {
public:
  void runOnOperation() override {
    BufferAccessAnalysis accesses;
    // Reads what functions declare and what values are, and no plan.
    const auto &classes = getAnalysis<EffectClassAnalysis>();
    bool hasFailed = false;
    getOperation()->walk([&](ScheduleOp schedule) {
      hasFailed |=
          failed(ScheduleVerifier(schedule, accesses, classes).verify());
    });
    if (hasFailed)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
