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
