//===- safetensors.c - A small reader of f32 weights ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header has an entry for each tensor, which looks like this:
//   "NAME":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}
// It is searched as text, which is enough for names without escapes.
//
//===----------------------------------------------------------------------===//

#include "safetensors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const safetensors *file, const char *name, const char *what) {
  fprintf(stderr, "engine: error: %s: %s%s\n", file->path, name, what);
  exit(1);
}

safetensors safetensors_open(const char *path) {
  safetensors file = {path, NULL, NULL, 0};
  FILE *stream = fopen(path, "rb");
  unsigned char size_bytes[8];
  uint64_t header_bytes = 0;
  long end;
  int i;
  if (!stream || fseek(stream, 0, SEEK_END) || (end = ftell(stream)) < 8)
    fail(&file, "", "cannot be read");
  rewind(stream);
  if (fread(size_bytes, 1, 8, stream) != 8)
    fail(&file, "", "cannot be read");
  for (i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | size_bytes[i];
  if (header_bytes > (uint64_t)end - 8)
    fail(&file, "", "is no safetensors file");
  file.data_bytes = (size_t)end - 8 - (size_t)header_bytes;
  file.header = calloc(1, (size_t)header_bytes + 1);
  file.data = malloc(file.data_bytes + 1);
  if (!file.header || !file.data ||
      fread(file.header, 1, (size_t)header_bytes, stream) != header_bytes ||
      fread(file.data, 1, file.data_bytes, stream) != file.data_bytes)
    fail(&file, "", "cannot be read");
  fclose(stream);
  return file;
}

void safetensors_close(safetensors *file) {
  free(file->header);
  free(file->data);
}

// What follows `"name":` in the header from `from` on, or NULL.
static const char *find_value(const char *from, const char *name) {
  char key[256];
  if (snprintf(key, sizeof(key), "\"%s\"", name) >= (int)sizeof(key))
    return NULL;
  from = strstr(from, key);
  if (!from)
    return NULL;
  from += strlen(key);
  from += strspn(from, " \t\r\n:");
  return from;
}

const float *safetensors_find(const safetensors *file, const char *name,
                              size_t *count) {
  unsigned long long first = 1, last = 0;
  const char *entry = find_value(file->header, name);
  const char *type = entry ? find_value(entry, "dtype") : NULL;
  const char *offsets = entry ? find_value(entry, "data_offsets") : NULL;
  if (!type || !offsets)
    fail(file, name,
         " is not in the file; its name has to be that of the checkpoint, see "
         "the comments in model.h");
  if (strncmp(type, "\"F32\"", 5) != 0)
    fail(file, name, " has another type than F32");
  if (sscanf(offsets, "[ %llu , %llu", &first, &last) != 2 || first > last ||
      last > file->data_bytes || (last - first) % sizeof(float) != 0)
    fail(file, name, " has offsets outside of the file");
  *count = (size_t)(last - first) / sizeof(float);
  return (const float *)(file->data + first);
}
