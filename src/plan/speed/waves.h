/*
 * waves.h - tiles that fill the multiprocessors in whole waves.
 *
 *   x = min over tiles a x b and splits s of K:
 *         ceil(ceil(T/a) * ceil(N/b) * s / SMs) * SMs * a * b * (K/s + 140) / e / (T*N*K)
 *
 * x times the arithmetic of T*N*K is issued: the last wave is not full, edges are cut, each
 * tile begins with 140 of K without result, small tiles reach e of the rate. T*x never
 * falls with T. Up to 64 tokens kernels of other shapes run, and memory decides: 1.
 *
 * Example: T 1024, N 4096, K 4096 on 188 multiprocessors: 128 tiles of 256 x 128, K in four
 * parts, are 512 in three waves of 188: 564/512 * (1024 + 140)/1024 = 1.25.
 *
 * Source: tile sizes of CUTLASS's kernels; 140 and e by the operator tables of the RTX PRO
 * 6000 (tests/accuracy/operators).
 */
#ifndef GP_PLAN_SPEED_WAVES_H
#define GP_PLAN_SPEED_WAVES_H

double waves_issued(double tokens, double rows, double cols, double sms);

#endif
