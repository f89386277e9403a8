/*
 * cuda_convert.h - stored bits to numbers and back, for every operand type.
 *
 * Own functions, a few lines each, because the toolkits' headers for these types differ
 * between versions and some are C++ only. Encoding rounds to nearest, ties to even, and
 * saturates where the format has no infinity: e4m3 of 1000 is 448.
 */
#ifndef GP_BENCH_CUDA_CONVERT_H
#define GP_BENCH_CUDA_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/cuda_types.h"

double convert_from_fp16(uint16_t bits);
double convert_from_bf16(uint16_t bits);
double convert_from_e4m3(uint8_t bits);  /* the FN form: no infinity, 0x7f is NaN */
double convert_from_e2m1(uint8_t bits);  /* low four bits: 0 .5 1 1.5 2 3 4 6, sign */
double convert_from_ue8m0(uint8_t bits); /* 2^(bits-127), 255 is NaN */

uint16_t convert_to_fp16(float value);
uint16_t convert_to_bf16(float value);
uint8_t convert_to_e4m3(float value);
uint8_t convert_to_e2m1(float value);

/* Element i of an array stored as `bits`, any of them. */
double convert_get(enum cuda_bits bits, const void *data, size_t i);

/* Fills count elements: uniform in [-1,1], int8 in -127..127, e2m1 over all 16 codes.
 * The state is a splitmix64 seed and is advanced. */
void convert_fill(enum cuda_bits bits, void *data, size_t count, uint64_t *state);

/* The same, normal, as the sum of eight uniform ones: of deviation 0.5, int8 42 and
 * e2m1 2, cut off at the range of the type. */
void convert_fill_normal(enum cuda_bits bits, void *data, size_t count, uint64_t *state);

/* Either, over so many bytes, and fast: 64 MiB in less than 0.2 s. Narrow types are drawn,
 * each by itself, from 65536 elements (bytes, of E2M1) that were made one by one. */
void convert_fill_many(bool as_normal, enum cuda_bits bits, void *data, size_t bytes,
                       uint64_t *state);

/* Fills block scales of `outer` rows in the tiled layout: 0.5..1 at random, padding 0.
 */
void convert_fill_scales(enum cuda_scale scale, uint8_t *data, int64_t outer, int64_t k,
                         uint64_t *state);
double convert_scale(enum cuda_scale scale, const uint8_t *data, int64_t outer, int64_t inner,
                     int64_t k);

#endif
