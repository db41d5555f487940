# SPDX-License-Identifier: Apache-2.0
"""The recipes for conda and Docker, step by step without those programs: `make deb` runs this after it has made the
package, as root. The steps are read from the recipes themselves."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "release"))
from test_debian import BASE, HOST, call  # noqa: E402

import clpy  # noqa: E402

WHEELS = ROOT / "build/deb"     # where debian/rules leaves them
CONDA = (ROOT / "release/conda/meta.yaml").read_text()
DOCKER = (ROOT / "release/Dockerfile").read_text()


def test_the_version_of_the_conda_recipe():
    assert f'set version = "{clpy.__version__}"' in CONDA


def test_the_script_of_the_conda_recipe(tmp_path):
    """In an environment that is made as conda's is: its prefix has the folder that conda's loader reads."""
    steps = re.search(r"  script:\n((?:    .*\n)+)", CONDA)[1]
    commands = re.findall(r"    - (.*)", steps)
    assert len(commands) == 4
    prefix = tmp_path / "env"
    call(sys.executable, "-m", "venv", prefix)
    site, = prefix.glob("lib/python3.*/site-packages")
    variables = {"PREFIX": str(prefix), "SP_DIR": str(site), "PATH": f"{prefix}/bin:/usr/bin:/bin"}
    for command in commands:
        call("bash", "-ec", command, cwd=WHEELS, env=variables)
    variables |= {"OCL_ICD_VENDORS": f"{prefix}/etc/OpenCL/vendors/", "HOME": str(tmp_path)}
    assert call("clinfo", "-l", env=variables).splitlines()[0] == "Platform #0: clpy"
    assert "clpy works" in call(prefix / "bin/clpy", "doctor", env=variables)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The folder that is the image's root, and the variables that it sets."""
    assert os.geteuid() == 0 and BASE.exists(), "make deb makes the base system, as root"
    root = tmp_path_factory.mktemp("image") / "root"
    call("cp", "-a", BASE, root)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copy(HOST, root / "opt")
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
    for word, rest in re.findall(r"^([A-Z]+) (.*)$", DOCKER.replace("\\\n", " "), re.M):
        if word == "COPY":
            pattern, target = rest.split()
            (root / target.strip("/")).mkdir(parents=True)
            for wheel in WHEELS.glob(Path(pattern).name):
                shutil.copy(wheel, root / target.strip("/"))
        elif word == "RUN":
            call("chroot", root, "/bin/sh", "-ec", rest, env=variables)
        elif word == "ENV":
            name, _, value = rest.partition("=")
            variables[name] = value.replace(f"${name}", variables[name])
    yield root, variables
    shutil.rmtree(root)


def test_the_image(image):
    """Its root cannot be written to, and its user is one that nobody knows: docker run --read-only --user 1000."""
    root, variables = image
    script = ('mount --rbind "$0" "$0" && mount -t proc proc "$0/proc" && mount -o remount,bind,ro "$0" && '
              'exec chroot --userspec=1000:1000 "$0" "$@"')
    inside = ["unshare", "--mount", "sh", "-c", script, root]
    command = re.search(r"^CMD \[(.*)\]", DOCKER, re.M)[1].replace('"', "").split(", ")
    assert "clpy works" in call(*inside, *command, env=variables)
    assert call(*inside, "python3", "/opt/through_ctypes.py", "kernel", env=variables) == "platform\n"
    refused = subprocess.run([*inside, "touch", "/tmp/file"], env=variables, capture_output=True, check=False)
    assert refused.returncode != 0
