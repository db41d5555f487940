# SPDX-License-Identifier: Apache-2.0
"""Programs from SPIR-V: creation, specialization constants, building, linking with programs from source, queries."""
import os
import random
import struct
import subprocess
import sys
from array import array
from ctypes import CFUNCTYPE, addressof, byref, c_char_p, c_int32, c_void_p, create_string_buffer
from pathlib import Path

import pytest
import spirv_source
from clapi import E, handles, sizes

pytestmark = [pytest.mark.needs("IL"), pytest.mark.usefixtures("no_leak")]

CREATE, CONSTANT = "clCreateProgramWithIL", "clSetProgramSpecializationConstant"
SIMPLE = spirv_source.kernel()
SPECIALIZED = spirv_source.kernel(
    decorations="\n".join(f"OpDecorate %c{i} SpecId {10 + i}" for i in range(5)),
    types="""%uchar = OpTypeInt 8 0
%double = OpTypeFloat 64
%two = OpConstant %uint 2
%c0 = OpSpecConstant %uint 5
%c1 = OpSpecConstant %uchar 7
%c2 = OpSpecConstantFalse %bool
%c3 = OpSpecConstant %ulong 0x100000000
%c4 = OpSpecConstant %double 0.5
%doubled = OpSpecConstantOp %uint IMul %c0 %two""",
    body="""%byte = OpUConvert %uint %c1
%flag = OpSelect %uint %c2 %two %zero
%narrow = OpUConvert %uint %c3
%fraction = OpConvertFToU %uint %c4
%s1 = OpIAdd %uint %doubled %byte
%s2 = OpIAdd %uint %s1 %flag
%s3 = OpIAdd %uint %s2 %narrow
%value = OpIAdd %uint %s3 %fraction""")


# OpenCL.DebugInfo.100: a source of a line, of which the kernel is.
DEBUG_INFO = """
OpCapability Addresses
OpCapability Kernel
%ext = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "seven.cl"
%text = OpString "kernel void k(global uint *out) { *out = 7; }"
%name = OpString "k"
%word = OpString "uint"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%signature = OpTypeFunction %void %pointer
%seven = OpConstant %uint 7
%bits = OpConstant %uint 32
%source = OpExtInst %void %ext DebugSource %file %text
%unit = OpExtInst %void %ext DebugCompilationUnit 1 4 %source OpenCL_C
%type = OpExtInst %void %ext DebugTypeBasic %word %bits Unsigned
%to = OpExtInst %void %ext DebugTypePointer %type CrossWorkgroup None
%takes = OpExtInst %void %ext DebugTypeFunction None %void %to
%about = OpExtInst %void %ext DebugFunction %name %takes %source 1 1 %unit %name FlagIsDefinition 1 %k
%k = OpFunction %void None %signature
%out = OpFunctionParameter %pointer
%entry = OpLabel
%scope = OpExtInst %void %ext DebugScope %about
OpLine %file 1 35
OpStore %out %seven Aligned 4
OpReturn
OpFunctionEnd
"""


@pytest.fixture
def from_il(api, context):
    made = []

    def new(module, options="", name=CREATE):
        made.append(api.make(name, context, module, len(module)))
        if options is not None:
            api.ok("clBuildProgram", made[-1], 0, None, options.encode(), None, None)
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseProgram", each)


@pytest.fixture
def result_of(api, queue, buffer, contents):
    """What kernel k(global uint *) writes first."""
    def run(program, start=0, items=1):
        mem, kernel = buffer(contents=struct.pack("<I", start) * items), api.make("clCreateKernel", program, b"k")
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(items), None, 0, None, None)
        api.ok("clReleaseKernel", kernel)
        words = array("I", contents(mem, 4 * items))
        return words[0] if items == 1 else list(words)
    return run


def build_log(api, program, device):
    return api.text("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_LOG)


def binary_type(api, program, device):
    return api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BINARY_TYPE)


class TestCreation:
    def test_errors_in_order(self, api, context):
        assert api.new(CREATE, None, None, 0)[1] == "CL_INVALID_CONTEXT"
        assert api.new(CREATE, context, None, len(SIMPLE))[1] == "CL_INVALID_VALUE"
        assert api.new(CREATE, context, SIMPLE, 0)[1] == "CL_INVALID_VALUE"

    @pytest.mark.parametrize("broken", [
        b"kernel void k() {}  ", SIMPLE[:19], SIMPLE[:-4], SIMPLE[:-3], b"\0" * 40, SIMPLE[:12], b"\x03\x02\x23\x07",
        SIMPLE[:4] + struct.pack("<I", 0x00020000) + SIMPLE[8:],            # SPIR-V 2.0
        SIMPLE[:12] + b"\xff" * 4 + SIMPLE[16:],                            # so many ids
        SIMPLE[:20] + b"\0" * 4 + SIMPLE[24:],                              # an instruction of no words
        SIMPLE[:20] + struct.pack("<HH", 17, 0xFFFF) + SIMPLE[24:],         # one beyond the end
        spirv_source.assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450"),
        spirv_source.assemble("OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical32 OpenCL")],
        ids=map(str, range(13)))
    def test_not_well_formed(self, api, context, broken):
        assert api.new(CREATE, context, broken, len(broken)) == (None, "CL_INVALID_VALUE")

    @pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"])
    def test_every_version_that_is_reported(self, api, device, from_il, result_of, version):
        module = bytearray(SIMPLE)
        module[4:8] = struct.pack("<I", 1 << 16 | int(version[2:]) << 8)
        assert result_of(from_il(bytes(module))) == 2
        assert f"SPIR-V_{version}" in api.text("clGetDeviceInfo", device, E.DEVICE_IL_VERSION).split()

    def test_versions_agree(self, api, device):
        names = api.text("clGetDeviceInfo", device, E.DEVICE_IL_VERSION).split()
        rows = struct.iter_unpack("=I64s", api.info("clGetDeviceInfo", device, E.DEVICE_ILS_WITH_VERSION))
        listed = [f"{name.rstrip(bytes(1)).decode()}_{v >> 22}.{v >> 12 & 1023}" for v, name in rows]
        assert listed == names
        assert len(names) == 7

    def test_the_other_byte_order(self, from_il, result_of):
        words = array("I", SIMPLE)
        words.byteswap()
        assert result_of(from_il(words.tobytes())) == 2

    def test_extension_function(self, api, context):
        function = api.library.clGetExtensionFunctionAddressForPlatform
        function.restype, function.argtypes = c_void_p, [c_void_p, c_char_p]
        address = function(api.platform(), b"clCreateProgramWithILKHR")
        create = CFUNCTYPE(c_void_p, c_void_p, c_char_p, c_void_p, c_void_p)(address)
        error = c_int32(1)
        made = create(context, SIMPLE, len(SIMPLE), byref(error))
        assert (error.value, bool(made)) == (0, True)
        api.ok("clReleaseProgram", made)
        assert not create(context, SIMPLE, 0, byref(error))
        assert error.value == E.INVALID_VALUE

    def test_queries(self, api, context, device, program, from_il):
        made = from_il(SIMPLE, None)
        assert api.info("clGetProgramInfo", made, E.PROGRAM_IL) == SIMPLE
        assert api.text("clGetProgramInfo", made, E.PROGRAM_SOURCE) == ""
        assert api.number("clGetProgramInfo", made, E.PROGRAM_BINARY_SIZES) == 0
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_NONE
        assert api.info("clGetProgramInfo", program("kernel void k() {}", None), E.PROGRAM_IL) == b""


class TestConstants:
    def test_errors_in_order(self, api, program, from_il):
        value = create_string_buffer(8)
        assert api.error(CONSTANT, None, 10, 4, value) == "CL_INVALID_PROGRAM"
        assert api.error(CONSTANT, program("kernel void k() {}", None), 10, 4, value) == "CL_INVALID_PROGRAM"
        made = from_il(SPECIALIZED, None)
        assert api.error(CONSTANT, made, 9, 4, value) == "CL_INVALID_SPEC_ID"
        assert api.error(CONSTANT, from_il(SIMPLE, None), 0, 4, value) == "CL_INVALID_SPEC_ID"
        for number, size in ((10, 4), (11, 1), (12, 1), (13, 8), (14, 8)):
            for wrong in {0, 1, 2, 4, 8, 16} - {size}:
                assert api.error(CONSTANT, made, number, wrong, value) == "CL_INVALID_VALUE"
            assert api.error(CONSTANT, made, number, size, None) == "CL_INVALID_VALUE"
            api.ok(CONSTANT, made, number, size, value)

    def test_values(self, api, from_il, result_of):
        """Defaults until they are set; each build takes what was set last; the IL stays what it was."""
        made = from_il(SPECIALIZED)
        assert result_of(made) == 2 * 5 + 7
        api.ok(CONSTANT, made, 10, 4, struct.pack("<I", 100))
        assert result_of(made) == 17, "not before the next build"
        api.ok("clBuildProgram", made, 0, None, None, None, None)
        assert result_of(made) == 207
        for number, value in ((10, b"\x01\0\0\0"), (11, b"\xff"), (12, b"\x80"), (13, b"\x04" + bytes(7)),
                              (14, struct.pack("<d", 3000.75))):
            api.ok(CONSTANT, made, number, len(value), value)
        api.ok("clCompileProgram", made, 0, None, None, 0, None, None, None, None)
        api.ok("clBuildProgram", made, 0, None, None, None, None)
        assert result_of(made) == 2 + 255 + 2 + 4 + 3000
        api.ok(CONSTANT, made, 12, 1, b"\0")
        api.ok("clBuildProgram", made, 0, None, None, None, None)
        assert result_of(made) == 2 + 255 + 4 + 3000
        assert api.info("clGetProgramInfo", made, E.PROGRAM_IL) == SPECIALIZED
        assert result_of(from_il(SPECIALIZED)) == 17, "another program of the same IL"


class TestBuild:
    def test_kernels_of_clang(self, api, device, from_il, result_of):
        made = from_il(spirv_source.compiled("""
            typedef struct { uint a[3]; float f; } S;
            constant uint table[4] = {1, 20, 300, 4000};
            uint twice(uint x) { return 2 * x; }
            kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global uint *out) {
                local uint shared[8];
                size_t i = get_local_id(0);
                shared[i] = twice(table[i & 3]);
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_id(0)] = shared[7 - i] + convert_uint_sat(-1.5f) + (uint)sqrt((float)(i * i));
            }
            kernel void other(global int *p, S s, float4 v, local int *l) { p[0] = s.a[1] + v.y + atomic_inc(p + 1); }
            """))
        rows = [2 * (1, 20, 300, 4000)[7 - i & 3] + i for i in range(8)]
        assert result_of(made, items=16) == rows * 2
        assert sorted(api.text("clGetProgramInfo", made, E.PROGRAM_KERNEL_NAMES).split(";")) == ["k", "other"]
        kernel = api.make("clCreateKernel", made, b"other")
        expected = ((E.KERNEL_ARG_ADDRESS_GLOBAL, 8), (E.KERNEL_ARG_ADDRESS_PRIVATE, 16),
                    (E.KERNEL_ARG_ADDRESS_PRIVATE, 16), (E.KERNEL_ARG_ADDRESS_LOCAL, 64))
        for i, (qualifier, size) in enumerate(expected):
            assert api.number("clGetKernelArgInfo", kernel, i, E.KERNEL_ARG_ADDRESS_QUALIFIER) == qualifier
            if qualifier == E.KERNEL_ARG_ADDRESS_PRIVATE:
                assert api.error("clSetKernelArg", kernel, i, size + 1, bytes(size + 1)) == "CL_INVALID_ARG_SIZE"
                api.ok("clSetKernelArg", kernel, i, size, bytes(size))
        api.ok("clReleaseKernel", kernel)
        kernel = api.make("clCreateKernel", made, b"k")
        reqd = api.info("clGetKernelWorkGroupInfo", kernel, device, E.KERNEL_COMPILE_WORK_GROUP_SIZE)
        assert struct.unpack("<3Q", reqd) == (8, 1, 1)
        api.ok("clReleaseKernel", kernel)

    @pytest.mark.parametrize(("options", "expected"), [
        ("", "CL_SUCCESS"), ("-cl-std=CL1.2", "CL_SUCCESS"),
        ("-cl-uniform-work-group-size", "CL_INVALID_WORK_GROUP_SIZE")])
    def test_groups_of_any_size(self, api, queue, buffer, from_il, options, expected):
        """As with OpenCL C 3.0, unless -cl-uniform-work-group-size is given."""
        module = spirv_source.compiled("kernel void k(global uint *out) { out[0] = get_local_size(0); }")
        kernel = api.make("clCreateKernel", from_il(module, options), b"k")
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(buffer(4))))
        assert api.error("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(10), sizes(4), 0, None,
                         None) == expected
        api.ok("clReleaseKernel", kernel)

    def test_linked_with_source(self, api, context, device, program, from_il, result_of):
        """In both directions, through binaries and libraries too."""
        calls = spirv_source.compiled("uint f(uint x); kernel void k(global uint *a) { *a = f(*a) + 1; }")
        has = spirv_source.compiled("uint f(uint x) { return x * 3; }")
        source = program("uint f(uint x) { return x * 2; }", None)
        caller = program("uint f(uint x); kernel void k(global uint *a) { *a = f(*a) + 2; }", None)
        objects = {"calls": from_il(calls, None), "has": from_il(has, None), "source": source, "caller": caller}
        for each in objects.values():
            api.ok("clCompileProgram", each, 0, None, None, 0, None, None, None, None)
            assert binary_type(api, each, device) == E.PROGRAM_BINARY_TYPE_COMPILED_OBJECT
        for first, second, expected in (("calls", "source", 21), ("has", "caller", 32), ("calls", "has", 31)):
            inputs = handles(objects[first], objects[second])
            linked = api.make("clLinkProgram", context, 0, None, None, 2, inputs, None, None)
            assert result_of(linked, start=10) == expected
            api.ok("clReleaseProgram", linked)
        library = api.make("clLinkProgram", context, 0, None, b"-create-library", 1, handles(objects["has"]), None,
                           None)
        linked = api.make("clLinkProgram", context, 0, None, None, 2, handles(library, objects["calls"]), None, None)
        assert result_of(linked, start=10) == 31
        for each in (library, linked):
            api.ok("clReleaseProgram", each)

    def test_headers_are_ignored(self, api, from_il):
        made = from_il(SIMPLE, None)
        api.ok("clCompileProgram", made, 0, None, None, 3, None, None, None, None)

    @pytest.mark.parametrize("options", ["", "-g", "-cl-opt-disable"])
    @pytest.mark.parametrize("text", [" %text", ""])
    def test_debug_info(self, api, from_il, result_of, options, text):
        """Also as newer compilers write it, of a file without its text."""
        module = spirv_source.assemble(DEBUG_INFO.replace("DebugSource %file %text", "DebugSource %file" + text))
        assert result_of(from_il(module, options)) == 7

    def test_options(self, api, device, from_il, result_of):
        for options in ("-cl-std=CL1.2 -DX=1 -w", "-cl-opt-disable", "-cl-fast-relaxed-math"):
            made = from_il(SIMPLE, options)
            assert api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_OPTIONS) == options
            assert result_of(made) == 2
        made = from_il(SIMPLE, None)
        assert api.error("clBuildProgram", made, 0, None, b"-nonsense", None, None) == "CL_INVALID_BUILD_OPTIONS"

    def test_binary(self, api, context, device, from_il, result_of):
        made = from_il(SPECIALIZED, None)
        api.ok(CONSTANT, made, 10, 4, struct.pack("<I", 100))
        api.ok("clBuildProgram", made, 0, None, None, None, None)
        size = api.number("clGetProgramInfo", made, E.PROGRAM_BINARY_SIZES)
        blob = create_string_buffer(size)
        api.ok("clGetProgramInfo", made, E.PROGRAM_BINARIES, 8, handles(addressof(blob)), None)
        again = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(size),
                         handles(addressof(blob)), None)
        assert api.info("clGetProgramInfo", again, E.PROGRAM_IL) == b""
        api.ok("clBuildProgram", again, 0, None, None, None, None)
        assert result_of(again) == 207
        api.ok("clReleaseProgram", again)

    def test_spirv_as_a_binary(self, api, context, device, result_of):
        """"An intermediate representation [...] is loaded as a binary. The program must be further processed"."""
        data = create_string_buffer(SIMPLE, len(SIMPLE))
        new = (context, 1, handles(device), sizes(len(SIMPLE)), handles(addressof(data)), None)
        made = api.make("clCreateProgramWithBinary", *new)
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_INTERMEDIATE
        api.ok("clCompileProgram", made, 0, None, None, 0, None, None, None, None)
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_COMPILED_OBJECT
        api.ok("clBuildProgram", made, 0, None, None, None, None)
        assert binary_type(api, made, device) == E.PROGRAM_BINARY_TYPE_EXECUTABLE
        assert result_of(made) == 2
        api.ok("clReleaseProgram", made)
        status = c_int32(1)
        cut = (context, 1, handles(device), sizes(len(SIMPLE) - 4), handles(addressof(data)), byref(status))
        assert api.new("clCreateProgramWithBinary", *cut) == (None, "CL_INVALID_BINARY")
        assert status.value == E.INVALID_BINARY


class TestFailures:
    def failure(self, api, context, device, module):
        made = api.make(CREATE, context, module, len(module))
        error = api.error("clBuildProgram", made, 0, None, None, None, None)
        log = build_log(api, made, device)
        api.ok("clReleaseProgram", made)
        return error, log

    def test_what_the_translator_says_is_in_the_log(self, api, context, device):
        """An instruction that no version of SPIR-V has."""
        module = SIMPLE + struct.pack("<HH", 3333, 1)
        error, log = self.failure(api, context, device, module)
        assert error == "CL_BUILD_PROGRAM_FAILURE"
        assert log.startswith("error: ")
        assert len(log) > 20
        made = api.make(CREATE, context, module, len(module))
        assert api.error("clCompileProgram", made, 0, None, None, 0, None, None, None,
                         None) == "CL_COMPILE_PROGRAM_FAILURE"
        assert build_log(api, made, device) == log
        api.ok("clReleaseProgram", made)

    def test_capabilities_that_no_device_has_are_in_the_log(self, api, context, device):
        """The translator only says that something is not implemented."""
        text = spirv_source.KERNEL.replace("OpMemoryModel", "OpCapability GroupNonUniformQuad\nOpMemoryModel").format(
            decorations="", types="%three = OpConstant %uint 3",
            body="%value = OpGroupNonUniformQuadSwap %uint %three %one %zero")
        error, log = self.failure(api, context, device, spirv_source.assemble(text, "1.3"))
        assert error == "CL_BUILD_PROGRAM_FAILURE"
        assert "capabilities that no device has: 68" in log

    def test_undefined_function(self, api, context, device):
        module = spirv_source.compiled("uint f(uint x); kernel void k(global uint *a) { *a = f(*a) + 1; }")
        error, log = self.failure(api, context, device, module)
        assert (error, "'f'" in log) == ("CL_BUILD_PROGRAM_FAILURE", True)

    @pytest.mark.parametrize("seed", range(24))
    def test_damaged_modules_do_no_harm(self, api, context, device, seed):
        """Words that are changed at random: refused, not built, or built as something else, with no crash."""
        generator = random.Random(seed)
        words = array("I", SPECIALIZED if seed % 2 else SIMPLE)
        for _ in range(1 + seed % 3):
            at = generator.randrange(5, len(words))
            words[at] = generator.choice((0, 1, words[at] ^ 1 << generator.randrange(32), generator.getrandbits(32)))
        module = words.tobytes()
        made, error = api.new(CREATE, context, module, len(module))
        assert error in ("CL_SUCCESS", "CL_INVALID_VALUE")
        if made:
            error = api.error("clBuildProgram", made, 0, None, None, None, None)
            assert error in ("CL_SUCCESS", "CL_BUILD_PROGRAM_FAILURE")
            api.ok("clReleaseProgram", made)


WITHOUT = """
import sys
sys.path.insert(0, sys.argv[1])
from ctypes import c_char_p, c_void_p, cast
from clapi import API, E, handles, sizes
api = API()
device = api.devices()[0]
context = api.make("clCreateContext", None, 1, handles(device), None, None)
module = bytes.fromhex(sys.argv[2])
if api.text("clGetDeviceInfo", device, E.DEVICE_IL_VERSION):
    made = api.make("clCreateProgramWithIL", context, module, len(module))
else:
    assert api.info("clGetDeviceInfo", device, E.DEVICE_ILS_WITH_VERSION) == b""
    assert api.info("clGetDeviceInfo", device, E.DEVICE_SPIRV_CAPABILITIES) == b""
    assert "cl_khr_il_program" not in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    for length in (len(module), 4):         # whatever the module is
        assert api.new("clCreateProgramWithIL", context, module, length) == (None, "CL_INVALID_OPERATION")
    print("none")
    binary = handles(cast(c_char_p(module), c_void_p))
    made = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(len(module)), binary, None)
print(api.error("clBuildProgram", made, 0, None, None, None, None))
print(api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG))
"""


@pytest.mark.parametrize(("translator", "says"), [
    ("/nowhere/llvm-spirv", "install the package llvm-spirv-15"), ("/bin/true", "made no module"),
    ("/bin/false", "ended with 1")])
def test_translator_that_is_missing_or_wrong(tmp_path, translator, says):
    """Without one "no devices in context support intermediate language programs"."""
    folder = str(Path(__file__).resolve().parents[1])
    result = subprocess.run([sys.executable, "-c", WITHOUT, folder, SIMPLE.hex()], check=True, text=True,
                            env={**os.environ, "CLPY_SPIRV_TRANSLATOR": translator, "CLPY_CACHE_DIR": str(tmp_path)},
                            stdout=subprocess.PIPE)
    assert result.stdout.startswith("none\n") == ("nowhere" in translator)
    assert "CL_BUILD_PROGRAM_FAILURE\n" in result.stdout
    assert says in result.stdout


class TestSpirvQueries:
    def texts(self, api, device, query):
        import ctypes
        data = api.info("clGetDeviceInfo", device, query)
        return [ctypes.string_at(address).decode() for (address,) in struct.iter_unpack("=Q", data)]

    def test_instruction_sets_and_extensions(self, api, device):
        sets = self.texts(api, device, E.DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS)
        assert sets == ["OpenCL.std", "OpenCL.DebugInfo.100"]
        found = self.texts(api, device, E.DEVICE_SPIRV_EXTENSIONS)
        listed = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
        for name, brings in (("SPV_KHR_expect_assume", "cl_khr_expect_assume"),
                             ("SPV_KHR_linkonce_odr", "cl_khr_spirv_linkonce_odr"),
                             ("SPV_KHR_uniform_group_instructions", "cl_khr_work_group_uniform_arithmetic"),
                             ("SPV_KHR_no_integer_wrap_decoration", "cl_khr_spirv_no_integer_wrap_decoration")):
            assert (name in found) == (brings in listed)

    @pytest.mark.needs("generic pointers")      # one of them
    def test_capabilities_that_a_full_profile_needs(self, api, device):
        numbers = array("I", api.info("clGetDeviceInfo", device, E.DEVICE_SPIRV_CAPABILITIES))
        assert {4, 5, 6, 7, 8, 11, 22, 38, 39, 71} <= set(numbers)
        assert (10 in numbers) == (api.number("clGetDeviceInfo", device, E.DEVICE_DOUBLE_FP_CONFIG) != 0)
        collectives = api.number("clGetDeviceInfo", device, E.DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)
        assert (18 in numbers) == collectives
        assert len(set(numbers)) == len(numbers)
