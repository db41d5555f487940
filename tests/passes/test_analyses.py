# SPDX-License-Identifier: Apache-2.0
"""Analyses on small functions: shapes, live values, the layout of context memory, the table of functions."""
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clpy.compiler.analysis.builtin_table import base_name, row_of
from clpy.compiler.analysis.graph import Cfg, laid_out
from clpy.compiler.analysis.liveness import Liveness
from clpy.compiler.analysis.loop_vectorizer import merges_wrongly, miscompiles
from clpy.compiler.analysis.parting import Apart, InStep
from clpy.compiler.analysis.shapes import VARYING, Shapes, is_read_only, parted_shapes, parts_alike
from clpy.compiler.spmd.context import Layout
from clpy.compiler.spmd.refusals import may_refuse
from clpy.compiler.spmd.region_plan import work_item_ids
from clpy.llvm.ir import get_function, used_elsewhere
from clpy.llvm.module import Module


def function(body, params="i64 %lid.0, i64 %lid.1, i64 %n, ptr addrspace(1) %p, ptr addrspace(2) %c, ptr %s"):
    text = f"declare float @sinf(float)\ndefine void @f({params}) {{\n{body}\n}}"
    module = Module.from_text(text)
    assert module.verify() == ""
    return get_function(module, "f")


def shapes_of(body, stable=is_read_only):
    f = function(body)
    shapes = Shapes(Cfg(f), work_item_ids(f), Apart, stable)
    return {i.name: shapes[i] for i in f.instructions if i.name}


def test_shapes_of_arithmetic():
    assert shapes_of("""
        %u = mul i64 %n, 7
        %s1 = add i64 %lid.0, %n
        %s5 = mul i64 %s1, 5
        %s8 = shl i64 %lid.0, 3
        %minus = sub i64 %n, %lid.0
        %none = sub i64 %s1, %lid.0
        %a = getelementptr i32, ptr addrspace(1) %p, i64 %s1
        %y = add i64 %lid.1, %s1
        %square = mul i64 %lid.0, %lid.0
        %stride_unknown = mul i64 %lid.0, %n
        %low = trunc i64 %s1 to i32
        ret void""") == {
            "u": 0, "s1": 1, "s5": 5, "s8": 8, "minus": -1, "none": 0, "a": 4, "y": VARYING, "square": VARYING,
            "stride_unknown": VARYING, "low": 1}


def test_phis_that_work_items_come_to_by_one_edge():
    """Behind a divergent branch and behind a divergent loop; what the loop counts differs there."""
    found = shapes_of("""
        br label %loop
    loop:
        %i = phi i64 [ 0, %0 ], [ %next, %loop ]
        %next = add i64 %i, 1
        %more = icmp ult i64 %next, %lid.1
        br i1 %more, label %loop, label %behind
    behind:
        %counted = phi i64 [ %next, %loop ], [ 0, %behind ]
        %d = phi i64 [ 0, %loop ], [ %d.next, %behind ]
        %d.next = add i64 %d, 1
        %again = icmp ult i64 %d.next, 16
        br i1 %again, label %behind, label %asks
    asks:
        %far = icmp ult i64 %lid.0, %n
        br i1 %far, label %inside, label %end
    inside:
        %same = phi i64 [ %n, %asks ]
        br label %end
    end:
        %which = phi i64 [ 0, %asks ], [ %same, %inside ]
        ret void""")
    assert found == {"i": VARYING, "next": VARYING, "more": VARYING, "counted": VARYING, "d": 0, "d.next": 0,
                     "again": 0, "far": VARYING, "same": 0, "which": VARYING}


def test_shapes_of_loads_and_calls():
    found = shapes_of("""
        %const = load float, ptr addrspace(2) %c
        %from_struct = load float, ptr %s
        %global = load float, ptr addrspace(1) %p
        %volatile = load volatile float, ptr addrspace(2) %c
        %sin = call float @sinf(float %const)
        %sin_v = call float @sinf(float %global)
        %mine = alloca i32
        %private = load i32, ptr %mine
        %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
        ret void""")
    assert found == {"const": 0, "from_struct": 0, "global": VARYING, "volatile": VARYING, "sin": 0, "sin_v": VARYING,
                     "mine": VARYING, "private": VARYING, "old": VARYING}


def test_control_divergence():
    """A phi behind a divergent branch differs, one behind a uniform branch does not."""
    body = """
    entry:
        %cond = icmp ult i64 {x}, 5
        br i1 %cond, label %a, label %b
    a:
        br label %b
    b:
        %phi = phi i32 [ 1, %a ], [ 2, %entry ]
        br label %after
    after:
        %next = phi i32 [ 3, %b ]
        ret void"""
    assert shapes_of(body.format(x="%lid.0"))["phi"] is VARYING
    assert shapes_of(body.format(x="%lid.0"))["next"] == 0
    assert shapes_of(body.format(x="%n"))["phi"] == 0


def test_temporal_divergence():
    """A counter is uniform in a loop that work-items leave at different times, but not behind it, and so is all that
    comes from it; in a loop with a uniform condition it stays uniform, though a branch inside diverges."""
    body = """
    entry:
        br label %loop
    loop:
        %i = phi i64 [ 0, %entry ], [ %j, %latch ]
        %d = icmp ult i64 %lid.0, 3
        br i1 %d, label %then, label %latch
    then:
        br label %latch
    latch:
        %j = add i64 %i, 1
        %cond = icmp ult i64 %j, {x}
        br i1 %cond, label %loop, label %out
    out:
        %after = phi i64 [ %j, %latch ]
        ret void"""
    assert shapes_of(body.format(x="%lid.0"))["after"] is VARYING
    assert shapes_of(body.format(x="%n"))["after"] == 0
    assert shapes_of(body.format(x="%n"))["i"] == 0


def test_lanes_in_step_differ_behind_a_loop_not_in_it():
    """Lanes that go together: the counter is the same in all that still take part, and differs where they leave; where
    there are two ways out, it does so behind both of them too."""
    f = function("""
    entry:
        br label %loop
    loop:
        %i = phi i64 [ 0, %entry ], [ %j, %latch ]
        %early = icmp eq i64 %i, %lid.0
        br i1 %early, label %found, label %latch
    latch:
        %j = add i64 %i, 1
        %more = icmp ult i64 %j, %n
        br i1 %more, label %loop, label %none
    found:
        %at = phi i64 [ %i, %loop ]
        br label %end
    none:
        %all = phi i64 [ %j, %latch ]
        br label %end
    end:
        %which = phi i64 [ 1, %found ], [ 2, %none ]
        ret void""")
    shapes = Shapes(laid_out(f), work_item_ids(f), InStep)
    found = {i.name: shapes[i] for i in f.instructions if i.name}
    assert found == {"i": 0, "early": VARYING, "j": 0, "more": 0, "at": VARYING, "all": VARYING, "which": VARYING}
    assert len(shapes.divergent) == len(shapes.divergent_loops) == 1


def test_liveness():
    f = function("""
    entry:
        %a = add i64 %n, 1
        %b = add i64 %n, 2
        br label %loop
    loop:
        %i = phi i64 [ %a, %entry ], [ %k, %loop ]
        %k = add i64 %i, %b
        %cond = icmp ult i64 %k, 9
        br i1 %cond, label %loop, label %out
    out:
        %x = add i64 %k, %a
        ret void""")
    live = Liveness(Cfg(f))
    names = [{v.name for v in live.at(b)} for b in range(3)]
    assert names == [set(), {"a", "b"}, {"k", "a"}]  # phi operands are used at the end of the predecessors


@given(st.lists(st.tuples(st.integers(1, 200), st.sampled_from([1, 2, 4, 8, 16, 64, 128]))), st.integers(1, 64))
def test_layout_is_aligned_and_apart(sizes, items):
    layout = Layout([(i, size, align) for i, (size, align) in enumerate(sizes)])
    spans = []
    for key, (size, align) in enumerate(sizes):
        start = layout.offset[key] * items
        assert start % align == 0 and layout.size[key] % align == 0 and layout.size[key] >= size
        spans.append((start, start + layout.size[key] * items))
    spans.sort()
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    assert not spans or spans[-1][1] == layout.bytes * items


@pytest.mark.parametrize(("symbol", "name"), [
    ("_Z13get_global_idj", "get_global_id"), ("_Z18work_group_barrierj12memory_scope", "work_group_barrier"),
    ("sinf", "sinf"), ("_Z", "_Z"), ("_ZN3foo3barEv", "_ZN3foo3barEv")])
def test_base_name(symbol, name):
    assert base_name(symbol) == name


def test_table():
    assert row_of("_Z7barrierj").kind == "cut"
    assert row_of("powf").shape == "join"
    assert row_of("_Z9user_funcj") is None


EXCHANGE = """entry:
        br label %loop
    loop:
        %i = phi i64 [ 0, %entry ], [ %next, %latch ]
        %at = getelementptr i32, ptr %s, i64 %i
        %odd = trunc i64 %i to i1
        br i1 %odd, label %then, label %latch
    then:
        %there = load i32, ptr %at
        STORE
        br label %latch
    latch:
        %now = phi i32 [ 7, %loop ], [ %there, %then ]
        store i32 %now, ptr addrspace(1) %p
        %next = add i64 %i, 1
        %more = icmp ult i64 %next, %n
        br i1 %more, label %loop, label %exit
    exit:
        ret void"""


@pytest.mark.parametrize("store, wrong", [("store i32 5, ptr %at", True), ("", False)])
def test_loops_in_which_llvm_would_move_loads_past_stores(store, wrong):
    assert miscompiles(function(EXCHANGE.replace("STORE", store))) is wrong


@pytest.mark.parametrize("accesses, wrong", [
    ("store i32 1, ptr %a\n store i32 2, ptr %b", False),
    ("store i32 1, ptr %a\n %v = load i32, ptr %b\n store i32 %v, ptr %b", True),
    ("store i32 1, ptr %a\n store i32 2, ptr %q\n store i32 2, ptr %b", True),
    ("store i32 1, ptr %a\n %v = load i32, ptr addrspace(2) %c\n store i32 %v, ptr %b", False),
    ("%v = load i32, ptr %a\n %w = load i32, ptr %b\n %x = add i32 %v, %w\n store i32 %x, ptr %q", False),
    ("store i32 1, ptr %a\n %v = load i32, ptr %q\n store i32 %v, ptr addrspace(1) %p", False)])
def test_bodies_whose_members_llvm_would_put_in_a_wrong_order(accesses, wrong):
    places = """%a = getelementptr [2 x i32], ptr %s, i64 %lid.0
        %b = getelementptr i8, ptr %a, i64 4
        %q = getelementptr i32, ptr %s, i64 %n"""
    assert merges_wrongly(function(f"{places}\n{accesses}\nret void")) is wrong


def branch(condition, then="", also=""):
    """A body that goes one of two ways by a comparison with %n."""
    return f"""
        %where = icmp slt i64 {condition}, %n
        br i1 %where, label %then, label %done
    then:
        {then}
        br label %done
    done:
        {also}
        ret void"""


@pytest.mark.parametrize("body, refused", [
    ("%x = load <4 x float>, ptr addrspace(1) %p\n %y = fadd <4 x float> %x, %x\n"
     "store <4 x float> %y, ptr addrspace(1) %p\n ret void", False),
    ("%x = load float, ptr addrspace(1) %p\n %y = call float @sinf(float %x)\n"
     "store float %y, ptr addrspace(1) %p\n ret void", False),
    (branch("%lid.0", "%x = load i1, ptr addrspace(1) %p"), False),
    ("%x = load {i32, i32}, ptr addrspace(1) %p\n ret void", True),
    ("store [2 x i32] zeroinitializer, ptr addrspace(1) %p\n ret void", True),
    ("%x = load <4 x i1>, ptr addrspace(1) %p\n ret void", True),
    ("%x = getelementptr i32, ptr addrspace(1) %p, <4 x i64> zeroinitializer\n ret void", True),
    ("%x = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic\n ret void", True),
    ("%x = load atomic i32, ptr addrspace(1) %p monotonic, align 4\n ret void", True),
    ("%x = load volatile i32, ptr addrspace(1) %p\n ret void", True),
    ("call void %s()\n ret void", True),
], ids=range(11))
def test_what_no_vector_may_be_made_of_is_seen_before(body, refused):
    assert may_refuse(function(body)) == refused


@pytest.mark.parametrize("condition, alike", [("%n", True), ("%lid.0", True), ("%lid.1", False)])
def test_branches_that_part_rows_and_wavefronts_alike(condition, alike):
    lane = function(branch(condition))
    assert parts_alike(lane, parted_shapes(lane)) == alike


def test_values_that_are_used_in_other_blocks():
    then, also = "%x = add i64 %n, 1\n %y = add i64 %x, %x", "%z = phi i1 [0, %0], [%where, %then]"
    lane = function(branch("%lid.0", then, also))
    cfg = laid_out(lane)
    assert [(b, inst.name, [(user.name, there) for user, there in users]) for b, inst, users in
            used_elsewhere(cfg.blocks)] == [(0, "where", [("z", 2)])]
