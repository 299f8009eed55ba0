//===- BufferAccess.h - Which bytes does an op touch? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory behind the operands of launches and calls: a base buffer, the part
// of it that is seen, and how it is touched; and whether two such parts can
// share a byte. Knows ops only through SchedulableOpInterface and views only
// through their layouts.
//
// Function arguments are taken as distinct memory. Buffers of a schedule are
// compared by their places in the workspace where they have one.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_BUFFERACCESS_H
#define BRAID_ANALYSIS_BUFFERACCESS_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace braid {

/// Token counts, both ends included; empty if `first` is above `last`.
struct TokenRange {
  /// Largest token count that is told apart; a * T + b then fits 128 bits.
  static constexpr int64_t Limit = int64_t(1) << 62;

  int64_t first = 1;
  int64_t last = Limit;
};

/// The token counts for which the region around `op` runs: at least one token,
/// and what the dispatches around it leave.
TokenRange getTokenRange(mlir::Operation *op);

/// Bytes [start, end) of a workspace, both linear in the token count.
struct ByteSpan {
  int64_t startPerToken = 0, startFixed = 0;
  int64_t sizePerToken = 0, sizeFixed = 0;

  bool operator==(const ByteSpan &other) const;
  bool operator!=(const ByteSpan &other) const { return !(*this == other); }
};

/// Where `alloc` lies, its size exact; nothing if it has no offset yet or its
/// size exceeds 2^63.
std::optional<ByteSpan> getByteSpan(sched::AllocOp alloc);

/// The smallest token count in `range` for which both spans hold a common
/// byte, or nothing if there is none.
std::optional<int64_t> findSharedByte(const ByteSpan &a, const ByteSpan &b,
                                      TokenRange range);

/// Whether `outer` holds all bytes of `inner` for every token count in `range`.
bool covers(const ByteSpan &outer, const ByteSpan &inner, TokenRange range);

/// The smallest token count in `range` for which `span` ends above a workspace
/// of `workspace` bytes, or nothing if there is none.
std::optional<int64_t> findOverflow(const ByteSpan &span,
                                    sched::LinearAttr workspace,
                                    TokenRange range);

/// The elements of a base buffer that a view shows.
struct ElementSet {
  /// Every element, however the view is shaped.
  bool isWhole = true;
  /// Whether the members below say more than "some elements".
  bool isKnown = false;
  /// Offset of the first element; exact if `modulus` is 0, else known only up
  /// to multiples of `modulus`.
  int64_t offset = 0, modulus = 0;
  /// Stride and extent (or ShapedType::kDynamic) of each dimension, without
  /// those of extent 1, largest stride first.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> dims;
  /// The columns [begin, end) that are touched of rows of `pitch` elements, the
  /// largest stride; 0 if that is not known. Follows from the rest, and makes
  /// the usual comparison cheap.
  int64_t pitch = 0, columnBegin = 0, columnEnd = 0;

  bool operator==(const ElementSet &other) const;
};

/// The part of its base that `view` shows, from layouts alone.
ElementSet getElementSet(mlir::Value view);

/// Whether two views of one base may share an element. Exact for rectangles:
/// slices of columns, heads or rows whose place is static do not overlap.
bool mayOverlap(const ElementSet &a, const ElementSet &b);

/// Numbers the parts of one buffer that were seen, and finds those that another
/// one may overlap with: among slices of columns without looking at each.
class PartIndex {
public:
  /// The number of a part, equal ones counted once.
  unsigned insert(const ElementSet &part);

  /// The numbers of the parts that may share an element with `part`, ascending.
  llvm::SmallVector<unsigned> findOverlaps(const ElementSet &part) const;

  unsigned size() const { return parts.size(); }

private:
  std::vector<ElementSet> parts;
  /// By pitch: parts by their first column, and the width of the widest one.
  struct Columns {
    std::multimap<int64_t, unsigned> byBegin;
    int64_t widest = 0;
  };
  std::map<int64_t, Columns> byPitch;
  /// Parts whose columns are not known.
  llvm::SmallVector<unsigned, 1> others;
};

/// One way in which an op touches one buffer.
struct BufferAccess {
  /// An allocation, a function argument, or the first `memref.get_global` of a
  /// global in its function.
  mlir::Value base;
  ElementSet elements;
  sched::Access access;
  /// The host reads it while the op is enqueued.
  bool isHostRead = false;
  /// The op needs contents that were there before.
  bool needsContents = false;
  /// Another access of the op stands for the same operand: a loop or a branch
  /// decides which of the buffers it is.
  bool isOneOfSeveral = false;
  mlir::OpOperand *operand;

  bool reads() const { return int(access) & int(sched::Access::Read); }
  bool writes() const { return int(access) & int(sched::Access::Write); }
};

/// Whether two accesses may touch a common byte for a token count in `range`.
bool mayOverlap(const BufferAccess &a, const BufferAccess &b, TokenRange range);

/// Finds the accesses of ops, and remembers what is expensive to find.
class BufferAccessAnalysis {
public:
  /// The accesses of a launch, of an op that can be launched, or of a
  /// `func.call`; nothing if an operand cannot be followed to the buffer behind
  /// it, which `unknown` is then set to.
  std::optional<llvm::SmallVector<BufferAccess>>
  getAccesses(mlir::Operation *op, mlir::OpOperand **unknown = nullptr);

  /// How a call touches the memory behind an argument: all that the callee and
  /// its callees do with it. Everything where that is not known.
  sched::Access getArgumentAccess(mlir::func::FuncOp callee, unsigned index);

  /// Whether the callee, or a callee of it, holds a segment (or is not known).
  bool mayCapture(mlir::func::FuncOp callee);

private:
  /// The buffers that `value` may be (a view of); false if unknown.
  bool getBases(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &bases);
  const ElementSet &getElements(mlir::Value view);

  llvm::DenseMap<mlir::Value, ElementSet> elements;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, sched::Access>
      arguments;
  llvm::DenseMap<mlir::Operation *, bool> captures;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, mlir::Value>
      globals;
};

} // namespace braid

#endif // BRAID_ANALYSIS_BUFFERACCESS_H
