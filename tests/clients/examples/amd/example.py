# SPDX-License-Identifier: Apache-2.0
"""What every example needs: its arguments, a device that has the features, and the one line that it prints."""
import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pyopencl as cl

VERIFIED, WRONG, ABSENT = "verified", "WRONG", "absent"


@dataclass(frozen=True)
class Feature:
    name: str
    query: str        # of clGetDeviceInfo
    bits: int = 1     # those that must be set in the answer

    def is_there(self, device):
        return device.get_info(getattr(cl.device_info, self.query)) & self.bits == self.bits


SVM = cl.device_svm_capabilities
DEVICE_ENQUEUE = Feature("kernels that enqueue kernels", "DEVICE_ENQUEUE_CAPABILITIES")
PIPES = Feature("pipes", "PIPE_SUPPORT")
GENERIC_POINTERS = Feature("the generic address space", "GENERIC_ADDRESS_SPACE_SUPPORT")
GROUP_FUNCTIONS = Feature("work-group functions", "WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT")
COARSE_SVM = Feature("shared virtual memory", "SVM_CAPABILITIES", SVM.COARSE_GRAIN_BUFFER)
FINE_SVM = Feature("fine-grained shared virtual memory", "SVM_CAPABILITIES", SVM.FINE_GRAIN_BUFFER)
ATOMIC_SVM = Feature("atomics in shared virtual memory", "SVM_CAPABILITIES", SVM.FINE_GRAIN_BUFFER | SVM.ATOMICS)


@dataclass(frozen=True)
class Outcome:
    what: str         # was done, with figures
    right: bool


def parse_arguments(description, size):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("size", nargs="?", type=int, default=size, help=f"of the problem (default: {size})")
    parser.add_argument("--platform", default="clpy", help="part of the platform's name (default: clpy)")
    parser.add_argument("--gpu", action="store_true", help="on the platform's first GPU, not on its CPU")
    parser.add_argument("--json", action="store_true", help="print the line as JSON")
    return parser.parse_args()


def find_device(wanted, gpu):
    platform = next((p for p in cl.get_platforms() if wanted in p.name), None)
    if platform is None:
        sys.exit(f"no platform is called {wanted}")
    try:
        devices = platform.get_devices(cl.device_type.GPU if gpu else cl.device_type.CPU)
    except cl.Error:
        devices = []
    return devices[0] if devices else sys.exit(f"{platform.name} has no {'GPU' if gpu else 'CPU'} device")


def build(queue, source):
    return cl.Program(queue.context, source).build("-cl-std=CL3.0")


def main(name, run: Callable, size, description, needs=None):
    """Runs `run(queue, size)`, which returns an Outcome. Exit code 1 where the result is wrong."""
    args = parse_arguments(description, size)
    device = find_device(args.platform, args.gpu)
    if needs is not None and not needs.is_there(device):
        result, what = ABSENT, f"the device does not have {needs.name}"
    else:
        outcome = run(cl.CommandQueue(cl.Context([device])), args.size)
        result, what = VERIFIED if outcome.right else WRONG, outcome.what
    if args.json:
        print(json.dumps({"example": name, "device": device.name, "what": what, "result": result}))
    else:
        print(f"{name} on {device.name}: {what}: {result}")
    sys.exit(1 if result == WRONG else 0)
