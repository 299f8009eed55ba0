#===- stage_jax.py - The four GEMMs in JAX --------------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The same GEMMs under jax.jit, in a process without PyTorch and Braid. Times are
# those of the clock around many calls; JAX launches ahead.
#
#===------------------------------------------------------------------------===#

import os
import time

import devices
import programs
import stage
import stage_gemms

CALLS = 24
ROUNDS = 15


def measure(model, tokens, rounds):
    import jax
    import jax.numpy as jnp
    sizes = programs.MODELS[model]
    hidden = sizes["hidden"]

    def product(x, w, dtype):
        return jax.lax.dot_general(x, w, (((1,), (1,)), ((), ())),
                                   preferred_element_type=dtype)

    def gemms(x, x8, scale, a, a_scale, b, c, d):
        # In f32 and scaled after it: the form that XLA makes one fp8 GEMM of.
        first = product(x8, a, jnp.float32) * (scale * a_scale)
        return (first.astype(jnp.bfloat16), product(x, b, jnp.float32),
                product(x, c, jnp.bfloat16), product(x, d, jnp.float32))

    def array(key, extents, dtype):
        return (jax.random.normal(jax.random.PRNGKey(key), extents,
                                  dtype=jnp.float32) * 0.5).astype(dtype)

    fp8 = jnp.float8_e4m3fn
    x = array(0, (tokens, hidden), jnp.bfloat16)
    x8, scale = x.astype(fp8), jnp.float32(0.5)
    sets = [(array(4 * i + 1, (sizes["attention"], hidden), fp8), scale,
             array(4 * i + 2, (programs.COMPRESSOR, hidden), jnp.bfloat16),
             array(4 * i + 3, (programs.INDEX_WEIGHTS, hidden), jnp.bfloat16),
             array(4 * i + 4, (programs.INDEX_COMPRESSOR, hidden),
                   jnp.bfloat16))
            for i in range(stage_gemms.WEIGHT_SETS)]
    compiled = jax.jit(gemms).lower(x, x8, scale, *sets[0]).compile()
    for weights in sets:
        jax.block_until_ready(compiled(x, x8, scale, *weights))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for i in range(CALLS):
            result = compiled(x, x8, scale, *sets[i % len(sets)])
        jax.block_until_ready(result)
        times.append((time.perf_counter() - start) * 1e6 / CALLS)
    text = compiled.as_text()
    return {"model": model, "scale": "tensor", "tokens": tokens,
            "time": stage.spread(times),
            # The name of XLA's call of cuBLASLt for fp8 ends so.
            "fp8_gemm": "matmul$f8" in text}


def run(session):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    machine = devices.query_driver()
    try:
        import jax
        machine.update(jax=jax.__version__, device=str(jax.devices()[0]))
    except ImportError as error:
        session.start_results(machine=machine)
        session.results.add("all", {"skipped": str(error), "again": True})
        print("jax: %s" % error)
        return False
    session.start_results(machine=machine)

    def measure_row(key):
        model, tokens = key.split("/")
        return measure(model, int(tokens),
                       session.options.rounds or ROUNDS)

    finished = session.measure(
        ["%s/%d" % (model, tokens) for model in session.models()
         for tokens in stage_gemms.TOKENS], measure_row)
    print(stage.table(["model", "T", "us", "fp8 GEMM"], [
        [row["model"], row["tokens"], stage.number(row["time"]["median"]),
         "yes" if row["fp8_gemm"] else "no"]
        for row in session.results.rows() if "time" in row]))
    return finished
