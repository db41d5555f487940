# SPDX-License-Identifier: Apache-2.0
"""A Python program as a host, through ctypes and the system loader. Runs on any Python 3: it is given to many.

    through_ctypes.py MODE

prints "platform" or "no platform", and fails when something of the interpreter has changed.
"""
import ctypes
import os
import signal
import sys
import threading
import time


def loader(gil=False):
    """libOpenCL.so.1; with `gil` its functions are called without giving the GIL away, as some bindings do."""
    return (getattr(ctypes, "PyDLL", ctypes.CDLL) if gil else ctypes.CDLL)("libOpenCL.so.1")      # PyPy has no PyDLL


def find_clpy(lib):
    """The platform, None when there is none."""
    ids = (ctypes.c_void_p * 16)()
    n = ctypes.c_uint(0)
    lib.clGetPlatformIDs(16, ids, ctypes.byref(n))
    for i in range(n.value):
        name = ctypes.create_string_buffer(256)
        assert lib.clGetPlatformInfo(ctypes.c_void_p(ids[i]), 0x0902, ctypes.c_size_t(256), name, None) == 0
        if name.value == b"clpy":
            return ctypes.c_void_p(ids[i])
    return None


def has_clpy(lib):
    """Is there the platform, with a device?"""
    platform, device = find_clpy(lib), ctypes.c_void_p()
    if platform is None:
        return False
    code = lib.clGetDeviceIDs(platform, ctypes.c_uint64(1), 1, ctypes.byref(device), None)
    assert code in (0, -1), code
    return code == 0


def run_kernel(lib, turns=0):
    """Builds a kernel that nobody has built before, runs it and looks at what it made; one work-item turns round."""
    device, error, n = ctypes.c_void_p(), ctypes.c_int(), 1000
    assert lib.clGetDeviceIDs(find_clpy(lib), ctypes.c_uint64(1), 1, ctypes.byref(device), None) == 0

    def make(name, *arguments):
        function = getattr(lib, name)
        function.restype = ctypes.c_void_p
        made = function(*arguments, ctypes.byref(error))
        assert error.value == 0, (name, error.value)
        return ctypes.c_void_p(made)

    def ok(name, *arguments):
        code = getattr(lib, name)(*arguments)
        assert code == 0, (name, code)

    context = make("clCreateContext", None, 1, ctypes.byref(device), None, None)
    queue = make("clCreateCommandQueue", context, device, ctypes.c_uint64(0))
    text = """kernel void f(global int *a) {{
        int i = get_global_id(0);
        if (i == 0) for (volatile int turns = {}; turns > 0; turns--);
        a[i] = i * 3 + 1;
    }} // {} {}"""
    source = ctypes.c_char_p(text.format(turns, os.getpid(), time.time()).encode())
    program = make("clCreateProgramWithSource", context, 1, ctypes.byref(source), None)
    ok("clBuildProgram", program, 1, ctypes.byref(device), b"", None, None)
    kernel = make("clCreateKernel", program, b"f")
    memory = make("clCreateBuffer", context, ctypes.c_uint64(1), ctypes.c_size_t(4 * n), None)
    ok("clSetKernelArg", kernel, 0, ctypes.c_size_t(8), ctypes.byref(memory))
    size = ctypes.c_size_t(n)
    ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, ctypes.byref(size), None, 0, None, None)
    out = (ctypes.c_int * n)()
    ok("clEnqueueReadBuffer", queue, memory, 1, ctypes.c_size_t(0), ctypes.c_size_t(4 * n), out, 0, None, None)
    assert list(out) == [3 * i + 1 for i in range(n)]
    wrong = make("clCreateProgramWithSource", context, 1, ctypes.byref(ctypes.c_char_p(b"kernel void f( {")), None)
    assert lib.clBuildProgram(wrong, 1, ctypes.byref(device), b"", None, None) == -11
    for name, what in (("Kernel", kernel), ("Program", program), ("Program", wrong), ("MemObject", memory),
                       ("CommandQueue", queue), ("Context", context)):
        ok("clRelease" + name, what)
    return True


def kernel(turns=0):
    """Twice: with the interpreter's lock given away, and without."""
    return run_kernel(loader()) and run_kernel(loader(gil=True), turns)


def interrupted():
    """A wait for what never comes ends with the interrupt. CPython since 3.7 only: others are not asked for signals."""
    if sys.version_info < (3, 7) or sys.implementation.name != "cpython":
        return kernel()
    lib, device, error, found = loader(), ctypes.c_void_p(), ctypes.c_int(), False
    assert lib.clGetDeviceIDs(find_clpy(lib), ctypes.c_uint64(1), 1, ctypes.byref(device), None) == 0
    lib.clCreateContext.restype = lib.clCreateUserEvent.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
    event = ctypes.c_void_p(lib.clCreateUserEvent(context, ctypes.byref(error)))
    assert event and error.value == 0
    thread = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    thread.start()
    try:
        lib.clWaitForEvents(1, ctypes.byref(event))
        time.sleep(60)
    except KeyboardInterrupt:
        found = True
    thread.join()
    return found and kernel()


def several_interpreters():
    """In a second interpreter of the same process, where a wait takes so long that signals are looked for, and after
    its end; where this Python has a module for it."""
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return kernel()
    first = kernel()
    other = interpreters.create()
    here = os.path.dirname(os.path.abspath(__file__))
    # ctypes may refuse to be in a second interpreter, which is then of no use here.
    script = """
import sys
sys.path.insert(0, {!r})
try:
    import ctypes
except ImportError:
    ctypes = None
if ctypes:
    import through_ctypes
    assert through_ctypes.kernel(turns=1_000_000_000)
"""
    interpreters.run_string(other, script.format(here))
    interpreters.destroy(other)
    return first and kernel()


def plain():
    path, signals = list(sys.path), [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    found = has_clpy(loader())
    assert sys.path == path, (path, sys.path)
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)] == signals
    return found


def with_gil():
    """Two bindings at once: some threads come with the GIL, some without, and none waits for ever."""
    libs = [loader(gil=True), loader(gil=False)]
    gate = threading.Barrier(8)
    found = []

    def first(i):
        gate.wait()
        found.append(has_clpy(libs[i % 2]))

    threads = [threading.Thread(target=first, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive(), "a thread hangs"
    assert len(found) == 8 and len(set(found)) == 1, found
    return found[0]


def other_clpy():
    """The program has a module of its own that is called clpy."""
    import types
    sys.modules["clpy"] = types.ModuleType("clpy")
    return kernel() and sys.modules["clpy"].__name__ == "clpy" and "clpy.core" not in sys.modules


def at_exit():
    """The first call comes while the interpreter ends."""
    lib = loader()

    class Late:
        def __del__(self):
            os.write(1, b"platform\n" if run_kernel(lib) else b"no platform\n")

    sys.modules["late"] = Late()


def forks():
    """os.fork of the host's own interpreter."""
    lib = loader()
    found = has_clpy(lib)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if run_kernel(lib) == found else 1)
    assert os.waitpid(child, 0)[1] == 0
    return found


if __name__ == "__main__":
    answer = {"plain": plain, "with-gil": with_gil, "kernel": kernel, "other-clpy": other_clpy, "at-exit": at_exit,
              "forks": forks, "interrupted": interrupted,
              "several-interpreters": several_interpreters}[sys.argv[1]]()
    if answer is not None:
        print("platform" if answer else "no platform")
