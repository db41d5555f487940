# SPDX-License-Identifier: Apache-2.0
"""LLVM's names of opcodes and predicates, and the numbers its C interface has for them."""
_WITH_NUMBERS = (
    "ret:1 br:2 switch:3 indirectbr:4 invoke:5 unreachable:7 callbr:67 fneg:66 add:8 fadd:9 sub:10 fsub:11 mul:12 "
    "fmul:13 udiv:14 sdiv:15 fdiv:16 urem:17 srem:18 frem:19 shl:20 lshr:21 ashr:22 and:23 or:24 xor:25 alloca:26 "
    "load:27 store:28 getelementptr:29 trunc:30 zext:31 sext:32 fptoui:33 fptosi:34 uitofp:35 sitofp:36 fptrunc:37 "
    "fpext:38 ptrtoint:39 ptrtoaddr:69 inttoptr:40 bitcast:41 addrspacecast:60 icmp:42 fcmp:43 phi:44 call:45 "
    "select:46 va_arg:49 extractelement:50 insertelement:51 shufflevector:52 extractvalue:53 insertvalue:54 "
    "freeze:68 fence:55 cmpxchg:56 atomicrmw:57")
NUMBERS = {name: int(code) for name, code in (item.split(":") for item in _WITH_NUMBERS.split())}
NAMES = [""] * 128
for _name, _code in NUMBERS.items():
    NAMES[_code] = _name
RMW_OPERATIONS = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd", "fsub",
                  "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum")
PREDICATES = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
FIRST_PREDICATE = 32              # the number of "eq"
INBOUNDS, NUSW, NUW = 1, 2, 4     # no-wrap flags of getelementptr
SPIR_FUNC, SPIR_KERNEL, AMDGPU_KERNEL = 75, 76, 91   # calling conventions
RETURN, FUNCTION = 0, 0xFFFFFFFF  # attribute indices; parameter i has index i + 1
