/*
 * speed_evaluate.c - how many layouts evaluate() judges in a second, on one core, and for
 * how many speed_estimate() says how fast they are.
 *
 * Real requests over the shipped profiles: every valid layout of up to 8 stages and 4
 * groups of replicas, with memory and price. Prints the best of several rounds.
 *
 *   tests/speed_evaluate [PROFILES], from the build folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "answer/planner.h"
#include "base/mem.h"
#include "plan/evaluate.h"

#define ROUNDS 7
#define LAYOUTS_MAX 4096
#define STAGES_MAX 8
#define GROUPS_MAX 4
#define TODAY 20778 /* 2026-11-21 */

struct work {
    struct resolved resolved;
    struct load load;
    struct step_load step;
    struct prices prices;
    struct layout layout[LAYOUTS_MAX];
    int count;
};

static void add_valid(struct work *w, struct layout l)
{
    l.gpus = l.tp * l.pp * l.replicas;
    if (w->count < LAYOUTS_MAX && layout_valid(&w->resolved.request, &l))
        w->layout[w->count++] = l;
}

static void list_layouts(struct work *w)
{
    const struct request *q = &w->resolved.request;
    int experts = model_experts(q->model);
    for (int pp = 1; pp <= STAGES_MAX; pp++)
        for (int tp = 1; tp <= q->host_gpus; tp++)
            for (int ep = 1; ep <= (experts > 1 ? experts : 1); ep++)
                for (int n = 1; n <= GROUPS_MAX; n++) {
                    struct layout l = {.tp = tp, .pp = pp, .ep = ep};
                    l.replicas = n * layout_group(&l) / (tp * pp);
                    add_valid(w, l);
                }
}

static bool prepare(struct planner *planner, const char *model, const char *gpu, struct work *w)
{
    struct options options = {0};
    struct gp_err err = {0};
    if (planner_resolve(planner, &options, model, NULL, gpu, &w->resolved, &err)) {
        fprintf(stderr, "%s on %s: %s\n", model, gpu, err.text);
        return false;
    }
    w->resolved.request.users = 16;
    w->load = load_sum(&w->resolved.request);
    step_load_sum(&w->resolved.request, &w->load, &w->step);
    w->load.step = &w->step; /* as in a search */
    prices_init(&w->resolved.request, &w->resolved.market, &w->prices);
    list_layouts(w);
    return true;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Evaluates each layout of w once; what fits is counted, so that nothing is left out. */
static int evaluate_all(const struct work *w)
{
    int fits = 0;
    for (int i = 0; i < w->count; i++) {
        struct evaluation e;
        evaluate(&w->resolved.request, &w->load, &w->prices, &w->layout[i], &e);
        fits += e.verdict == VERDICT_FITS && e.price.per_hour > 0;
    }
    return fits;
}

/* The speed of each layout of w once; returns how many are known. */
static int estimate_all(const struct work *w)
{
    int known = 0;
    struct memory memory;
    struct speed speed;
    if (w->count == 0)
        return 0;
    memory_estimate(&w->resolved.request, &w->load, &w->layout[0], &memory);
    for (int i = 0; i < w->count; i++) {
        speed_estimate(&w->resolved.request, &w->load, &w->layout[i], &memory, &speed);
        known += speed.gap == SPEED_KNOWN && speed.tpot.value > 0;
    }
    return known;
}

typedef int each_fn(const struct work *w);

/* Layouts per second: the best of the rounds. */
static double rate_of(const struct work *work, int requests, int layouts, each_fn *each,
                      int *counted)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds(), took;
        int repeats = 200000 / layouts + 1;
        *counted = 0;
        for (int r = 0; r < repeats; r++)
            for (int i = 0; i < requests; i++)
                *counted += each(&work[i]);
        took = seconds() - start;
        if (repeats * layouts / took > best)
            best = repeats * layouts / took;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const char *const models[] = {"llama-3.1-8b",  "llama-3.1-70b", "gemma-3-27b",
                                         "qwen3-30b-a3b", "deepseek-v3",   "gpt-oss-20b"};
    static const char *const gpus[] = {"h100-sxm", "l40s", "mi300x"};
    enum { MODELS = 6, GPUS = 3 };
    struct planner *planner = planner_new(argc > 1 ? argv[1] : "profiles", TODAY, NULL);
    struct work *work = gp_calloc(MODELS * GPUS, sizeof(*work));
    int layouts = 0, fits, known;
    for (int i = 0; i < MODELS * GPUS; i++) {
        if (!prepare(planner, models[i / GPUS], gpus[i % GPUS], &work[i]))
            return 1;
        layouts += work[i].count;
    }
    double rate = rate_of(work, MODELS * GPUS, layouts, evaluate_all, &fits);
    printf("evaluate:                     %.0f layouts/s (%d layouts of %d requests, %s), "
           "needed: 1000000\n",
           rate, layouts, MODELS * GPUS, fits > 0 ? "memory and cost" : "none fits");
    rate = rate_of(work, MODELS * GPUS, layouts, estimate_all, &known);
    printf("speed_estimate:               %.0f layouts/s, needed: 200000\n", rate);
    for (int i = 0; i < MODELS * GPUS; i++)
        prices_fini(&work[i].prices);
    free(work);
    planner_free(planner);
    return fits > 0 && known > 0 ? 0 : 1;
}
