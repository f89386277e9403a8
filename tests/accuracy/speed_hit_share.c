/*
 * speed_hit_share.c - see speed_hit_share.h.
 */
#include "speed_hit_share.h"

static int engine_of(struct hit_tally *t, const char *engine)
{
    int i = 0;
    while (i < t->engines && strcmp(t->engine[i], engine) != 0)
        i++;
    if (i == t->engines)
        gp_copy(t->engine[t->engines++], sizeof(t->engine[0]), engine);
    return i;
}

static enum hit_phase phase_of(const struct row *r, bool ttft)
{
    if (ttft)
        return HIT_FIRST;
    if (r->phase == PHASE_PROMPT)
        return HIT_PROMPT;
    if (r->phase == PHASE_RATE)
        return HIT_FULL;
    return r->serve.users <= 1 ? HIT_ONE : HIT_MANY;
}

static struct hit_rows *rows_of(struct hit_tally *t, const struct row *r, bool ttft)
{
    struct hit_rows **at = &t->at[engine_of(t, r->engine)][speed_kind(&r->load)][phase_of(r, ttft)];
    const char *family = r->request.gpu->family->id;
    if (!*at)
        *at = gp_calloc(1, sizeof(**at));
    if (!engine_lists((*at)->families, family)) {
        size_t n = strlen((*at)->families);
        gp_format((*at)->families + n, sizeof((*at)->families) - n, "%s%s", n ? "|" : "", family);
    }
    return *at;
}

void hits_add(struct hit_tally *t, const struct rows *rows, const struct plan_summary *outcome,
              bool ttft)
{
    for (int i = 0; i < rows->count; i++) {
        if (isnan(outcome[i].error) || rows->row[i].rate > 0)
            continue;
        struct hit_rows *at = rows_of(t, &rows->row[i], ttft);
        at->inside += score_in_band(&outcome[i]);
        at->error[at->rows++] = fabs(outcome[i].error);
    }
}

void hits_count(struct hit_tally *t, const struct rows *rows)
{
    for (int i = 0; i < rows->count; i++) {
        if (rows->row[i].rate > 0) /* kept up or not, by the constants of the day */
            continue;
        rows_of(t, &rows->row[i], false)->rows++;
        if (rows->row[i].ttft > 0)
            rows_of(t, &rows->row[i], true)->rows++;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct hit hit_of(struct hit_rows *r, int kind, int phase)
{
    struct hit h = {.kind = kind, .phase = phase, .rows = r->rows};
    gp_copy(h.families, sizeof(h.families), r->families);
    qsort(r->error, r->rows, sizeof(double), by_size);
    h.median = round(1000 * r->error[r->rows / 2]) / 1000;
    h.tail = round(100 * r->error[(int)(.9 * r->rows)]) / 100;
    h.inside = round(100.0 * r->inside / r->rows) / 100;
    return h;
}

void hits_print(const struct hit_tally *t)
{
    for (int e = 0; e < t->engines; e++) {
        printf("\n%s\nhits = (", t->engine[e]);
        for (int i = 0, n = 0; i < HIT_KIND_COUNT * HIT_PHASE_COUNT; i++) {
            int kind = i / HIT_PHASE_COUNT, phase = i % HIT_PHASE_COUNT;
            struct hit_rows *r = t->at[e][kind][phase];
            if (!r)
                continue;
            struct hit h = hit_of(r, kind, phase);
            printf("%s\n    { kind = \"%s\"; phase = \"%s\"; rows = %d; median = %.3f; "
                   "p90 = %.2f;\n      inside = %.2f; families = \"%s\"; }",
                   n++ ? "," : "", hit_kind_word((enum hit_kind)kind),
                   hit_phase_word((enum hit_phase)phase), h.rows, h.median, h.tail, h.inside,
                   h.families);
        }
        printf("\n);\n");
    }
}

/* A change of the laws that moves no figure by more than this needs no new list. */
#define SLACK 0.006

static bool is_stale(const struct hit *was, const struct hit *now, bool figures)
{
    if (!was || was->rows != now->rows || strcmp(was->families, now->families) != 0)
        return true;
    return figures && (fabs(was->median - now->median) > SLACK ||
                       fabs(was->tail - now->tail) > 5 * SLACK * fmax(1, now->tail) ||
                       fabs(was->inside - now->inside) > 2 * SLACK);
}

static int check_engine(struct hit_tally *t, int e, const struct hits *hits, bool figures)
{
    int stale = 0, count = 0;
    for (int i = 0; i < HIT_KIND_COUNT * HIT_PHASE_COUNT; i++) {
        int kind = i / HIT_PHASE_COUNT, phase = i % HIT_PHASE_COUNT;
        struct hit_rows *r = t->at[e][kind][phase];
        if (!r)
            continue;
        struct hit now = hit_of(r, kind, phase);
        const struct hit *was = hits_find(hits, (enum hit_kind)kind, (enum hit_phase)phase);
        count++;
        if (is_stale(was, &now, figures)) {
            printf("FAIL: hits of %s, %s, %s: %d rows, %.3f, %.2f, %.2f now; the profile is "
                   "stale: speed hits\n",
                   t->engine[e], hit_kind_word((enum hit_kind)kind),
                   hit_phase_word((enum hit_phase)phase), now.rows, now.median, now.tail,
                   now.inside);
            stale++;
        }
        free(r);
    }
    return stale + (count != hits->count);
}

int hits_check(struct hit_tally *t, bool figures)
{
    struct planner *planner = table_planner();
    int stale = 0;
    for (int e = 0; e < t->engines; e++) {
        const struct engine *engine = NULL;
        struct gp_err err;
        if (catalog_engine(planner_catalog(planner), t->engine[e], &engine, &err))
            return 1;
        stale += check_engine(t, e, &engine->hits, figures);
    }
    planner_free(planner);
    return stale;
}
