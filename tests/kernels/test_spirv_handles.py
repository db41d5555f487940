# SPDX-License-Identifier: Apache-2.0
"""Images, samplers and events in programs from SPIR-V do what they do in programs from source."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

from clpy.compiler.spirv_handles import parameters

SOURCE = """
constant sampler_t fixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
float4 inner(read_only image2d_t a, sampler_t s, float2 p) { return read_imagef(a, s, p); }
float4 outer(read_only image2d_t a, sampler_t s, float2 p) { return inner(a, s, p + 0.25f); }
kernel void copy(read_only image2d_t a, write_only image2d_t b, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 size = (float2)(get_image_width(a), get_image_height(a));
    write_imagef(b, p, outer(a, s, convert_float2(p) / size) + read_imagef(a, fixed, p) + read_imagef(a, p.yx));
}
kernel void integers(read_only image2d_array_t a, read_only image2d_array_t u, read_only image1d_buffer_t flat,
                     read_only image3d_t solid, global int4 *o) {
    int i = get_global_id(0);
    o[i] = read_imagei(a, fixed, (int4)(i, 1, 1, 0)) + as_int4(read_imageui(u, (int4)(i, 0, 1, 0)))
         + read_imagei(flat, i) + convert_int4(read_imagef(solid, fixed, (int4)(i, 1, 1, 0)) * 1000)
         + (int)get_image_array_size(a) + get_image_depth(solid);
}
kernel void in_place(read_write image2d_t a) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(a, p, read_imagef(a, p) * 2 + 0.125f);
}
kernel void async(global int *g, local int *l) {
    event_t e = async_work_group_copy(l, g + get_group_id(0) * 16, 16, 0);
    e = async_work_group_strided_copy(l + 16, g, 16, 2, e);
    wait_group_events(1, &e);
    g[get_global_id(0)] = l[15 - get_local_id(0)] + l[16 + get_local_id(0)];
}
"""


@pytest.fixture(scope="module")
def programs(machine):
    """The same program from source and from SPIR-V."""
    machine.needs_il()
    from_il = cl._cl._create_program_with_il(machine.context, spirv_source.compiled(SOURCE))
    from_il._build(b"", None)
    source = machine.build(SOURCE, "-cl-std=CL3.0")
    return [lambda name: cl.Kernel(source, name), lambda name: cl._cl.Kernel(from_il, name)]


def image(machine, order, type_, shape, data=None, flags=0, **more):
    flags |= cl.mem_flags.COPY_HOST_PTR if data is not None else 0
    return cl.create_image(machine.context, flags, cl.ImageFormat(order, type_), shape=shape, hostbuf=data, **more)


def launch(machine, kernel, size, args):
    kernel.set_args(*args)
    cl.enqueue_nd_range_kernel(machine.queue, kernel, size, None)


def read(machine, of, shape, kind=np.float32):
    out = np.zeros((shape[1], shape[0], 4), kind)
    cl.enqueue_copy(machine.queue, out, of, origin=(0, 0), region=shape)
    return out


@pytest.mark.parametrize("address", ["CLAMP", "CLAMP_TO_EDGE", "REPEAT"])
@pytest.mark.parametrize("filtering", ["NEAREST", "LINEAR"])
def test_samplers_as_arguments_and_in_functions(machine, programs, address, filtering):
    sampler = cl.Sampler(machine.context, True, getattr(cl.addressing_mode, address),
                         getattr(cl.filter_mode, filtering))
    data = np.random.default_rng(3).random((16, 16, 4), np.float32)
    results = []
    for program in programs:
        a = image(machine, cl.channel_order.RGBA, cl.channel_type.FLOAT, (16, 16), data)
        b = image(machine, cl.channel_order.RGBA, cl.channel_type.FLOAT, (16, 16))
        launch(machine, program("copy"), (16, 16), [a, b, sampler])
        results.append(read(machine, b, (16, 16)))
    assert np.array_equal(*results)
    assert (results[0] > data.transpose(1, 0, 2) * 1.5).any()


def test_kinds_of_images(machine, programs):
    rng = np.random.default_rng(4)
    narrow = rng.integers(-128, 127, (2, 2, 8, 4)).astype(np.int8)
    flat = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR,
                     hostbuf=rng.integers(-9, 9, (8, 4)).astype(np.int32))
    results = []
    for program in programs:
        a = cl.Image(machine.context, cl.mem_flags.COPY_HOST_PTR, cl.ImageFormat(
            cl.channel_order.RGBA, cl.channel_type.SIGNED_INT8), desc=array_of(8, 2, 2), hostbuf=narrow)
        u = cl.Image(machine.context, cl.mem_flags.COPY_HOST_PTR, cl.ImageFormat(
            cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8), desc=array_of(8, 2, 2),
            hostbuf=narrow.view(np.uint8))
        f = cl.Image(machine.context, 0, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.SIGNED_INT32),
                     desc=buffer_of(flat, 8))
        solid = image(machine, cl.channel_order.RGBA, cl.channel_type.FLOAT, (8, 2, 2),
                      np.arange(128, dtype=np.float32).reshape(2, 2, 8, 4))
        out = np.zeros((8, 4), np.int32)
        o = cl.Buffer(machine.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
        launch(machine, program("integers"), (8,), [a, u, f, solid, o])
        cl.enqueue_copy(machine.queue, out, o)
        results.append(out)
    assert np.array_equal(*results)
    x = np.arange(8)[:, None]
    numbers = np.zeros((8, 4), np.int32)
    cl.enqueue_copy(machine.queue, numbers, flat)
    expected = (narrow[1, 1].astype(int) + narrow[1, 0].view(np.uint8).astype(int) + numbers
                + (96 + x * 4 + np.arange(4)) * 1000 + 2 + 2)
    assert np.array_equal(results[1], expected)


def array_of(width, height, count):
    desc = cl.ImageDescriptor()
    desc.image_type, desc.shape, desc.array_size = cl.mem_object_type.IMAGE2D_ARRAY, (width, height, 1), count
    desc.pitches, desc.num_mip_levels, desc.num_samples = (0, 0), 0, 0
    return desc


def buffer_of(buffer, width):
    desc = cl.ImageDescriptor()
    desc.image_type, desc.shape, desc.array_size = cl.mem_object_type.IMAGE1D_BUFFER, (width, 1, 1), 0
    desc.pitches, desc.num_mip_levels, desc.num_samples, desc.buffer = (0, 0), 0, 0, buffer
    return desc


def test_images_read_and_written(machine, programs):
    data = np.random.default_rng(5).random((4, 16, 4), np.float32)
    for program in programs:
        a = image(machine, cl.channel_order.RGBA, cl.channel_type.FLOAT, (16, 4), data)
        launch(machine, program("in_place"), (16, 4), [a])
        assert np.array_equal(read(machine, a, (16, 4)), data * 2 + np.float32(0.125))


def test_compiled_and_linked(machine, programs):
    """What Clang makes of a kernel has a function beside it that nobody calls."""
    part = cl._cl._create_program_with_il(machine.context, spirv_source.compiled(SOURCE))
    part.compile(b"", None, [])
    linked = cl._cl._Program.link(machine.context, [part], b"", None)
    data = np.random.default_rng(5).random((4, 16, 4), np.float32)
    a = image(machine, cl.channel_order.RGBA, cl.channel_type.FLOAT, (16, 4), data)
    launch(machine, cl._cl.Kernel(linked, "in_place"), (16, 4), [a])
    assert np.array_equal(read(machine, a, (16, 4)), data * 2 + np.float32(0.125))


def test_events(machine, programs):
    for program in programs:
        data = np.arange(64, dtype=np.int32)
        machine.launch(program("async"), (16,), (16,), [data, cl.LocalMemory(128)])
        assert (data[:16] == np.arange(16)[::-1] + 2 * np.arange(16)).all()
        assert (data[16:] == np.arange(16, 64)).all()


def test_functions_with_events_that_do_not_exist(machine):
    source = "event_t get(void); kernel void k(void) { event_t e = get(); wait_group_events(1, &e); }"
    with pytest.raises(cl.RuntimeError, match="undefined reference to 'get'"):
        machine.build(source)


def test_what_kernels_say_of_their_arguments(programs):
    for program in programs[1:]:
        kernel = program("copy")
        assert [kernel.get_arg_info(i, cl.kernel_arg_info.TYPE_NAME) for i in range(3)] == [
            "image2d_t", "image2d_t", "sampler_t"]
        assert [kernel.get_arg_info(i, cl.kernel_arg_info.ACCESS_QUALIFIER) for i in range(3)] == [
            cl.kernel_arg_access_qualifier.READ_ONLY, cl.kernel_arg_access_qualifier.WRITE_ONLY,
            cl.kernel_arg_access_qualifier.NONE]


@pytest.mark.parametrize(("symbol", "words"), [
    ("_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f", ["ocl_image2d_ro", "ocl_sampler", ""]),
    ("_Z12write_imagei14ocl_image1d_rwiDv4_i", ["ocl_image1d_rw", "", ""]),
    ("_Z29async_work_group_strided_copyPU3AS3jPU3AS1Kjmj9ocl_event", ["", "", "", "", "ocl_event"]),
    ("_Z17wait_group_eventsiPU3AS49ocl_event", ["", ""]),
    ("_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope", ["", "", "", ""]),
    ("_Z12retain_event12ocl_clkevent", [""]),
    ("_Z8somefuncDv4_DhS_S0_", ["", "", ""]),
    ("_Z8of_pairsh14ocl_image2d_roS_11ocl_sampler", ["", "ocl_image2d_ro", "ocl_image2d_ro", "ocl_sampler"]),
    ("_Z6othersDv2_iS_14ocl_image2d_ro", ["", "", "ocl_image2d_ro"])])
def test_parameters_of_mangled_names(symbol, words):
    assert parameters(symbol) == words


IMPORTED = {
    "__read_pipe_2": "%zero %one %one %one", "__write_pipe_4": "%out %one %zero %one %one %one",
    "__reserve_read_pipe": "%out %one %one %one", "__commit_write_pipe": "",
    "__work_group_commit_read_pipe": "%out %one",
    "__enqueue_kernel_varargs": "%out %zero %out %out %out %two %one", "__enqueue_kernel_basic": "%out"}


@pytest.mark.parametrize("before", ["", "__clpy_local_sizes1"])
@pytest.mark.parametrize("name", IMPORTED)
def test_functions_that_are_not_the_librarys(machine, name, before):
    """A module may import anything by the names that the translator gives to what has instructions."""
    machine.needs_il()
    decorations, types, body = [], ["%two = OpConstant %uint 2"], []
    for n, (symbol, given) in enumerate([(before, "%out")] * bool(before) + [(name, IMPORTED[name])]):
        kinds = ["%pointer" if each == "%out" else "%uint" for each in given.split()]
        decorations.append(f'OpDecorate %f{n} LinkageAttributes "{symbol}" Import')
        types += [f"%s{n} = OpTypeFunction %uint {' '.join(kinds)}", f"%f{n} = OpFunction %uint None %s{n}",
                  *(f"%p{n}_{k} = OpFunctionParameter {kind}" for k, kind in enumerate(kinds)), "OpFunctionEnd"]
        body.append(f"%value{n} = OpFunctionCall %uint %f{n} {given}")
    body.append(f"%value = OpIAdd %uint %value{n} %one")
    types.sort(key=lambda line: "Function" in line and "Type" not in line)
    module = spirv_source.kernel("\n".join(body), "\n".join(types), "\n".join(decorations))
    with pytest.raises(cl.RuntimeError, match="BUILD_PROGRAM_FAILURE"):
        cl.Program(machine.context, module).build(cache_dir=False)


IN_VARIABLES = """
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
OpCapability ImageBasic
OpCapability LiteralSampler
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%floats = OpTypeVector %float 4
%uints = OpTypeVector %uint 4
%place = OpTypeVector %uint 2
%pointer = OpTypePointer CrossWorkgroup %uint
%images = OpTypePointer Function %image
%samplers = OpTypePointer Function %sampler
%signature = OpTypeFunction %void %image %pointer
%zero = OpConstant %float 0
%column = OpConstant %uint 2
%row = OpConstant %uint 1
%at = OpConstantComposite %place %column %row
%literal = OpConstantSampler %sampler ClampToEdge 0 Nearest
%k = OpFunction %void None %signature
%a = OpFunctionParameter %image
%out = OpFunctionParameter %pointer
%entry = OpLabel
%kept = OpVariable %images Function
%how = OpVariable %samplers Function
{store}
OpStore %how %literal Aligned 8
%b = OpLoad %image %kept Aligned 8
%s = OpLoad %sampler %how Aligned 8
%both = OpSampledImage %sampled %b %s
%pixel = OpImageSampleExplicitLod %uints %both %at Lod %zero
%value = OpCompositeExtract %uint %pixel 1
OpStore %out %value Aligned 4
OpReturn
OpFunctionEnd
"""


def in_variables(machine, store):
    """A module of which nothing is optimized: its image and its sampler are in variables."""
    machine.needs_il()
    program = cl._cl._create_program_with_il(machine.context, spirv_source.assemble(IN_VARIABLES.format(store=store)))
    program._build(b"", None)
    return cl._cl.Kernel(program, "k")


def test_images_and_samplers_may_be_in_variables(machine):
    data = np.arange(64, dtype=np.uint32).reshape(4, 4, 4)
    source = image(machine, cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT32, (4, 4), data)
    value, out = np.zeros(1, np.uint32), cl.Buffer(machine.context, 0, 4)
    launch(machine, in_variables(machine, "OpStore %kept %a Aligned 8"), (1,), (source, out))
    cl.enqueue_copy(machine.queue, value, out)
    assert value[0] == data[1, 2, 1]


def test_an_image_of_nowhere_is_an_error_of_the_build(machine):
    with pytest.raises(cl.RuntimeError):
        in_variables(machine, "")
