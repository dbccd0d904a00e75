#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every call of the public headers has a case of misuse of its kind in tests/unit/test_misuse_*.c.

A call that returns a sinew_result wants one that is refused; one that returns nothing, one that does nothing (or dies
of an assert, where the header says so); any other, one that says what it answers. Prints how many calls there are."""
import glob
import os
import re
import sys

root = os.environ.get("SINEW_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

calls = {}
for header in sorted(glob.glob(os.path.join(root, "include", "sinew", "*.h"))):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    text = re.sub(r"^\s*#.*?(?<!\\)\n", "\n", text, flags=re.M)
    for declared in re.findall(r"SINEW_API\s+(.*?);", text, flags=re.S):
        found = re.match(r"(.*?)(\w+)\s*\(.*\)$", " ".join(declared.split()))
        calls[found.group(2)] = (os.path.basename(header), found.group(1).strip())

cases = {}
patterns = {
    "refused": r"\b(?:REFUSES|(?:REFUSES_WITH|MAKES_NOTHING|SPOILS|SPOILS_MAKING|SPOILS_PLAIN)\(\s*\w+\s*,\s*)"
               r"\(?\s*(sinew_\w+)",
    "answered": r"\bANSWERS\(\s*(sinew_\w+)",
    "nothing": r"\bNOTHING\(\s*(?:\(void\))?(sinew_\w+)",
    "dies": r"\bDIES\(\s*(sinew_\w+)",
}
for program in glob.glob(os.path.join(root, "tests", "unit", "test_misuse_*.c")):
    with open(program, encoding="utf-8") as file:
        text = file.read().replace("\\\n", "\n")
    for kind, pattern in patterns.items():
        for name in re.findall(pattern, text):
            cases.setdefault(name, set()).add(kind)

faults = []
for name, (header, result) in calls.items():
    had = cases.get(name, set())
    wanted = {"sinew_result": "refused", "void": "nothing"}.get(result, "answered")
    if wanted not in had:
        faults.append("%s: %s has no case that is %s (has %s)" % (header, name, wanted, ", ".join(sorted(had)) or "none"))
for name in sorted(set(cases) - set(calls)):
    faults.append("%s has cases, and is no call of the headers" % name)
for fault in faults:
    print(fault)
print("%d public calls, %d with cases" % (len(calls), sum(name in cases for name in calls)))
sys.exit(1 if faults or len(calls) < 400 else 0)
