# ===- schedule_facts.py - What a printed schedule says --------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Reads the text of planned schedules from stdin and prints, for each function,
# range and region, the streams as lanes, and what a check by plain reachability
# finds. It shares no code with the compiler: dependences come from the text of
# the ops, program order from the serial body of the dispatch.
#
#   usage: schedule_facts.py [--serial-only]
#
# With --serial-only: of the schedules on one stream the order of the work and
# the places of buffers, without what tells one body of a dispatch from another.
#
# ===----------------------------------------------------------------------===//

import re
import sys

BYTES = {"f32": 4, "bf16": 2, "f8E4M3FN": 1, "i32": 4, "i64": 8, "i1": 1,
         "f16": 2, "f8E8M0FNU": 1}
VALUE = r"%[\w#]+"


class Region:
    """A segment or an eager region."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.steps = []  # (launch, op) | (record, stream, event, slot) | (wait, stream, event)

    def ops(self):
        return [step[1] for step in self.steps if step[0] == "launch"]


class Op:
    def __init__(self, stream, name, accesses):
        self.stream, self.name, self.accesses = stream, name, accesses


class Schedule:
    def __init__(self, function, range_, streams, events, workspace):
        self.function, self.range, self.streams, self.events = (
            function, range_, streams, events)
        self.workspace = workspace
        self.regions, self.buffers = [], {}


def parse(lines):
    schedules = []
    function = range_ = schedule = region = stream = None
    views, names, lineage, is_gated = {}, {}, {}, []
    for line in lines:
        line = line.strip()
        if match := re.match(r"func\.func.* @(\w+)\(", line):
            function, range_ = match[1], "always"
            names = dict(re.findall(
                r'(%\w+): [^%]*?prefill\.name = "([^"]+)"', line))
            lineage = dict(names)
            views = {}
        elif match := re.match(r"sched\.dispatch on %\w+ upto (\d+) {", line):
            range_ = "upto " + match[1]
        elif line == "} otherwise {":
            range_ = "otherwise"
        elif line == "} {gate}":
            is_gated.append(function)
        elif match := re.match(r"sched\.schedule\(([^)]*)\)(.*)", line):
            events = re.search(r"events\((\d+)\)", match[2])
            schedule = Schedule(
                function, range_, match[1].split(", "),
                int(events[1]) if events else 0,
                re.search(r"workspace\((.*?)\)", match[2])[1])
            schedules.append(schedule)
        elif match := re.match(r'sched\.(segment|eager) "([^"]+)" {', line):
            region = Region(match[1], match[2])
            schedule.regions.append(region)
        elif match := re.match(
                rf"({VALUE}) = sched\.alloc.* at <(\d+), (\d+)> : memref<(.*)>",
                line):
            views.pop(match[1], None)
            *extents, element = match[4].split("x")
            size = BYTES[element]
            for extent in extents:
                size *= 1 if extent == "?" else int(extent)
            schedule.buffers[match[1]] = (
                "?" in extents, int(match[2] if "?" in extents else match[3]),
                (size + 255) // 256 * 256)
        elif match := re.match(
                rf"({VALUE}) = memref\.subview ({VALUE})\[0, (\d+)\]"
                r" \[[^,]*, (\d+)\]", line):
            base, low, _ = views.get(match[2], (match[2], 0, None))
            views[match[1]] = (base, low + int(match[3]),
                               low + int(match[3]) + int(match[4]))
        elif match := re.match(
                rf"({VALUE}) = memref\.(?:expand|collapse)_shape ({VALUE}) ",
                line):
            views[match[1]] = views.get(match[2], (match[2], 0, None))
        elif match := re.match(
                r"(%\w+) = sched\.record on (%\w+)(?: slot (\d+))?", line):
            region.steps.append(("record", match[2], match[1], match[3]))
        elif match := re.match(r"sched\.wait on (%\w+) for (.*)", line):
            for event in match[2].split(", "):
                region.steps.append(("wait", match[1], event))
        elif match := re.match(r"sched\.launch on (%\w+) {", line):
            stream = match[1]
        elif match := re.match(r"prefill\.(?!layer)(\w+) (.*)", line):
            kind, rest = match[1], match[2]  # no type has a value in it
            written = re.search(rf"into ({VALUE}(?:, {VALUE})*)", rest)[1]
            written = written.split(", ")
            both = re.findall(rf"state\(({VALUE})", rest)
            operands = re.findall(VALUE, rest)
            accesses = []
            for value in operands:
                base, low, high = views.get(value, (value, 0, None))
                accesses.append((base, low, high,
                                 value in written or value in both))
            if kind == "compress":
                name = f"compress({names[written[0]]})"
                root = name
            elif by := re.search(rf" by ({VALUE})", rest):
                name = root = names[by[1]]
            else:
                root = lineage[views.get(operands[0], (operands[0],))[0]]
                name = f"{kind}({root})"
                if kind in ("attend", "index_select"):
                    name = root = kind
            for value in written:
                base = views.get(value, (value,))[0]
                if base not in names:
                    lineage[base] = root
            region.steps.append(("launch", Op(stream, name, accesses)))
    return schedules, is_gated


def overlaps(a, b):
    """Whether two accesses touch a common column of one buffer."""
    if a[0] != b[0] or not (a[3] or b[3]):
        return False
    return ((a[2] is None or b[1] < a[2]) and (b[2] is None or a[1] < b[2]))


def reach(region, left_out=None):
    """What is done before each op, and before the end of the region."""
    done, events, before = {"%s0": {"start"}}, {}, {}
    for index, step in enumerate(region.steps):
        if index == left_out:
            continue
        if step[0] == "launch":
            op = step[1]
            known = done.setdefault(op.stream, set())
            before[op] = set(known)
            known.add(op)
        elif step[0] == "record":
            events[step[2]] = set(done.setdefault(step[1], set()))
        else:
            done.setdefault(step[1], set()).update(events[step[2]])
    return before, done["%s0"]


def missing_order(region, program, left_out=None):
    """The first pair that nothing orders, or None."""
    before, end = reach(region, left_out)
    ops = region.ops()
    for op in ops:
        if "start" not in before[op]:
            return f"start before {op.name}"
        if op not in end:
            return f"{op.name} before end"
    for first in ops:
        for second in ops:
            if program[first.name] < program[second.name] and any(
                    overlaps(a, b) for a in first.accesses
                    for b in second.accesses) and first not in before[second]:
                return f"{first.name} before {second.name}"
    return None


def shared_unordered(schedule):
    """Two buffers with common bytes whose uses nothing orders, or None."""
    uses = {}
    for place, region in enumerate(schedule.regions):
        before, _ = reach(region)
        for op in region.ops():
            for access in op.accesses:
                if access[0] in schedule.buffers:
                    uses.setdefault(access[0], []).append(
                        (place, op, before[op]))

    def precedes(a, b):
        return all(x[0] < y[0] or (x[0] == y[0] and x[1] in y[2])
                   for x in uses[a] for y in uses[b])

    names = [name for name in schedule.buffers if name in uses]
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            grows_a, begin_a, size_a = schedule.buffers[a]
            grows_b, begin_b, size_b = schedule.buffers[b]
            if (grows_a == grows_b and begin_a < begin_b + size_b
                    and begin_b < begin_a + size_a
                    and not precedes(a, b) and not precedes(b, a)):
                return f"{a} and {b}"
    return None


def main():
    schedules, gated = parse(sys.stdin)
    serial_only = "--serial-only" in sys.argv[1:]
    program = {}
    for schedule in schedules:
        for region in schedule.regions:
            ops = region.ops()
            order = {op.name: index for index, op in enumerate(ops)}
            assert len(order) == len(ops), "ops of equal names"
            program[region.name] = order
    for schedule in schedules:
        if serial_only:
            if len(schedule.streams) > 1:
                continue
            print(f"@{schedule.function}: {schedule.workspace}")
            for buffer in schedule.buffers.values():
                print(*buffer)
            for region in schedule.regions:
                print(region.kind, region.name.removesuffix(".serial") + ":",
                      ", ".join(op.name for op in region.ops()))
            continue
        print(f"@{schedule.function} {schedule.range}: "
              f"{len(schedule.streams)} streams, {schedule.events} slots")
        for region in schedule.regions:
            print(f" {region.kind} {region.name}")
            lanes = {stream: [] for stream in schedule.streams}
            last = {stream: "start" for stream in schedule.streams}
            recorded, waits = {}, []
            for index, step in enumerate(region.steps):
                if step[0] == "launch":
                    lanes[step[1].stream].append(step[1].name)
                    last[step[1].stream] = step[1].name
                elif step[0] == "record":
                    recorded[step[2]] = last[step[1]]
                else:
                    lanes[step[1]].append(f"wait {recorded[step[2]]}")
                    waits.append(index)
            for stream, lane in lanes.items():
                if lane:
                    print(f"  {stream[1:]}: {', '.join(lane)}")
            serial = program.get(region.name + ".serial", program[region.name])
            if missing := missing_order(region, serial):
                print("  NOT ORDERED:", missing)
            for index in waits:
                if missing_order(region, serial, index) is None:
                    print("  SUPERFLUOUS:", recorded[region.steps[index][2]],
                          "awaited on", region.steps[index][1])
            if waits:
                print(f"  {len(waits)} waits, checked")
        if shared := shared_unordered(schedule):
            print(" SHARED:", shared)
    for function in gated if not serial_only else []:
        print(f"@{function} is gated")


main()
