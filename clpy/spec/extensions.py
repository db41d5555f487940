# SPDX-License-Identifier: Apache-2.0
"""What follows from extensions.txt and the folders of vendors' extensions: spec/extension_table.py, which says at run
time what there is, and the table in docs/extensions.md."""
import re

# What run time asks of a vendor's folder. Whoever lists devices waits for that, so it is not looked for there.
FILES = ("opencl.h", "answers.py")
BEGIN, END = "<!-- made by clpy/spec/generate.py -->", "<!-- to here -->"
PROGRAMS = "\n| program | uses | result |\n"


def table_py(extensions, options, spirv, built_in):
    """Values that can be imported before anything else."""
    out = ["# Made by generate.py from extensions.txt.",
           '"""The extensions: name, version, level, needs, features, package of a vendor\'s,',
           'which of its files there are."""', "", "EXTENSIONS = ("]
    for row in extensions:
        needs = tuple(tuple(need.split("+")) for need in row.needs)
        files = tuple(name for name in FILES if row.brings(name))
        out += [f"    ({row.name!r}, {row.version}, {tuple(row.level)}, {needs},",
                f"     {tuple(row.features)}, {row.package!r}, {files}),"]
    out += [")", "# option of clBuildProgram: stages it belongs to, arguments of Clang", "OPTIONS = {"]
    out += [f"    {row.text!r}: ({tuple(row.stages)}, {tuple(row.arguments)})," for row in options]
    out += ["}", "# extensions of SPIR-V: name, extension of OpenCL, capabilities, functions on values", "SPIRV = ("]
    out += [*(f"    {row!r}," for row in spirv), ")",
            "# built-in kernels: name, extension, package, files of the source", "BUILT_IN = ("]
    out += [f"    {(row.kernel, row.extension, row.package, tuple(row.cell.split()))!r}," for row in built_in
            if row.kind == "kernel"]
    return "\n".join([*out, ")"]) + "\n"


def page_table(extensions, api, queries, page):
    """Rows of docs/extensions.md, as text. Which programs use an extension, its table of programs says."""
    programs = programs_of(page)
    out = [BEGIN, "| extension | version | listed by | functions | queries | OpenCL C | tests | used by |",
           "|---|---|---|---|---|---|---|---|"]
    for row in extensions:
        functions = sum(function.extension == row.name and not function.refusal for function in api)
        asked = sum(query.version == row.name for query in queries)
        name = f"`{row.name}`"
        if row.package:
            name = f"[{name}](../{row.package.removeprefix('clpy.').replace('.', '/')}/README.md)"
        who = ", ".join([*(["the platform"] if "platform" in row.level else []),
                         *(["devices" + needs(row)] if "device" in row.level else [])])
        count = f"{len(row.features)} feature" + "s" * (len(row.features) > 1)
        language = "functions" if row.brings("opencl.h") else count if row.features else \
            "yes" if "compiler" in row.needs else ""
        out.append(f"| {name} | {'.'.join(map(str, row.version))} | {who} | {functions or ''} | {asked or ''} "
                   f"| {language} | {tests(row) or ''} | {', '.join(programs.get(row.name, ()))} |")
    return "\n".join([*out, END])


def tests(row):
    """How many test functions a vendor's extension has: in the file of its name, or in all files of a folder that has
    none of that name."""
    if not row.package:
        return 0
    folder = row.folder / "tests"
    own = folder / f"test_{row.name.removeprefix('cl_')}.py"
    files = [own] if own.exists() else folder.glob("test_*.py")
    return sum(len(re.findall(r"^ *def test_", path.read_text(), re.MULTILINE)) for path in files)


def programs_of(page):
    """Extension -> programs that the page's table of programs says to use it, without their versions."""
    found = {}
    for program, uses in re.findall(r"^\| (\w+)[^|]*\| ([^|]*) \|", page.partition(PROGRAMS)[2], re.MULTILINE):
        for name in re.findall(r"`(cl_\w+)`", uses):
            found.setdefault(name, []).append(program)
    return found


NEEDS = {"compiler": "whose compiler has it", "own_memory": "whose memory is the process's",
         "cleared_memory": "that clear memory", "dma_bufs": "where the system makes dma-bufs",
         "spirv": "that take SPIR-V", "cpu": "that are processors", "amd_gpu": "that are AMD's GPUs",
         "amd_vliw": "that are AMD's VLIW GPUs",
         "images": "that have images",
         "launch_counters": "that count what launches do",
         "intel_gpu": "that are Intel's GPUs"}


def needs(row):
    words = (" and ".join(NEEDS.get(one, one) for one in need.split("+")) for need in row.needs)
    return " " + " or ".join(words) if row.needs else ""


def with_table(page, table):
    """The page with the table in its place."""
    before, _, rest = page.partition(BEGIN)
    return before + table + rest.partition(END)[2] if rest else page
