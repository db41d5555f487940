# SPDX-License-Identifier: Apache-2.0
"""clCreateSampler, clCreateSamplerWithProperties, clGetSamplerInfo."""
import itertools
import struct
from ctypes import c_uint64

import pytest
from clapi import E

pytestmark = pytest.mark.usefixtures("no_leak")

ADDRESSING = (E.ADDRESS_NONE, E.ADDRESS_CLAMP_TO_EDGE, E.ADDRESS_CLAMP, E.ADDRESS_REPEAT, E.ADDRESS_MIRRORED_REPEAT)
FILTERS = (E.FILTER_NEAREST, E.FILTER_LINEAR)
REPEATS = (E.ADDRESS_REPEAT, E.ADDRESS_MIRRORED_REPEAT)


def values(api, sampler):
    return tuple(api.number("clGetSamplerInfo", sampler, name)
                 for name in (E.SAMPLER_NORMALIZED_COORDS, E.SAMPLER_ADDRESSING_MODE, E.SAMPLER_FILTER_MODE))


def properties(*entries):
    return (c_uint64 * len(entries))(*entries)


def test_all_combinations(api, context):
    """Both creators; what repeats needs normalized coordinates."""
    for normalized, addressing, how in itertools.product((0, 1), ADDRESSING, FILTERS):
        names = properties(E.SAMPLER_FILTER_MODE, how, E.SAMPLER_ADDRESSING_MODE, addressing,
                           E.SAMPLER_NORMALIZED_COORDS, normalized, 0)
        for name, args, kept in (("clCreateSampler", (normalized, addressing, how), b""),
                                 ("clCreateSamplerWithProperties", (names,), bytes(names))):
            sampler, error = api.new(name, context, *args)
            if not normalized and addressing in REPEATS:
                assert (sampler, error) == (None, "CL_INVALID_VALUE")
                continue
            assert error == "CL_SUCCESS"
            assert values(api, sampler) == (normalized, addressing, how)
            assert api.info("clGetSamplerInfo", sampler, E.SAMPLER_PROPERTIES) == kept
            assert api.number("clGetSamplerInfo", sampler, E.SAMPLER_CONTEXT) == context
            api.ok("clReleaseSampler", sampler)


def test_defaults(api, context):
    for given, kept in ((None, b""), (properties(0), bytes(8)),
                        (properties(E.SAMPLER_FILTER_MODE, E.FILTER_LINEAR, 0), None)):
        sampler = api.make("clCreateSamplerWithProperties", context, given)
        assert values(api, sampler) == (1, E.ADDRESS_CLAMP, E.FILTER_LINEAR if kept is None else E.FILTER_NEAREST)
        assert api.info("clGetSamplerInfo", sampler, E.SAMPLER_PROPERTIES) == (bytes(given) if kept is None else kept)
        api.ok("clReleaseSampler", sampler)


def bits(x):
    return struct.unpack("=I", struct.pack("=f", x))[0]


def mip_values(api, sampler):
    """(filter, least level, highest level)."""
    low, high = (struct.unpack("=f", api.info("clGetSamplerInfo", sampler, name))[0]
                 for name in (E.SAMPLER_LOD_MIN_KHR, E.SAMPLER_LOD_MAX_KHR))
    return api.number("clGetSamplerInfo", sampler, E.SAMPLER_MIP_FILTER_MODE_KHR), low, high


@pytest.mark.needs("cl_khr_mipmap_image")
def test_mip_properties(api, context):
    """Of cl_khr_mipmap_image; "the default is 0.0f" and "MAXFLOAT"."""
    most = struct.unpack("=f", b"\xff\xff\x7f\x7f")[0]
    for make, given in (("clCreateSampler", (1, E.ADDRESS_CLAMP, E.FILTER_LINEAR)),
                        ("clCreateSamplerWithProperties", (None,))):
        sampler = api.make(make, context, *given)
        assert mip_values(api, sampler) == (E.FILTER_NEAREST, 0.0, most)
        api.ok("clReleaseSampler", sampler)
    for entries, expected in (
            ((E.SAMPLER_MIP_FILTER_MODE_KHR, E.FILTER_LINEAR, 0), (E.FILTER_LINEAR, 0.0, most)),
            ((E.SAMPLER_LOD_MAX_KHR, bits(0.0), 0), (E.FILTER_NEAREST, 0.0, 0.0)),
            ((E.SAMPLER_LOD_MIN_KHR, bits(-1.5), 0), (E.FILTER_NEAREST, -1.5, most)),
            ((E.SAMPLER_LOD_MIN_KHR, bits(0.75), E.SAMPLER_LOD_MAX_KHR, bits(0.75), E.SAMPLER_FILTER_MODE,
              E.FILTER_LINEAR, E.SAMPLER_MIP_FILTER_MODE_KHR, E.FILTER_LINEAR, E.SAMPLER_ADDRESSING_MODE,
              E.ADDRESS_REPEAT, E.SAMPLER_NORMALIZED_COORDS, 1, 0), (E.FILTER_LINEAR, 0.75, 0.75))):
        sampler = api.make("clCreateSamplerWithProperties", context, properties(*entries))
        assert mip_values(api, sampler) == expected
        assert api.info("clGetSamplerInfo", sampler, E.SAMPLER_PROPERTIES) == bytes(properties(*entries))
        api.ok("clReleaseSampler", sampler)
    # "if the value specified for a supported property name is not valid": no filter, not a number, no float, no range
    for bad in ((E.SAMPLER_MIP_FILTER_MODE_KHR, 0, 0), (E.SAMPLER_MIP_FILTER_MODE_KHR, E.FILTER_LINEAR + 1, 0),
                (E.SAMPLER_LOD_MIN_KHR, bits(float("nan")), 0), (E.SAMPLER_LOD_MAX_KHR, bits(float("nan")), 0),
                (E.SAMPLER_LOD_MAX_KHR, 1 << 32, 0),
                (E.SAMPLER_LOD_MIN_KHR, bits(2.0), E.SAMPLER_LOD_MAX_KHR, bits(1.0), 0),
                (E.SAMPLER_LOD_MIN_KHR, 0, E.SAMPLER_LOD_MIN_KHR, 0, 0)):
        assert api.new("clCreateSamplerWithProperties", context, properties(*bad)) == (None, "CL_INVALID_VALUE"), bad


def test_reference_count(api, context):
    sampler = api.make("clCreateSampler", context, 1, E.ADDRESS_CLAMP, E.FILTER_NEAREST)
    api.ok("clRetainSampler", sampler)
    assert api.number("clGetSamplerInfo", sampler, E.SAMPLER_REFERENCE_COUNT) == 2
    api.ok("clReleaseSampler", sampler)
    api.ok("clReleaseSampler", sampler)
    for function in ("clRetainSampler", "clReleaseSampler"):
        assert api.error(function, sampler) == api.error(function, context) == "CL_INVALID_SAMPLER"
    assert api.error("clGetSamplerInfo", None, E.SAMPLER_CONTEXT, 0, None, None) == "CL_INVALID_SAMPLER"


def test_errors(api, context, device):
    good = (1, E.ADDRESS_CLAMP, E.FILTER_NEAREST)
    assert api.new("clCreateSampler", device, *good) == (None, "CL_INVALID_CONTEXT")
    assert api.new("clCreateSamplerWithProperties", None, None) == (None, "CL_INVALID_CONTEXT")
    for bad in ((2, *good[1:]), (1, 0, good[2]), (1, E.ADDRESS_MIRRORED_REPEAT + 1, good[2]), (1, good[1], 0),
                (1, good[1], E.FILTER_LINEAR + 1)):
        assert api.new("clCreateSampler", context, *bad) == (None, "CL_INVALID_VALUE"), bad
    for bad in ((0x9999, 1, 0), (E.SAMPLER_FILTER_MODE, 0, 0), (E.SAMPLER_NORMALIZED_COORDS, 2, 0),
                (E.SAMPLER_FILTER_MODE, E.FILTER_LINEAR, E.SAMPLER_FILTER_MODE, E.FILTER_LINEAR, 0),
                (E.SAMPLER_ADDRESSING_MODE, E.ADDRESS_REPEAT, E.SAMPLER_NORMALIZED_COORDS, 0, 0)):
        assert api.new("clCreateSamplerWithProperties", context, properties(*bad)) == (None, "CL_INVALID_VALUE"), bad
