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


def loader(gil=False):
    """libOpenCL.so.1; with `gil` its functions are called without giving the GIL away, as some bindings do."""
    return (ctypes.PyDLL if gil else ctypes.CDLL)("libOpenCL.so.1")


def has_clpy(lib):
    """Is there the platform, with a device?"""
    ids = (ctypes.c_void_p * 16)()
    n = ctypes.c_uint(0)
    lib.clGetPlatformIDs(16, ids, ctypes.byref(n))
    for i in range(n.value):
        name = ctypes.create_string_buffer(256)
        assert lib.clGetPlatformInfo(ctypes.c_void_p(ids[i]), 0x0902, ctypes.c_size_t(256), name, None) == 0
        if name.value == b"clpy":
            device = ctypes.c_void_p()
            code = lib.clGetDeviceIDs(ctypes.c_void_p(ids[i]), ctypes.c_uint64(1), 1, ctypes.byref(device), None)
            assert code in (0, -1), code
            return code == 0
    return False


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


def capsule():
    """The type that cffi takes for a lock has been looked at."""
    import datetime
    for name in ("__name__", "nothing", "__doc__"):
        getattr(type(datetime.datetime_CAPI), name, None)
        getattr(datetime.datetime_CAPI, name, None)
    return has_clpy(loader())


def other_clpy():
    """The program has a module of its own that is called clpy."""
    import types
    sys.modules["clpy"] = types.ModuleType("clpy")
    return has_clpy(loader())


def at_exit():
    """The first call comes while the interpreter ends."""
    lib = loader()

    class Late:
        def __del__(self):
            os.write(1, b"platform\n" if has_clpy(lib) else b"no platform\n")

    sys.modules["late"] = Late()


def forks():
    """os.fork of the host's own interpreter."""
    lib = loader()
    found = has_clpy(lib)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if has_clpy(lib) == found else 1)
    assert os.waitpid(child, 0)[1] == 0
    return found


if __name__ == "__main__":
    answer = {"plain": plain, "with-gil": with_gil, "capsule": capsule, "other-clpy": other_clpy, "at-exit": at_exit,
              "forks": forks}[sys.argv[1]]()
    if answer is not None:
        print("platform" if answer else "no platform")
