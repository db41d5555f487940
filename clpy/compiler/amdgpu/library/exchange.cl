// SPDX-License-Identifier: Apache-2.0
// One word of another lane of the wavefront. It is compiled twice: chips from gfx8 on have an instruction for it, on
// older ones each index that occurs is answered for all the lanes that ask for it.
#define LANES 64

__attribute__((convergent)) uint __clpy_of_lane(uint x, uint index) {
#ifdef PERMUTES
    return __builtin_amdgcn_ds_bpermute(index << 2, x);
#else
    uint result = 0;
    index &= LANES - 1;
    for (ulong left = __builtin_amdgcn_ballot_w64(true); left != 0;) {
        uint wanted = __builtin_amdgcn_readlane(index, __builtin_ctzl(left));
        uint value = __builtin_amdgcn_readlane(x, wanted);
        result = index == wanted ? value : result;
        left &= ~__builtin_amdgcn_ballot_w64(index == wanted);
    }
    return result;
#endif
}
