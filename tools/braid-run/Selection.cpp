//===- Selection.cpp - A stored selection for index_select -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the kernel. The layer's own selection comes from a second context,
// in which nothing is registered.
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdio>

using namespace llvm;
using namespace braid;

/// Operands of index_select.
enum { QueryOffsets = 4, SequenceLengths = 5, Selected = 6, NumOperands = 7 };

Selection::Selection(std::vector<int32_t> entries, int64_t columns,
                     int64_t firstPosition)
    : entries(std::move(entries)), columns(columns),
      firstPosition(firstPosition) {}

Error Selection::registerWith(braid_context *context) {
  braid_context *raw = nullptr;
  if (braid_context_create(nullptr, &raw) != BRAID_OK)
    return createStringError(inconvertibleErrorCode(),
                             braid_last_error(nullptr));
  builtIn.reset(raw);
  if (braid_streams_reserve(raw, 1, 0) != BRAID_OK)
    return createStringError(inconvertibleErrorCode(), braid_last_error(raw));
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = "index_select";
  kernel.user_data = this;
  kernel.check = [](const braid_kernel_call *call, void *self) {
    return static_cast<Selection *>(self)->check(*call);
  };
  kernel.run = [](const braid_kernel_call *call, void *self) {
    return static_cast<Selection *>(self)->run(*call);
  };
  if (braid_register_kernel(context, &kernel) != BRAID_OK)
    return createStringError(inconvertibleErrorCode(),
                             braid_last_error(context));
  return Error::success();
}

int64_t Selection::countDifferences() const {
  int64_t count = 0;
  for (size_t row = 0; row < own.size(); row += columns) {
    ArrayRef<int32_t> fed = ArrayRef(entries).slice(row, columns);
    for (int32_t entry : ArrayRef(own).slice(row, columns))
      count += entry >= 0 && !is_contained(fed, entry);
  }
  return count;
}

braid_status Selection::check(const braid_kernel_call &call) const {
  if (call.op->num_operands != NumOperands)
    return BRAID_NO_KERNEL;
  const braid_tensor &selected = *call.operands[Selected];
  if (selected.sizes[1] == columns && selected.dtype == BRAID_I32)
    return BRAID_OK;
  std::snprintf(call.message, call.message_size,
                "the stored selection has %lld columns, expected %lld",
                static_cast<long long>(columns),
                static_cast<long long>(selected.sizes[1]));
  return BRAID_INVALID_ARGUMENT;
}

braid_status Selection::run(const braid_kernel_call &call) {
  const braid_tensor &selected = *call.operands[Selected];
  auto *result = static_cast<int32_t *>(selected.data);
  int64_t tokens = selected.sizes[0];
  int64_t numReal =
      static_cast<const int32_t *>(call.operands[QueryOffsets]->data)[1];
  int64_t length =
      *static_cast<const int32_t *>(call.operands[SequenceLengths]->data);
  // Row of the file for the first token of this call.
  int64_t firstRow = length - numReal - firstPosition;
  for (int64_t token = 0; token < tokens; ++token) {
    int32_t *to = result + token * selected.strides[0];
    if (token < numReal && firstRow + token >= 0)
      std::copy_n(&entries[(firstRow + token) * columns], columns, to);
    else
      std::fill_n(to, columns, -1);
  }
  return firstRow + numReal > 0 ? runBuiltIn(call, firstRow, numReal)
                                : BRAID_OK;
}

braid_status Selection::runBuiltIn(const braid_kernel_call &call,
                                   int64_t firstRow, int64_t numReal) {
  braid_tensor selected = *call.operands[Selected];
  std::vector<int32_t> result(selected.sizes[0] * columns);
  selected.data = result.data();
  selected.strides[0] = columns;
  const braid_tensor *operands[NumOperands];
  std::copy_n(call.operands, NumOperands, operands);
  operands[Selected] = &selected;
  braid_status status =
      braid_stream_launch(builtIn.get(), 0, call.op, operands);
  if (status == BRAID_OK)
    status = braid_synchronize(builtIn.get());
  if (status != BRAID_OK) {
    std::snprintf(call.message, call.message_size, "%s",
                  braid_last_error(builtIn.get()));
    return status;
  }
  own.resize(entries.size(), -1);
  for (int64_t token = std::max<int64_t>(0, -firstRow); token < numReal;
       ++token)
    std::copy_n(&result[token * columns], columns,
                &own[(firstRow + token) * columns]);
  return BRAID_OK;
}
