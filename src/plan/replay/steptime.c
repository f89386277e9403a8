/*
 * steptime.c - see steptime.h.
 */
#include "plan/replay/steptime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KNOT_FIRST 32 /* tokens */
#define OCTAVE 4      /* knots to twice as many */

static double knot_tokens(int knot)
{
    static const double step[OCTAVE] = {1, 1.189207115002721, 1.4142135623730951,
                                        1.681792830507429};

    return knot == 0 ? 0 : ldexp(KNOT_FIRST * step[(knot - 1) % OCTAVE], (knot - 1) / OCTAVE);
}

/* The last knot that is not above so many tokens, but one before the last at most; from the one
 * that was last asked for on, which is near. */
static int knot_below(struct steptime *t, double tokens)
{
    while (t->last > 0 && t->knot[t->last] > tokens)
        t->last--;
    while (t->last < STEPTIME_KNOTS - 2 && t->knot[t->last + 1] <= tokens)
        t->last++;
    return t->last;
}

static double *nan_row(int count)
{
    double *row = gp_malloc((size_t)count * sizeof(*row));

    for (int i = 0; i < count; i++)
        row[i] = NAN;
    return row;
}

/* Of a knot and of the one behind it. */
static const double *decode_at(struct steptime *t, int decodes, int knot)
{
    int d = decodes < t->decodes ? decodes : t->decodes - 1;

    if (!t->decode[d])
        t->decode[d] = nan_row(STEPTIME_KNOTS);
    double *row = t->decode[d];
    for (int i = knot; i <= knot + 1; i++)
        if (isnan(row[i]))
            row[i] = step_decode(t->step, d, fmax(t->knot[i], 1));
    return row + knot;
}

static double decode_time(void *ctx, int decodes, double context, double *slope, double *until)
{
    struct steptime *t = ctx;
    double mean = context / decodes;
    int knot = knot_below(t, mean);
    double from = t->knot[knot], to = t->knot[knot + 1];
    const double *at = decode_at(t, decodes, knot), a = at[0], b = at[1];

    *slope = (b - a) / (to - from) / decodes;
    *until = to * decodes;
    return a + (b - a) * (mean - from) / (to - from);
}

static double products_of(struct steptime *t, double *row, int tokens, bool both)
{
    int n = tokens < t->tokens ? tokens : t->tokens - 1;

    if (isnan(row[n]))
        row[n] = both ? serve_products(t->step, n) : step_work(t->step, n, 1);
    return row[n];
}

/* More than one pass holds is worked off in several (llama.cpp). */
static double mixed_time(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                         int chunks, bool alone)
{
    struct steptime *t = ctx;
    const struct step *s = t->step;
    struct serve_step at = {.decoding = alone ? 0 : decodes};
    double slope, until, base = 0;

    for (int i = 0; i < chunks; i++) {
        at.tokens += chunk[i].tokens;
        at.rest += serve_chunk(s, chunk[i].tokens, chunk[i].before);
    }
    if (at.decoding > 0) {
        int checked = (int)ceil(step_batch(s, decodes) * (s->drafted + 1));

        base = decode_time(t, decodes, context, &slope, &until);
        at.time = s->accepted * base;
        at.work = products_of(t, t->alone, checked, false);
    }
    double passes = fmax(ceil(at.tokens / t->load->chunk), 1);
    double decoded = at.decoding > 0 ? step_batch(s, at.decoding) * (s->drafted + 1) : 0;
    at.tokens /= passes;
    at.rest /= passes;
    at.products = products_of(t, t->both, (int)ceil(at.tokens + decoded), true);
    double first = serve_prompts(s, t->load, &at);
    if (passes > 1) {
        struct serve_step others = {.tokens = at.tokens, .rest = at.rest};

        others.products = products_of(t, t->both, (int)ceil(at.tokens), true);
        first += (passes - 1) * serve_prompts(s, t->load, &others);
    }
    /* the stages of a pipeline work on other requests meanwhile */
    return base + t->prompts * first / fmin(s->pp, fmax(decodes, 1));
}

void steptime_init(struct steptime *t, const struct step *step, const struct serve_load *load,
                   int slots, int tokens)
{
    memset(t, 0, sizeof(*t));
    t->step = step;
    t->load = load;
    t->decodes = slots + 2;
    t->decode = gp_calloc((size_t)t->decodes, sizeof(*t->decode));
    t->tokens = tokens + (int)((slots + 1) * (step->drafted + 1)) + 2;
    t->alone = nan_row(t->tokens);
    t->both = nan_row(t->tokens);
    t->prompts = 1;
    for (int i = 0; i < STEPTIME_KNOTS; i++)
        t->knot[i] = knot_tokens(i);
}

void steptime_fini(struct steptime *t)
{
    for (int i = 0; i < t->decodes; i++)
        free(t->decode[i]);
    free(t->decode);
    free(t->alone);
    free(t->both);
    memset(t, 0, sizeof(*t));
}

struct replay_clock steptime_clock(struct steptime *t)
{
    return (struct replay_clock){.ctx = t, .decode = decode_time, .mixed = mixed_time, .scale = 1};
}
