// Calls two compiled models with one context.

#include "one.h"
#include "two.h"

#include <stdio.h>
#include <stdlib.h>

static float ones[32 * 96];

static void check(braid_status status, const braid_context *context) {
  if (status != BRAID_OK) {
    fprintf(stderr, "%s\n", braid_last_error(context));
    exit(1);
  }
}

// Weights and inputs are all 1, so each product is the number of channels, and
// each normalized row is 1.
#define RUN(name, context)                                                     \
  do {                                                                         \
    float q[32], k[16];                                                        \
    size_t bytes;                                                              \
    name##_arguments arguments;                                                \
    name##_initialize(&arguments, 1);                                          \
    arguments.hidden.data = ones;                                              \
    arguments.argument1.data = ones;                                           \
    arguments.argument2.data = ones;                                           \
    arguments.argument3.data = ones;                                           \
    arguments.q.data = q;                                                      \
    arguments.k.data = k;                                                      \
    check(name##_workspace_size(1, &bytes), NULL);                             \
    check(name##_prepare(context, &arguments, NULL), context);                 \
    check(name##_execute(context, &arguments, NULL), context);                 \
    check(braid_synchronize(context), context);                                \
    printf(#name ": %d bytes of workspace, q %.1f, k %.1f\n", (int)bytes,      \
           q[31], k[15]);                                                      \
  } while (0)

int main(void) {
  braid_context *context;
  int i;
  for (i = 0; i < 32 * 96; ++i)
    ones[i] = 1;
  check(braid_context_create(NULL, &context), NULL);
  RUN(one_first, context);
  RUN(two_first, context);
  braid_context_destroy(context);
  return 0;
}
