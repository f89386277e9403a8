/*
 * speed.c - how far estimates of speed are from what others measured.
 *
 *   speed [FOLDER]         scores with the constants of the profiles, floors asserted
 *   speed fit [FOLDER]     fits the constants anew, prints them as the profiles have them,
 *                          and the scores of leaving each model, or each pair of model and
 *                          GPU, out of the fit
 *   speed hits [FOLDER]    how often estimates of each kind are right, as the profiles of
 *                          the engines have it
 *   speed rows [FOLDER]    every row: measured, estimated, and what the time is made of
 *
 * GPUPLAN_SET=llamacpp: that file alone.
 * `make accuracy` sets GPUPLAN_ACCURACY=all: the first two.
 */
#include "plan/speed/anchor.h"
#include "rows_out.h"
#include "speed_fit.h"
#include "speed_hit_share.h"
#include "speed_labs.h"
#include "speed_manual.h"
#include "speed_score.h"

#define CAP 12.0     /* weight of a group of serving_measured.csv */
#define CAP_PAIR 4.0 /* of a pair of serving_recent.csv */

static const group_fn by_all[] = {group_all,    group_kind,    group_model, group_gpu,
                                  group_engine, group_version, group_users, group_phase,
                                  group_lab,    group_load,    group_busy};

#define BY(groups) groups, (int)(sizeof(groups) / sizeof((groups)[0]))

/* ---- what is left out of a fit ---- */

static bool same_lab(const struct row *a, const struct row *b)
{
    return strcmp(a->lab, b->lab) == 0;
}

static bool same_group(const struct row *a, const struct row *b)
{
    return same_lab(a, b) && strcmp(a->model, b->model) == 0 && strcmp(a->gpu, b->gpu) == 0 &&
           strcmp(a->engine, b->engine) == 0 && strcmp(a->precision, b->precision) == 0;
}

static bool same_model(const struct row *a, const struct row *b)
{
    return strcmp(a->model, b->model) == 0;
}

static bool same_gpu(const struct row *a, const struct row *b)
{
    return strcmp(a->gpu, b->gpu) == 0;
}

static bool same_pair(const struct row *a, const struct row *b)
{
    return same_lab(a, b) && same_model(a, b) && strcmp(a->gpu, b->gpu) == 0;
}

static void weigh(const struct rows *rows, double cap,
                  bool (*alike)(const struct row *, const struct row *), double *weight)
{
    for (int i = 0; i < rows->count; i++)
        weight[i] = fit_weight(rows, i, cap, alike);
}

/* ---- points of the same server ---- */

#define POINTS 3

struct pointed {
    struct plan_summary *tpot, *ttft;
};

struct merged { /* by results of the other labs */
    struct plan_summary *before, *after;
};

/* Requests in flight in the mean, as a benchmark's result tells them (logs/read/serverbench.c):
 * of N at a rate r that take L each, N*L in the N/r + L from the first to the last answer. */
static double in_flight(const struct row *r)
{
    if (r->rate <= 0)
        return r->serve.users;
    double takes = (r->ttft > 0 ? r->ttft : 0) + (r->serve.output - 1) * r->time;
    double lasts = r->asked > 0 ? 1 + r->rate * takes / r->asked : 1;
    return fmax(r->rate * takes / lasts, 1);
}

static int by_users(const struct row *a, const struct row *b)
{
    double users = in_flight(a), others = in_flight(b);
    return (users > others) - (users < others);
}

static bool same_layout(const struct row *a, const struct row *b)
{
    return a->layout.tp == b->layout.tp && a->layout.pp == b->layout.pp;
}

/* Rows of one group by their users; of alike ones the first of the file. One server: of one
 * layout. */
static int group_sorted(const struct rows *rows, int first, int server, int *at)
{
    int count = 0;
    for (int i = first; i < rows->count; i++) {
        int k = count;
        if (!same_group(&rows->row[first], &rows->row[i]) || rows->row[i].phase != PHASE_TPOT ||
            !(server < 0 || same_layout(&rows->row[server], &rows->row[i])))
            continue;
        for (; k > 0 && by_users(&rows->row[at[k - 1]], &rows->row[i]) > 0; k--)
            at[k] = at[k - 1];
        at[k] = i;
        count++;
    }
    return count;
}

static struct anchor anchor_of(const struct row *r)
{
    return (struct anchor){.layout = r->layout,
                           .users = in_flight(r) * speed_groups(&r->layout),
                           .prompt = r->serve.prompt,
                           .output = r->serve.output,
                           .tpot = r->time,
                           .ttft = r->ttft > 0 ? r->ttft : 0};
}

/* Rows of a group estimated with one, two or three of its own as points of the server, at low,
 * high and middle users, of the layout that most rows have; those are not scored. */
static void correct_group(struct rows *rows, int first, int points, struct pointed *out)
{
    static int all[ROWS_MAX], at[ROWS_MAX];
    struct anchor anchor[POINTS];
    struct row_answer a;
    int alls = group_sorted(rows, first, -1, all), count = 0, server = first, taken = 0;
    for (int i = 0; i < alls; i++) {
        int n = group_sorted(rows, first, all[i], at);
        server = n > count ? all[i] : server;
        count = n > count ? n : count;
    }
    int place[POINTS] = {points == 1 ? count / 2 : 0, count - 1, count / 2};
    group_sorted(rows, first, server, at);
    if (count < points || alls <= points)
        return;
    for (; taken < points; taken++)
        anchor[taken] = anchor_of(&rows->row[at[place[taken]]]);
    for (int i = 0; i < alls; i++) {
        struct row *r = &rows->row[all[i]];
        bool scored = true;
        for (int k = 0; k < points; k++)
            scored &= all[i] != at[place[k]];
        if (!scored)
            continue;
        anchor_fit(&r->request, anchor, points, &r->request.correction);
        if (row_predict(r, &a)) {
            double ttft = r->ttft > 0 ? a.ttft / r->ttft - 1 : NAN;
            out->tpot[all[i]] =
                (struct plan_summary){a.time / r->time - 1, a.low, a.high, 1, a.doubts};
            out->ttft[all[i]] = (struct plan_summary){ttft, a.ttft_low, a.ttft_high, 1, a.doubts};
        }
        r->request.correction = (struct correction){0};
    }
}

static bool first_of_group(const struct rows *rows, int row)
{
    for (int i = 0; i < row; i++)
        if (same_group(&rows->row[i], &rows->row[row]))
            return false;
    return true;
}

/* Each row estimated with constants that no row like it has shaped. */
static void leave_out(struct rows *rows, struct fit *fit, const double *weight,
                      bool (*alike)(const struct row *, const struct row *),
                      struct plan_summary *outcome, struct pointed pointed[POINTS],
                      struct merged *merged)
{
    double *some = gp_calloc(rows->count, sizeof(double));
    bool *done = gp_calloc(rows->count, sizeof(bool));
    struct plan_summary *now = gp_calloc(rows->count, sizeof(*now));
    for (int i = 0; i < rows->count; i++) {
        if (done[i])
            continue;
        for (int j = 0; j < rows->count; j++)
            some[j] = alike(&rows->row[i], &rows->row[j]) ? 0 : weight[j];
        fit_run(rows, fit, some);
        score_now(rows, now);
        if (alike == same_lab)
            labs_merge(rows, i, merged->before, merged->after);
        for (int j = i; j < rows->count; j++)
            if (!done[j] && alike(&rows->row[i], &rows->row[j])) {
                done[j] = true;
                outcome[j] = now[j];
                for (int k = 0; k < POINTS && first_of_group(rows, j); k++)
                    correct_group(rows, j, k + 1, &pointed[k]);
            }
    }
    free(now);
    free(done);
    free(some);
}

/* ---- sets of rows ---- */

typedef bool (*read_fn)(struct rows *rows, int argc, char **argv);

static const struct set {
    const char *name, *split;
    read_fn read;
    void (*parameters)(struct fit *fit, struct constants *constants);
    double cap;
    bool (*group)(const struct row *, const struct row *);
    bool (*left_out)(const struct row *, const struct row *);
    bool by_pair;
} sets[] = {
    {"serving_measured.csv", "each model left out of the fit", rows_serving, fit_served, CAP,
     same_group, same_model, false},
    {"serving_recent*.csv", "each lab left out of the fit", rows_recent, fit_others, CAP_PAIR,
     same_pair, same_lab, true},
    {"llamacpp_bench.csv", "each GPU left out of the fit", rows_llamacpp, fit_llamacpp, CAP,
     same_group, same_gpu, false},
    {"qwen_bs1_speed_memory.csv", "each model left out of the fit", rows_batch1, fit_batch1, CAP,
     same_group, same_model, false},
    {"throughput_trtllm.csv", NULL, rows_saturated, NULL, 0, NULL, NULL, false},
    {"throughput_vllm_dstack.csv", NULL, rows_dstack, NULL, 0, NULL, NULL, false},
};

#define SETS (int)(sizeof(sets) / sizeof(sets[0]))

static void outcomes(const struct set *set, const struct rows *rows, struct plan_summary *out)
{
    score_now(rows, out);
    if (set->by_pair)
        score_by_pair(rows, out);
}

/* For the page; how: ", left out", or "". */
static void rows_to_page(const struct set *set, const struct rows *rows,
                         const struct plan_summary *out, const char *how)
{
    for (int i = 0; i < rows->count; i++) {
        const struct row *r = &rows->row[i];
        double planned = r->time * (1 + out[i].error);
        char what[64];

        gp_format(what, sizeof(what), "%s%s", group_phase(r), how);
        row_out(&r->request, &(struct row_out){.set = set->name,
                                               .what = what,
                                               .users = r->serve.users * speed_groups(&r->layout),
                                               .measured = r->time,
                                               .planned = planned,
                                               .low = planned / out[i].low,
                                               .high = planned * out[i].high,
                                               .peer = r->peer > 0 ? r->peer : NAN,
                                               .peer_name = "aiconfigurator 0.12"});
    }
}

static struct plan_summary *no_outcomes(int count)
{
    struct plan_summary *out = gp_calloc(count, sizeof(*out));
    for (int i = 0; i < count; i++)
        out[i].error = NAN;
    return out;
}

/* Of sets with so many rows and more, as gpuplan-model(7) says. */
static const struct pointed_floor {
    bool (*left_out)(const struct row *, const struct row *);
    int rows;
    struct {
        double median, tail, inside;
    } of[POINTS];
} pointed_floors[] = {{same_model, 1000, {{.065, .20, .95}, {.065, .20, .95}, {.06, .19, .95}}},
                      {same_lab, 250, {{.09, .30, .92}, {.095, .30, .92}, {.08, .30, .92}}}};

static int check_pointed(const struct set *set, const struct rows *rows, int points,
                         const struct pointed *p)
{
    struct score s = score_of(rows, p->tpot, group_all, NULL);
    int stale = manual_check_points(set->name, points, &s);
    for (size_t i = 0; i < sizeof(pointed_floors) / sizeof(pointed_floors[0]); i++) {
        const struct pointed_floor *f = &pointed_floors[i];
        if (set->left_out != f->left_out || s.rows < f->rows ||
            (s.median <= f->of[points - 1].median && s.tail <= f->of[points - 1].tail &&
             s.inside >= f->of[points - 1].inside))
            continue;
        printf("FAIL: %s corrected by %d: %.1f/%.1f %%, %.0f %% inside\n", set->name, points,
               100 * s.median, 100 * s.tail, 100 * s.inside);
        stale++;
    }
    return stale;
}

static const char *group_law(const struct row *row)
{
    static char text[64];
    gp_format(text, sizeof(text), "%s, %s", row->engine, group_kind(row));
    return text;
}

static const char *group_family(const struct row *row)
{
    return row->request.gpu->family_id;
}

/* Of rows left out by laboratory: all bands, those of rates, and of each engine and kind of model,
 * its versions, and each GPU and family that two laboratories measured. */
static int check_left_out(const struct rows *rows, const struct plan_summary *out)
{
    static const struct {
        group_fn group;
        const char *name;
        double inside, width, median;
    } wholes[] = {{group_all, NULL, .93, 2.05, .13},
                  {group_load, "request rate", .90, 2.62, .20},
                  {group_busy, "rate below 60 % of what is served", .90, 2.62, .15}};
    static const group_fn groups[] = {group_law, group_version, group_gpu, group_family};
    int failed = 0;
    for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
        struct score s = score_of(rows, out, wholes[i].group, wholes[i].name);
        if (s.inside >= wholes[i].inside && s.width <= wholes[i].width &&
            s.median <= wholes[i].median)
            continue;
        printf("FAIL: left out, %s: %.1f %%, %.0f %% inside x%.2f; limits %.0f, %.0f x%.2f\n",
               wholes[i].name ? wholes[i].name : "all", 100 * s.median, 100 * s.inside, s.width,
               100 * wholes[i].median, 100 * wholes[i].inside, wholes[i].width);
        failed++;
    }
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        for (int i = 0; i < rows->count; i++) {
            char name[80];
            bool labs = false, seen = false;
            gp_copy(name, sizeof(name), groups[g](&rows->row[i]));
            for (int j = 0; j < rows->count; j++) {
                bool alike = strcmp(groups[g](&rows->row[j]), name) == 0;
                labs |= alike && !same_lab(&rows->row[i], &rows->row[j]);
                seen |= alike && j < i;
            }
            struct score s = score_of(rows, out, groups[g], name);
            if (!labs || seen || s.rows == 0 || s.inside >= .85)
                continue;
            printf("FAIL: left out, %s: %.0f %% of %d rows inside\n", name, 100 * s.inside, s.rows);
            failed++;
        }
    return failed;
}

static void print_pointed(const struct set *set, const struct rows *rows, int points,
                          struct pointed *p)
{
    static const group_fn some[] = {group_all, group_kind, group_model, group_engine};
    char title[120];
    gp_format(title, sizeof(title), "%s, %d rows of the server known", set->split, points);
    if (score_of(rows, p->tpot, group_all, NULL).rows > 0)
        score_print(title, rows, p->tpot, BY(some));
    if (score_of(rows, p->ttft, group_all, NULL).rows > 0)
        score_print("TTFT", rows, p->ttft, BY(some));
}

/* What is estimated of rows that have not shaped the constants, or of all where nothing is
 * fitted; those of the profiles stand again afterwards. */
static void left_out(const struct set *set, struct rows *rows, struct fit *fit,
                     struct plan_summary *out, struct pointed pointed[POINTS],
                     struct merged *merged)
{
    double *weight = gp_calloc(rows->count, sizeof(double));
    if (!set->parameters)
        score_now(rows, out);
    else {
        weigh(rows, set->cap, set->group, weight);
        leave_out(rows, fit, weight, set->left_out, out, pointed, merged);
    }
    free(weight);
}

static int run_fit(const struct set *set, struct rows *rows, struct hit_tally *tally,
                   struct labs_tally *labs, bool print)
{
    int failed = 0;
    static struct fit fit;
    struct plan_summary *out = gp_calloc(rows->count, sizeof(*out));
    double *weight = gp_calloc(rows->count, sizeof(double));
    struct constants *kept = gp_calloc(1, sizeof(*kept));
    static const group_fn pairs[] = {group_all, group_phase,  group_kind,  group_model,
                                     group_gpu, group_engine, group_users, group_version,
                                     group_lab, group_load,   group_busy,  group_pair};
    *kept = rows->constants;
    score_ttft(rows, out);
    failed += manual_check_ttft(set->name, rows, out);
    hits_add(tally, rows, out, true);
    fit.count = 0;
    if (set->parameters)
        set->parameters(&fit, &rows->constants);
    struct pointed pointed[POINTS];
    for (int k = 0; k < POINTS; k++)
        pointed[k] = (struct pointed){no_outcomes(rows->count), no_outcomes(rows->count)};
    struct merged merged = {no_outcomes(rows->count), no_outcomes(rows->count)};
    left_out(set, rows, &fit, out, pointed, &merged);
    if (print) {
        failed += labs_check(rows, merged.before, merged.after);
        labs_three(rows, out, labs);
    }
    rows_to_page(set, rows, out, ", left out");
    hits_add(tally, rows, out, false);
    for (int k = 0; k < POINTS; k++)
        failed += check_pointed(set, rows, k + 1, &pointed[k]);
    if (set->by_pair)
        score_by_pair(rows, out);
    failed += manual_check(set->name, rows, out);
    if (set->left_out == same_lab)
        failed += check_left_out(rows, out);
    if (print && set->parameters) {
        score_print(set->split, rows, out, BY(pairs));
        score_print_doubts("by what is not known", rows, out, -1);
        score_print_doubts("the build known", rows, out, DOUBT_BUILD);
        score_print_asked(rows, out);
        for (int k = 0; k < POINTS; k++)
            print_pointed(set, rows, k + 1, &pointed[k]);
        fit_priors(&fit);
        outcomes(set, rows, out);
        score_print("priors alone", rows, out, BY(by_all));
        weigh(rows, set->cap, set->group, weight);
        fit_run(rows, &fit, weight);
        outcomes(set, rows, out);
        score_print("fitted on all", rows, out, BY(pairs));
        fit_print(&fit);
    }
    for (int k = 0; k < POINTS; k++) {
        free(pointed[k].tpot);
        free(pointed[k].ttft);
    }
    free(merged.before);
    free(merged.after);
    rows->constants = *kept;
    free(kept);
    free(weight);
    free(out);
    return failed;
}

static void print_rows(const struct rows *rows)
{
    for (int i = 0; i < rows->count; i++) {
        const struct row *r = &rows->row[i];
        struct step step;
        struct serve s;
        struct row_answer a;
        struct step_parts p;
        step_cut(&r->load, &r->layout, &step);
        if (r->rate <= 0)
            serve_estimate(&step, &r->serve, &s);
        else
            serve_rate(&step, &r->serve, r->rate, &s);
        row_predict(r, &a);
        step_decode_parts(&step, s.decoding, r->serve.prompt + r->serve.output / 2, &p);
        printf("%-44s %-20s %-60s tp%d pp%d dp%d ep%d %6.0f/%-5.0f u%-4.0f r%-4.1f adm %-5.0f "
               "%8.2f ms est %8.2f "
               "%+4.0f%% ttft %.0f est %.0f | lin %.2f exp %.2f att %.2f com %.2f fix %.2f "
               "head %.2f pre %.2f\n",
               r->lab, group_version(r), group_full(r), r->layout.tp, r->layout.pp,
               r->layout.replicas, r->layout.ep, r->serve.prompt, r->serve.output, r->serve.users,
               r->rate, fmin(r->serve.admitted, 9999), 1e3 * r->time, 1e3 * a.time,
               100 * (a.time / r->time - 1), 1e3 * r->ttft, 1e3 * a.ttft, 1e3 * p.linear,
               1e3 * p.experts, 1e3 * p.attention, 1e3 * p.communication, 1e3 * p.fixed,
               1e3 * p.head, 1e3 * (s.tpot - s.decode));
    }
}

/* ---- what others would have said of the same rows ---- */

/* The law at the data sheet's rates, without launches, links' latency and hosts. */
static void ideal(struct constants *c)
{
    for (int i = 0; i < c->families; i++) {
        struct family *f = &c->family[i];
        for (int k = 0; k < KERNEL_COUNT; k++) {
            f->product[k] = (struct product_share){1, 1};
            f->expert[k] = (struct expert_share){1, 1, 0};
        }
        f->expert_token = f->launch = 0;
        f->prefill_attention = f->kv_memory = f->mla_compute = 1;
        for (int n = 0; n < LINK_SIZES; n++) {
            f->link.latency[n] = f->pcie.latency[n] = 1e-12;
            f->link.root[n] = f->pcie.root[n] = 0;
            f->link.share[n] = f->pcie.share[n] = 1;
        }
    }
    for (int i = 0; i < c->engines; i++) {
        struct engine_speed *e = &c->engine[i].speed;
        e->host = e->request = e->sampler = e->experts = e->prefill_layer = 0;
        e->prefill_kernel = 0;
        e->prefill_compute = e->interference = 1;
        e->case_count = 0;
    }
}

static void anchor_print(const char *title, const struct rows *rows, struct plan_summary *out,
                         const struct plan_summary *ours)
{
    static const group_fn groups[] = {group_all, group_kind, group_model, group_engine};
    for (int i = 0; i < rows->count; i++) {
        out[i].low = out[i].high = 1;
        if (isnan(ours[i].error) || isnan(rows->row[i].peer))
            out[i].error = NAN;
    }
    score_print(title, rows, out, BY(groups));
}

/* On the rows of which aiconfigurator says something. */
static void anchors(struct rows *rows)
{
    struct plan_summary *ours = gp_calloc(rows->count, sizeof(*ours));
    struct plan_summary *out = gp_calloc(rows->count, sizeof(*out));
    struct constants *kept = gp_calloc(1, sizeof(*kept));
    score_now(rows, ours);
    score_now(rows, out);
    anchor_print("anchors, the same rows: gpuplan", rows, out, ours);
    for (int i = 0; i < rows->count; i++)
        out[i].error = rows->row[i].peer / rows->row[i].time - 1;
    anchor_print("aiconfigurator 0.12", rows, out, ours);
    for (int i = 0; i < rows->count; i++) {
        const struct row *r = &rows->row[i];
        out[i].error = r->weights / (.55 * r->request.gpu->bandwidth.value) / r->time - 1;
    }
    anchor_print("bandwidth / size x 0.55", rows, out, ours);
    *kept = rows->constants;
    ideal(&rows->constants);
    score_now(rows, out);
    anchor_print("roofline: data sheet, no fixed time", rows, out, ours);
    rows->constants = *kept;
    free(kept);
    free(out);
    free(ours);
}

/* ---- floors ---- */

static const struct floor_of {
    const char *set, *phase;
    double median, tail, inside, width;
} floors[] = {
    {"serving_measured.csv", "served", .07, .19, .95, 2},
    {"serving_recent*.csv", NULL, .11, .30, .92, 2.05},
    {"llamacpp_bench.csv", "decoding alone", .07, .18, .92, 1.6},
    {"llamacpp_bench.csv", "prompts", .18, .50, .95, 5.8},
    {"qwen_bs1_speed_memory.csv", "decoding alone", .07, .35, .90, 2.3},
    {"throughput_trtllm.csv", "saturated", .125, .37, .95, 2.9},
    {"throughput_vllm_dstack.csv", "saturated", .13, .25, .95, 2.4},
};

static int check_floors(const struct set *set, const struct rows *rows,
                        const struct plan_summary *out)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
        const struct floor_of *f = &floors[i];
        if (strcmp(f->set, set->name) != 0)
            continue;
        struct score s = score_of(rows, out, group_phase, f->phase);
        if (s.median <= f->median && s.tail <= f->tail && s.inside >= f->inside &&
            s.width <= f->width)
            continue;
        printf("FAIL: %s %s: %.1f/%.0f %%, %.0f %% inside x%.2f; limits %.1f/%.0f, %.0f x%.2f\n",
               f->set, f->phase ? f->phase : "", 100 * s.median, 100 * s.tail, 100 * s.inside,
               s.width, 100 * f->median, 100 * f->tail, 100 * f->inside, f->width);
        failed++;
    }
    return failed;
}

static int score(const struct set *set, struct rows *rows, bool all)
{
    static const group_fn by_engine[] = {group_all, group_engine, group_users};
    struct plan_summary *out = gp_calloc(rows->count, sizeof(*out));
    outcomes(set, rows, out);
    rows_to_page(set, rows, out, "");
    score_print("with the constants of the profiles", rows, out, BY(by_all));
    score_print_doubts("by what is not known", rows, out, -1);
    int failed = check_floors(set, rows, out);
    score_ttft(rows, out);
    if (score_of(rows, out, group_all, NULL).rows > 100)
        score_print("TTFT of a closed loop", rows, out, BY(by_engine));
    score_tokens(rows, out);
    if (score_of(rows, out, group_all, NULL).rows > 50)
        score_print("output tokens/s", rows, out, BY(by_engine));
    if (all && rows->row[0].peer > 0) /* of a set that says what others estimate */
        anchors(rows);
    free(out);
    return failed;
}

int main(int argc, char **argv)
{
    static struct rows rows;
    const char *word = argc > 1 ? argv[1] : "", *mode = getenv("GPUPLAN_ACCURACY");
    const char *only = getenv("GPUPLAN_SET");
    bool fits = strcmp(word, "fit") == 0, lists = strcmp(word, "rows") == 0;
    bool hits = strcmp(word, "hits") == 0;
    bool all = fits || (mode && strcmp(mode, "all") == 0);
    static struct hit_tally tally;
    static struct labs_tally labs;
    int failed = 0;
    if (fits || lists || hits) {
        argc--;
        argv++;
    }
    for (int i = 0; i < SETS; i++) {
        if (only && strstr(sets[i].name, only) == NULL)
            continue;
        rows_init(&rows);
        if (!sets[i].read(&rows, argc, argv))
            return 77;
        printf("\n%s: %d rows, %d left out by rule\n", sets[i].name, rows.count, rows.left_out);
        if (lists)
            print_rows(&rows);
        else if (!hits)
            failed += score(&sets[i], &rows, all);
        if (all || hits)
            failed += run_fit(&sets[i], &rows, &tally, &labs, all);
        else
            hits_count(&tally, &rows);
        rows_fini(&rows);
    }
    if (!only)
        failed += labs_check_three(&labs);
    if (hits)
        hits_print(&tally);
    if (!lists && !only)
        failed += hits_check(&tally, all || hits);
    return failed > 0;
}
