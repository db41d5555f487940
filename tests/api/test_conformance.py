# SPDX-License-Identifier: Apache-2.0
"""What docs/conformance.md is made from: every function of the table is on it, and its tests are found. Whether the
page is up to date is the last step of .ci/run."""
import conformance


def test_nearly_each_function_has_tests_that_name_it():
    """The others are only called at random."""
    texts = conformance.test_texts()
    rows = [row for _, rows in conformance.sections() for row in rows]
    assert len(rows) > 150
    assert len([row.name for row in rows if not row.refusal and not conformance.named_in(row.name, texts)]) <= 12


def test_the_sections_hold_every_function():
    from clpy.spec import tables
    assert [row.name for _, rows in conformance.sections() for row in rows] == [r.name for r in tables.read_api()]


def test_the_page_says_what_the_tables_say(api):
    """Every function with its status, every listed extension, what is not answered."""
    text = conformance.page(api)
    assert "| `clSetProgramReleaseCallback` | 2.2 | absent |" in text and "| `clFlush` | 1.0 | done |" in text
    assert "refused: `CL_INVALID_GL_OBJECT`" in text and "| `cl_khr_icd` | platform |" in text
    assert text.count("\n| `cl") > 250
