# SPDX-License-Identifier: Apache-2.0
"""The largest error of each math function, over all arguments where there are few enough of them, and its time.

usage: python -m tests.accuracy.run [--only NAME,...] [--types half,float,double] [--arguments N | --whole]
           [--times [NAME=LIBRARY[:FOLDER] ...]] [--results FILE] [--page FILE]
       python -m tests.accuracy.run --results tests/accuracy/measured.json --page docs/accuracy.md
example: python -m tests.accuracy.run --only exp,pow --types float --arguments 1000000

Functions of one half or float, and of two halves, are tried with every argument with --whole, others with --arguments
of them (default 1,000,000; with --whole 100,000,000): special values, random bit patterns, sizes near 1, and for
powers such exponents that results have any size. Halves and floats are compared in double, doubles in quadruple
precision. Results are kept in a file from which the page is printed; what is not measured this time stays there.
Exit code 1 when an error is larger than the specification allows. A C compiler with libquadmath is needed.
"""
import argparse
import json
import math
import sys
import time
from pathlib import Path

from . import page, reference
from .table import FUNCTIONS, TYPES, kernel

HERE = Path(__file__).resolve().parent
CHUNK = 1 << 24
BITS = {"half": 16, "float": 32, "double": 64}


def every(function, name):
    """How many arguments there are, None where they are too many to try."""
    bits = BITS[name] * (2 if function.second == "T" else 1)
    return None if function.second == "int" or bits > 32 else 1 << bits


def measure(queue, function, name, count, whole):
    """{"error", "at", "got", "arguments", "every"} of a function of one type."""
    import pyopencl as cl
    total = every(function, name)
    all_of_them = total is not None and (whole or total <= count)
    total = total if all_of_them else count
    exact = reference.Reference(function, name, all_of_them)
    run = cl.Program(queue.context, kernel(function, name)).build(cache_dir=False).k
    size = min(CHUNK, total)
    x, y, got = exact.arrays(size)
    buffers = [cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, a.nbytes) for a in (got, x, y) if a is not None]
    worst = {"error": -1.0}
    for first in range(0, total, size):
        n = min(size, total - first)
        exact.fill(first, n, x, y)
        for buffer, array in zip(buffers[1:], (x, y), strict=False):
            cl.enqueue_copy(queue, buffer, array[:n])
        run(queue, (n,), None, *buffers)
        cl.enqueue_copy(queue, got[:n], buffers[0])
        error, at = exact.worst(x, y, got, n)
        if error > worst["error"]:
            shown = [float(a[at]) if a.dtype.kind == "f" else int(a[at]) for a in (x, y, got) if a is not None]
            worst = {"error": round(error, 4) if math.isfinite(error) else "inf",
                     "at": [repr(v) for v in shown[:-1]], "got": repr(shown[-1])}
            if error == math.inf:
                break
    return {**worst, "arguments": total, "every": all_of_them}


def failed(function, name, result):
    limit = function.limits[TYPES.index(name)]
    return limit is not None and (result["error"] == "inf" or result["error"] > limit)


def errors(args, results):
    """Fill results[type][function] and say what is wrong."""
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    device = platform.get_devices(cl.device_type.CPU)[0]
    queue = cl.CommandQueue(cl.Context([device]))
    wrong = []
    for name in args.types:
        for function in args.functions:
            start = time.monotonic()
            count = args.arguments or (100_000_000 if args.whole else 1_000_000)
            result = measure(queue, function, name, count, args.whole)
            results.setdefault(name, {}).setdefault(function.name, {}).update(result)
            line = (f"{name} {function.name}: {result['error']} ulp at {', '.join(result['at'])} "
                    f"({result['arguments']} arguments, {time.monotonic() - start:.0f} s)")
            if failed(function, name, result):
                wrong.append(line)
                line += f"; {function.limits[TYPES.index(name)]} are allowed"
            print(line, flush=True)
            keep(args.results, results)
    return wrong


def keep(path, results):
    """After each function, for it may be hours."""
    if path is not None:
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        partial.replace(path)


def chosen(text, known, what):
    names = text.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]}: no such {what}; there are {', '.join(known)}")
    return names


def main():
    known = {f.name: f for f in FUNCTIONS}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda t: chosen(t, known, "function"), default=list(known), metavar="NAME,...")
    parser.add_argument("--types", type=lambda t: chosen(t, TYPES, "type"), default=list(TYPES), metavar="TYPE,...")
    parser.add_argument("--arguments", type=int, metavar="N")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--times", nargs="*", metavar="NAME=LIBRARY[:FOLDER]",
                        help="time each function, beside these platforms, and measure no errors")
    parser.add_argument("--results", type=Path, default=None, metavar="FILE", help="keep what is found there")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the table there; measure nothing")
    args = parser.parse_args()
    if args.arguments is not None and args.arguments < 1:
        parser.error(f"--arguments {args.arguments}: at least 1 is needed")
    args.functions = [known[name] for name in args.only]
    results = json.loads(args.results.read_text()) if args.results and args.results.exists() else {}
    import tests.conftest  # noqa: F401 (loaders see the platform of this tree)
    wrong = []
    if args.page:
        args.page.write_text(page.text(results))
        return 0
    if args.times is not None:
        from . import times
        times.measure(args.times, args.functions, args.types, results)
    else:
        wrong = errors(args, results)
    keep(args.results, results)
    print(f"{len(wrong)} beyond the limit", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
