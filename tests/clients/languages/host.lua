-- SPDX-License-Identifier: Apache-2.0
-- LuaJIT: luajit host.lua LIBRARY. A compiler of machine code beside ours, before and after.
local ffi = require("ffi")
ffi.cdef("int steps(const char *platform);")
local library = ffi.load(arg[1])

local function sum(n)
    local s = 0
    for i = 1, n do s = s + i % 7 end
    return s
end

local before = sum(1000000)
local code = library.steps("clpy")
assert(sum(1000000) == before and library.steps("clpy") == 0)
os.exit(code)
