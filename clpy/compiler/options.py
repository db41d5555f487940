# SPDX-License-Identifier: Apache-2.0
"""The options of clBuildProgram, clCompileProgram and clLinkProgram: one table, read strictly.

An option that is not in the table, lacks its value or does not belong to the call is refused, as the specification
asks; nothing is ignored in silence.
"""

from clpy import config
from clpy.errors import CLError
from clpy.records import fields, record, replace
from clpy.spec.extension_table import OPTIONS

CL_INVALID_BUILD_OPTIONS = -43
CL_INVALID_COMPILER_OPTIONS = -66
CL_INVALID_LINKER_OPTIONS = -67

# Stage -> its error code.
BUILD, COMPILE, LINK = "build", "compile", "link"
ERRORS = {BUILD: CL_INVALID_BUILD_OPTIONS, COMPILE: CL_INVALID_COMPILER_OPTIONS, LINK: CL_INVALID_LINKER_OPTIONS}
SOURCE = (BUILD, COMPILE)
ANY = (BUILD, COMPILE, LINK)

# -cl-std value -> __OPENCL_C_VERSION__; of C++ for OpenCL the version that it builds on.
C_STANDARDS = {"CL1.0": 100, "CL1.1": 110, "CL1.2": 120, "CL2.0": 200, "CL3.0": 300, "CL3.1": 310}
CXX_STANDARDS = {"CLC++": 200, "CLC++1.0": 200, "CLC++2021": 300}
NAMED_STANDARDS = C_STANDARDS | CXX_STANDARDS
# AMD's options say the language in another way: OpenCL C, or static C++, which is OpenCL C 1.2 with classes.
STATIC_CXX = "static C++"
STANDARDS = NAMED_STANDARDS | {STATIC_CXX: 120}
LANGUAGES = {"clc": C_STANDARDS, "clc++": ("CL1.2",)}      # of -x -> what -cl-std may be with it

FLAG, VALUE, LIST, SECTION = "flag", "value", "list", "section"

# What binaries consist of, as AMD's options call it; the last two are languages that nothing here has.
PARTS = ("source", "llvmir", "exe")
OTHER_PARTS = ("amdil", "hsail")

# option, kind, stages, field of Options (None: allowed, and changes nothing here)
TABLE = (
    ("-D", LIST, SOURCE, "defines"),
    ("-I", LIST, SOURCE, "includes"),
    ("-cl-std=", VALUE, SOURCE, "std"),
    ("-x", VALUE, SOURCE, "language"),
    ("-w", FLAG, SOURCE, "no_warnings"),
    ("-Werror", FLAG, SOURCE, "warnings_are_errors"),
    ("-g", FLAG, SOURCE, "debug"),
    ("-s", VALUE, SOURCE, "source_file"),
    ("-cl-kernel-arg-info", FLAG, SOURCE, "arg_info"),
    ("-cl-single-precision-constant", FLAG, SOURCE, "single_precision_constant"),
    ("-cl-denorms-are-zero", FLAG, ANY, "denorms_are_zero"),
    ("-cl-fp32-correctly-rounded-divide-sqrt", FLAG, SOURCE, "correct_divide_sqrt"),
    ("-cl-opt-disable", FLAG, SOURCE, "opt_disable"),
    ("-O0", FLAG, SOURCE, "opt_disable"),
    ("-cl-strict-aliasing", FLAG, SOURCE, None),
    ("-cl-mad-enable", FLAG, SOURCE, "mad_enable"),
    ("-cl-no-signed-zeros", FLAG, ANY, "no_signed_zeros"),
    ("-cl-no-signed-zeroes", FLAG, (LINK,), "no_signed_zeros"),
    ("-cl-unsafe-math-optimizations", FLAG, ANY, "unsafe_math"),
    ("-cl-finite-math-only", FLAG, ANY, "finite_math"),
    ("-cl-fast-relaxed-math", FLAG, ANY, "fast_relaxed_math"),
    ("-cl-uniform-work-group-size", FLAG, SOURCE, "uniform_group_size"),
    ("-cl-no-subgroup-ifp", FLAG, ANY, None),
    ("-create-library", FLAG, (LINK,), "create_library"),
    ("-enable-link-options", FLAG, (LINK,), "enable_link_options"),
    ("-save-temps", FLAG, ANY, "save_temps"),
    ("-save-temps=", VALUE, ANY, "temps_prefix"),
    *((f"-f{no}bin-{part}", SECTION, ANY, "sections" if part in PARTS else None)
      for part in (*PARTS, *OTHER_PARTS) for no in ("", "no-")),
    *((option, FLAG, stages, "of_extensions") for option, (stages, _) in OPTIONS.items()),
)
FLAGS = {row[0]: row for row in TABLE if row[1] in (FLAG, SECTION)}
OF_NO_CODE = ("text", "stage", "save_temps", "temps_prefix")     # fields that change nothing about a program
# Fields that what is linked has from its parts: see `linked`.
OF_PARTS = ("std", "uniform_group_size", "opt_disable", "debug")


@record(frozen=True)
class Options:
    """What an option string says. `text` is the string itself, as CL_PROGRAM_BUILD_OPTIONS reports it."""
    text: str = ""
    stage: str = BUILD
    defines: tuple = ()
    includes: tuple = ()
    std: str = ""
    no_warnings: bool = False
    warnings_are_errors: bool = False
    debug: bool = False
    source_file: str = ""           # that the source was read from, for a debugger
    arg_info: bool = False
    single_precision_constant: bool = False
    denorms_are_zero: bool = False
    correct_divide_sqrt: bool = False
    opt_disable: bool = False
    mad_enable: bool = False
    no_signed_zeros: bool = False
    unsafe_math: bool = False
    finite_math: bool = False
    fast_relaxed_math: bool = False
    uniform_group_size: bool = False
    create_library: bool = False
    enable_link_options: bool = False
    sections: tuple = ()            # "bin-exe" or "no-bin-exe" ..., in the order of the options
    save_temps: bool = False
    temps_prefix: str = ""
    of_extensions: tuple = ()       # what Clang gets for options of vendors' extensions

    @property
    def version(self):
        """__OPENCL_C_VERSION__; without -cl-std it is the highest 1.x."""
        return STANDARDS[self.std or "CL1.2"]

    @property
    def is_cxx(self):
        return self.std in CXX_STANDARDS or self.is_static_cxx

    @property
    def is_static_cxx(self):
        return self.std == STATIC_CXX

    @property
    def has_uniform_groups(self):
        """For groups of several sizes "the program must be compiled for OpenCL C 2.0 or newer, and without
        -cl-uniform-work-group-size"."""
        return self.version < 200 or self.uniform_group_size

    def key(self):
        """All that can change the code, as text; equal for option strings that mean the same."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in OF_NO_CODE}
        return repr(sorted(values.items()))

    def parts_of_binary(self, usual):
        """Those of PARTS that a binary gets; `usual` are those that it has where nothing is said."""
        said = {word.rpartition("-")[2]: not word.startswith("no-") for word in self.sections}
        return tuple(part for part in PARTS if said.get(part, part in usual))

    def of_parts(self):
        """What a binary has to say of its parts besides `text`."""
        return {name: getattr(self, name) for name in OF_PARTS}

    def with_parts(self, fields):
        """Options with what `of_parts` gave, perhaps from a file; KeyError, TypeError, ValueError where it did not."""
        std = fields["std"]
        if not isinstance(std, str) or (std and std not in STANDARDS):
            raise ValueError(f"-cl-std={std} is none")
        return replace(self, std=std, **{name: fields.get(name) is True for name in OF_PARTS[1:]})


def linked(parts, options):
    """Options of what is made by a link with `options` of units with the Options `parts`: what any of them asks of the
    whole. "all input programs must support non-uniform work-groups", so the lowest version of the language counts."""
    return replace(options, std=min(parts, key=lambda part: part.version).std,
                   uniform_group_size=any(part.uniform_group_size for part in parts),
                   opt_disable=any(part.opt_disable for part in parts), debug=any(part.debug for part in parts))


def split(text):
    """Words of an option string. Double quotes keep blanks together, a backslash takes the next quote, blank or
    backslash literally. Single quotes do the same as double ones where a word or a value of -D and -I begins, and
    are plain characters elsewhere ('x' in a definition). ValueError for a quote that is not closed."""
    if not any(c in text for c in "\"'\\"):
        return text.split()
    words, word, quote, i = [], None, "", 0      # word: a list of characters, for long ones
    while i < len(text):
        c = text[i]
        i += 1
        if c == "\\" and i < len(text) and (text[i] in "\\\"" or (text[i] in "' \t" and not quote)):
            word = word or []
            word.append(text[i])
            i += 1
        elif quote:
            if c == quote:
                quote = ""
            else:
                word.append(c)
        elif c == '"' or (c == "'" and word in (None, ["-", "D"], ["-", "I"])):
            quote, word = c, word or []
        elif c.isspace():
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            word = word or []
            word.append(c)
    if quote:
        raise ValueError(f"{quote} is not closed")
    return words if word is None else [*words, "".join(word)]


def parse_options(text, stage=BUILD):
    """Options for the option string (None: empty) of a call; CLError with the call's own code when it is not right."""
    given = text or ""
    full = given
    if stage in SOURCE and config.get("BUILD_OPTIONS"):
        full += " " + config.get("BUILD_OPTIONS")
    try:
        fields = read_words(split(full), stage)
    except ValueError as why:
        raise CLError(ERRORS[stage], str(why)) from None
    return Options(text=given, stage=stage, **fields)


def read_words(words, stage):
    """Fields of Options; ValueError names the word that is wrong."""
    fields = {}
    words = iter(words)
    for word in words:
        name, value = word, None
        if word[:2] in ("-D", "-I", "-x") or word == "-s":
            name, value = word[:2], word[2:] or next(words, "")
            if not value:
                raise ValueError(f"{name} needs a value")
            if name == "-D":
                check_define(value)
            if name == "-x" and value not in LANGUAGES:
                raise ValueError(f"-x {value}: not one of {', '.join(LANGUAGES)}")
        elif word.startswith("-cl-std="):
            name, value = "-cl-std=", word[8:]
            if value not in NAMED_STANDARDS:
                raise ValueError(f"{word}: not one of {', '.join(NAMED_STANDARDS)}")
        elif word.startswith("-save-temps="):
            name, value = "-save-temps=", word[12:]
            if not value:
                raise ValueError(f"{word} needs a value")
        elif word not in FLAGS:
            raise ValueError(f"unknown option {word}")
        _, kind, stages, field = next(row for row in TABLE if row[0] == name)
        if stage not in stages:
            raise ValueError(f"{name} is not an option of this call")
        if name in OPTIONS:
            fields.setdefault(field, []).extend(OPTIONS[name][1])
        elif kind is LIST or (kind is SECTION and field):
            fields.setdefault(field, []).append(value or word[2:])
        elif field:
            fields[field] = True if kind is FLAG else value
    if stage == LINK and fields.get("enable_link_options") and not fields.get("create_library"):
        raise ValueError("-enable-link-options needs -create-library")
    choose_language(fields)
    return {field: tuple(value) if isinstance(value, list) else value for field, value in fields.items()}


def choose_language(fields):
    """What -x says goes into `std`."""
    language = fields.pop("language", "")
    std = fields.get("std", "")
    if language and std and std not in LANGUAGES[language]:
        raise ValueError(f"-x {language} does not go with -cl-std={std}")
    if language == "clc++":
        fields["std"] = STATIC_CXX


def check_define(value):
    """The name of a macro is an identifier, perhaps with parameters."""
    name = value.split("=", 1)[0].split("(", 1)[0]
    if not name.isidentifier():
        raise ValueError(f"-D {value}: {name!r} is not a name")
