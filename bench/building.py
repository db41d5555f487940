# SPDX-License-Identifier: Apache-2.0
"""What it costs to build long and odd sources: processor time and memory, beside clang -O2 and other platforms.

usage: building.py [NAME=LIBRARY[:FOLDER] ...] [--only TEXT] [--clang PROGRAM] [--limit SECONDS]
example: building.py before=/opt/old/libclpy.so intel=/opt/ocl/libintelocl.so:/opt/ocl --only switch

Each build is a process of its own, without a cache. From its time that of a process which builds a trivial kernel is
taken away, but for the row of that kernel, which is its second build and first launch in a process, in milliseconds of
time that passes. Where a source does not build the row says so: too many arguments or nested loops may be refused.
"""
import argparse
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRIVIAL = "kernel void k%d(global float *a, global const float *b) { int i = get_global_id(0); a[i] = b[i] * %d; }\n"
SMALL = "a small kernel, again, with its first launch"
LAUNCHED = 300
EACH = f"{LAUNCHED} trivial kernels, each launched"
ONCE = ""                    # what each other row has besides
WAITING = 10                 # times as long as its processor time may a build take where others use the processors
OVER = (-signal.SIGXCPU, -signal.SIGKILL)


def body(text):
    return f"kernel void k(global int *a, int n) {{ int x = n; {text} a[get_global_id(0)] = x; }}\n"


def statements(n):
    return body("".join(f"x = x * {i} + a[x & {i % 1000}];\n" for i in range(1, n + 1)))


def switch(n):
    return body("switch (n) {" + "".join(f"case {i}: x += a[{i * 7 % n}]; break;\n" for i in range(n)) + "}")


def nested(n):
    return body("".join(f"for (int i{i} = 0; i{i} < n; i{i}++) " for i in range(n)) + "x += a[x & 7];")


def arguments(n):
    return f"kernel void k({', '.join(f'global int *a{i}' for i in range(n))}) {{ a0[0] = a1[0]; }}\n"


# Name -> (source, options)
SOURCES = {
    ONCE: (lambda: TRIVIAL % (0, 2), ""),
    SMALL: (lambda: TRIVIAL % (0, 2), ""),
    "20,000 statements": (lambda: statements(20_000), ""),
    "90,000 statements": (lambda: statements(90_000), ""),
    "a switch of 10,000 cases": (lambda: switch(10_000), ""),
    "a switch of 50,000 cases": (lambda: switch(50_000), ""),
    "2,000 trivial kernels": (lambda: "".join(TRIVIAL % (i, i) for i in range(2000)), ""),
    EACH: (lambda: "".join(TRIVIAL % (i, i) for i in range(LAUNCHED)), ""),
    "options of 1 MB": (lambda: TRIVIAL % (0, 2), " ".join(f"-DNAME_{i}={i}" for i in range(60_000))),
    "a constant array of 1 GB": (lambda: "constant int t[1 << 28] = {1, 2, 3};\n" + body("x = t[n];"), ""),
    "1,000 nested loops": (lambda: nested(1000), ""),
    "20,000 arguments": (lambda: arguments(20_000), ""),
}


class OpenCL:
    """What a build takes of the API, on the first device."""

    def __init__(self):
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateProgramWithSource", "clCreateCommandQueue", "clCreateKernel",
                     "clCreateBuffer"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        platform, self.device, self.error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
        self.cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(self.device), None)
        self.context = self.made("clCreateContext", None, 1, ctypes.byref(self.device), None, None)

    def made(self, name, *arguments):
        return ctypes.c_void_p(getattr(self.cl, name)(*arguments, ctypes.byref(self.error)))

    def build(self, source, options):
        """(Error code, program)."""
        program = self.made("clCreateProgramWithSource", self.context, 1, (ctypes.c_char_p * 1)(source), None)
        return self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), options, None, None), program

    def launch(self, program, n=1):
        """The first kernels of the program, all of which have objects by then."""
        queue = self.made("clCreateCommandQueue", self.context, self.device, ctypes.c_ulong(0))
        buffers = [self.made("clCreateBuffer", self.context, ctypes.c_ulong(1), ctypes.c_size_t(4096), None)
                   for _ in range(2)]
        for kernel in [self.made("clCreateKernel", program, b"k%d" % i) for i in range(n)]:
            for index, buffer in enumerate(buffers):
                self.cl.clSetKernelArg(kernel, index, ctypes.c_size_t(8), ctypes.byref(buffer))
            self.cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (ctypes.c_size_t * 1)(1024), None, 0, None, None)
        self.cl.clFinish(queue)


def worker(name):
    """In a process of its own: builds one of the sources and prints what a row needs but the process's own figures."""
    opencl, (source, options) = OpenCL(), SOURCES[name]
    code, program = opencl.build(source().encode(), options.encode())
    if name == SMALL:
        opencl.launch(program)
        best = 1e9
        for n in range(1, 12):
            start = time.perf_counter()
            code, program = opencl.build((f"// {n}\n" + source().replace("* 2", f"* {n + 2}")).encode(), b"")
            opencl.launch(program)
            best = min(best, time.perf_counter() - start)
        print("took", best)
    if name == EACH:
        opencl.launch(program, LAUNCHED)
    print("code", code)
    sys.stdout.flush()
    os._exit(0)


def run(command, limit, **more):
    """(Seconds of processor time, MB of memory, output, exit code) of a process; None where it took more than `limit`
    of the first, or far more of the clock's."""
    read, write = os.pipe()
    process = subprocess.Popen(command, stdout=write, stderr=subprocess.DEVNULL, **more)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
    os.close(write)
    end = time.monotonic() + WAITING * limit
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > end:
            process.send_signal(signal.SIGKILL)
            os.wait4(process.pid, 0)
            os.close(read)
            return None
        time.sleep(0.005)
    with os.fdopen(read) as text:
        if os.waitstatus_to_exitcode(status) in OVER:
            return None
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text.read(), os.waitstatus_to_exitcode(status)


def built_by(library, folder, name, limit):
    with tempfile.TemporaryDirectory() as vendors:
        (Path(vendors) / "one.icd").write_text(library + "\n")
        environment = dict(os.environ, OCL_ICD_VENDORS=vendors, CLPY_CACHE="0", CLPY_DEVICES="cpu")
        if folder:
            environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}"
        return run([sys.executable, __file__, "--worker", name], limit, env=environment)


def built_by_clang(clang, name, limit):
    source, options = SOURCES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.cl"
        path.write_text(source())
        (Path(folder) / "options").write_text(options)
        return run([clang, "-O2", "-x", "cl", "-cl-std=CL1.2", "-w", "-target", "x86_64-linux-gnu", "-Xclang",
                    "-finclude-default-header", "-Xclang", "-fdeclare-opencl-builtins", f"@{folder}/options", "-c",
                    str(path), "-o", f"{folder}/k.o"], limit)


def shown(found, base, name):
    """A cell of the table: seconds and MB, milliseconds for the small kernel."""
    if found is None:
        return "too long"
    seconds, memory, text, code = found
    words = text.split()
    if code or (words and words[-1] != "0"):
        return f"refused, {max(seconds - base, 0):.1f} s" if code >= 0 else f"died ({code})"
    if name == SMALL and words:
        return f"{float(words[1]) * 1000:.1f} ms"
    return f"{max(seconds - base, 0):.2f} s, {memory:.0f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="NAME=LIBRARY[:FOLDER]")
    parser.add_argument("--only", default="", help="sources whose name has this text")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--limit", type=int, default=120, metavar="SECONDS", help="of processor time, for one build")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if args.worker is not None:
        return worker(args.worker)
    platforms = {"clpy": (str(ROOT / "clpy" / "libclpy.so"), "")}
    for peer in args.peers:
        name, _, place = peer.partition("=")
        library, _, folder = place.partition(":")
        platforms[name] = (library, folder)
    builders = {name: lambda source, library=library, folder=folder: built_by(library, folder, source, args.limit)
                for name, (library, folder) in platforms.items()}
    builders["clang -O2"] = lambda source: built_by_clang(args.clang, source, args.limit)
    print("| source |" + "".join(f" {name} |" for name in builders))
    print("|---|" + "---|" * len(builders))
    once = {name: build(ONCE)[0] for name, build in builders.items()}
    for source in SOURCES:
        if source != ONCE and args.only in source:
            cells = [shown(build(source), once[name], source) for name, build in builders.items()]
            print(f"| {source} |" + "".join(f" {cell} |" for cell in cells), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
