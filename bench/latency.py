# SPDX-License-Identifier: Apache-2.0
"""Latency of the runtime: median and 99th percentile of single operations, what they cost in context switches, and what
an idle process costs. Through the system's loader, on the first device of the platform whose name is given.

usage: latency.py [--platform NAME] [--seconds S] [--json FILE]
"""
import argparse
import json
import resource
import time

import cffi

DECLARATIONS = """
typedef void (*notify)(void *, int32_t, void *);
int32_t clGetPlatformIDs(uint32_t, void **, uint32_t *);
int32_t clGetPlatformInfo(void *, uint32_t, size_t, void *, size_t *);
int32_t clGetDeviceIDs(void *, uint64_t, uint32_t, void **, uint32_t *);
void *clCreateContext(void *, uint32_t, void **, void *, void *, int32_t *);
void *clCreateCommandQueue(void *, void *, uint64_t, int32_t *);
void *clCreateBuffer(void *, uint64_t, size_t, void *, int32_t *);
void *clCreateProgramWithSource(void *, uint32_t, const char **, size_t *, int32_t *);
int32_t clBuildProgram(void *, uint32_t, void **, const char *, void *, void *);
void *clCreateKernel(void *, const char *, int32_t *);
int32_t clSetKernelArg(void *, uint32_t, size_t, const void *);
int32_t clEnqueueNDRangeKernel(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                               void **, void **);
int32_t clEnqueueReadBuffer(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void **, void **);
int32_t clEnqueueMarkerWithWaitList(void *, uint32_t, void **, void **);
void *clCreateUserEvent(void *, int32_t *);
int32_t clSetUserEventStatus(void *, int32_t);
int32_t clSetEventCallback(void *, int32_t, notify, void *);
int32_t clWaitForEvents(uint32_t, void **);
int32_t clReleaseEvent(void *);
int32_t clFlush(void *);
int32_t clFinish(void *);
"""
SOURCE = b"""
kernel void nothing(global int *a) { }
kernel void work(global uint *a) { uint x = a[0]; for (int i = 0; i < 12000; i++) x = x * x + i; a[0] = x; }
"""
ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)
cl = ffi.dlopen("libOpenCL.so.1")
PLATFORM_NAME, ALL, COMPLETE = 0x0902, 0xFFFFFFFF, 0


def check(error):
    if error:
        raise SystemExit(f"OpenCL error {error}")


def made(function, *arguments):
    error = ffi.new("int32_t *")
    result = function(*arguments, error)
    check(error[0])
    return result


def device_of(name):
    count = ffi.new("uint32_t *")
    check(cl.clGetPlatformIDs(0, ffi.NULL, count))
    platforms = ffi.new("void *[]", count[0])
    check(cl.clGetPlatformIDs(count[0], platforms, ffi.NULL))
    text = ffi.new("char[256]")
    for platform in platforms:
        check(cl.clGetPlatformInfo(platform, PLATFORM_NAME, 256, text, ffi.NULL))
        if name.lower() in ffi.string(text).decode().lower():
            devices = ffi.new("void *[1]")
            check(cl.clGetDeviceIDs(platform, ALL, 1, devices, ffi.NULL))
            return devices
    raise SystemExit(f"no platform {name}")


class Bench:
    def __init__(self, devices, seconds):
        self.seconds, self.rows = seconds, []
        self.context = made(cl.clCreateContext, ffi.NULL, 1, devices, ffi.NULL, ffi.NULL)
        self.queue = made(cl.clCreateCommandQueue, self.context, devices[0], 0)
        self.buffer = made(cl.clCreateBuffer, self.context, 1, 1 << 22, ffi.NULL)
        source = ffi.new("char[]", SOURCE)
        program = made(cl.clCreateProgramWithSource, self.context, 1, ffi.new("const char *[]", [source]), ffi.NULL)
        check(cl.clBuildProgram(program, 0, ffi.NULL, b"", ffi.NULL, ffi.NULL))
        self.kernels = {}
        for name in (b"nothing", b"work"):
            kernel = self.kernels[name] = made(cl.clCreateKernel, program, name)
            check(cl.clSetKernelArg(kernel, 0, 8, ffi.new("void **", self.buffer)))

    def launch(self, name, items, group, event=ffi.NULL, waits=ffi.NULL):
        cl.clEnqueueNDRangeKernel(self.queue, self.kernels[name], 1, ffi.NULL, items, group, waits != ffi.NULL, waits,
                                  event)

    def measure(self, name, run, per=1):
        """Times of single calls of run, in microseconds each."""
        clock, times = time.perf_counter_ns, []
        for _ in range(50):
            run()
        before = resource.getrusage(resource.RUSAGE_SELF)
        end = clock() + int(self.seconds * 1e9)
        while not times or clock() < end:
            start = clock()
            run()
            times.append(clock() - start)
        after = resource.getrusage(resource.RUSAGE_SELF)
        times.sort()
        switches = after.ru_nvcsw - before.ru_nvcsw
        row = {"name": name, "median_us": times[len(times) // 2] / per / 1e3,
               "p99_us": times[len(times) * 99 // 100] / per / 1e3, "switches": switches / len(times) / per}
        self.rows.append(row)
        print(f"{name:28} {row['median_us']:10.2f} {row['p99_us']:10.2f} {row['switches']:10.3f}", flush=True)

    def all(self):
        print(f"{'operation':28} {'median us':>10} {'p99 us':>10} {'switches':>10}")
        one, sixty_four = ffi.new("size_t[]", [1]), ffi.new("size_t[]", [64])
        wide = ffi.new("size_t[]", [1 << 20])
        host = ffi.new("char[]", 1 << 20)

        def burst():
            for _ in range(200):
                self.launch(b"nothing", sixty_four, sixty_four)
            cl.clFinish(self.queue)

        self.measure("an empty call", lambda: cl.clFlush(self.queue))
        self.measure("finish, idle", lambda: cl.clFinish(self.queue))
        self.measure("marker + finish", lambda: (cl.clEnqueueMarkerWithWaitList(self.queue, 0, ffi.NULL, ffi.NULL),
                                                 cl.clFinish(self.queue)))
        self.measure("launch 1 item + finish", lambda: (self.launch(b"nothing", one, one), cl.clFinish(self.queue)))
        self.measure("launch of a burst of 200", burst, per=200)
        self.measure("launch 1 item of 15 us", lambda: (self.launch(b"work", one, one), cl.clFinish(self.queue)))
        self.measure("launch 1 Mi items + finish", lambda: (self.launch(b"nothing", wide, sixty_four),
                                                            cl.clFinish(self.queue)))
        for label, size in (("4 KiB", 4 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)):
            self.measure(f"blocking read {label}", lambda size=size: cl.clEnqueueReadBuffer(
                self.queue, self.buffer, 1, 0, size, host, 0, ffi.NULL, ffi.NULL))
        self.measure("user event to its kernel", lambda: self.gated(one))
        self.measure("callback of a marker", self.callback())
        self.idle()

    def gated(self, size):
        events = ffi.new("void *[2]")
        events[0] = made(cl.clCreateUserEvent, self.context)
        self.launch(b"nothing", size, size, events + 1, events)
        cl.clSetUserEventStatus(events[0], COMPLETE)
        cl.clWaitForEvents(1, events + 1)
        cl.clReleaseEvent(events[0])
        cl.clReleaseEvent(events[1])

    def callback(self):
        seen = []
        self.notify = ffi.callback("notify", lambda event, status, data: seen.append(status))

        def run():
            event = ffi.new("void *[1]")
            seen.clear()
            cl.clEnqueueMarkerWithWaitList(self.queue, 0, ffi.NULL, event)
            cl.clSetEventCallback(event[0], COMPLETE, self.notify, ffi.NULL)
            while not seen:
                time.sleep(0)
            cl.clReleaseEvent(event[0])
        return run

    def idle(self):
        time.sleep(0.05)
        before = time.process_time()
        time.sleep(1)
        used = (time.process_time() - before) * 1e6
        self.rows.append({"name": "CPU time of 1 s idle", "us": used})
        print(f"{'CPU time of 1 s idle':28} {used:10.0f} us")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--platform", default="clpy")
    parser.add_argument("--seconds", type=float, default=0.5, help="per row")
    parser.add_argument("--json")
    options = parser.parse_args()
    bench = Bench(device_of(options.platform), options.seconds)
    bench.all()
    if options.json:
        with open(options.json, "w") as file:
            json.dump(bench.rows, file, indent=1)


if __name__ == "__main__":
    main()
