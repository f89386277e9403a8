/*
 * speed_score.c - see speed_score.h.
 */
#include "speed_score.h"

const char *group_all(const struct row *row)
{
    (void)row;
    return "all";
}

const char *group_kind(const struct row *row)
{
    return row->moe ? "MoE" : "dense";
}

const char *group_model(const struct row *row)
{
    return row->model;
}

const char *group_gpu(const struct row *row)
{
    return row->gpu;
}

const char *group_engine(const struct row *row)
{
    return row->engine;
}

const char *group_users(const struct row *row)
{
    double users = row->serve.users;
    return users <= 1     ? "1 user"
           : users <= 8   ? "2 to 8 users"
           : users <= 32  ? "9 to 32"
           : users <= 128 ? "33 to 128"
                          : "above 128";
}

const char *group_phase(const struct row *row)
{
    static const char *const words[] = {[PHASE_TPOT] = "served",
                                        [PHASE_DECODE] = "decoding alone",
                                        [PHASE_WALL] = "answer and prompt",
                                        [PHASE_PROMPT] = "prompts",
                                        [PHASE_RATE] = "saturated"};
    return words[row->phase];
}

const char *group_pair(const struct row *row)
{
    static char text[160];
    gp_format(text, sizeof(text), "%s%s%s, %s", row->lab, row->lab[0] ? ": " : "", row->model,
              row->gpu);
    return text;
}

const char *group_lab(const struct row *row)
{
    return row->lab;
}

const char *group_version(const struct row *row)
{
    static char text[64];
    gp_format(text, sizeof(text), "%s %s", row->engine, row->request.engine->range);
    return text;
}

const char *group_load(const struct row *row)
{
    return row->rate > 0 ? "request rate" : "so many users";
}

const char *group_busy(const struct row *row)
{
    struct step step;

    if (row->rate <= 0)
        return "so many users";
    step_cut(&row->load, &row->layout, &step);
    return row->rate < 0.6 * serve_capacity(&step, &row->serve, NULL, NULL)
               ? "rate below 60 % of what is served"
               : "higher rate";
}

const char *group_full(const struct row *row)
{
    static char text[160];
    gp_format(text, sizeof(text), "%s, %s, %s, %s", row->model, row->gpu, row->engine,
              row->precision);
    return text;
}

void score_now(const struct rows *rows, struct plan_summary *outcome)
{
    struct row_answer a;
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        bool known = row_predict(row, &a);
        outcome[i] = (struct plan_summary){.error = known ? a.time / row->time - 1 : NAN,
                                           .low = a.low,
                                           .high = a.high,
                                           .weight = 1,
                                           .doubts = a.doubts};
    }
}

void score_ttft(const struct rows *rows, struct plan_summary *outcome)
{
    struct row_answer a;
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        bool known = row->ttft > 0 && row_predict(row, &a) && a.ttft > 0;
        outcome[i] = (struct plan_summary){.error = known ? a.ttft / row->ttft - 1 : NAN,
                                           .low = a.ttft_low,
                                           .high = a.ttft_high,
                                           .weight = 1,
                                           .doubts = a.doubts};
    }
}

void score_tokens(const struct rows *rows, struct plan_summary *outcome)
{
    struct row_answer a;
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        bool known = row->tokens > 0 && row_predict(row, &a);
        outcome[i] = (struct plan_summary){.error = known ? row->tokens / a.tokens - 1 : NAN,
                                           .low = a.low,
                                           .high = a.high,
                                           .weight = 1,
                                           .doubts = a.doubts};
    }
}

void score_by_pair(const struct rows *rows, struct plan_summary *outcome)
{
    for (int i = 0; i < rows->count; i++) {
        char pair[160];
        int alike = 0;
        gp_copy(pair, sizeof(pair), group_pair(&rows->row[i]));
        for (int j = 0; j < rows->count; j++)
            alike += strcmp(group_pair(&rows->row[j]), pair) == 0;
        outcome[i].weight = 1.0 / alike;
    }
}

/* ---- quantiles ---- */

struct weighted {
    double value, weight;
};

static int by_value(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static double quantile(struct weighted *list, int count, double share)
{
    double all = 0, sum = 0;
    qsort(list, count, sizeof(*list), by_value);
    for (int i = 0; i < count; i++)
        all += list[i].weight;
    for (int i = 0; i < count; i++) {
        sum += list[i].weight;
        if (sum >= share * all)
            return list[i].value;
    }
    return 0;
}

bool score_in_band(const struct plan_summary *o)
{
    double ratio = 1 / (1 + o->error);
    return ratio >= 1 / o->low && ratio <= o->high;
}

enum what { SIZE, SIGNED, LOW, HIGH };

static double value_of(const struct plan_summary *o, enum what what)
{
    switch (what) {
    case SIZE:
        return fabs(o->error);
    case SIGNED:
        return o->error;
    case LOW:
        return o->low;
    default:
        return o->high;
    }
}

static double quantile_of(const struct plan_summary *outcome, const int *at, int count,
                          enum what what, double share)
{
    static struct weighted list[ROWS_MAX];
    for (int i = 0; i < count; i++)
        list[i] = (struct weighted){value_of(&outcome[at[i]], what), outcome[at[i]].weight};
    return quantile(list, count, share);
}

struct score score_of(const struct rows *rows, const struct plan_summary *outcome, group_fn group,
                      const char *name)
{
    static int at[ROWS_MAX];
    struct score s = {0};
    for (int i = 0; i < rows->count; i++) {
        const struct plan_summary *o = &outcome[i];
        if (isnan(o->error) || (name && strcmp(group(&rows->row[i]), name) != 0))
            continue;
        at[s.rows++] = i;
        s.weight += o->weight;
        s.inside += score_in_band(o) ? o->weight : 0;
        s.width += o->weight * o->low * o->high;
    }
    s.inside = s.weight > 0 ? s.inside / s.weight : 0;
    s.width = s.weight > 0 ? s.width / s.weight : 0;
    s.median = quantile_of(outcome, at, s.rows, SIZE, .5);
    s.tail = quantile_of(outcome, at, s.rows, SIZE, .9);
    s.bias = quantile_of(outcome, at, s.rows, SIGNED, .5);
    s.low = quantile_of(outcome, at, s.rows, LOW, .5);
    s.high = quantile_of(outcome, at, s.rows, HIGH, .5);
    return s;
}

static void print_line(const char *name, const struct score *s)
{
    printf("  %-46s %5d  %5.1f %5.0f  %+5.0f  %6.0f  x%.2f /%.2f..x%.2f\n", name, s->rows,
           100 * s->median, 100 * s->tail, 100 * s->bias, 100 * s->inside, s->width, s->low,
           s->high);
}

static void print_groups(const struct rows *rows, const struct plan_summary *outcome,
                         group_fn group)
{
    static char seen[ROWS_MAX / 4][160];
    int count = 0;
    for (int i = 0; i < rows->count; i++) {
        char name[160];
        int k = 0;
        gp_copy(name, sizeof(name), group(&rows->row[i]));
        while (k < count && strcmp(seen[k], name) != 0)
            k++;
        if (k < count || count == ROWS_MAX / 4)
            continue;
        gp_copy(seen[count++], sizeof(seen[0]), name);
        struct score s = score_of(rows, outcome, group, name);
        if (s.rows > 0)
            print_line(name, &s);
    }
}

static const char *const doubt_words[DOUBT_COUNT] = {
    [DOUBT_DENSE] = "law, dense",
    [DOUBT_EXPERTS] = "law, MoE",
    [DOUBT_MIXED] = "law, MLA or recurrent",
    [DOUBT_BUILD] = "build not known",
    [DOUBT_FAMILY] = "GPU family",
    [DOUBT_KERNEL] = "another kernel's figures",
    [DOUBT_INT4_EXPERTS] = "AWQ or GPTQ experts",
    [DOUBT_PCIE] = "TP over PCIe",
    [DOUBT_MANY] = "above 128 users, dense",
    [DOUBT_MANY_EXPERTS] = "above 128 users, others",
    [DOUBT_ATTENTION_DP] = "attention DP",
    [DOUBT_DRAFT] = "speculative decoding",
    [DOUBT_POINT] = "one point of the server",
    [DOUBT_POINTS_2] = "two points of the server",
    [DOUBT_POINTS_3] = "three points of the server",
    [DOUBT_LAYOUT] = "points of another layout",
    [DOUBT_NETWORK] = "network between hosts",
    [DOUBT_ARRIVALS] = "request rate",
    [DOUBT_NEWER] = "engine newer than measured",
    [DOUBT_LOCAL] = "local engine, one user",
    [DOUBT_LOCAL_GPU] = "GPU family, one user",
    [DOUBT_BANDWIDTH] = "bandwidth of memory not measured",
    [DOUBT_RATE] = "arithmetic assumed from bandwidth",
    [DOUBT_MEASURED] = "device measured",
};

static void band_without(const struct row *row, struct plan_summary *o, int without)
{
    double low = 0, high = 0, a, b;
    for (int d = 0; d < DOUBT_COUNT; d++) {
        if (d == without || !(o->doubts >> d & 1))
            continue;
        speed_doubt((enum doubt)d, row->request.gpu, &a, &b);
        low += log(a) * log(a);
        high += log(b) * log(b);
    }
    o->low = exp(sqrt(low));
    o->high = exp(sqrt(high));
}

void score_print_doubts(const char *title, const struct rows *rows,
                        const struct plan_summary *outcome, int without)
{
    struct plan_summary *some = gp_calloc(rows->count, sizeof(*some));
    printf("%s\n", title);
    for (int d = 0; d < DOUBT_COUNT; d++) {
        for (int i = 0; i < rows->count; i++) {
            some[i] = outcome[i];
            if (without >= 0)
                band_without(&rows->row[i], &some[i], without);
            if (!(outcome[i].doubts >> d & 1))
                some[i].error = NAN;
        }
        struct score s = score_of(rows, some, group_all, NULL);
        if (s.rows > 0 && d != without)
            print_line(doubt_words[d], &s);
    }
    free(some);
}

/* ---- what bands should be ---- */

#define EACH_END 0.95 /* of the rows beyond neither end: nine of ten inside */
#define FEWEST_PAIRS 3

/* Factor of one doubt with which a row is inside, the others as they are. */
static double asked_of(const struct row *row, const struct plan_summary *o, int doubt, bool slow)
{
    double off = log(1 + o->error) * (slow ? -1 : 1), rest = 0, low, high;
    for (int d = 0; d < DOUBT_COUNT; d++)
        if (d != doubt && (o->doubts >> d & 1)) {
            speed_doubt((enum doubt)d, row->request.gpu, &low, &high);
            rest += pow(log(slow ? high : low), 2);
        }
    return off > 0 ? exp(sqrt(fmax(off * off - rest, 0))) : 1;
}

/* The build's doubt is read off the rows that have none beside it but the law's and the GPU's. */
static bool asks(const struct plan_summary *o, int doubt)
{
    static const unsigned plain = 1u << DOUBT_DENSE | 1u << DOUBT_EXPERTS | 1u << DOUBT_MIXED |
                                  1u << DOUBT_BUILD | 1u << DOUBT_LOCAL | 1u << DOUBT_NEWER |
                                  1u << DOUBT_FAMILY;
    bool build = doubt == DOUBT_BUILD || doubt == DOUBT_LOCAL;
    return !isnan(o->error) && (o->doubts >> doubt & 1) && (!build || !(o->doubts & ~plain));
}

void score_print_asked(const struct rows *rows, const struct plan_summary *outcome)
{
    static struct weighted list[2][ROWS_MAX];
    printf("bands asked for by nine of ten rows left out, and as they are\n");
    for (int d = 0; d < DOUBT_COUNT; d++) {
        int n = 0;
        double weight = 0, low, high;
        for (int i = 0; i < rows->count; i++) {
            const struct plan_summary *o = &outcome[i];
            if (!asks(o, d))
                continue;
            for (int slow = 0; slow < 2; slow++)
                list[slow][n] = (struct weighted){asked_of(&rows->row[i], o, d, slow), o->weight};
            weight += o->weight;
            n++;
        }
        if (weight < FEWEST_PAIRS)
            continue;
        double below = quantile(list[0], n, EACH_END), above = quantile(list[1], n, EACH_END);
        speed_doubt((enum doubt)d, rows->row[0].request.gpu, &low, &high);
        printf("  %-46s %5d of %3.0f  /%.2f..x%.2f  /%.2f..x%.2f\n", doubt_words[d], n, weight,
               below, above, low, high);
    }
}

void score_print(const char *title, const struct rows *rows, const struct plan_summary *outcome,
                 const group_fn *groups, int count)
{
    printf("%s\n  %-46s %5s  %5s %5s  %5s  %6s  %s\n", title, "error in %", "rows", "med", "p90",
           "bias", "inside", "width, band");
    for (int i = 0; i < count; i++)
        print_groups(rows, outcome, groups[i]);
}
