// SPDX-License-Identifier: Apache-2.0
/* tgamma() of floats: AMD's goes by way of the inverse, which has no float for numbers below -31, where what is wanted
 * still is one. From there on it is the function of a number further up, by as many factors. */
#define OVERLOAD __attribute__((overloadable))
#define FEW -31
#define UP 12

float __ocml_tgamma_f32(float x);

OVERLOAD float tgamma(float x)
{
    bool is_far = x < FEW;
    float value = __ocml_tgamma_f32(is_far ? x + UP : x), factors = x;
    for (int i = 1; i < UP; i++)
        factors *= x + i;
    return is_far ? value / factors : value;
}

OVERLOAD float2 tgamma(float2 x) { return (float2)(tgamma(x.x), tgamma(x.y)); }
OVERLOAD float3 tgamma(float3 x) { return (float3)(tgamma(x.x), tgamma(x.y), tgamma(x.z)); }
OVERLOAD float4 tgamma(float4 x) { return (float4)(tgamma(x.lo), tgamma(x.hi)); }
OVERLOAD float8 tgamma(float8 x) { return (float8)(tgamma(x.lo), tgamma(x.hi)); }
OVERLOAD float16 tgamma(float16 x) { return (float16)(tgamma(x.lo), tgamma(x.hi)); }
