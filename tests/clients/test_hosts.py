# SPDX-License-Identifier: Apache-2.0
"""C and C++ programs that use clpy through the loader: it works, it changes nothing of theirs, it never hangs."""
import ctypes
import os
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from host_build import LIBRARY, compile_host, python_flags, run, run_ok, vendors

POCL = Path("/etc/OpenCL/vendors/pocl.icd")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("hosts")


@pytest.fixture(scope="module")
def host(build):
    return compile_host(build, "host.c", "-lOpenCL", "-ldl", "-pthread")


@pytest.fixture(scope="module")
def only_clpy(build):
    return vendors(build / "clpy_only", LIBRARY)


@pytest.mark.parametrize("mode", ["kernel", "state", "fork", "threads", "thread-ends", "closed-stdio"])
def test_c_program(host, only_clpy, mode):
    out, err = run_ok(host, mode, vendors=only_clpy)
    assert err == ""
    assert out == ("" if mode == "closed-stdio" else "ok\n")


def test_cpp_program(build, only_clpy):
    assert run_ok(compile_host(build, "host.cpp", "-lOpenCL"), vendors=only_clpy)[0] == "ok\n"


def test_a_program_that_embeds_python(build, only_clpy):
    program = compile_host(build, "embeds.c", *python_flags(), "-lOpenCL")
    assert run_ok(program, vendors=only_clpy)[0] == "ok\n"


def test_exit_with_commands_in_flight(host, only_clpy):
    start = time.monotonic()
    assert run_ok(host, "exit", vendors=only_clpy)[0] == "ok\n"
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("milliseconds", [0, 20, 50, 90, 130, 170, 210, 250])
def test_exit_while_another_thread_builds(host, only_clpy, milliseconds):
    """The destructors of LLVM's libraries must not run below it."""
    assert run_ok(host, "exit-while-building", milliseconds, vendors=only_clpy) == ("ok\n", "")


def test_library_is_opened_and_closed(host, only_clpy):
    assert run_ok(host, "dlclose", LIBRARY, vendors=only_clpy)[0] == "ok\n"


def test_environment_of_another_python_does_not_matter(host, only_clpy, tmp_path):
    """PYTHONHOME, PYTHONPATH and the current folder lead to packages that must not be imported."""
    for name in ("clpy", "encodings", "_cffi_backend"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong module was imported')\n")
    env = {"PYTHONHOME": str(tmp_path), "PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "x"),
           "PYTHONWARNINGS": "error", "PYTHONIOENCODING": "utf-16", "LC_ALL": "C"}
    out, err = run_ok(host, "kernel", vendors=only_clpy, env=env, cwd=tmp_path)
    assert (out, err) == ("ok\n", "")


def test_without_home_or_path(host, only_clpy):
    done = subprocess.run([host, "kernel"], env={"OCL_ICD_VENDORS": only_clpy}, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_through_a_symbolic_link(host, build, tmp_path):
    link = tmp_path / "libother.so"
    link.symlink_to(LIBRARY)
    assert run_ok(host, "kernel", vendors=vendors(tmp_path / "v", link))[0] == "ok\n"


@pytest.mark.parametrize("clpy_first", [True, False])
def test_beside_pocl(host, build, clpy_first):
    """Another LLVM in the process."""
    assert POCL.exists(), "this test needs Debian's PoCL: apt install pocl-opencl-icd (make test does it)"
    both = [LIBRARY, POCL.read_text().strip()]
    where = vendors(build / f"both{clpy_first}", *(both if clpy_first else reversed(both)))
    # ocl-icd sorts platforms by what they offer unless told not to.
    out, _ = run_ok(host, "all", vendors=where, env={"OCL_ICD_PLATFORM_SORT": "none"}, timeout=300)
    assert out == "ok\n"


@pytest.fixture(scope="module")
def second_copy(build):
    """The same library in another folder, as one of the system and one of a virtual environment."""
    left_out = shutil.ignore_patterns("*.c", "*.cpp", "*.cpython-*", "__pycache__", "tools")
    return shutil.copytree(LIBRARY.parent, build / "copy/clpy", ignore=left_out) / "libclpy.so"


def test_two_of_the_same_in_one_process(host, build, second_copy):
    out, err = run_ok(host, "all", vendors=vendors(build / "twice", LIBRARY, second_copy), env={"CLPY_CACHE": "0"})
    assert (out, err) == ("ok\n", "")


def trap(made, pattern, *more):
    """A library that has every name, without a version, that clpy's modules want of others and that the pattern
    matches, and ends the process when one is used."""
    modules = sorted(LIBRARY.parent.rglob("*.so"))
    listing = subprocess.run(["nm", "-D", "--undefined-only", "--format=posix", *modules], check=True,
                             capture_output=True, text=True).stdout
    names = {line.split()[0].partition("@")[0] for line in listing.splitlines() if line}
    names = [*sorted(name for name in names if re.match(pattern, name)), *more]
    assert len(names) > 200
    source = made.with_suffix(".s")
    source.write_text(".text\n" + "".join(f".globl {name}\n{name}:\n" for name in names) + "ud2\n")
    subprocess.run(["gcc", "-shared", source, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def fake_python(build):
    """With every name of Python's that clpy uses."""
    return trap(build / "libpython3.99.so.1.0", "_?Py", "Py_GetVersion")


@pytest.mark.parametrize("when", ["before", "listed", "core", "kernel"])
@pytest.mark.parametrize("how", ["global", "local"])
def test_names_of_another_python_are_not_ours(host, only_clpy, fake_python, how, when):
    """Kernels are built and run, and nothing of the other Python is called."""
    out, err = run_ok(host, "foreign", fake_python, how, when, vendors=only_clpy, env={"CLPY_CACHE": "0"})
    assert (out, err) == ("ok\n", "")


@pytest.fixture(scope="module")
def fake_llvm(build):
    """With every name of LLVM's, Clang's and hwloc's that clpy uses, as TensorFlow's has."""
    return trap(build / "libframework.so.2", r"LLVM|hwloc_|_Z\w*(4llvm|5clang)")


@pytest.mark.parametrize("when", ["before", "core", "kernel"])
def test_names_of_another_llvm_are_not_ours(host, only_clpy, fake_llvm, when):
    out, err = run_ok(host, "foreign", fake_llvm, "global", when, vendors=only_clpy, env={"CLPY_CACHE": "0"})
    assert (out, err) == ("ok\n", "")


def test_only_the_loaders_symbols_are_exported():
    listing = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True)
    names = {line.split()[-1] for line in listing.stdout.splitlines()}
    assert names == {"clGetExtensionFunctionAddress", "clIcdGetPlatformIDsKHR", "clGetPlatformInfo",
                     "clIcdGetFunctionAddressForPlatformKHR", "clIcdSetPlatformDispatchDataKHR"}


def test_functions_by_name_without_a_loader():
    """What an ICD loader of either generation looks up."""
    script = f"""
import ctypes
lib = ctypes.CDLL({str(LIBRARY)!r})
for f in (lib.clGetExtensionFunctionAddress, lib.clIcdGetFunctionAddressForPlatformKHR):
    f.restype = ctypes.c_void_p
assert lib.clGetExtensionFunctionAddress(None) is None
own = lib.clGetExtensionFunctionAddress(b"clIcdGetPlatformIDsKHR")
assert own == ctypes.cast(lib.clIcdGetPlatformIDsKHR, ctypes.c_void_p).value
platform = ctypes.c_void_p()
assert lib.clIcdGetPlatformIDsKHR(1, ctypes.byref(platform), None) == 0
assert lib.clIcdGetPlatformIDsKHR(0, None, None) == -30
find = lib.clIcdGetFunctionAddressForPlatformKHR
assert find(platform, b"clEnqueueNDRangeKernel") and find(platform, b"clGetKernelSuggestedLocalWorkSize")
assert find(platform, b"clNoSuchFunction") is None
assert lib.clGetExtensionFunctionAddress(b"clEnqueueNDRangeKernel") is None
table = ctypes.c_void_p.from_address(platform.value).value
assert ctypes.c_void_p.from_address(table + 8).value == find(platform, b"clGetPlatformInfo")
assert lib.clIcdSetPlatformDispatchDataKHR(platform, ctypes.c_void_p(0x1234)) == 0
assert ctypes.c_void_p.from_address(platform.value + 8).value == 0x1234
assert lib.clIcdSetPlatformDispatchDataKHR(ctypes.c_void_p(64), None) == -32
"""
    subprocess.run(["python3", "-c", script], check=True, timeout=60)


def lines_with_errors(page):
    """Lines of clinfo that report an error. What it says of an optional feature we have not, is not one."""
    bad = ("error", "<", "failed", "invalid", "unknown", "out of")
    return [line for line in page.splitlines()
            if any(word in line.lower() for word in bad) and "correction" not in line.lower()]


def test_clinfo_prints_a_whole_page(only_clpy):
    out, err = run_ok("clinfo", vendors=only_clpy)
    assert err == ""
    assert lines_with_errors(out) == []
    assert "Number of platforms                               1" in out
    assert "Number of devices                                 1" in out or "CPU" in out
    out, _ = run_ok("clinfo", "--raw", vendors=only_clpy)
    assert lines_with_errors(out) == []


def test_clinfo_is_quick(only_clpy, tmp_path):
    """`clinfo -l` takes at most 60 ms more of a processor than without a platform: a busy machine does not count."""
    def seconds(where):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("clinfo", "-l", vendors=where)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    nothing = vendors(tmp_path / "none")
    with_it, without = zip(*((seconds(only_clpy), seconds(nothing)) for _ in range(11)), strict=True)
    assert min(with_it) - min(without) < 0.060


def test_no_file_is_missed_when_the_machine_is_odd(host, only_clpy):
    """The library's dependencies are found without LD_LIBRARY_PATH, and a wrong one does not matter."""
    assert run_ok(host, "kernel", vendors=only_clpy, env={"LD_LIBRARY_PATH": "/nonexistent"})[0] == "ok\n"
    assert os.access(LIBRARY, os.X_OK)
    assert ctypes.CDLL(str(LIBRARY)) is not None
