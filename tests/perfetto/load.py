#!/usr/bin/env python3
"""Loads trace files into Perfetto's own parser and compares what it keeps with what is in them.

    python3 -m venv venv && venv/bin/pip install perfetto
    venv/bin/python tests/perfetto/load.py step.json.gz ...

The package downloads trace_processor when it is first used; without a network this script says so
and exits with 77, as a test that was skipped.
"""

import collections
import gzip
import json
import sys


def phases(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return collections.Counter(event["ph"] for event in events)


def main(paths):
    try:
        from perfetto.trace_processor import TraceProcessor
    except ImportError:
        print("skipped: the package perfetto is not installed")
        return 77
    wrong = 0
    for path in paths:
        try:
            processor = TraceProcessor(trace=path)
        except Exception as error:  # The package raises whatever its download met.
            print(f"skipped: trace_processor cannot be started: {error}")
            return 77

        def number(query):
            return next(iter(processor.query(query))).n

        counted = phases(path)
        slices = number("select count(*) as n from slice")
        arrows = number("select count(*) as n from flow")
        errors = [
            (row.name, row.value)
            for row in processor.query(
                "select name, value from stats where severity = 'error' and value > 0"
            )
        ]
        print(f"{path}: {slices} of {counted['X']} slices, {arrows} of {counted['s']} arrows", *errors)
        wrong += slices != counted["X"] or arrows != counted["s"] or bool(errors)
        processor.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
