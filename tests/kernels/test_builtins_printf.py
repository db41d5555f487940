# SPDX-License-Identifier: Apache-2.0
"""printf in kernels: what it writes is on the host's stdout when the queue is finished."""
import numpy as np
import pytest


def printed(machine, capfd, body, n=1, local_size=1):
    capfd.readouterr()
    out = np.full(n, 7, np.int32)
    machine.launch(machine.build(f"kernel void k(global int *a) {{ size_t i = get_global_id(0); {body} }}").k,
                   (n,), (local_size,), [out])
    return capfd.readouterr().out, out


@pytest.mark.parametrize(("call", "text"), [
    ('printf("plain\\n")', "plain\n"),
    ('printf("%d %5.2f %s %c%%\\n", -3, 2.5f, "text", \'x\')', "-3  2.50 text x%\n"),
    ('printf("%v4hlf|%v3hd|%v2hhx\\n", (float4)(1, 2, 3, 4.5f), (short3)(1, -2, 3), (uchar2)(255, 1))',
     "1.000000,2.000000,3.000000,4.500000|1,-2,3|ff,1\n"),
    ('printf("%ld %lu %v2lf\\n", -5000000000L, ~0UL, (double2)(0.5, -1))',
     "-5000000000 18446744073709551615 0.500000,-1.000000\n"),
    ('printf("%hhd %u %g\\n", (char)-1, (uchar)200, (double)1e100)', "-1 200 1e+100\n"),
    ('printf("")', ""),
])
def test_text_and_result(machine, capfd, call, text):
    if "double" in call:
        machine.needs("cl_khr_fp64")
    got, results = printed(machine, capfd, f"a[i] = {call};")
    assert (got, results.tolist()) == (text, [0])


def test_calls_do_not_mix(machine, capfd):
    """From all threads and in divergent code; each call's text is in one piece."""
    n = 2000
    text, _ = printed(machine, capfd, 'if (i % 3) printf("<%d|%v4hld>\\n", (int)i, (int4)(i)); else a[i] = 1;', n, 50)
    right = {f"<{i}|{i},{i},{i},{i}>" for i in range(n) if i % 3}
    lines = text.splitlines()
    assert len(lines) == len(right) and set(lines) == right


def test_around_a_barrier(machine, capfd):
    """All of a group's first lines come before its second one."""
    body = 'printf("a%d\\n", (int)i); barrier(CLK_LOCAL_MEM_FENCE); if (!get_local_id(0)) printf("b\\n");'
    text, _ = printed(machine, capfd, body, 8, 8)
    assert sorted(text.splitlines()[:8]) == [f"a{i}" for i in range(8)]
    assert text.splitlines()[8:] == ["b"]


def test_kinds_of_arguments(machine, capfd):
    """Elements of less than a word lie beside each other, whatever their number."""
    body = """constant char *text = a[i] == 7 ? "seven" : "other"; uchar b = i + 200; short s = -3;
        bool yes = a[i] == 7;
        printf("%s|%d,%d,%d|%v3hhd|%v16hhx|%v8hd|%v2ld|%c", text, b, s, yes, (char3)(1, -2, 3), (uchar16)(b),
               (short8)(s), (long2)(-1, 1L << 40), 'q');
        printf("|%5.1f|%v2hlf|%v8hld|%x|%lx\\n", (float)i, (float2)(i, -1), (int8)(-i), 0xabcdefu, 0x123456789abul);"""
    text, _ = printed(machine, capfd, body)
    assert text == (f"seven|200,-3,1|1,-2,3|{','.join(['c8'] * 16)}|{','.join(['-3'] * 8)}|-1,1099511627776|q"
                    f"|  0.0|0.000000,-1.000000|{','.join(['0'] * 8)}|abcdef|123456789ab\n")


def test_kernels_beside_one_that_prints(machine, capfd):
    """They have their arguments, and tables of the program are where they were."""
    program = machine.build("""constant int table[3] = {5, 6, 7};
        typedef struct { int a[5]; } five;
        kernel void says(global int *a, five f, global int *b) { printf("%d %d\\n", a[0] + f.a[2], table[b[1]]); }
        kernel void plain(global int *a, five f, global int *b) {
            a[get_global_id(0)] = f.a[b[get_global_id(0)]] * table[get_global_id(0)]; }""")
    five = np.arange(10, 15, dtype=np.int32).view([("a", np.int32, 5)])[0]
    a, b = np.zeros(3, np.int32), np.array([4, 2, 0], np.int32)
    capfd.readouterr()
    machine.launch(program.plain, (3,), (3,), [a, five, b])
    machine.launch(program.says, (2,), (1,), [a, five, b])
    assert a.tolist() == [14 * 5, 12 * 6, 10 * 7]
    assert capfd.readouterr().out == f"{70 + 12} 7\n" * 2


def test_more_than_there_is_room_for(machine, capfd):
    """A group of a model may print 4 MiB: what is beyond says so, and the next group begins anew."""
    if not machine.is_model:
        pytest.skip("the CPU device prints at once")
    body = 'int n = 0; for (int k = 0; k < 300; k++) n += printf("x", (long16)k); a[i] = n;'
    text, results = printed(machine, capfd, body, 256, 128)
    assert text == "x" * len(text) and len(text) - sum(results) == 256 * 300
    assert len(text) == 2 * ((4 << 20) // (16 + 16 + 128))
