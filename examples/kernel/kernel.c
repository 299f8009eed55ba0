//===- kernel.c - A kernel of an engine's own, in C99 ---------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers a kernel for the op `row_softmax` of layer.mlir, runs the layer
// with it, and shows what the runtime says without the kernel and when the
// kernel fails. docs/WritingAKernel.md says how to build it, and
// explains each part.
//
//===----------------------------------------------------------------------===//

#include "layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { tokens = 5, width = 8 };

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

// The parameter `name` of the op, or `otherwise` if the op has none.
static double get_parameter(const braid_op *op, const char *name,
                            double otherwise) {
  int64_t i;
  for (i = 0; i < op->num_params; ++i)
    if (strcmp(op->params[i].name, name) == 0)
      return op->params[i].kind == BRAID_PARAM_FLOAT
                 ? op->params[i].value.f
                 : (double)op->params[i].value.i;
  return otherwise;
}

// Which calls the kernel takes. Nothing is enqueued yet: this may look at
// shapes, types and parameters, and at no contents.
static braid_status check_softmax(const braid_kernel_call *call,
                                  void *user_data) {
  const braid_tensor *x = call->operands[0], *y = call->operands[1];
  (void)user_data;
  if (x->dtype != BRAID_F32 || y->dtype != BRAID_F32) {
    snprintf(call->message, call->message_size, "x or y is not f32");
    return BRAID_NO_KERNEL; // the runtime asks the kernel before this one
  }
  if (x->rank != 2 || y->rank != 2 || x->sizes[1] != y->sizes[1]) {
    snprintf(call->message, call->message_size,
             "x and y are not matrices of the same width");
    return BRAID_INVALID_ARGUMENT; // no kernel can do this: the call fails
  }
  return BRAID_OK;
}

// Scratch: one row. `budget` is the most there may be.
static size_t get_scratch(const braid_kernel_call *call, size_t budget,
                          void *user_data) {
  (void)budget;
  (void)user_data;
  return (size_t)call->operands[0]->sizes[1] * sizeof(double);
}

// The work. Runs on the thread of a stream, and on several at once.
static braid_status run_softmax(const braid_kernel_call *call,
                                void *user_data) {
  const braid_tensor *x = call->operands[0], *y = call->operands[1];
  double scale = get_parameter(call->op, "scale", 1.0);
  double *exponentials = call->workspace;
  int64_t row, i, columns = x->sizes[1];
  (void)user_data;
  for (row = 0; row < x->sizes[0]; ++row) {
    // Strides count elements.
    const float *from = (const float *)x->data + row * x->strides[0];
    float *to = (float *)y->data + row * y->strides[0];
    double largest = -HUGE_VAL, sum = 0;
    for (i = 0; i < columns; ++i)
      largest = fmax(largest, scale * from[i * x->strides[1]]);
    for (i = 0; i < columns; ++i)
      sum += exponentials[i] = exp(scale * from[i * x->strides[1]] - largest);
    if (!(sum > 0)) { // true for NaN
      snprintf(call->message, call->message_size, "row %d has no sum",
               (int)row);
      return BRAID_KERNEL_FAILED;
    }
    for (i = 0; i < columns; ++i)
      to[i * y->strides[1]] = (float)(exponentials[i] / sum);
  }
  return BRAID_OK;
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

static float x[tokens][width], w[width][width], y[tokens][width];

// The largest difference of a row's sum from 1, or NaN.
static double get_error(void) {
  double worst = 0;
  int row, i;
  for (row = 0; row < tokens; ++row) {
    double sum = 0;
    for (i = 0; i < width; ++i)
      sum += y[row][i];
    worst = fmax(worst, fabs(sum - 1));
  }
  return worst;
}

int main(void) {
  braid_context *context;
  braid_kernel kernel = {.struct_size = sizeof(kernel),
                         .name = "row_softmax",
                         .check = check_softmax,
                         .workspace = get_scratch,
                         .run = run_softmax};
  layer_softmax_arguments arguments;
  braid_status status;
  int i;

  for (i = 0; i < width; ++i)
    w[i][i] = 1;
  for (i = 0; i < tokens * width; ++i)
    x[i / width][i % width] = (float)(i % 7);
  layer_softmax_initialize(&arguments, tokens);
  arguments.x.data = x;
  arguments.w.data = w;
  arguments.y.data = y;

  if (braid_context_create(NULL, &context) != BRAID_OK)
    return 1;

  // Without the kernel.
  status = layer_softmax_prepare(context, &arguments, NULL);
  printf("%s: %s\n", braid_status_name(status), braid_last_error(context));

  // With it. Register before prepare: segments keep the kernel that they were
  // captured with. The struct is copied.
  if (braid_register_kernel(context, &kernel) != BRAID_OK ||
      layer_softmax_prepare(context, &arguments, NULL) != BRAID_OK ||
      layer_softmax_execute(context, &arguments, NULL) != BRAID_OK ||
      braid_synchronize(context) != BRAID_OK) {
    printf("%s\n", braid_last_error(context));
    return 1;
  }
  printf("each row adds up to 1%s\n",
         get_error() < 1e-6 ? "" : ", but one does not");

  // A kernel that fails does so after execute returned; synchronize says so.
  x[3][0] = (float)NAN;
  if (layer_softmax_execute(context, &arguments, NULL) != BRAID_OK)
    return 1;
  status = braid_synchronize(context);
  printf("%s: %s\n", braid_status_name(status), braid_last_error(context));

  braid_context_destroy(context);
  return 0;
}
