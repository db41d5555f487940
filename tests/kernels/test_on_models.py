# SPDX-License-Identifier: Apache-2.0
"""Of the tests that take a `machine` some that are short, on models of GPUs: each file in a process that has the model
as its only device. `make models` runs all of them."""
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = [("gpu:tahiti", "test_builtins_printf.py"),
         ("gpu:tahiti", "test_spirv.py"),
         ("gpu:tahiti", "test_spirv_pointers.py"),
         ("gpu:tahiti", "test_static_cxx.py"),
         ("gpu:tahiti", "test_groups_that_wait.py"),
         ("gpu:tahiti", "test_sub_group_progress.py"),
         ("gpu:cypress", "test_plain_language.py"),
         ("gpu:cypress", "test_tables.py"),
         ("gpu:cypress", "test_partings.py"),
         ("gpu:cayman", "test_plain_language.py"),
         ("gpu:cedar", "test_plain_language.py"),
         ("gpu:cedar", "test_partings.py"),
         ("gpu:skylake-gt2", "test_plain_language.py"),
         ("gpu:skylake-gt2", "test_partings.py"),
         ("gpu:skylake-gt2", "test_barriers.py"),
         ("gpu:skylake-gt2", "test_builtins_printf.py"),
         ("gpu:skylake-gt2", "test_device_enqueue.py"),
         ("gpu:skylake-gt2", "test_device_enqueue_spirv.py"),
         ("gpu:skylake-gt2", "test_float_atomics.py::test_what_was_there_before[-half--cl-std=CL3.0]"),
         ("gpu:skylake-gt2", "test_generic_spaces.py"),
         ("gpu:skylake-gt2", "test_groups_that_wait.py"),
         ("gpu:skylake-gt2", "test_named_barriers.py"),
         ("gpu:skylake-gt2", "test_pipes.py::test_in_and_out[source-float4]"),
         ("gpu:skylake-gt2", "test_pipes.py::test_many_at_once"),
         ("gpu:skylake-gt2", "test_pipes.py::test_reservations_in_memory"),
         ("gpu:skylake-gt2", "test_pipes.py::test_through_functions"),
         ("gpu:skylake-gt2", "test_spirv.py::test_rewritten[copy of a structure]"),
         ("gpu:skylake-gt2", "test_spirv_handles.py"),
         ("gpu:skylake-gt2", "test_spirv_pointers.py"),
         ("gpu:skylake-gt2", "test_cxx_for_opencl.py::test_objects_of_the_program"),
         ("gpu:skylake-gt2", "test_sub_group_progress.py"),
         ("gpu:broadwell-gt2", "test_plain_language.py"),
         ("gpu:haswell-gt2", "test_plain_language.py"),
         ("gpu:haswell-gt2", "test_partings.py"),
         ("gpu:vega10", "test_builtins_printf.py"),
         ("gpu:cypress", "test_builtins_printf.py"),
         ("gpu:vega10", "test_cxx_for_opencl.py"),
         ("gpu:vega10", "test_device_enqueue.py"),
         ("gpu:vega10", "test_device_enqueue_spirv.py"),
         ("gpu:vega10", "test_pipes.py::test_many_at_once"),
         ("gpu:vega10", "test_pipes.py::test_several_reservations"),
         ("gpu:vega10", "test_pipes.py::test_structures"),
         ("gpu:vega10", "test_spirv_handles.py"),
         ("gpu:vega10", "test_spirv_pointers.py")]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("device", "name"), CASES)
def test_file(device, name):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "--device", device, str(HERE / name)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
