#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program as on a machine that has neither LLVM, Clang, hwloc, their users nor a vendor's .icd file:
# release/bare.sh PROGRAM ARGUMENTS. They are hidden by mounts that only this program sees. Needs root, or a kernel that
# lets users have a namespace of their own.
set -eu
if [ "${CLPY_BARE:-}" != yes ]; then
    CLPY_BARE=yes exec unshare --mount --map-root-user "$0" "$@"
fi
hidden=$(mktemp -d)
mount -t tmpfs none "$hidden"
mkdir "$hidden/folder"
: > "$hidden/file"
for path in /usr/lib/llvm-* /usr/lib/clang /etc/OpenCL/vendors /usr/lib/*/amdgcn; do
    [ ! -d "$path" ] || mount --bind "$hidden/folder" "$path"
done
for path in /usr/lib/*/libLLVM* /usr/lib/*/libclang* /usr/lib/*/libhwloc.so* /usr/lib/*/libudev.so* \
        /usr/lib/*/libpython3* /usr/bin/llvm-spirv* /usr/bin/gcc* \
        /usr/bin/cc /usr/bin/ld; do
    [ ! -f "$path" ] || [ -L "$path" ] || mount --bind "$hidden/file" "$path"
done
unset CLPY_BARE
exec "$@"
