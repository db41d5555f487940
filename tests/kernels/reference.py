# SPDX-License-Identifier: Apache-2.0
"""Exact values of math functions, in numpy's long double (64 bits of mantissa) or, where it has none, in decimals."""
from decimal import Decimal, getcontext
from fractions import Fraction
from math import factorial

import numpy as np

LONG = np.longdouble
PI = LONG("3.14159265358979323846264338327950288")
getcontext().prec = 60
DECIMAL_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def turns(x):
    """sin and cos of pi x: reduced exactly to an eighth of a turn first."""
    with np.errstate(invalid="ignore"):
        rest = np.fmod(np.abs(x), 2)
        quarter = np.rint(rest * 2)
        t = rest - quarter / 2
        sine, cosine = np.sin(PI * t), np.cos(PI * t)
        by_quarter = [quarter == 1, quarter == 2, quarter == 3]
        s = np.select(by_quarter, [cosine, -sine, -cosine], sine)
        c = np.select(by_quarter, [0 - sine, -cosine, sine], cosine)
    return np.copysign(1, x) * s, c


def tanpi(x):
    s, c = turns(x)
    return s / c


def rootn(x, n):
    root = np.power(np.abs(x), 1 / LONG(n))
    return np.where((x < 0) & (n % 2 == 0) | (n == 0), np.nan, np.where(n % 2 == 0, root, np.copysign(root, x)))


def long_of(value):
    """A Decimal as a long double: numpy reads decimal text to the last bit."""
    return LONG(format(value, ".40e"))


def each(function):
    def apply(x):
        return np.array([long_of(function(Decimal(float(v)))) for v in x], LONG)
    return apply


def erf_decimal(x):
    """The power series. Its terms reach e^(x^2) before they fall: 60 digits are enough for |x| up to 5."""
    term = total = x
    n = 0
    while abs(term) > Decimal("1e-58"):
        n += 1
        term = term * -x * x / n
        total += term / (2 * n + 1)
    return 2 * total / DECIMAL_PI.sqrt()


def erfc_decimal(x):
    return 1 - erf_decimal(x)


def bernoulli(count):
    """B(2), B(4), ... as fractions."""
    b = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        terms = (Fraction(factorial(m + 1), factorial(k) * factorial(m + 1 - k)) * b[k] for k in range(m))
        b.append(-sum(terms) / (m + 1))
    return b[2::2]


BERNOULLI = [Decimal(b.numerator) / Decimal(b.denominator) for b in bernoulli(30)]


def gamma_decimal(x):
    """Stirling's series far out, and the recurrence down to x, which is no pole."""
    shifted, divisor = x, Decimal(1)
    while shifted < 40:
        divisor *= shifted
        shifted += 1
    log = (shifted - Decimal("0.5")) * shifted.ln() - shifted + (2 * DECIMAL_PI).ln() / 2
    for k, b in enumerate(BERNOULLI, 1):
        log += b / (2 * k * (2 * k - 1) * shifted ** (2 * k - 1))
    return log.exp() / divisor
