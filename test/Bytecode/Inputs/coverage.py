# ===- coverage.py - What no golden file has -------------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# coverage.py GOLDENS VERSION_HEADER GENERIC JSON...
#
# Compares what TableGen knows of the dialects (JSON of llvm-tblgen) with the
# golden files in the generic form of text (GENERIC): ops with each of their
# attributes, attributes with each case of their enums, types, and attributes
# on functions and arguments. GOLDENS has a folder for each version; the
# version that VERSION_HEADER declares has to be one of them.

import json
import os
import re
import sys

goldens, version_header, generic, *records = sys.argv[1:]
text = open(generic).read()
missing = []
counts = {}


def expect(what, pattern):
    counts[what.split()[0]] = counts.get(what.split()[0], 0) + 1
    if not re.search(pattern, text):
        missing.append(what)


seen = set()
for path in records:
    tables = json.load(open(path))
    instances = tables["!instanceof"]

    def dialect(record, key):
        return tables[tables[record][key]["def"]]["name"]

    def is_attribute(operand):
        kind = operand[0]["def"]
        return kind in instances["Attr"]

    for name in instances["Op"]:
        op = f"{dialect(name, 'opDialect')}.{tables[name]['opName']}"
        expect(f"op {op}", f'"{re.escape(op)}"\\(')
        # The properties of an op are on its line, between <{ and }>.
        for operand in tables[name]["arguments"]["args"]:
            if is_attribute(operand):
                expect(f"attribute {operand[1]} of {op}",
                       f'"{re.escape(op)}"\\([^\\n]*<{{[^\\n]*\\b{operand[1]}\\b')
    for prefix, kind in [("#", "AttrDef"), ("!", "TypeDef")]:
        for name in instances[kind]:
            record = tables[name]
            spelling = f"{prefix}{dialect(name, 'dialect')}.{record['mnemonic']}"
            if spelling in seen:
                continue
            seen.add(spelling)
            expect(f"{'attribute' if prefix == '#' else 'type'} {spelling}",
                   re.escape(spelling) + "\\b")
            if name not in instances.get("EnumAttr", []):
                continue
            for case in tables[record["enum"]["def"]]["enumerants"]:
                case = tables[case["def"]]["str"]
                expect(f"case {spelling}<{case}>",
                       re.escape(f"{spelling}<{case}>"))
    for name in instances["Dialect"]:
        for attribute in re.findall(r'return "(\w+\.\w+)"',
                                    tables[name]["extraClassDeclaration"]):
            if attribute in seen:
                continue
            seen.add(attribute)
            expect(f"attribute {attribute} of functions or arguments",
                   f"\\b{re.escape(attribute)}\\b( =|,|}})")

header = open(version_header).read()
version = ".".join(re.search(rf"kDialect{part} = (\d+)", header)[1]
                   for part in ["Major", "Minor"])
if not os.path.isdir(os.path.join(goldens, version)):
    missing.append(f"version {version}")
for what in missing:
    print(f"no golden file has the {what}; see docs/Compatibility.md")
if missing:
    sys.exit(1)
print("golden files have " + ", ".join(f"{n} of {n} {what}s"
                                       for what, n in sorted(counts.items())))
