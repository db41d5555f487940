/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers as the words that kernels load for the chip's image instructions.
 */
#include "wave.h"

void clpy_image_words(const clpy_image *image, uint32_t *words)
{
    __builtin_memset(words, 0, 32);
    __builtin_memcpy(words, &image, 8);
}

void clpy_sampler_words(uint32_t sampler, uint32_t *words)
{
    __builtin_memset(words, 0, 16);
    words[0] = sampler;
}
