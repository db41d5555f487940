# SPDX-License-Identifier: Apache-2.0
"""What instructions cost, by the table of issue cycles that the chips' files were made from."""
import pytest

from clpy.compiler.isa.gcn.steps import valu_class
from clpy.device.gpu.chip import load
from clpy.device.gpu.rates import rates

# D of the table: additions of doubles take 4 D, products 8 D. Products of 32-bit integers; fused multiply-adds.
CHIPS = {"vega20": (1, 8, None), "tahiti": (2, 16, 4), "hawaii": (4, 8, 4), "polaris10": (8, 16, 16),
         "cape-verde": (8, 16, 16), "vega10": (8, 16, 4)}


@pytest.mark.parametrize("chip", CHIPS)
def test_issue_cycles(chip):
    factor, int_mul, fma = CHIPS[chip]
    cycles = rates(load(chip))

    def of(*names):
        return {cycles[valu_class(name)] for name in names}
    assert of("v_add_f32", "v_mul_f32", "v_mac_f32", "v_mad_f32", "v_and_b32", "v_lshlrev_b32", "v_cndmask_b32",
              "v_mul_u32_u24", "v_mad_i32_i24", "v_mul_hi_u32_u24") == {4}
    assert of("v_rcp_f32", "v_rsq_f32", "v_sqrt_f32", "v_exp_f32", "v_log_f32", "v_sin_f32", "v_cos_f32") == {16}
    assert of("v_add_f64", "v_max_f64", "v_cmp_lt_f64") == {4 * factor}
    assert of("v_mul_f64", "v_fma_f64", "v_ldexp_f64") == {8 * factor}
    assert of("v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32") == {int_mul}
    assert fma is None or of("v_fma_f32") == {fma}
