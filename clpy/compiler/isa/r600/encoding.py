# SPDX-License-Identifier: Apache-2.0
"""Numbers of the instructions of VLIW chips, and where their fields are (AMD, Evergreen Family Instruction Set
Architecture; LLVM's names)."""

# Control flow: 64 bits. Those of arithmetic have four bits for the instruction, all others eight.
ALU, ALU_PUSH_BEFORE, ALU_POP_AFTER, ALU_POP2_AFTER, ALU_CONTINUE, ALU_BREAK, ALU_ELSE_AFTER = 8, 9, 10, 11, 13, 14, 15
CLAUSES = {ALU: "ALU", ALU_PUSH_BEFORE: "ALU_PUSH_BEFORE", ALU_POP_AFTER: "ALU_POP_AFTER",
           ALU_POP2_AFTER: "ALU_POP2_AFTER", ALU_CONTINUE: "ALU_CONTINUE", ALU_BREAK: "ALU_BREAK",
           ALU_ELSE_AFTER: "ALU_ELSE_AFTER"}
FLOW = {0: "NOP", 1: "TEX", 2: "VTX", 5: "END_LOOP", 6: "LOOP_START_DX10", 8: "CONTINUE", 9: "LOOP_BREAK", 10: "JUMP",
        11: "PUSH", 13: "ELSE", 14: "POP", 32: "CF_END"}
MEM_RAT, MEM_RAT_CACHELESS = 0x56, 0x57

# Two sources at most: number -> name.
TWO = {
    0x00: "ADD", 0x01: "MUL", 0x02: "MUL_IEEE", 0x03: "MAX", 0x04: "MIN", 0x05: "MAX_DX10", 0x06: "MIN_DX10",
    0x08: "SETE", 0x09: "SETGT", 0x0A: "SETGE", 0x0B: "SETNE", 0x0C: "SETE_DX10", 0x0D: "SETGT_DX10",
    0x0E: "SETGE_DX10", 0x0F: "SETNE_DX10", 0x10: "FRACT", 0x11: "TRUNC", 0x12: "CEIL", 0x13: "RNDNE", 0x14: "FLOOR",
    0x15: "ASHR", 0x16: "LSHR", 0x17: "LSHL", 0x19: "MOV", 0x1A: "NOP",
    0x1E: "PRED_SETGT_UINT", 0x1F: "PRED_SETGE_UINT", 0x20: "PRED_SETE", 0x21: "PRED_SETGT", 0x22: "PRED_SETGE",
    0x23: "PRED_SETNE", 0x30: "AND_INT", 0x31: "OR_INT", 0x32: "XOR_INT", 0x33: "NOT_INT", 0x34: "ADD_INT",
    0x35: "SUB_INT", 0x36: "MAX_INT", 0x37: "MIN_INT", 0x38: "MAX_UINT", 0x39: "MIN_UINT", 0x3A: "SETE_INT",
    0x3B: "SETGT_INT", 0x3C: "SETGE_INT", 0x3D: "SETNE_INT", 0x3E: "SETGT_UINT", 0x3F: "SETGE_UINT",
    0x42: "PRED_SETE_INT", 0x43: "PRED_SETGT_INT", 0x44: "PRED_SETGE_INT", 0x45: "PRED_SETNE_INT",
    0x50: "FLT_TO_INT", 0x51: "BFREV_INT", 0x52: "ADDC_UINT", 0x53: "SUBB_UINT", 0x54: "GROUP_BARRIER",
    0x5B: "MUL_INT24", 0x5C: "MULHI_INT24",
    0x81: "EXP_IEEE", 0x82: "LOG_CLAMPED", 0x83: "LOG_IEEE", 0x84: "RECIP_CLAMPED", 0x86: "RECIP_IEEE",
    0x87: "RECIPSQRT_CLAMPED", 0x89: "RECIPSQRT_IEEE", 0x8A: "SQRT_IEEE", 0x8D: "SIN", 0x8E: "COS", 0x8F: "MULLO_INT",
    0x90: "MULHI_INT", 0x91: "MULLO_UINT", 0x92: "MULHI_UINT", 0x94: "RECIP_UINT", 0x9A: "FLT_TO_UINT",
    0x9B: "INT_TO_FLT", 0x9C: "UINT_TO_FLT",
    0xA0: "BFM_INT", 0xA2: "FLT32_TO_FLT16", 0xA3: "FLT16_TO_FLT32", 0xAA: "BCNT_INT", 0xAB: "FFBH_UINT",
    0xAC: "FFBL_INT", 0xAD: "FFBH_INT", 0xB2: "MULHI_UINT24", 0xB5: "MUL_UINT24", 0xBE: "DOT4", 0xBF: "DOT4_IEEE",
    0xC0: "CUBE", 0xCC: "MOVA_INT",
}
# Three sources.
THREE = {
    0x04: "BFE_UINT", 0x05: "BFE_INT", 0x06: "BFI_INT", 0x07: "FMA", 0x0C: "BIT_ALIGN_INT", 0x0D: "BYTE_ALIGN_INT",
    0x08: "MULADD_INT24", 0x10: "MULADD_UINT24", 0x11: "LDS", 0x14: "MULADD", 0x18: "MULADD_IEEE", 0x19: "CNDE",
    0x1A: "CNDGT", 0x1B: "CNDGE", 0x1C: "CNDE_INT", 0x1D: "CNDGT_INT", 0x1E: "CNDGE_INT", 0x1F: "MUL_LIT",
}
LDS = 0x11
# What only the fifth unit of a VLIW5 chip does. VLIW4 chips do it in three or four units at once.
TRANSCENDENTAL = range(0x80, 0x9D)

# Local memory: number -> name.
LOCAL = {
    0: "LDS_ADD", 1: "LDS_SUB", 2: "LDS_RSUB", 3: "LDS_INC", 4: "LDS_DEC", 5: "LDS_MIN_INT", 6: "LDS_MAX_INT",
    7: "LDS_MIN_UINT", 8: "LDS_MAX_UINT", 9: "LDS_AND", 10: "LDS_OR", 11: "LDS_XOR", 13: "LDS_WRITE",
    16: "LDS_CMPST", 18: "LDS_BYTE_WRITE", 19: "LDS_SHORT_WRITE", 32: "LDS_ADD_RET", 33: "LDS_SUB_RET",
    34: "LDS_RSUB_RET", 35: "LDS_INC_RET", 36: "LDS_DEC_RET", 37: "LDS_MIN_INT_RET", 38: "LDS_MAX_INT_RET",
    39: "LDS_MIN_UINT_RET", 40: "LDS_MAX_UINT_RET", 41: "LDS_AND_RET", 42: "LDS_OR_RET", 43: "LDS_XOR_RET",
    45: "LDS_WRXCHG_RET", 48: "LDS_CMPST_RET", 50: "LDS_READ_RET", 54: "LDS_BYTE_READ_RET", 55: "LDS_UBYTE_READ_RET",
    56: "LDS_SHORT_READ_RET", 57: "LDS_USHORT_READ_RET",
}
# Memory that kernels write (random access targets): number -> name. What returns has 32 more.
RETURNS = 32
RAT = {2: "STORE_RAW", 4: "ATOMIC_CMPXCHG_INT", 7: "ATOMIC_ADD", 8: "ATOMIC_SUB", 9: "ATOMIC_RSUB",
       10: "ATOMIC_MIN_INT", 11: "ATOMIC_MIN_UINT", 12: "ATOMIC_MAX_INT", 13: "ATOMIC_MAX_UINT", 14: "ATOMIC_AND",
       15: "ATOMIC_OR", 16: "ATOMIC_XOR", 17: "MSKOR", 18: "ATOMIC_INC_UINT", 19: "ATOMIC_DEC_UINT",
       20: "STORE_DWORD", 21: "STORE_SHORT", 22: "STORE_BYTE"}
XCHG_RETURNS = 34
# Formats of fetches: number -> (name, kind of load, words).
FORMATS = {1: ("VTX_READ_8", "ubyte", 1), 5: ("VTX_READ_16", "ushort", 1), 0xD: ("VTX_READ_32", "dword", 1),
           0x1D: ("VTX_READ_64", "dwordx2", 2), 0x22: ("VTX_READ_128", "dwordx4", 4)}
FETCH_VTX = 2           # kind of fetch: not through a format of vertices
MASKED = 7              # a component of a result that is not written
FETCH_BYTES = 16

# Sources of arithmetic.
GPRS = 128
CONSTANTS = ((128, 0), (160, 1))        # 32 each, of what a clause has locked: first number, set
OQ_POP = 221
ZERO, ONE_FLOAT, ONE, MINUS_ONE, HALF, LITERAL, PREVIOUS_VECTOR, PREVIOUS_SCALAR = range(248, 256)
INLINE = {ZERO: ("int", 0), ONE_FLOAT: ("float", 1.0), ONE: ("int", 1), MINUS_ONE: ("int", -1), HALF: ("float", 0.5)}
LINE_CONSTANTS = 16     # of four words, in a line of constants that a clause locks
UNIT_T = 4
CHANNELS = "XYZW"


def field(word, low, bits):
    return word >> low & (1 << bits) - 1
