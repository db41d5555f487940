// SPDX-License-Identifier: Apache-2.0
// Node with koffi: node host.js LIBRARY. In the event loop's thread, then on threads of its pool.
const koffi = require("koffi");
const { promisify } = require("node:util");

const steps = koffi.load(process.argv[2]).func("int steps(const char *platform)");

async function main() {
    const first = steps("clpy");
    const others = await Promise.all([1, 2, 3, 4].map(() => promisify(steps.async)("clpy")));
    process.exitCode = [first, ...others].some((code) => code !== 0) ? 2 : 0;
}

main();
