//===- Compress.cpp - compress --------------------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compressor: rows of kv and score go to a small state; where a window of
// tokens closes, its rows are pooled to one entry of the compressed cache.
//
// Operands: kv_score, bias, weight, positions, table, state_slots, state_table,
// token_to_request, slots, state, cache.
//
//===----------------------------------------------------------------------===//

#include "CacheRows.h"
#include "Kernels.h"

#include <cstring>
#include <initializer_list>

using namespace braid::runtime;

namespace {

enum Operand {
  KvScore,
  Bias,
  Weight,
  Positions,
  Table,
  StateSlots,
  StateTable,
  TokenToRequest,
  Slots,
  State,
  Cache,
  NumOperands
};

/// One call, with its operands and parameters by name.
class Compressor {
public:
  Compressor(ScratchParts &scratch, const braid_kernel_call &call,
             const SmallOps &ops)
      : call(call), ops(ops), ratio(intParam(call, "ratio")),
        parts(intParam(call, "overlap") ? 2 : 1),
        eps(static_cast<float>(floatParam(call, "eps"))),
        tokens(sizeOf(call, KvScore, 0)), width(sizeOf(call, Weight, 0)),
        channels(parts * width), weight(ops, call.operands[Weight], scratch),
        cache(ops, call.operands[Cache], width,
              intParam(call, "fp8_channels", 0)),
        rows(scratch.take<PoolRow>(parts * ratio)),
        entry(scratch.take<float>(width)) {}

  /// Whether every slot, position and block that the call needs is there.
  braid_status checkContents() const;
  braid_status run();

private:
  const braid_tensor *operand(Operand i) const { return call.operands[i]; }
  int64_t position(int64_t t) const {
    return *at<const int64_t>(operand(Positions), t);
  }
  int64_t request(int64_t t) const {
    return *at<const int32_t>(operand(TokenToRequest), t);
  }
  int64_t slot(int64_t t) const {
    return *at<const int64_t>(operand(Slots), t);
  }
  float *stateRow(int64_t slot) const {
    int64_t size = operand(State)->sizes[1];
    return at<float>(operand(State), slot / size, slot % size);
  }
  int64_t stateSlot(int64_t t) const {
    return *at<const int64_t>(operand(StateSlots), t);
  }
  const float *biasOf(int64_t p) const {
    return at<const float>(operand(Bias), p % ratio);
  }
  /// True if token `t` closes a window whose entry is to be stored.
  bool closes(int64_t t) const {
    return slot(t) >= 0 && position(t) % ratio == ratio - 1;
  }
  int64_t firstRow(int64_t p) const {
    int64_t first = p - parts * ratio + 1;
    return first < 0 ? 0 : first;
  }
  /// The token of this call that is at position `q` of the request of `t`, or
  /// -1 if the row comes from an earlier call.
  int64_t tokenAt(int64_t t, int64_t q) const {
    int64_t other = t - (position(t) - q);
    if (other < 0 || request(other) != request(t) || position(other) != q)
      return -1;
    return other;
  }

  void makeEntry(int64_t t, const float *weight) const;
  void keep(int64_t t) const;

  const braid_kernel_call &call;
  const SmallOps &ops;
  int64_t ratio;
  int64_t parts; ///< windows in a pool, and halves of the channels
  float eps;
  int64_t tokens;
  int64_t width;
  int64_t channels;
  RowView weight;
  CacheRows cache;
  PoolRow *rows; ///< [parts * ratio]
  float *entry;  ///< [width]
};

} // namespace

braid_status Compressor::checkContents() const {
  using LL = long long;
  if (!areWritten(call,
                  {Positions, StateSlots, StateTable, TokenToRequest, Slots}))
    return BRAID_OK;
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t p = position(t);
    if (stateSlot(t) < -1 || stateSlot(t) >= cacheSlots(operand(State)))
      return kernelFailed(call,
                          "operand 'state_slots': element %lld is %lld, "
                          "expected -1 to %lld, the rows of the state",
                          LL(t), LL(stateSlot(t)),
                          LL(cacheSlots(operand(State)) - 1));
    if (slot(t) < -1 || slot(t) >= cacheSlots(operand(Cache)))
      return kernelFailed(call,
                          "operand 'slots': element %lld is %lld, expected -1 "
                          "to %lld, the rows of the cache",
                          LL(t), LL(slot(t)),
                          LL(cacheSlots(operand(Cache)) - 1));
    if (stateSlot(t) < 0 && slot(t) < 0)
      continue;
    if (p < 0)
      return kernelFailed(call,
                          "operand 'positions': element %lld is %lld, expected "
                          "no negative number",
                          LL(t), LL(p));
    if (!closes(t))
      continue;
    if (p / ratio * ratio >= operand(Table)->sizes[0])
      return kernelFailed(call,
                          "operand 'positions': element %lld is %lld, beyond "
                          "the %lld rows of the table",
                          LL(t), LL(p), LL(operand(Table)->sizes[0]));
    for (int64_t q = firstRow(p); q <= p; ++q)
      if (tokenAt(t, q) < 0 &&
          pagedSlot(operand(StateTable), operand(State), request(t), q) < 0)
        return kernelFailed(call,
                            "operand 'state_table': position %lld of request "
                            "%lld, which token %lld needs, has no valid block",
                            LL(q), LL(request(t)), LL(t));
  }
  return BRAID_OK;
}

void Compressor::makeEntry(int64_t t, const float *weight) const {
  int64_t p = position(t), count = 0;
  for (int64_t q = firstRow(p); q <= p; ++q) {
    // With two windows the earlier one owns the first half of the channels.
    int64_t half = parts == 2 && q > p - ratio ? width : 0;
    PoolRow &row = rows[count++];
    int64_t other = tokenAt(t, q);
    if (other >= 0) {
      row.kv = at<const float>(operand(KvScore), other) + half;
      row.bias = biasOf(q) + half;
    } else {
      int64_t place =
          pagedSlot(operand(StateTable), operand(State), request(t), q);
      row.kv = stateRow(place) + half;
      row.bias = nullptr;
    }
    row.score = row.kv + channels;
  }
  ops.pool(rows, count, width, entry);
  ops.rmsNorm(entry, weight, entry, width, eps);
  int64_t r = operand(Table)->sizes[1];
  float *last = entry + width - r;
  ops.rope(last, at<const float>(operand(Table), p / ratio * ratio), last, r,
           1.0f);
  cache.store(slot(t), entry);
}

void Compressor::keep(int64_t t) const {
  float *state = stateRow(stateSlot(t));
  const float *row = at<const float>(operand(KvScore), t);
  const float *bias = biasOf(position(t));
  std::memcpy(state, row, channels * sizeof(float));
  for (int64_t i = 0; i < channels; ++i)
    state[channels + i] = row[channels + i] + bias[i];
}

braid_status Compressor::run() {
  const float *weights = weight.load();
  // All entries first: the state may be a ring in which the new rows take the
  // places of rows that an entry of this call still reads.
  for (int64_t t = 0; t < tokens; ++t)
    if (closes(t))
      makeEntry(t, weights);
  for (int64_t t = 0; t < tokens; ++t)
    if (stateSlot(t) >= 0)
      keep(t);
  return BRAID_OK;
}

static braid_status checkCompress(const braid_kernel_call *call, void *) {
  Checker checker(*call, NumOperands);
  checker.operand(KvScore, "kv_score", BRAID_F32, 2, 2)
      .operand(Bias, "bias", BRAID_F32, 2, 2)
      .operand(Weight, "weight", FloatTypes, 1, 1)
      .operand(Positions, "positions", BRAID_I64, 1, 1)
      .operand(Table, "table", BRAID_F32, 2, 2)
      .operand(StateSlots, "state_slots", BRAID_I64, 1, 1)
      .operand(StateTable, "state_table", BRAID_I32, 2, 2)
      .operand(TokenToRequest, "token_to_request", BRAID_I32, 1, 1)
      .operand(Slots, "slots", BRAID_I64, 1, 1)
      .operand(State, "state", BRAID_F32, 3, 3)
      .param("ratio")
      .param("overlap")
      .param("eps");
  if (!checker.ok())
    return checker.status();
  int64_t ratio = intParam(*call, "ratio");
  checker.require(ratio >= 1, "parameter 'ratio' is %lld, expected at least 1",
                  static_cast<long long>(ratio));
  int64_t tokens = sizeOf(*call, KvScore, 0), width = sizeOf(*call, Weight, 0);
  int64_t channels = (intParam(*call, "overlap") ? 2 : 1) * width;
  checker.extent(KvScore, 1, 2 * channels)
      .extent(Bias, 0, ratio)
      .extent(Bias, 1, channels)
      .extent(State, 2, 2 * channels);
  checkCacheRows(checker, *call, Cache, "cache", width,
                 intParam(*call, "fp8_channels", 0));
  for (Operand i : {Positions, StateSlots, TokenToRequest, Slots})
    checker.extent(i, 0, tokens);
  int64_t r = sizeOf(*call, Table, 1);
  checker
      .require(r % 2 == 0 && r <= width,
               "operand 'table': size 1 is %lld, expected an even number of at "
               "most %lld channels",
               static_cast<long long>(r), static_cast<long long>(width))
      .require(sizeOf(*call, State, 1) > 0,
               "operand 'state': size 1 is 0, expected a block size");
  return checker.status();
}

static braid_status checkCompressContents(const braid_kernel_call *call,
                                          void *userData) {
  ScratchParts none(nullptr);
  return Compressor(none, *call, smallOps(userData)).checkContents();
}

static braid_status runCompress(const braid_kernel_call *call, void *userData) {
  ScratchParts parts(call->workspace);
  return Compressor(parts, *call, smallOps(userData)).run();
}

braid_kernel braid::runtime::makeCompress() {
  return {sizeof(braid_kernel),  "compress",  checkCompress,
          scratchOf<Compressor>, runCompress, nullptr,
          checkCompressContents};
}
