# SPDX-License-Identifier: Apache-2.0
"""Building programs: from source or binary to machine code, for each device asked for, at once or on a thread.

A build goes begin -> (per device) work -> publish. Between begin and publish the devices' status is
CL_BUILD_IN_PROGRESS, which keeps every other build, and the creation of kernels, out. How a program becomes code is the
device's business (clpy.device.toolchain). Nothing of a compiler is imported before the first build: what only asks for
platforms must not wait for LLVM.

A thread that builds needs the GIL of the interpreter that clpy runs in between the long library calls: it is not the
host program's, unless this is a Python program that has lent its core (api/process).
"""
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_add_i32, atomic_load_i32
from clpy.cl cimport cl_build_status, cl_int, cl_program, cl_program_binary_type, cl_uint, program_notify_fn
from clpy.core.context cimport Context
from clpy.core.happening cimport BUILT, sinks, tell_sinks
from clpy.forking cimport work_enters, work_is_stuck, work_leaves
from clpy.core.interpreter cimport python_runs
from clpy.core.object cimport object_drop, object_hold
from clpy.core.program cimport (Code, Program, build_for, code_keeps, code_new, drain_drops, program_lock,
                                program_unlock)
from clpy.device.base cimport Device
from clpy.futex cimport now_ns
from clpy.host_thread cimport clpy_host_state, host_go_back, host_leave_out
from clpy.signals cimport host_takes_calls
from clpy.threads cimport at_fork_in_child, thread_start
from clpy.spec.consts cimport (CL_BUILD_ERROR, CL_BUILD_IN_PROGRESS, CL_BUILD_PROGRAM_FAILURE, CL_BUILD_SUCCESS,
                               CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_OPERATION, CL_LINK_PROGRAM_FAILURE,
                               CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                               CL_PROGRAM_BINARY_TYPE_NONE, CL_SUCCESS)

import sys

from clpy.compiler.runtime import ends
from clpy.errors import CLError, CompileError
from clpy.trace import fault_text, report_fault, trace

cdef enum:
    STACK_BYTES = 16 << 20

cdef extern from "<stdlib.h>" nogil:
    int atexit(void (*fn)() noexcept nogil)

cdef extern from "<unistd.h>" nogil:
    int usleep(unsigned int microseconds)
    int getpid()
    int gettid()

cdef extern from "thread_exit.h" nogil:
    int clpy_at_thread_exit(void (*fn)(void *) noexcept nogil)


# ---- the end of the process ------------------------------------------------------------------------------------------

cdef int32_t running = 0         # builds at work; atomic
cdef bint ending = False
cdef bint main_thread_is_guarded = False
cdef int guarded = 0             # libraries of LLVM that were loaded when the guard was set up last

cdef unsigned long long LONGEST_WAIT_NS = 30000000000


cdef void wait_for_builds() noexcept nogil:
    """At exit: the libraries' destructors must not run while another thread compiles."""
    global ending
    cdef unsigned long long start = now_ns()
    ending = True
    while atomic_load_i32(&running) > 0 and python_runs() and now_ns() - start < LONGEST_WAIT_NS:
        usleep(500)


cdef void wait_with_main_thread(void *nothing) noexcept nogil:
    wait_for_builds()


cdef int guard_main_thread() except -1:
    """LLVM also has variables that are made when first used, in the middle of a build: their destructors run before
    any handler that was registered earlier. Only what belongs to the thread that calls exit() comes before them. (glibc
    leaves it alone where the main thread ends by itself and others go on.)"""
    global main_thread_is_guarded
    if not main_thread_is_guarded and getpid() == gettid():
        main_thread_is_guarded = True
        if clpy_at_thread_exit(wait_with_main_thread) != 0:
            raise MemoryError
    return 0


def wait_for_builds_at_exit():
    """The same when a Python host ends: its interpreter lets no thread of ours go on afterwards."""
    with nogil:
        wait_for_builds()


cdef bint build_enters() noexcept nogil:
    work_enters()
    atomic_add_i32(&running, 1)
    if ending or work_is_stuck():
        atomic_add_i32(&running, -1)
        work_leaves()
        return False
    return True


cdef void build_leaves() noexcept nogil:
    """Whoever waits for Python's lock could be cancelled meanwhile: the process would wait for its build at the end."""
    cdef clpy_host_state host = host_leave_out()
    if python_runs():
        with gil:
            guard_exit_or_report()
    build_leaves_alone()
    host_go_back(host)


cdef void build_leaves_alone() noexcept nogil:
    atomic_add_i32(&running, -1)
    work_leaves()


cdef void guard_exit_or_report() noexcept:
    try:
        guard_exit()
    except BaseException as error:
        report_fault("the end of a build", error)


cdef void forget_builds() noexcept nogil:
    """In the child of a fork: the threads that build are the parent's."""
    global running
    running = 0


cdef int guard_exit() except -1:
    """What is registered last runs first: register anew after each library of LLVM that was loaded."""
    global guarded
    cdef int loaded = 0
    guard_main_thread()
    for name in ("clpy.llvm.module", "clpy.llvm.codegen", "clpy.llvm.frontend"):
        loaded += name in sys.modules
    if loaded > guarded:
        if guarded == 0:
            import atexit as python_atexit
            python_atexit.register(wait_for_builds_at_exit)
        guarded = loaded
        atexit(wait_for_builds)
    return 0


# ---- builds ----------------------------------------------------------------------------------------------------------


cdef class Job:
    """A clBuildProgram, clCompileProgram or clLinkProgram. `work(index, toolchain, target)` gives a product."""
    cdef Program *program        # held
    cdef list indices
    cdef object work
    cdef dict units              # of a link: what is linked, by device
    cdef dict done               # what it was made from -> index of the device it was made for
    cdef cl_int failure          # what the call returns when a device fails
    cdef program_notify_fn notify
    cdef void *user_data


cdef object state_of(Program *program):
    return <object>program.state


cdef object toolchain_of(const Device *dev):
    """What makes code for a device; a sub-device has its root device's."""
    return <object>dev.toolchain


cdef object target_of(const Context *ctx, const Device *dev):
    """What it is made for in this context."""
    return toolchain_of(dev).target(ctx.initialize)


cdef int begin(Program *program, list indices, str options) except -1:
    """Take the devices for a build, or CL_INVALID_OPERATION."""
    cdef bint in_progress = False, attached
    cdef cl_uint i
    program_lock(program)
    attached = program.n_kernels > 0
    for i in range(program.n_devices):
        in_progress = in_progress or program.builds[i].status == CL_BUILD_IN_PROGRESS
    if not attached and not in_progress:
        for i in range(program.n_devices):
            if i in indices:
                program.builds[i].status = CL_BUILD_IN_PROGRESS
    program_unlock(program)
    # "if the build [...] by a previous call to clBuildProgram for program has not completed"
    if in_progress:
        raise CLError(CL_INVALID_OPERATION, "a build of this program has not completed")
    # "if there are kernel objects attached to program"
    if attached:
        raise CLError(CL_INVALID_OPERATION, "kernel objects are attached to the program")
    for i in indices:
        publish(program, i, CL_BUILD_IN_PROGRESS, CL_PROGRAM_BINARY_TYPE_NONE, NULL)
        record = state_of(program).builds[i]
        record.options = options
        record.log = ""
        if record.il is not None or not state_of(program).from_binary:
            record.unit = record.exe = record.binary = None
    return 0


cdef void publish(Program *program, cl_uint i, cl_build_status status, cl_program_binary_type binary_type,
                  Code *code) noexcept:
    """What the world sees of a device's build; takes over the reference to `code`."""
    cdef Code *old
    program_lock(program)
    old = program.builds[i].code
    program.builds[i].code = code
    program.builds[i].status = status
    program.builds[i].binary_type = binary_type
    program_unlock(program)
    if old != NULL:
        object_drop(old)


cdef object made_from(Job job, cl_uint i):
    """Devices for which this is equal get the same build: sub-devices have their root device's target."""
    cdef Program *program = job.program
    record = state_of(program).builds[i]
    inputs = job.units[i] if job.units else [record.exe] if state_of(program).from_binary else []
    return (id(target_of(program.context, program.builds[i].device)), *[id(each) for each in inputs])


cdef int share_device(Program *program, cl_uint i, cl_uint other) except -1:
    """Device i gets what was built for another."""
    cdef Code *code = program.builds[other].code
    cdef cl_program_binary_type kind = program.builds[other].binary_type
    record, source = state_of(program).builds[i], state_of(program).builds[other]
    record.log, record.unit, record.exe = source.log, source.unit, source.exe
    if code != NULL:
        object_hold(code)
    publish(program, i, CL_BUILD_SUCCESS, kind, code)
    return 0


cdef int build_device(Job job, cl_uint i) except -1:
    cdef Program *program = job.program
    cdef const Device *dev
    source = made_from(job, i)
    if source in job.done:
        return share_device(program, i, job.done[source])
    dev = program.builds[i].device
    product = job.work(i, toolchain_of(dev), target_of(program.context, dev))
    finish_device(program, i, product, job.units[i] if job.units else [])
    job.done[source] = i
    return 0


cdef int finish_device(Program *program, cl_uint i, object product, list linked) except -1:
    """Load an executable; note what the build made, if it was a link then of the units `linked`."""
    cdef Device *dev = program.builds[i].device
    cdef Code *code = NULL
    record = state_of(program).builds[i]
    record.log = product.log
    if product.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE:
        target = target_of(program.context, dev)
        loaded = toolchain_of(dev).load(product, target)
        # "If the program was created using clLinkProgram, then all input programs must support" groups of any size.
        uniform = any([each.options.has_uniform_groups for each in linked or [product]])
        code = code_new(dev, product.kernels, loaded, uniform)
        code.says_why = any([each.options.debug for each in linked or [product]])
        code_keeps(code, (toolchain_of(dev), product, target))
        record.exe = product
    else:
        record.unit = product
    publish(program, i, CL_BUILD_SUCCESS, product.kind, code)
    return 0


cdef cl_int run(Job job) except? -9999:
    """The work, counted: what it leaves behind is freed, by LLVM too, before the end of the process goes on."""
    atomic_add_i32(&running, 1)
    try:
        return run_counted(job)
    finally:
        guard_exit()
        atomic_add_i32(&running, -1)


cdef cl_int run_counted(Job job) except? -9999:
    """Device by device. A failed device does not keep the others from being built."""
    cdef Program *program = job.program
    cdef cl_int result = CL_SUCCESS
    cdef cl_uint i
    left = list(job.indices)
    try:
        if ending:
            raise CLError(CL_OUT_OF_RESOURCES, "the process ends")
        for i in job.indices:
            start = now_ns()
            try:
                build_device(job, i)
            except Exception as error:
                state_of(program).builds[i].log, result = explained(error, job.failure)
                publish(program, i, CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE, NULL)
            left.remove(i)
            if sinks != NULL:
                tell_sinks(BUILT, program, program.builds[i].status, program.builds[i].device, start)
            trace(3, f"build for device {i}: {(now_ns() - start) / 1e6:.1f} ms, status {result}")
    finally:
        for i in left:           # the interpreter was told to end, or interrupted
            state_of(program).builds[i].log = "error: the build was given up\n"
            publish(program, i, CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE, NULL)
    return result


cdef void build_on_thread(void *given) noexcept nogil:
    """Body of the thread of an asynchronous build, which has a reference to the program and to the job."""
    cdef Program *program
    cdef program_notify_fn notify
    cdef void *user_data
    work_enters()
    if python_runs() and not work_is_stuck():
        with gil:
            job = <Job>given
            program, notify, user_data = job.program, job.notify, job.user_data
            run_and_report(job)
            Py_DECREF(job)
            job = None
            drain_drops()
        work_leaves()
        if host_takes_calls():
            notify(<cl_program>program, user_data)
        object_drop(program)
    else:
        work_leaves()


cdef void run_and_report(Job job) noexcept:
    try:
        run(job)
    except BaseException as error:
        report_fault("a build on a thread of its own", error)


cdef tuple explained(object error, cl_int failure):
    """(build log, error code) of a build that an exception ended; `failure` is the code for a program that is wrong."""
    if isinstance(error, CompileError):
        return error.log, failure
    if isinstance(error, CLError):
        return f"error: {error.why}\n", error.code
    if isinstance(error, MemoryError):
        return "error: there is not enough memory for the build\n", CL_OUT_OF_HOST_MEMORY
    report_fault("build", error)
    return f"error: the compiler failed: {fault_text(error)}\n", failure


cdef int start_thread(Job job) except -1:
    from importlib import import_module
    import_module("clpy.llvm.frontend")      # before the guard, as guard_exit wants it
    guard_exit()
    Py_INCREF(job)
    if not thread_start(build_on_thread, <void *>job, b"clpy-build", STACK_BYTES):
        Py_DECREF(job)
        raise RuntimeError("no thread")
    return 0


cdef cl_int start(Program *program, list indices, str options, object work, dict units, cl_int failure,
                  program_notify_fn notify, void *user_data) except? -9999:
    cdef Job job = Job()
    drain_drops()
    begin(program, indices, options)
    job.program = program
    job.indices = indices
    job.work = work
    job.units = units
    job.done = {}
    job.failure = failure
    job.notify = notify
    job.user_data = user_data
    if notify == NULL:
        return run(job)
    object_hold(program)         # the application may release it meanwhile
    try:
        start_thread(job)
    except RuntimeError:         # no thread to be had
        run_and_report(job)
        with nogil:
            notify(<cl_program>program, user_data)
            object_drop(program)
    return CL_SUCCESS


cdef dict specialized(object state, list indices):
    """The IL to build from by device, with the values that specialization constants have now."""
    from clpy.compiler import spirv
    texts = {i: state.builds[i].il for i in indices if state.builds[i].il is not None}
    if state.constants:
        texts = {i: spirv.specialize(spirv.parse(il), state.constants).to_bytes() for i, il in texts.items()}
    return texts


cdef cl_int build(Program *program, list indices, str options, program_notify_fn notify,
                  void *user_data) except? -9999:
    from clpy.compiler.options import BUILD, parse_options
    state = state_of(program)
    parsed = parse_options(options, BUILD)
    il = specialized(state, indices)

    def work(i, toolchain, target):
        return state.executable(i, il, parsed, toolchain, target)

    return start(program, indices, options, work, None, CL_BUILD_PROGRAM_FAILURE, notify, user_data)


cdef Code *build_executable(Program *program, cl_uint i, bytes source, list kernels) except NULL:
    from clpy.records import replace
    from clpy.compiler.options import BUILD, parse_options
    drain_drops()
    toolchain = toolchain_of(program.builds[i].device)
    options = parse_options("-cl-std=CL3.0 -cl-kernel-arg-info", BUILD)
    atomic_add_i32(&running, 1)
    try:
        product = toolchain.build(source, options, target_of(program.context, program.builds[i].device))
        product = replace(product, kernels={name: product.kernels[name] for name in kernels})
        finish_device(program, i, product, [])
        state_of(program).builds[i].exe = None
    finally:
        guard_exit()
        atomic_add_i32(&running, -1)
    return program.builds[i].code


cdef cl_int compile(Program *program, list indices, str options, dict headers, program_notify_fn notify,
                    void *user_data) except? -9999:
    from clpy.compiler.options import COMPILE, parse_options
    parsed = parse_options(options, COMPILE)
    source = state_of(program).source
    il = specialized(state_of(program), indices)
    # "if program has no source or IL available"
    if source is None and len(il) < len(indices):
        raise CLError(CL_INVALID_OPERATION, "the program has no source")

    def work(i, toolchain, target):
        if i in il:
            return toolchain.compile_il(il[i], parsed, target)
        return toolchain.compile(source, headers, parsed, target)

    return start(program, indices, options, work, None, CL_COMPILE_PROGRAM_FAILURE, notify, user_data)


cdef int check_link_options(str options) except -1:
    from clpy.compiler.options import LINK, parse_options
    parse_options(options, LINK)
    return 0


cdef cl_int link(Program *program, dict units, str options, program_notify_fn notify, void *user_data) except? -9999:
    from clpy.compiler.options import LINK, parse_options
    parsed = parse_options(options, LINK)

    def work(i, toolchain, target):
        return toolchain.link(units[i], parsed, target)

    return start(program, sorted(units), options, work, units, CL_LINK_PROGRAM_FAILURE, notify, user_data)


cdef bytes binary_of(Program *program, cl_uint i):
    cdef const Device *dev
    i = build_for(program, program.builds[i].device)
    dev = program.builds[i].device
    record = state_of(program).builds[i]
    product = record.exe if record.exe is not None else record.unit
    if record.binary is None and product is not None:
        record.binary = toolchain_of(dev).pack(product, state_of(program).source or b"",
                                               target_of(program.context, dev))
    return record.binary or b""


cdef object product_of(bytes binary, const Context *ctx, const Device *dev):
    return toolchain_of(dev).unpack(binary, target_of(ctx, dev))


cdef bytes source_in(Program *program, cl_uint i):
    return toolchain_of(program.builds[i].device).source_in(state_of(program).builds[i].binary)


cdef size_t variable_bytes(Program *program, cl_uint i) except? 9999:
    record = state_of(program).builds[i]
    return toolchain_of(program.builds[i].device).variable_bytes(record.exe) if record.exe is not None else 0


at_fork_in_child(forget_builds)
ends.append(lambda: ending)


guard_main_thread()          # the thread that comes first is mostly the main one, whoever builds later
