/*
 * gemm.c - see gemm.h: waves of tiles, and experts.
 */
#include "plan/speed/gemm.h"

#define FEW_TOKENS 64
#define START 140 /* of K */
#define SPLITS 8
#define LEAST_K 256 /* of a split */

static const struct {
    double tokens, rows, share;
} tile[] = {{256, 128, 1},  {128, 256, 1},  {128, 128, .93},
            {128, 64, .80}, {64, 128, .80}, {64, 64, .60}};

/* ceil() of what an integer holds, without a call. */
static inline double waves_whole(double x)
{
    double n = (double)(long)x;

    return n < x ? n + 1 : n;
}

double waves_issued(double tokens, double rows, double cols, double sms)
{
    double least = INFINITY;

    if (tokens <= FEW_TOKENS)
        return 1;
    for (int i = 0; i < (int)(sizeof(tile) / sizeof(tile[0])); i++) {
        double area = tile[i].tokens * tile[i].rows / tile[i].share, tiles = 0;
        /* full waves and no edge cut would take */
        double full = tokens * rows / (tile[i].share * sms);

        for (double n = 1; n <= SPLITS && (n == 1 || cols / n >= LEAST_K); n *= 2) {
            if (full * (cols + n * START) >= least)
                break;
            if (n == 1)
                tiles = waves_whole(tokens / tile[i].tokens) * waves_whole(rows / tile[i].rows);
            least = fmin(least, waves_whole(tiles * n / sms) * area * (cols / n + START));
        }
    }
    return least * sms / (tokens * rows * cols);
}

/* ---- routed experts ---- */

#define IMBALANCE 0.3 /* of the fullest rank under EP */

double moe_reached(double experts, double active, double tokens)
{
    return experts * active * tokens / (experts - active + active * tokens);
}

double moe_read(const struct moe *m, double tokens)
{
    return m->pad > 0 ? m->experts : moe_reached(m->experts, m->active, tokens);
}

double moe_time(const struct moe *m, double tokens, double compute)
{
    double reached = moe_read(m, tokens);
    double even = m->ep > 1 ? 1 + IMBALANCE * sqrt(m->ep / fmax(reached, 1)) : 1;
    double arithmetic = m->compute * tokens * compute;
    double memory = m->expert * reached * even + m->traffic * (tokens + m->pad);

    return m->times * (sqrt(arithmetic * arithmetic + memory * memory) + m->each * reached +
                       m->token * tokens + m->fixed);
}
