# SPDX-License-Identifier: Apache-2.0
"""clpy/spec/queries.txt: what its rows say is so in the code, and what is made from them."""
import pytest

from clpy.compiler.target import host_target
from clpy.device.answers import Described, shared_answers
from clpy.device.cpu.info import Machine, own_answers
from clpy.spec import queries, query_types, tables

DEVICE = [query for query in tables.read_queries() if query.function == "clGetDeviceInfo"]


def numbers(names):
    """Some queries have two names, or the core's beside that of an extension."""
    return {query_types.DEVICE[name][0] for name in names}


def test_who_answers_in_python():
    shared = numbers(shared_answers(Described(host_target())))
    assert shared == numbers(query.enum for query in DEVICE if query.answer == "shared")
    assert not shared & numbers(query.enum for query in DEVICE if query.answer == "device")


def test_the_cpu_device_answers_every_row_and_no_other():
    assert numbers(own_answers(Machine(host_target()))) == numbers(q.enum for q in DEVICE if q.answer == "device")


def test_no_row_twice():
    rows = [(query.function, query.enum) for query in tables.read_queries()]
    assert len(rows) == len(set(rows))


def written(type, answer):
    return queries.steps(tables.Query("clGetFooInfo", "1.0", "CL_FOO", type, answer), ["foo", "bar"], {})[1].strip()


@pytest.mark.parametrize(("type", "answer", "line"), [
    ("cl_uint", "foo.n", "return info_u32(foo.n, size, value, size_ret)"),
    ("cl_mem_flags", "foo.n * 8", "return info_u64(foo.n * 8, size, value, size_ret)"),
    ("size_t", "foo.n", "return info_size(foo.n, size, value, size_ret)"),
    ("cl_context", "foo.c", "return info_ptr(foo.c, size, value, size_ret)"),
    ("void *", "foo.p", "return info_ptr(foo.p, size, value, size_ret)"),
    ("char[]", "foo.s", "return info_string(foo.s, size, value, size_ret)"),
    ("cl_float", "foo.f", "return info_bytes(&foo.f, 4, size, value, size_ret)"),
    ("cl_uint[]", "foo.list * foo.n", "return info_bytes(foo.list, foo.n * 4, size, value, size_ret)"),
    ("size_t[3]", "foo.sizes", "return info_bytes(foo.sizes, 3 * 8, size, value, size_ret)"),
    ("cl_uint", "references", "return info_u32(atomic_load_i32(&foo.obj.app_refs), size, value, size_ret)"),
    ("cl_uint", "answer()", "return answer(foo, bar, size, value, size_ret)"),
    ("cl_uint", "refuses CL_INVALID_VALUE", "return CL_INVALID_VALUE"),
    ("cl_uint", "foo.n where foo.has",
     "return info_u32(foo.n, size, value, size_ret) if foo.has else CL_INVALID_VALUE"),
    ("cl_uint", "foo.n where foo.has else CL_X",
     "return info_u32(foo.n, size, value, size_ret) if foo.has else CL_X"),
])
def test_lines_that_are_made(type, answer, line):
    assert written(type, answer) == line


@pytest.mark.parametrize("row", ["clGetFooInfo | 1.0 | CL_FOO | cl_uint", "clGetFooInfo | 1.0 | CL_FOO | cl_uint |",
                                 "clGetFooInfo | 1.0 | CL_FOO | int; | foo.n"])
def test_the_generator_names_a_wrong_row(row, tmp_path):
    (tmp_path / "queries.txt").write_text(f"# a comment\n{row}\n")
    with pytest.raises(SystemExit, match=r"queries\.txt:2"):
        tables.read_queries(tmp_path)
