# SPDX-License-Identifier: Apache-2.0
"""Machine code of AMD's VLIW chips (Evergreen and Northern Islands) as code of the host for whole wavefronts."""
