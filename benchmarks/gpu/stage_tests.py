#===- stage_tests.py - Does the CUDA backend do the right thing? -*- Python -*-=#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The backend's own tests, a suite at a time, and what only whole programs show:
# 200 calls with changing contents in the same buffers, where serial, on several
# streams, captured and eager give the same bits; and that a replay allocates
# nothing and does not wait.
#
#===------------------------------------------------------------------------===#

import hashlib
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sysconfig
import time

import braid
import programs
import stage

REPLAYS = 200
TOKENS = {"cuda": (1, 16, 100), "host": (16,)}
PAGES, PAGE = 8, 64
SUITE_SECONDS = 150


#===------------------------------------------------------------------------===#
# The backend's own tests
#===------------------------------------------------------------------------===#


def test_environment(session):
    """Libraries lie beside the binary; cuBLASLt in the toolkit or, where that
    has none, among PyTorch's packages."""
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    paths = [session.folder.resolve(), "/usr/local/cuda/lib64",
             *site.glob("nvidia/*/lib"), os.environ.get("LD_LIBRARY_PATH")]
    return dict(os.environ, LD_LIBRARY_PATH=":".join(
        str(path) for path in paths if path))


def suites(session):
    """Names of tests, as far as the filter leaves them, by BINARY/SUITE."""
    result = {}
    for binary in sorted(session.folder.glob("braid_cuda*tests")):
        done = subprocess.run(
            [str(binary), "--gtest_list_tests",
             "--gtest_filter=" + session.options.filter],
            capture_output=True, text=True, timeout=60,
            env=test_environment(session))
        if done.returncode:
            raise braid.Error("%s does not start: %s" % (
                binary, done.stderr.strip()))
        suite = None
        for line in done.stdout.splitlines():
            name = line.split("#")[0].strip()
            if line[:1].isspace() and suite:
                result.setdefault("%s/%s" % (binary.name, suite),
                                  []).append(suite + name)
            elif name.endswith("."):
                suite = name
    return result


def run_for(command, seconds, environment):
    """Runs a command for at most so long. Returns its exit status, None where
    it had to be ended, and what it printed."""
    # compute-sanitizer starts the program as a process of its own, which would
    # go on by itself: all of the group are ended.
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment,
                               start_new_session=True)
    try:
        parts = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        parts = process.communicate()
        status = None
    return status, "".join(part.decode(errors="replace") for part in parts)


def finished_tests(lines):
    """Names of the tests that passed or were skipped, in order."""
    found = (re.match(r"\[ +(?:OK|SKIPPED) +\] (\S+) \(\d+ ms\)", line)
             for line in lines)
    return [match.group(1) for match in found if match]


def run_suite(session, key, tests, prefix=(), seconds=SUITE_SECONDS):
    """A row about these tests. Where time is out it says which of them are
    finished, and where it stopped."""
    binary = session.folder / key.split("/")[0]
    command = list(prefix) + [str(binary), "--gtest_filter=" + ":".join(tests)]
    limit = min(seconds, max(10, session.budget.left()))
    status, output = run_for(command, limit, test_environment(session))
    # Where the tests were compiled is of no interest.
    output = re.sub(r"/\S*?/(runtime/test/)", r"\1", output)
    lines = output.splitlines()
    row = {"status": status,
           "passed": sum("[       OK ]" in line for line in lines),
           "skipped_tests": sum("[  SKIPPED ]" in line and "(" in line
                                for line in lines)}
    summary = [line.strip("= ") for line in lines if " SUMMARY: " in line]
    if summary:  # of compute-sanitizer
        row["summary"] = summary[-1]
    if status is None:
        row["finished"] = finished_tests(lines)
        row["stopped_at"] = re.findall(r"^\[ RUN +\] (\S+)", output,
                                       re.MULTILINE)[-1:]
        row["failed"] = "not done after %.0f s: %d of %d tests%s" % (
            limit, len(row["finished"]), len(tests),
            "".join(", at " + test for test in row["stopped_at"]))
        # Less than it was to have: try again when there is more time.
        row["again"] = limit < seconds
    elif status:
        row["failed"] = "exit status %d" % status
    if status != 0:
        # What was wrong first is at the beginning.
        row["output"] = output if len(output) <= 6000 else \
            output[:3000] + "\n[...]\n" + output[-3000:]
    return row


#===------------------------------------------------------------------------===#
# Programs in all modes
#===------------------------------------------------------------------------===#


def input_arrays(session, model, tokens):
    """Arrays for programs/input-part.mlir, by name."""
    e = programs.input_part(model)
    device = session.device
    arguments = [
        ("hidden", (tokens, e["H"]), "bf16"), ("positions", (tokens,), "i64"),
        ("rope_table", (1024, 64), "f32"),
        ("wq_a_wkv", (e["A"], e["H"]), "f8E4M3FN"),
        ("wq_a_wkv_scale", (e["AB"], e["HB"]), "f8E8M0FNU"),
        ("q_norm", (e["Q"],), "bf16"), ("kv_norm", (512,), "bf16"),
        ("wq_b", (e["W"], e["Q"]), "f8E4M3FN"),
        ("wq_b_scale", (e["WB"], e["QB"]), "f8E8M0FNU"),
        ("compressor", (2048, e["H"]), "bf16"),
        ("indexer_wq_b", (e["I"], e["Q"]), "f8E4M3FN"),
        ("indexer_wq_b_scale", (e["IB"], e["QB"]), "f8E8M0FNU"),
        ("indexer_weights", (64, e["H"]), "bf16"),
        ("indexer_compressor", (512, e["H"]), "bf16"),
        ("window_cache", (max(PAGES, -(-tokens // PAGE) * 2), PAGE, 512),
         "bf16"),
        ("window_slots", (tokens,), "i64"),
        ("q", (tokens, e["HEADS"], 512), "bf16"),
        ("index_q", (tokens, e["I"]), "bf16"),
        ("compressed", (tokens, 2048), "f32"),
        ("index_weights", (tokens, 64), "bf16"),
        ("index_compressed", (tokens, 512), "f32"), ("attended", (1,), "f32"),
    ]
    arrays = {}
    for seed, (name, extents, element) in enumerate(arguments):
        arrays[name] = device.array(extents, element)
        if element == "i64":
            arrays[name].write(bytes(8 * tokens))
        else:
            arrays[name].fill_random(seed)
    lengths = device.host_array((1,), "i32")
    lengths.write(struct.pack("<i", tokens))
    arrays["sequence_lengths"] = lengths
    return arrays


OUTPUTS = ("q", "index_q", "compressed", "index_weights", "index_compressed",
           "window_cache")


def change_contents(arrays, tokens, seed):
    """Other hidden states, positions and slots in the same buffers. One in
    eight tokens is padding."""
    source = random.Random(seed)
    pages, page, _ = arrays["window_cache"].extents
    slots = source.sample(range(pages * page), tokens)
    slots = [-1 if source.random() < 0.125 else slot for slot in slots]
    positions = [source.randrange(1024) for _ in range(tokens)]
    arrays["hidden"].fill_random(seed)
    arrays["positions"].write(struct.pack("<%dq" % tokens, *positions))
    arrays["window_slots"].write(struct.pack("<%dq" % tokens, *slots))


def digest(arrays):
    """Tells results of different inputs apart."""
    return hashlib.sha256(arrays["compressed"].read()).hexdigest()


def replay(session, model, form, tokens):
    arrays = input_arrays(session, model, tokens)
    function = session.function("input_%s_%s" % (model, form))
    calls = {}
    for mode, settings in stage.MODES.items():
        context = session.context(*settings)
        calls[mode] = braid.Call(context, function, arrays,
                                 session.device.stream)
        session.prepare(context, [calls[mode]])
    before = {mode: call.context.statistics() for mode, call in calls.items()}
    count = session.options.rounds or REPLAYS
    wrong, digests = [], set()
    for i in range(count):
        change_contents(arrays, tokens, 1000 + i)
        first = None
        for mode, call in calls.items():
            for name in OUTPUTS:
                arrays[name].fill_bytes(0xFF)
            call()
            session.device.synchronize()
            if first is None:
                first = {name: arrays[name].copy() for name in OUTPUTS}
                digests.add(digest(arrays))
            for name in OUTPUTS:
                if not arrays[name].equals(first[name]):
                    wrong.append("call %d: %s of %s differs from that of %s"
                                 % (i, name, mode, next(iter(calls))))
    if len(digests) != count:
        wrong.append("%d different inputs gave %d different results"
                     % (count, len(digests)))
    after = {mode: call.context.statistics() for mode, call in calls.items()}
    for mode in calls:
        for name in ("captures", "graphs", "workspace_bytes", "streams",
                     "events"):
            if before[mode][name] != after[mode][name]:
                wrong.append("%s: %s went from %d to %d while calls ran" % (
                    mode, name, before[mode][name], after[mode][name]))
    row = {"calls": count, "statistics": after}
    if wrong:
        row.update(failed=wrong[0], wrong=wrong[:20])
    return row


def replay_costs(session):
    """1000 replays: device memory stays, and a call returns while the GPU is
    still busy with something else."""
    if session.device.kind != "cuda":
        return {"skipped": "needs a GPU"}
    import torch
    arrays = input_arrays(session, "flash", 16)
    context = session.context(True, stage.ALWAYS)
    call = braid.Call(context, session.function("input_flash_narrow"), arrays,
                      session.device.stream)
    session.prepare(context, [call])
    for _ in range(10):
        call()
    session.device.synchronize()
    free = torch.cuda.mem_get_info()[0]
    for _ in range(1000):
        call()
    session.device.synchronize()
    grown = free - torch.cuda.mem_get_info()[0]
    torch.cuda._sleep(200 * 1000 * 1000)  # 0.1 s
    marker = torch.cuda.Event()
    marker.record()
    start = time.perf_counter()
    call()
    host = (time.perf_counter() - start) * 1e6
    waited = marker.query()
    session.device.synchronize()
    row = {"device_bytes_grown": grown, "host_microseconds": round(host, 1)}
    if grown > 0:
        row["failed"] = "1000 replays took %d bytes of the device" % grown
    elif waited:
        row["failed"] = "a call waited for the GPU"
    return row


def run(session):
    session.open()
    session.start_results()
    tests = suites(session)
    keys = ["gtest/" + suite for suite in tests]
    forms = [(model, form, tokens)
             for model in (["tiny"] if session.backend == "host"
                           else ["tiny", "flash", "pro"])
             for form in ("narrow", "wide")
             for tokens in TOKENS[session.backend]]
    keys += ["replay/%s/%s/%d" % form for form in forms] + ["replay costs"]

    def measure_row(key):
        kind, _, rest = key.partition("/")
        if kind == "gtest":
            return run_suite(session, rest, tests[rest])
        if kind == "replay":
            model, form, tokens = rest.split("/")
            return replay(session, model, form, int(tokens))
        return replay_costs(session)

    finished = session.measure(keys, measure_row)
    print_table(session.results.rows())
    return finished


def print_table(rows):
    # The whole output is in the file.
    for row in [row for row in rows if "output" in row][:3]:
        print("--- %s\n%s" % (row["key"], row["output"][-1200:]))
    print(stage.table(["check", "result"], [
        [row["key"], row.get("failed") or row.get("skipped") or
         ("%d tests passed, %d skipped" % (row["passed"],
                                          row["skipped_tests"])
          if "passed" in row else "passed")] for row in rows]))
