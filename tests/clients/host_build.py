# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the host programs of tests/clients/hosts."""
import os
import subprocess
import sysconfig
from pathlib import Path

import clpy

HOSTS = Path(__file__).parent / "hosts"
LIBRARY = Path(clpy.__file__).resolve().parent / "libclpy.so"


def compile_host(folder, name, *flags, compiler=None):
    """The program made from tests/clients/hosts/<name>."""
    out = folder / name.replace(".", "_")
    compiler = compiler or ("g++" if name.endswith(".cpp") else "gcc")
    subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Wno-unused-function", str(HOSTS / name), "-o", str(out),
                    *flags], check=True)
    return out


def python_flags():
    """To embed the Python that runs the tests."""
    libdir = sysconfig.get_config_var("LIBDIR")
    return [f"-I{sysconfig.get_path('include')}", f"-L{libdir}", f"-Wl,-rpath,{libdir}",
            f"-lpython{sysconfig.get_config_var('LDVERSION')}"]


def vendors(folder, *libraries):
    """A folder for OCL_ICD_VENDORS with the libraries in this order; ends with a slash, as ocl-icd wants it."""
    folder.mkdir(exist_ok=True)
    for i, library in enumerate(libraries):
        (folder / f"{i}.icd").write_text(f"{library}\n")
    return f"{folder}/"


def run(*command, env=None, vendors, timeout=120, cwd=None):
    """(exit code, stdout, stderr); a hang is a failure. The host program has no way to know where clpy is."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CLPY_", "OCL_ICD", "VIRTUAL_ENV"))}
    clean |= {"OCL_ICD_VENDORS": vendors, "CLPY_CACHE_DIR": os.environ.get("CLPY_CACHE_DIR", "")} | (env or {})
    done = subprocess.run([str(c) for c in command], env=clean, timeout=timeout, cwd=cwd, capture_output=True,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def run_ok(*command, **kwargs):
    """stdout and stderr of a program that must end with 0."""
    code, out, err = run(*command, **kwargs)
    assert code == 0, f"exit code {code}\n{out}{err}"
    return out, err
