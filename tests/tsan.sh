#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The runtime under ThreadSanitizer: builds api, core and device with it in a copy of the tree, then runs the tests that
# use many threads. Exits non-zero on a race. Wants a built tree, gcc with libtsan, and some minutes.
# usage: tests/tsan.sh [NUMBER OF RANDOM GRAPHS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/.venv/bin/python
copy=$(mktemp -d "${TMPDIR:-/tmp}/clpy-tsan-XXXXXX")
trap 'rm -rf "$copy"' EXIT
cp -r "$root/setup.py" "$root/pyproject.toml" "$root/clpy" "$root/include" "$root/icd" "$root/tests" "$copy"
cd "$copy"
find clpy/api clpy/core clpy/device -name '*.so' -delete
export CFLAGS="-fsanitize=thread -O1 -g" LDFLAGS="-fsanitize=thread"
CLPY_BUILD_ONLY='clpy/api/*,clpy/core/*,clpy/device/*' "$python" setup.py -q build_ext --inplace > build.log 2>&1 \
    || { tail -30 build.log; exit 1; }
env -u CFLAGS -u LDFLAGS "$python" icd/build.py clpy
mkdir vendors
echo "$copy/clpy/libclpy.so" > vendors/clpy.icd
# Addresses as the sanitizer expects them; threads in the child of a fork, which it would refuse otherwise.
status=0
OCL_ICD_VENDORS=$copy/vendors GRAPHS=${1:-1000} LD_PRELOAD=$(gcc -print-file-name=libtsan.so) \
    TSAN_OPTIONS="exitcode=66 history_size=4 die_after_fork=0 log_path=$copy/race" setarch -R "$python" -m pytest -q \
    -p no:cacheprovider tests/unit/test_runtime_graphs.py tests/unit/test_runtime_threads.py tests/api \
    -k "not without_threads and not short_of_memory and not exit" || status=$?
cat race.* 2> /dev/null && exit 1
exit $status
