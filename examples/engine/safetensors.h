//===- safetensors.h - A small reader of f32 weights ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough to load the example's weights by exact name. An engine has its own.
//
//===----------------------------------------------------------------------===//

#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <stddef.h>

// A file in memory: a JSON header, then the tensors' bytes.
typedef struct safetensors {
  const char *path;
  char *header; // zero-terminated
  char *data;
  size_t data_bytes;
} safetensors;

// Reads a whole file. Ends the program with a message if it cannot.
safetensors safetensors_open(const char *path);
void safetensors_close(safetensors *file);

// The numbers of the f32 tensor called `name`, row after row, and how many
// there are. Ends the program with a message if there is no such tensor.
const float *safetensors_find(const safetensors *file, const char *name,
                              size_t *count);

#endif
