/*
 * waves.c - see waves.h.
 */
#include "plan/speed/waves.h"

#include <math.h>

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
