/*
 * arrivals.c - see arrivals.h.
 */
#include "plan/replay/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const words[ARRIVALS_COUNT] = {
#define X(NAME, word) [ARRIVALS_##NAME] = word,
    ARRIVALS(X)
#undef X
};

const char *arrivals_word(enum arrivals_kind kind)
{
    return words[kind];
}

/* ---- numbers ---- */

/* SplitMix64. */
static uint64_t stream_next(struct stream *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

struct stream stream_of(uint64_t seed, uint64_t which)
{
    struct stream s = {seed * 0xd1342543de82ef95 + which};

    stream_next(&s);
    return s;
}

double stream_uniform(struct stream *s)
{
    return ((double)(stream_next(s) >> 12) + 0.5) * 0x1p-52;
}

/* ln x by 2 atanh((m - 1) / (m + 1)) of the mantissa: sums and quotients, which are the same
 * everywhere. */
static double own_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);

    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    double z = (m - 1) / (m + 1), square = z * z, power = z, sum = 0;
    for (int n = 1; n < 26; n += 2) {
        sum += power / n;
        power *= square;
    }
    return 2 * sum + exponent * 0.69314718055994531;
}

static double own_exp(double x)
{
    double n = floor(x / 0.69314718055994531 + 0.5), r = x - n * 0.69314718055994531;
    double term = 1, sum = 1;

    for (int i = 1; i < 18; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)n);
}

/* Acklam's rational approximation, good to 1.2e-9. */
double normal_at(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    double q, r;

    if (p > 0.5)
        return -normal_at(1 - p);
    if (p >= 0.02425) {
        q = p - 0.5;
        r = q * q;
        return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
               (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    q = sqrt(-2 * own_log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
}

double stream_normal(struct stream *s)
{
    return normal_at(stream_uniform(s));
}

/* Marsaglia and Tsang's, mean `shape`; below 1 by that of shape + 1. */
static double stream_gamma(struct stream *s, double shape)
{
    if (shape < 1) {
        double u = stream_uniform(s);

        return stream_gamma(s, shape + 1) * own_exp(own_log(u) / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = stream_normal(s), v = 1 + c * x, u;

        if (v <= 0)
            continue;
        v = v * v * v;
        u = stream_uniform(s);
        if (own_log(u) < 0.5 * x * x + d - d * v + d * own_log(v))
            return d * v;
    }
}

/* ---- requests ---- */

static double gap_of(const struct arrivals_ask *ask, struct stream *s)
{
    switch (ask->kind) {
    case ARRIVALS_POISSON:
        return -own_log(stream_uniform(s)) / ask->rate;
    case ARRIVALS_GAMMA:
        return stream_gamma(s, ask->shape) / ask->shape / ask->rate;
    case ARRIVALS_CONSTANT:
        return 1 / ask->rate;
    default:
        return 0;
    }
}

/* Where a rate differs by the hour: the hour that has been reached, and the time of a steady rate
 * that went by before it. */
struct hour {
    int number;
    double before;
};

/* The time at which as many have come as by `steady` at the mean rate. */
static double hour_time(const struct arrivals_ask *ask, struct hour *at, double steady)
{
    if (ask->hours <= 0)
        return steady;
    for (;;) {
        double share = ask->hourly[at->number % ask->hours];

        if (steady < at->before + 3600 * share)
            return 3600.0 * at->number + (steady - at->before) / share;
        at->before += 3600 * share;
        at->number++;
    }
}

#define MOST_TOKENS 1e9
#define MOST_WARM 1e6 /* requests before those that count */

static int length_of(struct stream *s, enum lengths_kind kind, double mean, double sd)
{
    bool gamma = sd > 0 && kind == LENGTHS_GAMMA;
    double shape = gamma ? fmin((mean / sd) * (mean / sd), 1e6) : 1;
    double u = gamma ? 0 : stream_uniform(s), tokens = mean;

    if (gamma) {
        tokens = mean * stream_gamma(s, shape) / shape;
    } else if (sd > 0 && kind == LENGTHS_LOGNORMAL) {
        double square = own_log(1 + (sd / mean) * (sd / mean));

        tokens = mean * own_exp(sqrt(square) * normal_at(u) - square / 2);
    } else if (sd > 0 && kind == LENGTHS_NORMAL) {
        tokens = mean + sd * normal_at(u);
    } else if (sd > 0 && kind == LENGTHS_UNIFORM) {
        tokens = mean + sd * sqrt(12) * (u - 0.5);
    }
    return (int)fmin(fmax(floor(tokens + 0.5), 1), MOST_TOKENS);
}

/* s until as many sessions end as begin: their lives are sums of exponential times. */
static double warm_seconds(const struct arrivals_ask *ask)
{
    double behind = ask->turns - 1;

    if (ask->turns < 2 || ask->rate <= 0 || ask->kind > ARRIVALS_GAMMA || ask->hours > 0)
        return 0;
    double life = behind * (ask->think + ask->answer) + 2 * sqrt(behind) * ask->think;
    return fmin(life, MOST_WARM / ask->rate);
}

/* Sessions that are drawn for so many requests. */
static int sessions_of(const struct arrivals_ask *ask)
{
    return (int)ceil((ask->count + ask->rate * warm_seconds(ask)) / ask->turns);
}

static void push_request(struct arrivals *out, int n, double at, int prompt, int tokens,
                         double most)
{
    int i = out->load.count++;

    out->arrival[i] = at;
    out->lengths[i] = prompt;
    out->lengths[n + i] = tokens;
    out->lengths[2 * (size_t)n + i] = most > tokens ? (int)most : tokens;
}

/* A session's turns, those that come before `end`. */
static void draw_session(const struct arrivals_ask *ask, struct stream *random, double at,
                         double end, int number, int n, struct arrivals *out)
{
    double due = at, held = ask->prefix;

    for (int k = 0; k < ask->turns; k++) {
        int i = out->load.count;
        int added = length_of(&random[0], ask->lengths, ask->prompt, ask->prompt_sd);
        int tokens = length_of(&random[1], ask->lengths, ask->output, ask->output_sd);
        double think = k > 0 ? -own_log(stream_uniform(&random[2])) * ask->think : 0;

        due += k > 0 ? think + ask->answer : 0;
        if (k > 0 && due > end)
            continue; /* all are drawn, so that another rate leaves the lengths as they were */
        out->turn[i] = (struct replay_turn){.session = number,
                                            .next = -1,
                                            .history = k > 0 ? (int)fmin(held, MOST_TOKENS) : -1,
                                            .think = (float)think};
        if (k > 0)
            out->turn[i - 1].next = i;
        held = fmin(held + added, MOST_TOKENS);
        push_request(out, n, at, (int)held, tokens, ask->most);
        held += tokens;
    }
}

static void make_sessions(const struct arrivals_ask *ask, int n, struct arrivals *out)
{
    struct stream gaps = stream_of(ask->seed, 1);
    struct stream random[] = {stream_of(ask->seed, 2), stream_of(ask->seed, 3),
                              stream_of(ask->seed, 6)};
    int sessions = n / ask->turns;
    double *start = gp_calloc((size_t)sessions + 1, sizeof(*start)), at = 0, end = INFINITY;
    struct hour hour = {0};

    for (int i = 0; i < sessions; i++) {
        start[i] = hour_time(ask, &hour, at);
        at += ask->turns * gap_of(ask, &gaps);
    }
    out->turn = gp_calloc((size_t)n + 1, sizeof(*out->turn));
    out->load.counts_from = warm_seconds(ask);
    if (out->load.counts_from > 0) /* as it began, it ends in the middle of sessions */
        end = start[sessions - 1];
    for (int i = 0; i < sessions; i++)
        if (ask->seconds <= 0 || start[i] <= ask->seconds + out->load.counts_from)
            draw_session(ask, random, start[i], end, i, n, out);
    free(start);
}

#define HASHES_MOST 3e7 /* of many prompts groups are larger than a block */

/* Groups of a prefix that all share, then of prompts that come again. */
static void make_hashes(const struct arrivals_ask *ask, struct arrivals *out)
{
    int n = out->load.count, *prompt = out->lengths;
    int blocks = (int)fmax(ceil(n * ask->prompt / ask->block / HASHES_MOST), 1);
    int group = ask->distinct > 0 ? blocks * ask->block : ask->prefix / ask->block * ask->block;
    uint64_t shared = (uint64_t)(ask->prefix / group);

    out->hash_at = gp_calloc((size_t)n + 1, sizeof(*out->hash_at));
    out->load.hash_tokens = group;
    for (int i = 0; i < n; i++) {
        int groups = prompt[i] / group;

        out->hash_at[i + 1] = out->hash_at[i] + (uint32_t)(ask->distinct > 0 ? groups : groups > 0);
    }
    out->hash = gp_calloc((size_t)out->hash_at[n] + 1, sizeof(*out->hash));
    for (int i = 0; ask->distinct > 0 && i < n; i++)
        for (uint64_t g = 0; g < out->hash_at[i + 1] - out->hash_at[i]; g++)
            out->hash[out->hash_at[i] + g] =
                g + 1 + (g < shared ? 0 : (uint64_t)(i % ask->distinct + 1) << 32);
    out->load.warm = ask->distinct < n ? ask->distinct : n;
}

static void make_drawn(const struct arrivals_ask *ask, int n, struct arrivals *out)
{
    struct stream gaps = stream_of(ask->seed, 1), prompts = stream_of(ask->seed, 2);
    struct stream outputs = stream_of(ask->seed, 3);
    struct hour hour = {0};
    double at = 0;

    for (int i = 0; i < n; i++) {
        double arrival = hour_time(ask, &hour, at);
        int prompt = ask->distinct > 0 && i >= ask->distinct
                         ? out->lengths[i - ask->distinct]
                         : length_of(&prompts, ask->lengths, ask->prompt, ask->prompt_sd);

        at += gap_of(ask, &gaps);
        if (ask->seconds > 0 && arrival > ask->seconds)
            break;
        push_request(out, n, arrival, prompt,
                     length_of(&outputs, ask->lengths, ask->output, ask->output_sd), ask->most);
    }
}

/* A request of a log, by its session. */
struct place {
    uint64_t session;
    int row;
};

static int by_session(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->session != y->session ? (x->session > y->session) - (x->session < y->session)
                                    : (x->row > y->row) - (x->row < y->row);
}

/* Of a prompt that is too short for the answer before it (its reasoning is left out) the prompt
 * before is what it shares; of one that is shorter than that, nothing. */
static int history_of(int prompt, int before, int answer)
{
    return prompt >= before + answer ? before + answer : prompt >= before ? before : 0;
}

static void make_turns(const struct trace *t, const int *prompt, const int *output,
                       struct arrivals *out)
{
    int n = out->load.count;
    struct place *place = gp_calloc((size_t)n + 1, sizeof(*place));

    out->turn = gp_calloc((size_t)n + 1, sizeof(*out->turn));
    for (int i = 0; i < n; i++) {
        place[i] = (struct place){t->row[i].session, i};
        out->turn[i] = (struct replay_turn){.session = i, .next = -1, .history = -1};
    }
    qsort(place, (size_t)n, sizeof(*place), by_session);
    for (int k = 1; k < n; k++) {
        int before = place[k - 1].row, i = place[k].row;

        if (place[k].session == 0 || place[k].session != place[k - 1].session)
            continue;
        out->turn[before].next = i;
        out->turn[i] = (struct replay_turn){.session = out->turn[before].session, .next = -1};
        /* hashes say what is alike, where there are some */
        if (!t->hash_at)
            out->turn[i].history = history_of(prompt[i], prompt[before], output[before]);
        out->turn[i].think = (float)t->row[i].think;
        if (t->row[i].think > 0)
            out->arrival[i] = out->arrival[before];
    }
    free(place);
}

static void make_logged(const struct arrivals_ask *ask, int n, struct arrivals *out)
{
    const struct trace *t = ask->trace;
    double scale = ask->rate > 0 && t->rate > 0 ? t->rate / ask->rate : 1;
    int *prompt = out->lengths, *output = prompt + n, *most = output + n;
    double first = n > 0 && t->row[0].at > 0 ? t->row[0].at : 0, drawn = 0;
    struct stream gaps = stream_of(ask->seed, 1);

    for (int i = 0; i < n; i++) {
        const struct trace_row *row = &t->row[i];
        double at = isnan(row->at) ? drawn : (row->at - first) * scale;

        drawn += gap_of(ask, &gaps); /* of a log that tells no times */
        if (ask->seconds > 0 && at > ask->seconds)
            break;
        out->arrival[i] = i > 0 ? fmax(at, out->arrival[i - 1]) : at;
        prompt[i] = (int)row->prompt;
        output[i] = (int)row->output;
        most[i] = (int)fmax(fmax(row->most, ask->most), row->output);
        out->load.count++;
    }
    if (t->priorities) {
        out->load.priority = out->priority = gp_calloc((size_t)n + 1, sizeof(*out->priority));
        for (int i = 0; i < out->load.count; i++)
            out->priority[i] = t->row[i].priority;
    }
    if (t->sessions)
        make_turns(t, prompt, output, out);
    /* groups that are no multiple of a block would be cut by one */
    if (t->hash_at && t->hash_tokens % ask->block == 0) {
        out->load.hash = t->hash;
        out->load.hash_at = t->hash_at;
        out->load.hash_tokens = t->hash_tokens;
    }
}

void arrivals_make(const struct arrivals_ask *ask, struct arrivals *out)
{
    int all = ask->trace ? (int)ask->trace->count : ask->count;
    int n = ask->count > 0 && ask->count < all ? ask->count : all;
    bool sessions = !ask->trace && ask->turns > 0;

    n = sessions ? sessions_of(ask) * ask->turns : n;
    memset(out, 0, sizeof(*out));
    out->arrival = gp_calloc((size_t)n + 1, sizeof(*out->arrival));
    out->lengths = gp_calloc(3 * (size_t)n + 1, sizeof(*out->lengths));
    if (ask->trace)
        make_logged(ask, n, out);
    else if (sessions)
        make_sessions(ask, n, out);
    else
        make_drawn(ask, n, out);
    if (!ask->trace && (ask->distinct > 0 || (ask->prefix > 0 && ask->prefix >= ask->block)))
        make_hashes(ask, out);
    out->load.prompt = out->lengths;
    out->load.output = out->lengths + n;
    out->load.most = out->lengths + 2 * (size_t)n;
    out->load.arrival = ask->kind == ARRIVALS_CLOSED ? NULL : out->arrival;
    out->load.users = ask->users;
    out->load.cached = ask->cached;
    out->load.turn = out->turn;
    if (out->hash_at) {
        out->load.hash = out->hash;
        out->load.hash_at = out->hash_at;
    }
}

void arrivals_fini(struct arrivals *a)
{
    free(a->arrival);
    free(a->lengths);
    free(a->hash);
    free(a->hash_at);
    free(a->turn);
    free(a->priority);
    memset(a, 0, sizeof(*a));
}
