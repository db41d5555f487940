# SPDX-License-Identifier: Apache-2.0
"""Programs in sandboxes that refuse what clpy asks for: it does without, or says what is refused and who does that."""
import pytest
from host_build import LIBRARY, compile_host, run_ok, vendors
from spirv_source import kernel

FROM_SOURCE, FROM_SPIRV = "source", "spirv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("refusals")


@pytest.fixture(scope="module")
def host(folder):
    (folder / "module.spv").write_bytes(kernel())
    program = compile_host(folder, "refused.c", "-lOpenCL")
    return lambda what, of: run_ok(program, what, *([folder / "module.spv"] if of == FROM_SPIRV else []),
                                   vendors=vendors(folder / "v", LIBRARY), env={"CLPY_CACHE": "0"})


@pytest.mark.parametrize("of", [FROM_SOURCE, FROM_SPIRV])
@pytest.mark.parametrize("what", ["nothing", "memory-files"])
def test_kernels_are_built_without_files_in_memory(host, what, of):
    assert host(what, of) == ("0 \nended\n", "")


@pytest.mark.parametrize("of", [FROM_SOURCE, FROM_SPIRV])
def test_where_written_code_may_not_be_executed(host, of):
    """The build fails, its log says why, and the program goes on."""
    out, err = host("written-code", of)
    assert out.startswith("-11 error: the machine code cannot be loaded: the system refuses to execute")
    assert "MemoryDenyWriteExecute" in out and out.endswith("ended\n") and err == ""


def test_neither_files_in_memory_nor_on_a_disk(host):
    out, err = host("files", FROM_SPIRV)
    assert out.startswith("-11 error: the translator cannot be handed the module: the system refuses memory files")
    assert out.endswith("ended\n") and err == ""
    assert host("files", FROM_SOURCE) == ("0 \nended\n", "")
