# SPDX-License-Identifier: Apache-2.0
"""clpy/spec: the table of functions agrees with the headers, the entries with the table, and the generator refuses
what is no row."""
import ctypes
import re
from pathlib import Path

import pytest

from clpy.spec import generate, tables
from clpy.spec.names import ERRORS, VALUES, error_name

ROWS = tables.read_api()
BY_NAME = {row.name: row for row in ROWS}
CLPY = Path(generate.__file__).parents[1]
HOT = ["clEnqueue", "clCommand", "clRetain", "clRelease", "clSetKernelArg", "clSetKernelExecInfo", "clFlush",
       "clFinish", "clWaitForEvents", "clGetEvent", "clSetUserEventStatus", "clCreateUserEvent", "clSetEventCallback",
       "clSVM", "clCreateBuffer", "clCreateSubBuffer", "clCloneKernel", "clGetKernelSuggestedLocalWorkSize"]
HEADERS = Path("/usr/include/CL")
PYX = (Path(generate.__file__).parents[1] / "api" / "entries.pyx").read_text()
# Functions whose way leads through Python: builds, and queries that are asked once.
MAY_TAKE_THE_GIL = re.compile("clGetPlatformInfo|clGetDeviceInfo|cl(Create|Build|Compile|Link|Get)Program|"
                              "clCreateKernel|clSetProgramSpecializationConstant")


def header_slots():
    text = (HEADERS / "cl_icd.h").read_text().split("typedef struct _cl_icd_dispatch {")[1].split("}")[0]
    return re.findall(r"\bcl_api_\w+\s+(\w+);", text)


def core_functions():
    """Functions that the system's CL/cl.h declares."""
    text = (HEADERS / "cl.h").read_text()
    return set(re.findall(r"CL_API_CALL\s+(cl\w+)\(", text))


def test_each_function_once():
    assert len(BY_NAME) == len(ROWS)


def test_all_core_functions_are_there():
    """115 of them, 1.0 to 3.1."""
    core = {row.name for row in ROWS if re.fullmatch(r"\d\.\d", row.version)}
    assert len(core) == 115
    assert core_functions() - core == set()
    assert core - core_functions() <= {"clGetKernelSuggestedLocalWorkSize"}


def test_every_slot_of_the_dispatch_table_has_a_row():
    assert set(header_slots()) == {row.name for row in ROWS if row.has_slot}


def test_number_of_parameters_is_the_headers():
    declared = {}
    for name in ("cl.h", "cl_gl.h", "cl_egl.h"):
        text = re.sub(r"/\*.*?\*/", " ", (HEADERS / name).read_text(), flags=re.DOTALL)
        for match in re.finditer(r"CL_API_CALL\s*(cl\w+)\((.*?)\)\s*CL_API_SUFFIX", text, re.DOTALL):
            inner = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", match[2]))
            declared[match[1]] = 0 if inner.strip() == "void" else inner.count(",") + 1
    assert len(declared) > 115
    differ = {name: n for name, n in declared.items() if name in BY_NAME and len(BY_NAME[name].params) != n}
    assert differ == {}


@pytest.fixture(scope="module")
def table():
    from clpy.api import entries
    n = len(header_slots())
    return dict(zip(header_slots(), (ctypes.c_void_p * n).from_address(entries.dispatch_address()), strict=True))


def test_no_null_in_the_dispatch_table(table):
    assert [name for name, address in table.items() if not address] == []
    assert len(set(table.values())) == len(table)


def test_refusing_entries_return_the_code_of_their_row(table):
    """Called with NULL for everything: a refusal looks at nothing."""
    checked = 0
    for row in ROWS:
        if not row.refusal or not row.has_slot or not row.refusal.startswith("CL_"):
            continue
        error = ctypes.c_int(12345)
        types = [ctypes.c_void_p if "*" in t or t.endswith("_fn") else ctypes.c_uint64 for t, _ in row.params]
        values = [ctypes.byref(error) if n == "errcode_ret" else None if t is ctypes.c_void_p else 0
                  for t, (_, n) in zip(types, row.params, strict=True)]
        result = ctypes.CFUNCTYPE(ctypes.c_int if row.returns == "cl_int" else ctypes.c_void_p, *types)(table[row.name])
        got = result(*values)
        if row.returns == "cl_int":
            assert got == VALUES[row.refusal], row.name
        else:
            assert got is None and error.value == VALUES[row.refusal], row.name
            values[[n for _, n in row.params].index("errcode_ret")] = None
            assert result(*values) is None
        checked += 1
    assert checked >= 30


def test_only_cold_functions_take_the_gil():
    rows = tables.everywhere(tables.read_api)
    takers = {row.name for row in rows if row.gil}
    assert [name for name in takers if not MAY_TAKE_THE_GIL.match(name)] == []
    bodies = dict(re.findall(r"^cdef [^\n]*?\b(\w+)\([^\n]*noexcept with gil:\n(.*?)(?=^cdef|^def|\Z)", PYX,
                             re.DOTALL | re.MULTILINE))
    assert set(bodies) == {f"gil_{row.name}" for row in rows if row.gil and not row.refusal}
    assert "with gil:" not in PYX.replace("noexcept with gil:", "")


@pytest.mark.parametrize("hot", HOT)
def test_hot_functions_do_without_the_gil(hot):
    """Nor does what they call take it: no module of theirs can."""
    rows = [row for row in ROWS if re.match(hot, row.name)]
    assert rows and [row.name for row in rows if row.gil] == []
    for module in {row.handler.split(".")[0] for row in rows if not row.refusal and not row.counts}:
        text = (CLPY / "api" / f"{module}.pyx").read_text()
        taking = [name for name in re.findall(r"^cdef [^\n]*?(\w+)\([^)]*\) noexcept with gil:", text, re.MULTILINE)]
        assert taking == [] and "with gil:" not in text, module


def test_the_modules_of_commands_do_without_the_gil():
    for name in ("object", "command", "queue", "event", "callback", "memory", "transfer", "copy", "svm", "kernel",
                 "ndrange", "native"):
        assert "with gil" not in (CLPY / "core" / f"{name}.pyx").read_text(), name
    for path in (CLPY / "device").rglob("*.pyx"):
        if path.stem in ("pool", "launch", "memory"):
            assert "with gil" not in path.read_text(), path


def test_done_entries_call_their_handler():
    for row in ROWS:
        if not row.refusal:
            assert f"{row.handler.split()[0].replace('.', '_')}(" in PYX, row.name


def test_error_names():
    assert error_name(-30) == "CL_INVALID_VALUE" and error_name(0) == "CL_SUCCESS"
    assert error_name(-11) == "CL_BUILD_PROGRAM_FAILURE" and error_name(-1001) == "CL_PLATFORM_NOT_FOUND_KHR"
    assert error_name(-4711) == "error -4711"
    assert not any(name.startswith(("CL_BUILD_NONE", "CL_BUILD_ERROR")) for name in ERRORS.values())


@pytest.mark.parametrize("line", ["clFoo | 1.0 | done | nogil | a.b", "clFoo | 1.0 | done | maybe | a.b | cl_int ()",
                                  "clFoo | 1.0 | perhaps | nogil | a.b | cl_int ()",
                                  "clFoo | 1.0 | done | nogil | a.b | cl_int"])
def test_the_generator_names_a_wrong_row(line, tmp_path, monkeypatch):
    (tmp_path / "api.txt").write_text(f"# a comment\n{line}\n")
    monkeypatch.setattr(tables, "HERE", tmp_path)
    with pytest.raises(SystemExit, match=r"api\.txt:2"):
        tables.read_api()


def test_generated_files_keep_their_time(tmp_path):
    path = tmp_path / "x"
    generate.write_if_changed(path, "a")
    before = path.stat().st_mtime_ns
    generate.write_if_changed(path, "a")
    assert path.stat().st_mtime_ns == before
    generate.write_if_changed(path, "b")
    assert path.read_text() == "b"
