// Executes insert of strides.mlir for 4 and for 2 tokens, with the strides that
// model_insert_initialize sets. Slot 70 is row 6 of block 1. With an argument:
// makes the first cache dense, which it must not be.

#include "model.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static float rows[4 * 32], fixed[2 * 4096], blocks[2 * 2048], open[2 * 2080];
  static const int64_t buckets[] = {4, 2};
  int64_t slots[4] = {70, -1, -1, -1};
  braid_context *context = NULL;
  braid_context_options options;
  model_insert_arguments arguments;
  int i;
  (void)argv;

  braid_context_options_initialize(&options);
  options.require_prepared = 1;
  if (braid_context_create(&options, &context) != BRAID_OK)
    return 1;
  model_insert_initialize(&arguments, 4);
  arguments.rows.data = rows;
  arguments.slots.data = slots;
  arguments.fixed.data = fixed;
  arguments.blocks.data = blocks;
  arguments.open.data = open;
  arguments.fixed.sizes[0] = arguments.blocks.sizes[0] = 2;
  arguments.open.sizes[0] = 2;
  arguments.open.sizes[1] = 64;
  arguments.open.strides[0] = 2080;
  if (argc > 1)
    braid_tensor_set_dense(&arguments.fixed);
  if (model_insert_prepare_buckets(context, &arguments, buckets, 2, NULL) !=
      BRAID_OK) {
    puts(braid_last_error(context));
    braid_context_destroy(context);
    return 1;
  }
  for (i = 0; i < 2; ++i) {
    rows[0] = (float)(i + 1);
    model_insert_set_tokens(&arguments, buckets[i]);
    if (model_insert_execute(context, &arguments, NULL) != BRAID_OK ||
        braid_synchronize(context) != BRAID_OK)
      puts(braid_last_error(context));
    printf("%d tokens: %.0f %.0f %.0f\n", (int)buckets[i],
           fixed[4096 + 6 * 32], blocks[2048 + 6 * 32], open[2080 + 6 * 32]);
  }
  braid_context_destroy(context);
  return 0;
}
