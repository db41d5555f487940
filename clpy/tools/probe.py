# SPDX-License-Identifier: Apache-2.0
"""OpenCL through ctypes, as a program sees it: lists platforms and runs a kernel.

Also a program of its own, which imports nothing of clpy: `python -I probe.py LOADER PLATFORM` prints one JSON object.
`clpy doctor` runs it once per loader, so that a loader or driver that crashes takes nothing else with it.
"""
import ctypes
import json
import sys
import time
from ctypes import byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

ALL = 0xFFFFFFFF
PLATFORM_VERSION, PLATFORM_NAME = 0x0901, 0x0902
READ_WRITE, COPY_HOST_PTR = 1, 1 << 5
BUILD_LOG = 0x1183
KERNEL = b"""__kernel void probe(__global const uint *a, __global uint *b, uint x)
{
    size_t i = get_global_id(0);
    b[i] = a[i] * x + (uint)i;
}
"""
# Functions by their argument types; all but the last group return a cl_int.
SIGNATURES = {
    "clGetPlatformIDs": (c_uint32, c_void_p, c_void_p),
    "clGetPlatformInfo": (c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clGetDeviceIDs": (c_void_p, c_uint64, c_uint32, c_void_p, c_void_p),
    "clGetDeviceInfo": (c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clBuildProgram": (c_void_p, c_uint32, c_void_p, c_char_p, c_void_p, c_void_p),
    "clGetProgramBuildInfo": (c_void_p, c_void_p, c_uint32, c_size_t, c_void_p, c_void_p),
    "clSetKernelArg": (c_void_p, c_uint32, c_size_t, c_void_p),
    "clEnqueueNDRangeKernel": (c_void_p, c_void_p, c_uint32, c_void_p, c_void_p, c_void_p, c_uint32, c_void_p,
                               c_void_p),
    "clEnqueueReadBuffer": (c_void_p, c_void_p, c_uint32, c_size_t, c_size_t, c_void_p, c_uint32, c_void_p, c_void_p),
    "clReleaseContext": (c_void_p,), "clReleaseCommandQueue": (c_void_p,), "clReleaseMemObject": (c_void_p,),
    "clReleaseProgram": (c_void_p,), "clReleaseKernel": (c_void_p,),
    "clCreateContext": (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p),
    "clCreateCommandQueue": (c_void_p, c_void_p, c_uint64, c_void_p),
    "clCreateBuffer": (c_void_p, c_uint64, c_size_t, c_void_p, c_void_p),
    "clCreateProgramWithSource": (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p),
    "clCreateKernel": (c_void_p, c_char_p, c_void_p),
}


class Failed(Exception):
    """A call returned an error: `function`, `code`."""

    def __init__(self, function, code, detail=""):
        super().__init__(function, code, detail)
        self.function, self.code, self.detail = function, code, detail

    def __str__(self):
        return f"{self.function} returned {self.code}" + (f":\n{self.detail}" if self.detail else "")


class OpenCL:
    """The API by name: from a loader, or straight from a driver library that has no loader before it."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.functions = {}

    def address(self, name):
        """Of a loader: the exported symbol."""
        return ctypes.cast(getattr(self.library, name), c_void_p).value

    def call(self, name, *args):
        """The result of a function; an error code raises Failed."""
        creates = name.startswith("clCreate")
        if name not in self.functions:
            prototype = ctypes.CFUNCTYPE(c_void_p if creates else c_int32, *SIGNATURES[name])
            self.functions[name] = prototype(self.address(name))
        if not creates:
            code = self.functions[name](*args)
            if code:
                raise Failed(name, code)
            return None
        code = c_int32(0)
        made = self.functions[name](*args, ctypes.cast(byref(code), c_void_p))
        if code.value or not made:
            raise Failed(name, code.value)
        return made

    def ids(self, name, *args):
        """A list of handles: the (num_entries, list, num) protocol."""
        n = c_uint32(0)
        try:
            self.call(name, *args, 0, None, byref(n))
        except Failed as error:
            if error.code in (-1, -1001):       # CL_DEVICE_NOT_FOUND, CL_PLATFORM_NOT_FOUND_KHR
                return []
            raise
        handles = (c_void_p * n.value)()
        self.call(name, *args, n.value, handles, None)
        return list(handles)

    def info(self, name, handle, param):
        """The bytes of an answer."""
        size = c_size_t(0)
        self.call(name, handle, param, 0, None, byref(size))
        data = ctypes.create_string_buffer(max(size.value, 1))
        self.call(name, handle, param, size.value, data, None)
        return data.raw[:size.value]

    def text(self, name, handle, param):
        return self.info(name, handle, param).rstrip(b"\0").decode(errors="replace")


class Driver(OpenCL):
    """A driver library without a loader, by the functions of cl_khr_icd."""

    def __init__(self, path):
        super().__init__(path)
        self.platform = c_void_p()
        code = self.library.clIcdGetPlatformIDsKHR(1, byref(self.platform), None)
        if code:
            raise Failed("clIcdGetPlatformIDsKHR", code)
        self.library.clIcdGetFunctionAddressForPlatformKHR.restype = c_void_p

    def address(self, name):
        return self.library.clIcdGetFunctionAddressForPlatformKHR(self.platform, name.encode())


def run_kernel(cl, device, n=4096):
    """Builds and runs a kernel and checks every element; seconds of the build, and of the run."""
    a = (c_uint32 * n)(*range(n))
    out = (c_uint32 * n)()
    context = cl.call("clCreateContext", None, 1, byref(c_void_p(device)), None, None)
    queue = cl.call("clCreateCommandQueue", context, device, 0)
    start = time.perf_counter()
    program = cl.call("clCreateProgramWithSource", context, 1, byref(c_char_p(KERNEL)), None)
    try:
        cl.call("clBuildProgram", program, 1, byref(c_void_p(device)), b"", None, None)
    except Failed as error:
        log = ctypes.create_string_buffer(4096)
        cl.call("clGetProgramBuildInfo", program, device, BUILD_LOG, 4096, log, None)
        raise Failed(error.function, error.code, log.value.decode(errors="replace")) from None
    kernel = cl.call("clCreateKernel", program, b"probe")
    built = time.perf_counter()
    buffers = [cl.call("clCreateBuffer", context, READ_WRITE | COPY_HOST_PTR, ctypes.sizeof(a), array)
               for array in (a, out)]
    for i, buffer in enumerate(buffers):
        cl.call("clSetKernelArg", kernel, i, 8, byref(c_void_p(buffer)))
    cl.call("clSetKernelArg", kernel, 2, 4, byref(c_uint32(7)))
    cl.call("clEnqueueNDRangeKernel", queue, kernel, 1, None, byref(c_size_t(n)), None, 0, None, None)
    cl.call("clEnqueueReadBuffer", queue, buffers[1], 1, 0, ctypes.sizeof(out), out, 0, None, None)
    ran = time.perf_counter()
    for i in range(n):
        if out[i] != i * 7 + i:
            raise Failed("the kernel's result", i, f"element {i} is {out[i]}, not {i * 8}")
    for name, handle in (("clReleaseMemObject", buffers[0]), ("clReleaseMemObject", buffers[1]),
                         ("clReleaseKernel", kernel), ("clReleaseProgram", program),
                         ("clReleaseCommandQueue", queue), ("clReleaseContext", context)):
        cl.call(name, handle)
    return built - start, ran - built


def probe(loader, wanted):
    """What a program sees through this loader."""
    report = {"loader": loader, "platforms": [], "ran": False, "error": ""}
    try:
        cl = OpenCL(loader)
        platforms = cl.ids("clGetPlatformIDs")
        names = [cl.text("clGetPlatformInfo", p, PLATFORM_NAME) for p in platforms]
        report["platforms"] = [[name, cl.text("clGetPlatformInfo", p, PLATFORM_VERSION)]
                               for p, name in zip(platforms, names)]
        if wanted not in names:
            report["error"] = f"platform {wanted} is not among the platforms"
            return report
        devices = cl.ids("clGetDeviceIDs", platforms[names.index(wanted)], ALL)
        if not devices:
            report["error"] = "the platform has no devices"
            return report
        report["build_seconds"], report["run_seconds"] = run_kernel(cl, devices[0])
        report["ran"] = True
    except (Failed, OSError, AttributeError) as error:
        report["error"] = str(error)
    return report


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1], sys.argv[2])))
