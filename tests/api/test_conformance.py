# SPDX-License-Identifier: Apache-2.0
"""docs/conformance.md says what the tables and the tests say, and each function that is there has a test."""
import conformance


def test_nearly_each_function_has_tests_that_name_it():
    """The others are only called at random."""
    texts = conformance.test_texts()
    rows = [row for _, rows in conformance.sections() for row in rows]
    assert len(rows) > 150
    assert len([row.name for row in rows if not row.refusal and not conformance.named_in(row.name, texts)]) <= 12


def test_the_sections_hold_every_function():
    from clpy.spec import generate
    assert [row.name for _, rows in conformance.sections() for row in rows] == [r.name for r in generate.read_api()]
