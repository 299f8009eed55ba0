//===- engine.c - A small inference engine in C99 -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one compiled attention layer as an engine does. Two requests of
// different lengths are prefilled chunk by chunk, both in the same calls,
// through paged caches whose blocks this program hands out. It allocates all
// memory itself, and one kernel is its own. At the end the outputs are compared
// with those of another implementation, which are in the same file as the
// weights.
//
//   engine FILE.safetensors
//
// "model.h" was written by braid-compile together with the layer's code. Of
// Braid, nothing else is needed than the runtime library and its header.
//
//===----------------------------------------------------------------------===//

#define _POSIX_C_SOURCE 200112L

#include "model.h"
#include "safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  num_requests = 2,
  chunk_tokens = 16, // most tokens of one request in one call
  most_tokens = num_requests * chunk_tokens, // largest T
  max_positions = 128,                       // longest request
  block_rows = 8,                            // rows in a block of a cache
  ratio = 4 // tokens for one row of a compressed cache (a "c4a" layer)
};

// The token counts T that are prepared. A call has the smallest one in which it
// has room.
static const int64_t buckets[] = {chunk_tokens, most_tokens};
enum { num_buckets = sizeof(buckets) / sizeof(buckets[0]) };

static void fail(const char *what, const char *why) {
  fprintf(stderr, "engine: error: %s: %s\n", what, why);
  exit(1);
}

// Each call of Braid returns a status; the context has the sentence.
static void check(braid_status status, const braid_context *context,
                  const char *what) {
  if (status != BRAID_OK)
    fail(what, braid_last_error(context));
}

//===----------------------------------------------------------------------===//
// Memory: the runtime's workspace, and our own tensors
//===----------------------------------------------------------------------===//

// The workspace of the layer comes through these two. Here they count; an
// engine would take the memory from its pool.
static void *allocate(size_t bytes, void *user_data) {
  void *memory = NULL;
  if (posix_memalign(&memory, 256, bytes))
    return NULL;
  *(size_t *)user_data += bytes;
  return memory;
}

static void deallocate(void *memory, size_t bytes, void *user_data) {
  *(size_t *)user_data -= bytes;
  free(memory);
}

// Gives `tensor` zeroed memory for its sizes. Type, rank and the sizes that the
// layer fixes were set by model_c4a_initialize.
static void *make_tensor(braid_tensor *tensor) {
  size_t bytes = tensor->dtype == BRAID_I64 ? 8 : 4;
  int i;
  for (i = 0; i < tensor->rank; ++i)
    bytes *= (size_t)tensor->sizes[i];
  braid_tensor_set_dense(tensor);
  tensor->data = calloc(1, bytes);
  if (!tensor->data)
    fail("memory", "there is not enough");
  return tensor->data;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

// Which tensors of the checkpoint make an argument: the comments in model.h say
// it. Where there are two, their rows follow each other.
static const struct {
  size_t argument;
  const char *names[2];
} weights[] = {
#define WEIGHT(argument, ...)                                                  \
  {                                                                            \
    offsetof(model_c4a_arguments, argument), { __VA_ARGS__ }                   \
  }
    WEIGHT(wq_a_wkv, "wq_a.weight", "wkv.weight"),
    WEIGHT(q_norm, "q_norm.weight"),
    WEIGHT(kv_norm, "kv_norm.weight"),
    WEIGHT(wq_b, "wq_b.weight"),
    WEIGHT(attn_sink, "attn_sink"),
    WEIGHT(wo_a, "wo_a.weight"),
    WEIGHT(wo_b, "wo_b.weight"),
    WEIGHT(compressor_wkv_wgate, "compressor.wkv.weight",
           "compressor.wgate.weight"),
    WEIGHT(compressor_ape, "compressor.ape"),
    WEIGHT(compressor_norm, "compressor.norm.weight"),
    WEIGHT(indexer_wq_b, "indexer.wq_b.weight"),
    WEIGHT(indexer_weights_proj, "indexer.weights_proj.weight"),
    WEIGHT(indexer_compressor_wkv_wgate, "indexer.compressor.wkv.weight",
           "indexer.compressor.wgate.weight"),
    WEIGHT(indexer_compressor_ape, "indexer.compressor.ape"),
    WEIGHT(indexer_compressor_norm, "indexer.compressor.norm.weight"),
#undef WEIGHT
};

static void load_weights(const safetensors *file,
                         model_c4a_arguments *arguments) {
  size_t i, part;
  for (i = 0; i < sizeof(weights) / sizeof(weights[0]); ++i) {
    braid_tensor *tensor =
        (braid_tensor *)((char *)arguments + weights[i].argument);
    float *target = make_tensor(tensor);
    size_t room = (size_t)(tensor->sizes[0] * tensor->strides[0]);
    for (part = 0; part < 2 && weights[i].names[part]; ++part) {
      char name[128];
      size_t count;
      const float *source;
      snprintf(name, sizeof(name), "layers.1.attn.%s", weights[i].names[part]);
      source = safetensors_find(file, name, &count);
      if (count > room)
        fail(name, "it has more numbers than the layer was compiled for");
      memcpy(target, source, count * sizeof(float));
      target += count;
      room -= count;
    }
    if (room)
      fail(weights[i].names[0], "it has too few numbers for the layer");
  }
}

//===----------------------------------------------------------------------===//
// Paged caches
//===----------------------------------------------------------------------===//

// A cache of blocks that all requests share. The table has a row for each
// request: which block holds its rows 0 to 7, which one 8 to 15, and so on. The
// slots say where each token of the call stores its row: block * block_rows +
// row in the block, or -1 for "nowhere".
typedef struct paged_cache {
  braid_tensor *cache, *table, *slots;
  int tokens_per_row;
  int32_t used_blocks;
} paged_cache;

static paged_cache make_cache(braid_tensor *cache, braid_tensor *table,
                              braid_tensor *slots, int tokens_per_row) {
  paged_cache result = {cache, table, slots, tokens_per_row, 0};
  int64_t i, columns = max_positions / tokens_per_row / block_rows;
  int32_t *blocks;
  table->sizes[0] = num_requests;
  table->sizes[1] = columns;
  cache->sizes[0] = num_requests * columns;
  cache->sizes[1] = block_rows; // sizes[2], the width of a row, is known
  make_tensor(cache);
  make_tensor(slots);
  blocks = make_tensor(table);
  for (i = 0; i < num_requests * columns; ++i)
    blocks[i] = -1;
  return result;
}

// The slot for the token of `request` at `position`. Takes the next free block
// when the request's last one is full.
static int64_t get_slot(paged_cache *cache, int request, int64_t position) {
  int64_t row = position / cache->tokens_per_row;
  int32_t *block = (int32_t *)cache->table->data +
                   request * cache->table->sizes[1] + row / block_rows;
  // A compressed row is written by the last token that it is made of.
  if ((position + 1) % cache->tokens_per_row != 0)
    return -1;
  if (*block < 0)
    *block = cache->used_blocks++;
  return (int64_t)*block * block_rows + row % block_rows;
}

//===----------------------------------------------------------------------===//
// A kernel of our own
//===----------------------------------------------------------------------===//

// Every op of the layer has a kernel in the runtime. One that is registered
// under the same name is asked first; what its check refuses with
// BRAID_NO_KERNEL, the runtime's own one does.
static braid_status check_norm(const braid_kernel_call *call, void *user_data) {
  const braid_tensor *x = call->operands[0];
  (void)user_data;
  if (x->dtype == BRAID_F32 && x->strides[x->rank - 1] == 1)
    return BRAID_OK;
  snprintf(call->message, call->message_size, "x is not f32 in dense rows");
  return BRAID_NO_KERNEL;
}

// rms_norm: y = x / sqrt(mean(x^2) + eps) * weight, for each row. The operands
// are x [T, D] or [T, heads, D], weight [D] or NULL, and y.
static braid_status run_norm(const braid_kernel_call *call, void *user_data) {
  const braid_tensor *x = call->operands[0];
  const braid_tensor *weight = call->operands[1];
  const braid_tensor *y = call->operands[2];
  int64_t i, j, d, heads = x->rank == 3 ? x->sizes[1] : 1;
  int64_t width = x->sizes[x->rank - 1];
  double eps = 0;
  for (i = 0; i < call->op->num_params; ++i)
    if (strcmp(call->op->params[i].name, "eps") == 0)
      eps = call->op->params[i].value.f;
  for (i = 0; i < x->sizes[0]; ++i)
    for (j = 0; j < heads; ++j) {
      const float *from = (const float *)x->data + i * x->strides[0] +
                          (x->rank == 3 ? j * x->strides[1] : 0);
      float *to = (float *)y->data + i * y->strides[0] +
                  (y->rank == 3 ? j * y->strides[1] : 0);
      double sum = 0, scale;
      for (d = 0; d < width; ++d)
        sum += (double)from[d] * from[d];
      scale = 1 / sqrt(sum / (double)width + eps);
      for (d = 0; d < width; ++d)
        to[d * y->strides[y->rank - 1]] =
            (float)(from[d] * scale) *
            (weight ? ((const float *)weight->data)[d * weight->strides[0]]
                    : 1.0f);
    }
  // The runtime's streams are threads, so several may be in here at once.
  __sync_fetch_and_add((long *)user_data, 1);
  return BRAID_OK;
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

// One prompt on its way.
typedef struct request {
  const char *expected_name;
  int64_t length, done;
  int first_step; // when it arrives
  float *output;  // [length, width]
} request;

static void compare(const safetensors *file, const request *request,
                    int64_t width) {
  size_t i, count;
  float worst = 0;
  const float *expected =
      safetensors_find(file, request->expected_name, &count);
  if (count != (size_t)(request->length * width))
    fail(request->expected_name, "it has another length than the request");
  for (i = 0; i < count; ++i) {
    float difference = fabsf(request->output[i] - expected[i]);
    if (!(difference <= worst)) // true for NaN
      worst = difference;
  }
  printf("%s: %d tokens, largest difference %.1e\n", request->expected_name,
         (int)request->length, worst);
  if (!(worst < 2e-5f))
    fail(request->expected_name, "the output is not the expected one");
}

int main(int argc, char **argv) {
  request requests[num_requests] = {{"output.70", 70, 0, 0, NULL},
                                    {"output.37", 37, 0, 1, NULL}};
  size_t held_bytes = 0, most_bytes, input_count;
  long own_calls = 0;
  int used[num_buckets] = {0}, step, r, c, b, busy;

  if (argc != 2)
    fail("usage", "engine FILE.safetensors");
  safetensors file = safetensors_open(argv[1]);

  // A context has the streams, the workspace and the captured graphs.
  braid_context_options options;
  braid_context_options_initialize(&options);
  options.allocate = allocate;
  options.deallocate = deallocate;
  options.allocator_user_data = &held_bytes;
  options.require_prepared = 1; // a mistake of ours shall not run slowly
  braid_context *context;
  check(braid_context_create(&options, &context), NULL, "creating the context");

  braid_kernel norm = {.struct_size = sizeof(norm),
                       .name = "rms_norm",
                       .check = check_norm,
                       .run = run_norm,
                       .user_data = &own_calls};
  check(braid_register_kernel(context, &norm), context, "registering a kernel");

  // The arguments. All of them stay where they are from now on: graphs are
  // captured for these addresses, and only contents change.
  model_c4a_arguments arguments;
  model_c4a_initialize(&arguments, most_tokens);
  load_weights(&file, &arguments);
  arguments.rope_table.sizes[0] = max_positions;
  check(model_c4a_fill_rope_table(max_positions,
                                  make_tensor(&arguments.rope_table)),
        NULL, "filling the rotary table");

  float *hidden = make_tensor(&arguments.hidden);
  float *output = make_tensor(&arguments.output);
  int64_t *positions = make_tensor(&arguments.positions);
  int32_t *token_to_request = make_tensor(&arguments.token_to_request);
  arguments.query_offsets.sizes[0] = num_requests + 1;
  arguments.sequence_lengths.sizes[0] = num_requests;
  int32_t *query_offsets = make_tensor(&arguments.query_offsets);
  int32_t *sequence_lengths = make_tensor(&arguments.sequence_lengths);
  paged_cache caches[] = {
      make_cache(&arguments.window_cache, &arguments.window_table,
                 &arguments.window_slots, 1),
      make_cache(&arguments.compressor_state, &arguments.state_table,
                 &arguments.state_slots, 1),
      make_cache(&arguments.compressed_cache, &arguments.compressed_table,
                 &arguments.compressed_slots, ratio),
      make_cache(&arguments.index_state, &arguments.index_state_table,
                 &arguments.index_state_slots, 1),
      make_cache(&arguments.index_cache, &arguments.index_table,
                 &arguments.index_slots, ratio)};
  const int num_caches = sizeof(caches) / sizeof(caches[0]);

  int64_t width = arguments.hidden.sizes[1];
  const float *input = safetensors_find(&file, "input", &input_count);
  for (r = 0; r < num_requests; ++r) {
    if (input_count < (size_t)(requests[r].length * width))
      fail("input", "it has too few rows");
    requests[r].output =
        malloc((size_t)(requests[r].length * width) * sizeof(float));
    if (!requests[r].output)
      fail("memory", "there is not enough");
  }

  // Once at start: reserves the workspace and captures the graphs of each
  // bucket. The batch that the arguments describe now has no tokens yet.
  size_t workspace_bytes;
  check(model_c4a_workspace_size(most_tokens, &workspace_bytes), NULL,
        "asking for the workspace");
  check(model_c4a_prepare_buckets(context, &arguments, buckets, num_buckets,
                                  NULL),
        context, "preparing");
  most_bytes = held_bytes;

  for (step = 0, busy = 1; busy; ++step) {
    // Put a chunk of each request into the call, one after the other.
    int64_t tokens = 0, t, i;
    for (r = 0; r < num_requests; ++r) {
      int64_t count = requests[r].length - requests[r].done;
      if (count > chunk_tokens)
        count = chunk_tokens;
      if (step < requests[r].first_step)
        count = 0;
      for (i = 0; i < count; ++i, ++tokens) {
        int64_t position = requests[r].done + i;
        positions[tokens] = position;
        token_to_request[tokens] = r;
        for (c = 0; c < num_caches; ++c)
          ((int64_t *)caches[c].slots->data)[tokens] =
              get_slot(&caches[c], r, position);
        memcpy(hidden + tokens * width, input + position * width,
               (size_t)width * sizeof(float));
      }
      requests[r].done += count;
      query_offsets[r + 1] = (int32_t)tokens;
      sequence_lengths[r] = (int32_t)requests[r].done;
    }
    // What is left of the T tokens is padding: it is computed, and stored
    // nowhere. So every call has a T that was prepared.
    for (b = 0; buckets[b] < tokens; ++b)
      ;
    ++used[b];
    model_c4a_set_tokens(&arguments, buckets[b]);
    for (t = tokens; t < buckets[b]; ++t) {
      positions[t] = 0;
      token_to_request[t] = 0;
      for (c = 0; c < num_caches; ++c)
        ((int64_t *)caches[c].slots->data)[t] = -1;
      memset(hidden + t * width, 0, (size_t)width * sizeof(float));
    }

    check(model_c4a_execute(context, &arguments, NULL), context, "executing");
    check(braid_synchronize(context), context, "waiting");

    busy = 0;
    for (r = 0; r < num_requests; ++r) {
      int64_t count = query_offsets[r + 1] - query_offsets[r];
      memcpy(requests[r].output + (requests[r].done - count) * width,
             output + query_offsets[r] * width,
             (size_t)(count * width) * sizeof(float));
      busy |= requests[r].done < requests[r].length;
    }
  }

  braid_statistics statistics;
  statistics.struct_size = sizeof(statistics);
  check(braid_get_statistics(context, &statistics), context, "counting");
  for (b = 0; b < num_buckets; ++b)
    printf("%d steps of %d tokens%s", used[b], (int)buckets[b],
           b + 1 < num_buckets ? ", " : "");
  printf(": %d kernels replayed, %d launched, %ld norms of our own\n",
         (int)statistics.replayed, (int)statistics.launches, own_calls);
  printf("workspace: %lu bytes; with scratch we were asked for %lu\n",
         (unsigned long)workspace_bytes, (unsigned long)most_bytes);
  for (r = 0; r < num_requests; ++r)
    compare(&file, &requests[r], width);

  braid_context_destroy(context);
  if (held_bytes != 0)
    fail("memory", "the runtime kept some");
  for (r = 0; r < num_requests; ++r)
    free(requests[r].output);
  // The struct is its size and then nothing but tensors.
  braid_tensor *tensor = &arguments.hidden;
  for (; (char *)tensor < (char *)(&arguments + 1); ++tensor)
    free(tensor->data);
  safetensors_close(&file);
  puts("passed");
  return 0;
}
