# SPDX-License-Identifier: Apache-2.0
"""Times clpy, and other platforms beside it in the same run, against what the machine can do at most.

usage: compare.py [NAME=LIBRARY[:FOLDER] ...] [--only TEXT] [--rounds N] [--json FILE]
example: compare.py pocl=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0 intel=/opt/ocl/libintelocl.so:/opt/ocl --only FFT

Workloads of programs' kinds stand in kernels.py and barriers.py and, as most programs write them, in plain_kernels.py,
plain_loops.py, plain_vectors.py, sorting.py and uneven.py; those of the platform's own paths in workloads.py.

LIBRARY is a platform's shared library (the content of an .icd file); FOLDER is put in front of LD_LIBRARY_PATH.
The platforms take turns, each turn in a process of its own; the best of the rounds counts. A ratio is the peer's time
by clpy's time: above 1, clpy is faster. "of machine" is clpy's share of what native code reaches in the same run, and
of what (limits.c: streams, reads, multiply-adds, integer operations, gathers; operations are those that the source has,
"-" where the machine bounds nothing: a launch, a build). "width" is how many work-items at a time clpy takes in the
regions between barriers; 16-64 is 16, or 64 where there are as many.
Exit code 1 when a result is wrong or a platform fails.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def chosen(workloads, only):
    return [item for item in workloads if only in f"{item.prepare.__module__}: {item.name}"]


def each(only, measure):
    """In a worker: {name: what `measure` finds for a workload, or a text that says what went wrong}."""
    import barriers  # noqa: F401 (it adds its workloads)
    import kernels  # noqa: F401 (likewise)
    import plain_kernels  # noqa: F401 (likewise)
    import plain_loops  # noqa: F401 (likewise)
    import plain_vectors  # noqa: F401 (likewise)
    import pyopencl as cl
    import sorting  # noqa: F401 (likewise)
    import uneven  # noqa: F401 (likewise)
    from workloads import WORKLOADS

    class Queue(cl.CommandQueue):
        """One that knows its context: the context that some platforms' queues name cannot be retained."""
        context = None

    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = Queue(context)
    queue.context = context
    results = {"device": device.name}
    for item in chosen(WORKLOADS, only):
        try:
            results[item.name] = measure(item, queue)
        except Exception as error:          # what a peer cannot run is a result of the comparison
            results[item.name] = f"FAIL {str(error).strip().splitlines()[0][:100] if str(error) else type(error)}"
    return results


def time_one(item, queue, seconds=0.3, clock=time.perf_counter):
    run, check, amount = item.prepare(queue)
    run()
    queue.finish()
    if not check():
        return "WRONG"
    best, end, turns = float("inf"), time.perf_counter() + seconds, 0
    while turns < 3 or time.perf_counter() < end:
        start = clock()
        run()
        queue.finish()
        best = min(best, clock() - start)
        turns += 1
    if not check():
        return "WRONG"
    per_run = best / amount if item.unit == "us" else best
    return {"seconds": per_run, "rate": per_run * 1e6 if item.unit == "us" else
            amount / best / (1e6 if item.unit == "Mitem/s" else 1e9)}


def work_one(item, queue):
    return time_one(item, queue, clock=time.process_time)


def width_of(item, queue):
    """What the build log says at CLPY_DEBUG=3 of each region between barriers: work-items at a time, 1 for scalar."""
    from workloads import LOGS
    LOGS.clear()
    item.prepare(queue)
    found = re.findall(r"\.region\.\d+: (?:scalar|(\d+) work-items at a time(?:, (\d+) where)?)", "\n".join(LOGS))
    return ",".join(dict.fromkeys((width or "1") + (f"-{wide}" if wide else "") for width, wide in found))


def run_worker(library, folder, only, mode="time", **switches):
    with tempfile.TemporaryDirectory() as vendors:
        (Path(vendors) / "one.icd").write_text(library + "\n")
        env = dict(os.environ, OCL_ICD_VENDORS=vendors, PYOPENCL_NO_CACHE="1", **switches)
        if folder:
            env["LD_LIBRARY_PATH"] = f"{folder}:{env.get('LD_LIBRARY_PATH', '')}"
        command = [sys.executable, __file__, "--worker", mode, "--only", only]
        result = subprocess.run(command, env=env, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"device": f"died ({result.returncode}): {result.stderr.strip()[-200:]}"}


def machine_limits():
    binary = ROOT / "build" / "limits"
    binary.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=fast", "-fopenmp", str(HERE / "limits.c"), "-o",
                    str(binary)], check=True)
    return json.loads(subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout)


def better(old, new):
    if not isinstance(old, dict) or not isinstance(new, dict):
        return old if isinstance(old, str) else new
    return min(old, new, key=lambda result: result["seconds"])


def format_row(item, results, names, limits, widths):
    first = results[names[0]].get(item.name)
    row = f"{item.name:<36}"
    for name in names:
        result = results[name].get(item.name, "-")
        row += f"{result['rate']:>12.2f}" if isinstance(result, dict) else f"{result[:11]:>12}"
    row += f" {item.unit:<8}"
    for name in names[1:]:
        result = results[name].get(item.name)
        both = isinstance(result, dict) and isinstance(first, dict)
        row += f"{result['seconds'] / first['seconds']:>10.2f}x" if both else f"{'-':>11}"
    share = item.share(first["rate"], limits) if limits is not None and isinstance(first, dict) else None
    reached = "-" if share is None else f"{100 * share:.0f} %"
    return row + f"{reached:>12} {item.limit.split('_')[0]:<7}{widths.get(item.name, ''):>9}"


def geometric_means(items, results, names):
    """One line a peer: over all workloads that both ran, and what the peer is faster at."""
    for name in names[1:]:
        ratios = {}
        for item in items:
            ours, theirs = (results[n].get(item.name) for n in (names[0], name))
            if isinstance(ours, dict) and isinstance(theirs, dict):
                ratios[item.name] = theirs["seconds"] / ours["seconds"]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            faster = ", ".join(f"{k} ({r:.2f})" for k, r in ratios.items() if r < 1) or "nothing"
            yield f"# {name}/{names[0]}: geometric mean over {len(ratios)} {mean:.2f}; {name} is faster at: {faster}"


WORKERS = {"time": time_one, "work": work_one, "width": width_of}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="NAME=LIBRARY[:FOLDER]")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="workloads whose name holds TEXT; `kernels:` and `workloads:` are the two files")
    parser.add_argument("--processor-time", action="store_true",
                        help="count the time that processors work, for a machine that has other work too")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--worker", choices=list(WORKERS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    for peer in args.peers:
        if "=" not in peer:
            parser.error(f"{peer}: NAME=LIBRARY is needed")
    return args


def main():
    args = parse_arguments()
    if args.worker:
        print(json.dumps(each(args.only, WORKERS[args.worker])))
        return 0
    import barriers  # noqa: F401 (it adds its workloads)
    import kernels  # noqa: F401 (likewise)
    import plain_kernels  # noqa: F401 (likewise)
    import plain_loops  # noqa: F401 (likewise)
    import plain_vectors  # noqa: F401 (likewise)
    import sorting  # noqa: F401 (likewise)
    import uneven  # noqa: F401 (likewise)
    from workloads import WORKLOADS
    platforms = [f"clpy={ROOT / 'clpy' / 'libclpy.so'}", *args.peers]
    platforms = {text.partition("=")[0]: text.partition("=")[2].partition(":")[::2] for text in platforms}
    limits = None if args.processor_time else machine_limits()
    widths = run_worker(*next(iter(platforms.values())), args.only, "width", CLPY_DEBUG="3", CLPY_CACHE="0")
    results = {name: {} for name in platforms}
    for number in range(args.rounds):
        for name, (library, folder) in platforms.items():
            print(f"round {number + 1} of {args.rounds}: {name}", file=sys.stderr, flush=True)
            for key, value in run_worker(library, folder, args.only, "work" if args.processor_time else "time").items():
                old = results[name].get(key)
                results[name][key] = value if old is None or key == "device" else better(old, value)
    names = list(platforms)
    for name in names:
        print(f"# {name}: {results[name]['device']}")
    if limits is not None:
        print(f"# machine, {limits['threads']} threads: stream {limits['stream_gbs']} GB/s, "
              f"read {limits['read_gbs']} GB/s, fma {limits['fma_gflops']} GFLOP/s, "
              f"int {limits['int_gops']} Gop/s of 32 bits, gather {limits['gather_gitems']} Gitem/s from 4 MiB")
    ratios = "".join(f"{name + '/clpy':>11}" for name in names[1:])
    print(f"{'workload':<36}{''.join(f'{name:>12}' for name in names)} {'':<8}{ratios}{'of machine':>12} "
          f"{'':<7}{'width':>9}")
    items = chosen(WORKLOADS, args.only)
    for item in items:
        print(format_row(item, results, names, limits, widths))
    for line in geometric_means(items, results, names):
        print(line)
    if args.json:
        all_of_it = {"limits": limits, "widths": widths, "results": results}
        Path(args.json).write_text(json.dumps(all_of_it, indent=1) + "\n")
    return 0 if all(isinstance(results[names[0]].get(item.name), dict) for item in items) else 1


if __name__ == "__main__":
    sys.exit(main())
