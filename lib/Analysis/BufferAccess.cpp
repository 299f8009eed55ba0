//===- BufferAccess.cpp - Which bytes does an op touch? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear inequalities over the token count for buffers in the workspace,
// residues for views of one buffer, and summaries of callees.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/BufferAccess.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <numeric>

using namespace mlir;
using namespace braid;
using namespace braid::sched;

//===----------------------------------------------------------------------===//
// Places in the workspace
//===----------------------------------------------------------------------===//

/// Sums and products of 64-bit numbers, exact.
using Wide = __int128;

TokenRange braid::getTokenRange(Operation *op) {
  TokenRange range;
  auto schedule = dyn_cast<ScheduleOp>(op);
  if (!schedule)
    schedule = op->getParentOfType<ScheduleOp>();
  Value tokens = schedule ? schedule.getTokens() : Value();
  if (schedule && !tokens)
    schedule.walk([&](AllocOp alloc) {
      tokens = alloc.getTokens();
      return tokens ? WalkResult::interrupt() : WalkResult::advance();
    });
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto dispatch = dyn_cast<DispatchOp>(region->getParentOp());
    // A choice by another number says nothing about this one, nor does a
    // threshold that may be replaced at run time.
    if (!dispatch || dispatch.getGate() ||
        (tokens && dispatch.getTokens() != tokens))
      continue;
    ArrayRef<int64_t> bounds = dispatch.getBounds();
    unsigned index = region->getRegionNumber();
    if (index > 0)
      range.first = std::max(
          range.first, std::min(bounds[index - 1], TokenRange::Limit) + 1);
    if (index < bounds.size())
      range.last = std::min(range.last, bounds[index]);
  }
  return range;
}

bool ByteSpan::operator==(const ByteSpan &other) const {
  return startPerToken == other.startPerToken &&
         startFixed == other.startFixed && sizePerToken == other.sizePerToken &&
         sizeFixed == other.sizeFixed;
}

std::optional<ByteSpan> braid::getByteSpan(AllocOp alloc) {
  LinearAttr offset = alloc.getOffsetAttr();
  if (!offset)
    return std::nullopt;
  MemRefType type = alloc.getType();
  std::optional<int64_t> bytes =
      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && bytes)
      bytes = llvm::checkedMul(*bytes, extent);
  if (!bytes)
    return std::nullopt;
  ByteSpan span;
  span.startPerToken = offset.getPerToken();
  span.startFixed = offset.getFixed();
  (type.hasStaticShape() ? span.sizeFixed : span.sizePerToken) = *bytes;
  return span;
}

static Wide floorDiv(Wide a, Wide b) {
  Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Leaves those token counts for which slope * T + constant > 0.
static void restrict(TokenRange &range, Wide slope, Wide constant) {
  if (slope == 0) {
    if (constant <= 0)
      range.last = range.first - 1;
  } else if (slope > 0) {
    Wide first = floorDiv(-constant, slope) + 1;
    if (first > range.last)
      range.last = range.first - 1;
    else if (first > range.first)
      range.first = first;
  } else {
    // T < constant / -slope.
    Wide last = -floorDiv(-constant, -slope) - 1;
    if (last < range.first)
      range.last = range.first - 1;
    else if (last < range.last)
      range.last = last;
  }
}

std::optional<int64_t>
braid::findSharedByte(const ByteSpan &a, const ByteSpan &b, TokenRange range) {
  // Neither is empty, and each starts before the other ends.
  restrict(range, a.sizePerToken, a.sizeFixed);
  restrict(range, b.sizePerToken, b.sizeFixed);
  auto startsBeforeEnd = [&](const ByteSpan &x, const ByteSpan &y) {
    restrict(range, Wide(y.startPerToken) + y.sizePerToken - x.startPerToken,
             Wide(y.startFixed) + y.sizeFixed - x.startFixed);
  };
  startsBeforeEnd(a, b);
  startsBeforeEnd(b, a);
  if (range.first > range.last)
    return std::nullopt;
  return range.first;
}

/// Whether slope * T + constant >= 0 throughout.
static bool isNonNegative(Wide slope, Wide constant, TokenRange range) {
  restrict(range, -slope, -constant);
  return range.first > range.last;
}

bool braid::covers(const ByteSpan &outer, const ByteSpan &inner,
                   TokenRange range) {
  return isNonNegative(Wide(inner.startPerToken) - outer.startPerToken,
                       Wide(inner.startFixed) - outer.startFixed, range) &&
         isNonNegative(Wide(outer.startPerToken) + outer.sizePerToken -
                           inner.startPerToken - inner.sizePerToken,
                       Wide(outer.startFixed) + outer.sizeFixed -
                           inner.startFixed - inner.sizeFixed,
                       range);
}

std::optional<int64_t> braid::findOverflow(const ByteSpan &span,
                                           LinearAttr workspace,
                                           TokenRange range) {
  restrict(range, span.sizePerToken, span.sizeFixed);
  restrict(range,
           Wide(span.startPerToken) + span.sizePerToken -
               workspace.getPerToken(),
           Wide(span.startFixed) + span.sizeFixed - workspace.getFixed());
  if (range.first > range.last)
    return std::nullopt;
  return range.first;
}

//===----------------------------------------------------------------------===//
// Views of one buffer
//===----------------------------------------------------------------------===//

bool ElementSet::operator==(const ElementSet &other) const {
  return isWhole == other.isWhole && isKnown == other.isKnown &&
         offset == other.offset && modulus == other.modulus &&
         dims == other.dims;
}

/// Adds index * stride to the offset; the index may be dynamic.
static bool addOffset(ElementSet &set, OpFoldResult index, int64_t stride) {
  if (ShapedType::isDynamic(stride))
    return false;
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    std::optional<int64_t> product = llvm::checkedMul(*constant, stride);
    std::optional<int64_t> sum =
        product ? llvm::checkedAdd(set.offset, *product) : std::nullopt;
    if (!sum)
      return false;
    set.offset = *sum;
    return true;
  }
  set.modulus = std::gcd(set.modulus, stride);
  return true;
}

/// Whether `op` shows every element of its source, each in its place.
static bool keepsElements(Operation *op) {
  return isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::MemorySpaceCastOp, memref::TransposeOp>(op);
}

/// Follows the views in `chain`, last one first, from `type`, the base's; false
/// if a place or a layout is not known well enough.
static bool followViews(ArrayRef<Operation *> chain, MemRefType type,
                        ElementSet &set) {
  SmallVector<int64_t> strides;
  int64_t baseOffset = 0;
  if (!type || failed(type.getStridesAndOffset(strides, baseOffset)))
    return false;
  for (Operation *op : llvm::reverse(chain)) {
    if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
      for (auto [index, stride] : llvm::zip(subview.getMixedOffsets(), strides))
        if (!addOffset(set, index, stride))
          return false;
    } else if (!keepsElements(op)) {
      return false;
    }
    auto newType = dyn_cast<MemRefType>(op->getResult(0).getType());
    SmallVector<int64_t> newStrides;
    int64_t newOffset;
    if (!newType || failed(newType.getStridesAndOffset(newStrides, newOffset)))
      return false;
    // A cast that forgets the layout does not change it.
    if (isa<memref::CastOp>(op) &&
        llvm::is_contained(newStrides, ShapedType::kDynamic))
      continue;
    type = newType;
    strides = newStrides;
  }
  for (auto [stride, extent] : llvm::zip(strides, type.getShape())) {
    if (extent == 1)
      continue;
    if (ShapedType::isDynamic(stride) || stride <= 0)
      return false;
    set.dims.push_back({stride, extent});
  }
  llvm::sort(set.dims, std::greater<>());
  return true;
}

/// The columns [begin, end) of rows of `pitch` elements that a view touches, or
/// nothing if it may touch all.
static std::optional<std::pair<int64_t, int64_t>>
getColumns(const ElementSet &set, int64_t pitch) {
  if (set.modulus % pitch != 0)
    return std::nullopt;
  int64_t begin = set.offset % pitch;
  if (begin < 0)
    begin += pitch;
  int64_t width = 1;
  for (auto [stride, extent] : set.dims) {
    if (stride % pitch == 0)
      continue;
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    std::optional<int64_t> span = llvm::checkedMul(extent - 1, stride);
    std::optional<int64_t> sum =
        span ? llvm::checkedAdd(width, *span) : std::nullopt;
    if (!sum)
      return std::nullopt;
    width = *sum;
  }
  if (width > pitch - begin)
    return std::nullopt;
  return std::pair(begin, begin + width);
}

ElementSet braid::getElementSet(Value view) {
  SmallVector<Operation *> chain; // from the view to its base
  ElementSet set;
  Value value = view;
  while (auto op = value.getDefiningOp<ViewLikeOpInterface>()) {
    chain.push_back(op);
    set.isWhole &= keepsElements(op);
    value = op.getViewSource();
  }
  if (set.isWhole)
    return set;
  ElementSet known;
  known.isWhole = false;
  known.isKnown = true;
  if (!followViews(chain, dyn_cast<MemRefType>(value.getType()), known))
    return set;
  if (!known.dims.empty()) {
    int64_t pitch = known.dims.front().first;
    if (auto columns = getColumns(known, pitch)) {
      known.pitch = pitch;
      std::tie(known.columnBegin, known.columnEnd) = *columns;
    }
  }
  return known;
}

bool braid::mayOverlap(const ElementSet &a, const ElementSet &b) {
  if (!a.isKnown || !b.isKnown)
    return true;
  if (a.pitch != 0 && a.pitch == b.pitch &&
      (a.columnEnd <= b.columnBegin || b.columnEnd <= a.columnBegin))
    return false;
  for (const ElementSet *set : {&a, &b})
    for (auto [stride, extent] : set->dims)
      if (extent == 0)
        return false;
  // One row that holds everything, then rows as long as each stride.
  SmallVector<int64_t> pitches{std::numeric_limits<int64_t>::max()};
  for (const ElementSet *set : {&a, &b}) {
    for (auto [stride, extent] : set->dims)
      pitches.push_back(stride);
    if (set->modulus != 0)
      pitches.push_back(set->modulus);
  }
  for (int64_t pitch : pitches) {
    auto columnsOfA = getColumns(a, pitch), columnsOfB = getColumns(b, pitch);
    if (columnsOfA && columnsOfB &&
        (columnsOfA->second <= columnsOfB->first ||
         columnsOfB->second <= columnsOfA->first))
      return false;
  }
  return true;
}

unsigned PartIndex::insert(const ElementSet &part) {
  auto isEqual = [&](unsigned known) { return parts[known] == part; };
  unsigned number = parts.size();
  if (part.pitch == 0) {
    if (auto *it = llvm::find_if(others, isEqual); it != others.end())
      return *it;
    others.push_back(number);
  } else {
    Columns &columns = byPitch[part.pitch];
    auto [begin, end] = columns.byBegin.equal_range(part.columnBegin);
    for (auto it = begin; it != end; ++it)
      if (isEqual(it->second))
        return it->second;
    columns.byBegin.insert({part.columnBegin, number});
    columns.widest =
        std::max(columns.widest, part.columnEnd - part.columnBegin);
  }
  parts.push_back(part);
  return number;
}

SmallVector<unsigned> PartIndex::findOverlaps(const ElementSet &part) const {
  SmallVector<unsigned> overlaps;
  auto add = [&](unsigned known) {
    if (mayOverlap(parts[known], part))
      overlaps.push_back(known);
  };
  for (const auto &[pitch, columns] : byPitch) {
    auto it = columns.byBegin.begin(), end = columns.byBegin.end();
    if (pitch == part.pitch) {
      it = columns.byBegin.upper_bound(part.columnBegin - columns.widest);
      end = columns.byBegin.lower_bound(part.columnEnd);
    }
    for (; it != end; ++it)
      add(it->second);
  }
  llvm::for_each(others, add);
  llvm::sort(overlaps);
  return overlaps;
}

bool braid::mayOverlap(const BufferAccess &a, const BufferAccess &b,
                       TokenRange range) {
  if (a.base == b.base)
    return mayOverlap(a.elements, b.elements);
  auto allocA = a.base.getDefiningOp<AllocOp>();
  auto allocB = b.base.getDefiningOp<AllocOp>();
  if (!allocA || !allocB)
    return false;
  std::optional<ByteSpan> spanA = getByteSpan(allocA),
                          spanB = getByteSpan(allocB);
  return spanA && spanB && findSharedByte(*spanA, *spanB, range);
}

//===----------------------------------------------------------------------===//
// Accesses of ops
//===----------------------------------------------------------------------===//

bool BufferAccessAnalysis::getBases(Value value,
                                    SmallVectorImpl<Value> &bases) {
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(getViewSource(value));
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value base = worklist[i];
    auto add = [&](Value other) { worklist.insert(getViewSource(other)); };
    if (auto argument = dyn_cast<BlockArgument>(base)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<FunctionOpInterface>(parent) &&
          argument.getOwner()->isEntryBlock()) {
        bases.push_back(base);
        continue;
      }
      auto loop = dyn_cast<scf::ForOp>(parent);
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (!init)
        return false;
      add(init->get());
      add(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = base.getDefiningOp();
    unsigned index = cast<OpResult>(base).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(loop.getInitArgs()[index]);
      add(loop.getYieldedValues()[index]);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        add(region->front().getTerminator()->getOperand(index));
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      add(select.getTrueValue());
      add(select.getFalseValue());
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      auto function = op->getParentOfType<FunctionOpInterface>();
      auto [it, isNew] = globals.try_emplace(
          {function.getOperation(), global.getNameAttr()}, base);
      bases.push_back(it->second);
    } else if (isa<AllocOp, memref::AllocOp, memref::AllocaOp>(op)) {
      bases.push_back(base);
    } else {
      return false;
    }
  }
  return true;
}

const ElementSet &BufferAccessAnalysis::getElements(Value view) {
  auto it = elements.find(view);
  if (it == elements.end())
    it = elements.try_emplace(view, getElementSet(view)).first;
  return it->second;
}

std::optional<SmallVector<BufferAccess>>
BufferAccessAnalysis::getAccesses(Operation *op, OpOperand **unknown) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    op = launch.getLaunchedOp();
  auto schedulable = dyn_cast<SchedulableOpInterface>(op);
  auto call = dyn_cast<func::CallOp>(op);
  // A call that is not launched runs the callee's own schedule.
  if (call && !isa<LaunchOp>(op->getParentOp()))
    schedulable = nullptr;
  func::FuncOp callee;
  if (!schedulable && call)
    callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());

  SmallVector<BufferAccess> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    BufferAccess access;
    access.operand = &operand;
    if (schedulable) {
      access.access = schedulable.getAccess(operand);
      MetadataAttrInterface metadata = getMetadata(operand.get());
      access.isHostRead =
          schedulable.isHostOperand(operand) || (metadata && metadata.isHost());
      access.needsContents = access.reads();
    } else {
      access.access =
          callee ? getArgumentAccess(callee, operand.getOperandNumber())
                 : Access::ReadWrite;
      // A callee that also writes may write first.
      access.needsContents = access.access == Access::Read;
    }
    if (access.access == Access::None && !access.isHostRead)
      continue;
    SmallVector<Value> bases;
    if (!getBases(operand.get(), bases)) {
      if (unknown)
        *unknown = &operand;
      return std::nullopt;
    }
    access.isOneOfSeveral = bases.size() > 1;
    // Where a loop or a branch decides, the view may be of only one of them.
    if (access.isOneOfSeveral)
      access.elements.isWhole = false;
    else
      access.elements = getElements(operand.get());
    for (Value base : bases) {
      access.base = base;
      accesses.push_back(access);
    }
  }
  return accesses;
}

Access BufferAccessAnalysis::getArgumentAccess(func::FuncOp callee,
                                               unsigned index) {
  // What a recursion or a declaration does is not known.
  auto [it, isNew] = arguments.try_emplace({callee, index}, Access::ReadWrite);
  if (!isNew || callee.isExternal())
    return it->second;
  unsigned access = 0;
  SmallVector<Value> worklist{callee.getArgument(index)};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto op = dyn_cast<SchedulableOpInterface>(user)) {
        access |= unsigned(op.getAccess(use));
        if (op.isHostOperand(use))
          access |= unsigned(Access::Read);
      } else if (auto call = dyn_cast<func::CallOp>(user)) {
        auto next = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        access |=
            unsigned(next ? getArgumentAccess(next, use.getOperandNumber())
                          : Access::ReadWrite);
      } else if (auto view = dyn_cast<ViewLikeOpInterface>(user);
                 view && view.getViewSource() == value) {
        worklist.push_back(view.getViewDest());
      } else if (!isMemoryEffectFree(user) || user->getNumRegions() != 0 ||
                 user->hasTrait<OpTrait::IsTerminator>() ||
                 llvm::any_of(user->getResultTypes(),
                              llvm::IsaPred<BaseMemRefType>)) {
        access |= unsigned(Access::ReadWrite);
      }
    }
  }
  return arguments[{callee, index}] = Access(access);
}

bool BufferAccessAnalysis::mayCapture(func::FuncOp callee) {
  if (!callee)
    return true;
  auto [it, isNew] = captures.try_emplace(callee, true);
  if (!isNew || callee.isExternal())
    return it->second;
  bool result = false;
  callee.walk([&](Operation *op) {
    if (isa<SegmentOp>(op))
      result = true;
    else if (auto call = dyn_cast<func::CallOp>(op))
      result |= mayCapture(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr()));
    return result ? WalkResult::interrupt() : WalkResult::advance();
  });
  return captures[callee] = result;
}
