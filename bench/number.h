/*
 * number.h - numbers as libraries store them: filled at random, read back as double.
 *
 * Own functions, a few lines each, because the toolkits' headers for these types differ
 * between versions and some are C++ only. Encoding rounds to nearest, ties to even, and
 * saturates where the format has no infinity: e4m3 of 1000 is 448.
 *
 * Random values, never zeros unless those are asked for: zeros flip no bits, so they draw
 * less power and let clocks rise.
 */
#ifndef GP_BENCH_NUMBER_H
#define GP_BENCH_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "measure/point/method.h"

enum number {
    NUMBER_F32,
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_S8,
    NUMBER_U8,
    NUMBER_U7, /* U8 filled up to 127 */
    NUMBER_S32,
    NUMBER_E4M3, /* the FN form: no infinity, 0x7f is NaN */
    NUMBER_E2M1, /* two to a byte, the low half first: 0 .5 1 1.5 2 3 4 6, sign */
    NUMBER_F64,  /* of references: none is filled with it */
    NUMBER_UE8M0 /* of scales by block: 2^(code-127), 255 is NaN */
};

size_t number_bytes(enum number number, size_t count);
const char *number_word(enum number number); /* "bf16" */

/* Of floats of 16 bits and fewer: a code to its value, and the nearest code. */
double number_decode(enum number number, unsigned code);
unsigned number_encode(enum number number, float value);

/* Element i of an array, and `count` of them from the first on, by tables. */
double number_get(enum number number, const void *data, size_t i);
void number_get_all(enum number number, const void *data, size_t count, double *out);

/* Uniform: [-1, 1] for floating types, the whole range for integers (s8: -127..127) and all
 * 16 codes of e2m1. Normal, as the sum of eight uniform ones: of deviation 0.5, s8 42, e2m1 2,
 * other integers likewise; cut off at the range of the type. Zeros are zeros. Fast: 64 MiB in
 * less than 0.2 s, for narrow types are drawn, each by itself, from 65536 elements (bytes, of
 * e2m1) that were made one by one. */
void number_fill(enum bench_fill fill, enum number number, void *data, size_t bytes, uint64_t seed);

#endif
