#!/usr/bin/env python3
"""Checks a SARIF log against the 2.1.0 standard, as far as haul writes it.

usage: sarif.py LOG...

Every object may have the properties below and no others; those with ! must be there. A property's type is a Python type, a
tuple of the values that it may have, a list of one type, or the name of another object.
"""

import json
import re
import sys

OBJECTS = {
    "log": {"$schema": str, "version!": ("2.1.0",), "runs!": ["run"]},
    "run": {"tool!": "tool", "invocations": ["invocation"], "results": ["result"], "columnKind": ("utf16CodeUnits", "unicodeCodePoints")},
    "tool": {"driver!": "driver"},
    "driver": {"name!": str, "version": str, "semanticVersion": str, "rules": ["rule"]},
    "rule": {"id!": str, "shortDescription": "text", "fullDescription": "text", "help": "text",
             "defaultConfiguration": "configuration", "properties": "properties"},
    "configuration": {"level": ("none", "note", "warning", "error")},
    "properties": {"tags": [str]},
    "result": {"ruleId": str, "ruleIndex": int, "level": ("none", "note", "warning", "error"), "message!": "text",
               "locations": ["location"], "relatedLocations": ["location"], "partialFingerprints": dict,
               "occurrenceCount": int, "suppressions": ["suppression"]},
    "invocation": {"executionSuccessful!": bool, "toolExecutionNotifications": ["notification"]},
    "notification": {"message!": "text", "level": ("none", "note", "warning", "error"), "locations": ["location"]},
    "text": {"text!": str},
    "location": {"id": int, "physicalLocation": "physical", "logicalLocations": ["logical"], "message": "text"},
    "physical": {"artifactLocation!": "artifact", "region": "region"},
    "artifact": {"uri!": "uri"},
    "region": {"startLine!": "position", "startColumn": "position"},
    "logical": {"name": str, "kind": ("function",)},
    "suppression": {"kind!": ("inSource", "external"), "justification": str},
}
URI = re.compile(r"(?:file:///)?(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})+\Z")


def wrong(path, what):
    sys.exit(f"{path}: {what}")


def hold(value, kind, path):
    if isinstance(kind, tuple):
        value in kind or wrong(path, f"{value!r} is none of {kind}")
    elif isinstance(kind, list):
        isinstance(value, list) or wrong(path, "is no array")
        for i, item in enumerate(value):
            hold(item, kind[0], f"{path}[{i}]")
    elif kind == "uri":
        URI.match(value) or wrong(path, f"{value!r} is no relative reference or file URI")
    elif kind == "position":
        isinstance(value, int) and value >= 1 or wrong(path, f"{value!r} does not count from 1")
    elif isinstance(kind, str):
        hold_object(value, OBJECTS[kind], path)
    else:
        isinstance(value, kind) or wrong(path, f"{value!r} is no {kind.__name__}")


def hold_object(value, properties, path):
    isinstance(value, dict) or wrong(path, "is no object")
    known = {name.rstrip("!"): kind for name, kind in properties.items()}
    for name in properties:
        if name.endswith("!") and name[:-1] not in value:
            wrong(path, f"has no {name[:-1]}")
    for name, member in value.items():
        name in known or wrong(path, f"may not have {name}")
        hold(member, known[name], f"{path}.{name}")


def hold_references(log):
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        len({r["id"] for r in rules}) == len(rules) or wrong("rules", "have the same id")
        for i, result in enumerate(run["results"]):
            rule = rules[result["ruleIndex"]]
            rule["id"] == result["ruleId"] or wrong(f"results[{i}]", "names a rule that is not at its index")
            ids = [place["id"] for place in result.get("relatedLocations", [])]
            len(set(ids)) == len(ids) or wrong(f"results[{i}]", "has related locations of one id")


for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        log = json.load(file)
    hold(log, "log", name)
    hold_references(log)
