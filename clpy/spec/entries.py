# SPDX-License-Identifier: Apache-2.0
"""What follows from api.txt: the text of api/entries.pyx, a C function for each row and the dispatch table."""
import re


def handler_name(row):
    """What the entries call a handler: image_create_image, or amd_media_ops_image_create_image of a vendor's."""
    package = row.package.removeprefix("clpy.").removeprefix("vendor_ext.").removeprefix("api")
    return f"{package}.{row.handler}".removeprefix(".").replace(".", "_")


def handler_call(row, args):
    return f"{handler_name(row)}({args})"


def c_params(row):
    return ", ".join(f"{t}{n}" if t.endswith("*") else f"{t} {n}" for t, n in row.params)


def c_returns(row):
    return row.returns if row.returns.endswith("*") else row.returns + " "


def with_gil(row):
    """The part of a gil row that has the GIL: the one place where exceptions become codes. It gets the arguments in a
    struct, as it may be called on another thread (core/interpreter)."""
    args = ", ".join(f"call.{n}" for _, n in row.params if n != "errcode_ret" or row.writes_error)
    out = ["", "", f"cdef struct Call_{row.name}:"]
    out += [f"    {t}{n}" if t.endswith("*") else f"    {t} {n}" for t, n in row.params]
    out += [f"    {c_returns(row)}result", "", "",
            f"cdef void gil_{row.name}(void *given) noexcept with gil:",
            f"    cdef Call_{row.name} *call = <Call_{row.name} *>given",
            "    try:", f"        call.result = {handler_call(row, args)}", "    except BaseException as error:"]
    result = "call.result" if row.returns == "cl_int" else "call.errcode_ret[0]"
    return [*out, f'        {result} = code_of("{row.name}", error)']


RECORDED = ("command_buffer", "command_queue", "properties", "num_sync_points_in_wait_list", "sync_point_wait_list",
            "sync_point", "mutable_handle")


def waiting_entry(row):
    """Body of an entry whose handler gets a Wait: clEnqueue* waits for events, what clCommand* records for sync points.
    Where both are there they share the handler."""
    own = [n for _, n in row.params]
    if "command_buffer" in own:
        out = ["    cdef Recording to", "    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)",
               f"    cdef cl_int err = begin_plain(&to, {', '.join(RECORDED)})", "    if err != CL_SUCCESS:",
               "        return err"]
        own = ["queue_of(&to)", *(n for n in own if n not in RECORDED), "&wait"]
    else:
        blocking = next((n for n in own if n.startswith("blocking")), "False")
        out = [f"    cdef Wait wait = Wait(NULL, num_events_in_wait_list, event_wait_list, event, {blocking})"]
        own = ["&wait" if n == "event" else n for n in own
               if n not in (blocking, "num_events_in_wait_list", "event_wait_list")]
    return [*out, f"    return {handler_call(row, ', '.join(own))}"]


def fails_when_terminated(row):
    """Does it make an object, of a context or what belongs to one, or set the context up? Then a terminated context is
    an error. Those that enqueue see it in core/command."""
    makes = row.name.startswith(("clCreate", "clClone", "clLink", "clRemap", "clSVMAlloc", "clSetContext",
                                 "clSetDefault")) or "errcode_ret" in [n for _, n in row.params]
    return makes and row.params[0][0] in ("cl_context", "cl_program", "cl_kernel", "cl_mem", "cl_command_buffer_khr")


def termination_check(row):
    out = [f"    if is_of_terminated({row.params[0][1]}):"]
    if row.returns == "cl_int":
        return [*out, "        return CL_CONTEXT_TERMINATED_KHR"]
    if any(n == "errcode_ret" for _, n in row.params):
        out.append("        errcode_ret[0] = CL_CONTEXT_TERMINATED_KHR")
    return [*out, "        return NULL"]


def done_entry(row):
    """Body of an entry that has a handler."""
    return (termination_check(row) if fails_when_terminated(row) else []) + handler_entry(row)


def handler_entry(row):
    if row.waits:
        return waiting_entry(row)
    if row.counts:
        function, kind = row.handler.split()
        return [f"    return {function}({row.params[0][1]}, {kind})"]
    args = ", ".join(n for _, n in row.params)
    if not row.gil:
        return [f"    {'' if row.returns == 'void' else 'return '}{handler_call(row, args)}"]
    failed = "CL_OUT_OF_RESOURCES" if row.returns == "cl_int" else "NULL"
    out = [f"    cdef Call_{row.name} call = Call_{row.name}({args}, {failed})"]
    way = "call_python" if row.python else "call_briefly"
    if row.returns == "cl_int":
        out.append(f"    {way}(gil_{row.name}, &call)")
    else:
        out += [f"    if not {way}(gil_{row.name}, &call):", "        errcode_ret[0] = CL_OUT_OF_RESOURCES"]
    return [*out, "    return call.result"]


def refusing_entry(row):
    """Body of an entry that is not supported."""
    if row.refusal == "nothing":
        return ["    pass"]
    if row.returns == "cl_int":
        return [f"    return {row.refusal}"]
    out = [f"    errcode_ret[0] = {row.refusal}"] if row.refusal != "NULL" else []
    return [*out, "    return NULL"]


def entry(row):
    """The C function of one row."""
    out = with_gil(row) if row.gil and not row.refusal else []
    out += ["", "", f"cdef {c_returns(row)}{row.name}({c_params(row)}) noexcept nogil:"]
    has_errcode = any(n == "errcode_ret" for _, n in row.params)
    if has_errcode:
        out += ["    cdef cl_int ignored", "    if errcode_ret == NULL:", "        errcode_ret = &ignored"]
    if row.refusal:
        return out + refusing_entry(row)
    if has_errcode:
        out.append("    errcode_ret[0] = CL_SUCCESS")
    return out + done_entry(row)


def cimports(rows):
    """Types, error codes and handlers that the entries name."""
    text = " ".join(f"{r.returns} {' '.join(t for t, _ in r.params)}" for r in rows)
    types = sorted(set(re.findall(r"\b(?:cl_\w+|\w+_fn)\b", text)))
    codes = {"CL_CONTEXT_TERMINATED_KHR", "CL_OUT_OF_RESOURCES", "CL_SUCCESS"}
    codes |= {r.refusal for r in rows if r.refusal and r.refusal.startswith("CL_")}
    out = ["from libc.stdint cimport intptr_t", *(f"from clpy.cl cimport {name}" for name in types),
           f"from clpy.spec.consts cimport {', '.join(sorted(codes))}"]
    kinds = {r.handler.split()[1] for r in rows if r.counts}
    out.append(f"from clpy.core.object cimport {', '.join([*sorted(kinds), 'object_release', 'object_retain'])}")
    handlers = {f"{r.package}.{r.handler}": handler_name(r) for r in rows if not r.refusal and not r.counts}
    for handler, name in sorted(handlers.items()):
        module, _, function = handler.rpartition(".")
        out.append(f"from {module} cimport {function} as {name}")
    return out


def entries_pyx(rows):
    """The module that icd/ imports."""
    out = ["# Made by generate.py from api.txt.",
           '"""The C functions of the API: what the loader calls, and the ICD dispatch table that leads to them."""',
           *cimports(rows), "from clpy.api.failure cimport code_of",
           "from clpy.api.functions cimport FUNCTION_CORE, FUNCTION_EXTENSION, function_add",
           "from clpy.api.record cimport begin_plain, queue_of", "from clpy.core.command cimport Wait",
           "from clpy.core.command_buffer cimport Recording",
           "from clpy.core.interpreter cimport call_briefly, call_python", "from clpy.core.object cimport set_dispatch",
           "from clpy.core.terminate cimport is_of_terminated", "",
           'cdef extern from "CL/cl_icd.h" nogil:', "    ctypedef struct cl_icd_dispatch:"]
    slots = [r for r in rows if r.has_slot]
    out += [f"        void *{r.name}" for r in slots]
    for row in rows:
        out += entry(row)
    out += ["", "", "cdef cl_icd_dispatch table", "", "",
            "cdef void fill_table() noexcept nogil:"]
    out += [f"    table.{r.name} = <void *>{r.name}" for r in slots]
    out += ["", "", "cdef void name_functions() noexcept nogil:",
            '    """An extension\'s function that is refused is not found by name: the platform does not have it."""']
    for r in rows:
        if r.extension and r.refusal:
            continue
        kind = "FUNCTION_EXTENSION" if r.extension else "FUNCTION_CORE"
        out.append(f'    function_add(b"{r.name}", <void *>{r.name}, {kind})')
    out += ["", "", "fill_table()", "name_functions()", "set_dispatch(&table)", "", "",
            "def dispatch_address():", '    """Where the table is, for icd/ and the tests."""',
            "    return <size_t>&table"]
    return "\n".join(out) + "\n"
