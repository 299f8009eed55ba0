// Makes the mistake that its argument names, and prints what Braid says.

#include "first.h"

#include <stdio.h>
#include <string.h>

// For each argument its own.
static float memory[6][32 * 64];

static void *no_memory(size_t bytes, void *user_data) {
  (void)bytes;
  (void)user_data;
  return NULL;
}

static void no_release(void *pointer, size_t bytes, void *user_data) {
  (void)pointer;
  (void)bytes;
  (void)user_data;
}

int main(int argc, char **argv) {
  const char *mistake = argc > 1 ? argv[1] : "none";
  braid_context_options options;
  braid_context *context;
  first_first_arguments arguments;
  braid_tensor *tensor;

  braid_context_options_initialize(&options);
  if (strcmp(mistake, "no-memory") == 0) {
    options.allocate = no_memory;
    options.deallocate = no_release;
  }
  if (braid_context_create(&options, &context) != BRAID_OK)
    return 2;

  first_first_initialize(&arguments, 4);
  for (tensor = &arguments.hidden; (void *)tensor < (void *)(&arguments + 1);
       ++tensor)
    tensor->data = memory[tensor - &arguments.hidden];
  if (strcmp(mistake, "struct-size") == 0)
    arguments.struct_size = 0;
  if (strcmp(mistake, "no-weight") == 0)
    arguments.argument1.data = NULL;

  if (first_first_prepare(context, &arguments, NULL) == BRAID_OK)
    puts("prepared");
  else
    puts(braid_last_error(context));
  braid_context_destroy(context);
  return 0;
}
