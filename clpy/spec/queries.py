# SPDX-License-Identifier: Apache-2.0
"""What follows from queries.txt: for each clGet*Info function what finds the answer to a query, as a part of the module
that has the function, and for answers in Python the number and type of each query."""
import re

from clpy.spec.tables import everywhere, read_queries, read_subjects

# How the value of a type is written, where it is not a bit field of 64 bits.
BY_ADDRESS = ("cl_float", "cl_image_format")
HANDLE = re.compile("cl_(platform_id|device_id|context|command_queue|mem|sampler|program|kernel|event"
                    "|(command_buffer|mutable_command|semaphore)_khr)")


def function_name(function):
    """answer_device_info for clGetDeviceInfo."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=SVM)(?=P)", "_", re.sub("(KHR|EXT|INTEL)$", "", function[5:])).lower()
    return f"answer_{words}"


def condition(query):
    """(answer, condition, error where it is not met)."""
    answer, _, rest = query.answer.partition(" where ")
    met, _, error = rest.partition(" else ")
    return answer, met, error or "CL_INVALID_VALUE"


def value(query, answer, names):
    """The expression that writes an answer; `names` are what it is made from."""
    to = "size, value, size_ret"
    if answer.startswith("refuses "):
        return answer.removeprefix("refuses ")
    if answer.startswith("python "):
        return f"info_object({answer.removeprefix('python ')}, {to})"
    if re.fullmatch(r"[\w.]+\(\)", answer) and answer != "the_platform()":
        return f"{answer_function(query)}({', '.join(names)}, {to})"
    if answer == "references":
        answer = f"atomic_load_i32(&{names[0]}.obj.app_refs)"
    if query.type == "char[]":
        return f"info_string({answer}, {to})"
    if query.count is not None:
        where, _, many = answer.rpartition(" * ") if not query.count else (answer, "", query.count)
        return f"info_bytes({where}, {many} * {query.element_size}, {to})"
    if query.type in BY_ADDRESS:
        return f"info_bytes(&{answer}, {query.element_size}, {to})"
    if query.element_size == 4:
        return f"info_u32({answer}, {to})"
    if query.type.endswith("*") or HANDLE.fullmatch(query.type):
        return f"info_ptr({answer}, {to})"
    return f"info_{'size' if query.type == 'size_t' else 'u64'}({answer}, {to})"


def answer_function(query):
    """Name of the function that answers: of the module itself, or of one of the vendor's extension."""
    name = query.answer[:-2]
    return f"{query.package.removeprefix('clpy.vendor_ext.')}.{name}".replace(".", "_") if query.package else name


def steps(query, names, enums):
    """Lines for one query. Enumerants of a vendor's extension are numbers, as Cython knows the others only."""
    answer, met, error = condition(query)
    written = value(query, answer, names)
    asked = f"{number(query, enums):#x}" if query.package else query.enum
    return [f"    if param_name == {asked}:", f"        return {written} if {met} else {error}" if met else
            f"        return {written}"]


def part(subject, queries, gil, enums):
    """The text of a .pxi: the function that finds the answer. What only Python answers is left to answer_in_python."""
    names = [re.search(r"(\w+)$", param.strip())[1] for param in subject.params.split(",")]
    in_c = [query for query in queries if not query.in_python and query.answer != "same"]
    body = [line for query in in_c for line in steps(query, names, enums)]
    ends = "except? -9999" if gil else "noexcept nogil"
    text = "\n".join(body)
    codes = sorted({*re.findall(r"\bCL_[A-Z]\w+", text), "CL_INVALID_VALUE"})
    writers = sorted(set(re.findall(r"\binfo_\w+(?=\()", text)))
    uses = [*subject.uses, *(["clpy.atomics.atomic_load_i32"] if "atomic_load_i32(" in text else [])]
    imports = [f"from {query.package}.{query.answer[:-2].rpartition('.')[0]} cimport "
               f"{query.answer[:-2].rpartition('.')[2]} as {answer_function(query)}"
               for query in in_c if query.package and query.answer.endswith("()")]
    last = "CL_INVALID_VALUE" if all(query in in_c for query in queries if query.answer != "same") else \
        f"answer_in_python({', '.join(names)}, param_name, size, value, size_ret)"
    return "\n".join([
        "# Made by generate.py from queries.txt.", f"from clpy.api.info cimport {', '.join(writers)}",
        "from clpy.cl cimport cl_int, cl_uint", f"from clpy.spec.consts cimport {', '.join(codes)}",
        *(f"from {use.rpartition('.')[0]} cimport {use.rpartition('.')[2]}" for use in dict.fromkeys(uses)),
        *dict.fromkeys(imports), "", "",
        f"cdef cl_int {function_name(subject.function)}({subject.params}, cl_uint param_name,",
        f"        size_t size, void *value, size_t *size_ret) {ends}:", *body, f"    return {last}"]) + "\n"


def parts(api, enums):
    """File name -> text for each function that has answers in C; `api` are the rows of api.txt, `enums` numbers."""
    gil = {row.name: row.gil for row in api}
    subjects, queries = read_subjects(), everywhere(read_queries)
    return {f"{function_name(name).removeprefix('answer_')}.pxi":
            part(subject, [query for query in queries if query.function == name], gil[name], enums)
            for name, subject in subjects.items() if subject.params}


def number(query, enums):
    return enums[query.enum] if query.enum.startswith("CL_") else int(query.enum, 0)


def types_py(queries, enums):
    """The queries that Python answers: `enums` has their numbers."""
    out = ["# Made by generate.py from queries.txt.",
           '"""The queries that Python answers: number, type, size of one value. Not imported before one is asked."""']
    for function, name in (("clGetDeviceInfo", "DEVICE"), ("clGetPlatformInfo", "PLATFORM")):
        out += ["", f"{name} = {{"]
        out += [f'    "{query.enum}": ({number(query, enums):#x}, "{query.type}", {query.element_size}),'
                for query in queries if query.function == function and query.in_python]
        out.append("}")
    return "\n".join(out) + "\n"
