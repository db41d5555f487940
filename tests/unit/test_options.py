# SPDX-License-Identifier: Apache-2.0
"""Option strings: what is understood, what is refused, and with which code."""
import pytest

from clpy import config
from clpy.compiler.options import BUILD, COMPILE, LINK, TABLE, parse_options, split
from clpy.errors import CLError

CODES = {BUILD: -43, COMPILE: -66, LINK: -67}
FLAGS = [row for row in TABLE if row[1] == "flag"]


@pytest.mark.parametrize(("text", "words"), [
    ("", []),
    ("  \t\n ", []),
    ("-w   -g", ["-w", "-g"]),
    ('-D "A=1 2"', ["-D", "A=1 2"]),
    ('-DA="1 2"', ["-DA=1 2"]),
    ("-D 'A=1 2'", ["-D", "A=1 2"]),
    ("-D'A=1 2' -w", ["-DA=1 2", "-w"]),
    ("-DC='x'", ["-DC='x'"]),
    (r"-DS=\"hi\"", ['-DS="hi"']),
    (r"-I /a\ b", ["-I", "/a b"]),
    (r"-DP=C:\dir", [r"-DP=C:\dir"]),
    ('-I ""', ["-I", ""]),
])
def test_split(text, words):
    assert split(text) == words


class Counted(str):
    """Text that counts the characters copied where it, or what is cut out of it, is put together with others."""
    copied = 0

    def __getitem__(self, index):
        return Counted(str.__getitem__(self, index))

    def joined(self, first, second):
        Counted.copied += len(first) + len(second)
        return Counted(str.__add__(first, second))

    def __add__(self, other):
        return self.joined(self, other)

    def __radd__(self, other):
        return self.joined(other, self)


@pytest.mark.parametrize("text", [
    "-DA=" + "1+" * 2000 + "1", '-D "A=' + "1 " * 2000 + '"', "-DA=" + r"\ " * 2000, "-DA=1 -DB " * 400])
def test_work_grows_with_the_length(text):
    """No character is copied again for each that follows it: megabytes of options are no trouble."""
    Counted.copied = 0
    assert split(Counted(text)) == split(text)
    assert Counted.copied <= 2 * len(text)


def test_many_definitions():
    options = parse_options("-DA=1 -I /a " * 40000)
    assert options.defines == ("A=1",) * 40000
    assert options.includes == ("/a",) * 40000


def test_split_refuses_an_open_quote():
    with pytest.raises(ValueError, match="not closed"):
        split('-D "A=1')


@pytest.mark.parametrize("row", FLAGS, ids=lambda row: row[0])
@pytest.mark.parametrize("stage", [BUILD, COMPILE, LINK])
def test_each_flag_at_each_stage(row, stage):
    name, _, stages, field = row
    text = "-create-library -enable-link-options" if name == "-enable-link-options" else name
    if stage not in stages:
        with pytest.raises(CLError) as caught:
            parse_options(text, stage)
        assert caught.value.code == CODES[stage]
        return
    options = parse_options(text, stage)
    assert options.text == text
    if field:
        assert getattr(options, field) is True


@pytest.mark.parametrize("stage", [BUILD, COMPILE, LINK])
@pytest.mark.parametrize("text", [
    "-unknown", "foo", "-cl-std=CL9.9", "-cl-std=", "-cl-std", "-cl-nv-verbose", "-O2", "-D", "-I", "-D 1x=2", "-D=3",
    '-D "A B"', "-Wall", "-cl-fast-relaxed-mathx", "--help", '-I "', "-mllvm -debug",
])
def test_wrong_options_have_the_code_of_the_call(text, stage):
    with pytest.raises(CLError) as caught:
        parse_options(text, stage)
    assert caught.value.code == CODES[stage]


def test_values():
    options = parse_options("-D A -DB=2 -D F(x)=x+1 -I /x -I/y -cl-std=CL3.0 -w")
    assert options.defines == ("A", "B=2", "F(x)=x+1")
    assert options.includes == ("/x", "/y")
    assert (options.std, options.version, options.no_warnings) == ("CL3.0", 300, True)
    assert parse_options("").version == 120
    assert parse_options(None) == parse_options("")


def test_key_says_what_the_options_mean_not_how_they_are_spelt():
    assert parse_options("-w  -g").key() == parse_options("-g -w").key() == parse_options("-g -w", COMPILE).key()
    assert parse_options("-DA").key() != parse_options("-DB").key()
    assert parse_options("-D A -D B").key() != parse_options("-D B -D A").key()


def test_options_of_the_environment_come_last():
    with config.override(BUILD_OPTIONS="-cl-std=CL3.0"):
        options = parse_options("-cl-std=CL1.1 -DX")
        assert (options.std, options.text) == ("CL3.0", "-cl-std=CL1.1 -DX")
        assert parse_options("", LINK).std == ""
    with config.override(BUILD_OPTIONS="-no-such"), pytest.raises(CLError):
        parse_options("")


def test_link_options_need_a_library():
    with pytest.raises(CLError) as caught:
        parse_options("-enable-link-options", LINK)
    assert caught.value.code == CODES[LINK]
