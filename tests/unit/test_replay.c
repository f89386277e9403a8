/*
 * test_replay.c - the replay of schedulers: closed forms, and that stretches which are taken at
 * once are what single steps give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/replay_run.h"
#include "base/mem.h"
#include "plan/replay/arrivals.h"
#include "plan/replay/replay.h"

#include "profiles.h"

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static int random_in(int low, int high)
{
    return low + (int)(random_next() % (uint64_t)(high - low + 1));
}

#define MOST 2000

static struct {
    double arrival[MOST];
    int prompt[MOST], output[MOST], most[MOST];
    uint64_t hash[MOST * 4];
    uint32_t hash_at[MOST + 1];
    struct replay_turn turn[MOST];
    int priority[MOST];
} made;

/* A step takes 10 ms + 0.1 ms a request + 1 us a token held + 20 us a token of a prompt. */
static double linear_decode(void *ctx, int decodes, double context, double *slope, double *until)
{
    (void)ctx;
    *slope = 1e-6;
    *until = (floor(context / 5000) + 1) * 5000;
    return 0.01 + 1e-4 * decodes + 1e-6 * context;
}

static double linear_mixed(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                           int chunks, bool alone)
{
    double t = 0.01 + (alone ? 0 : 1e-4 * decodes + 1e-6 * context);

    (void)ctx;
    for (int i = 0; i < chunks; i++)
        t += 2e-5 * chunk[i].tokens;
    return t;
}

static const struct replay_clock linear_clock = {
    .decode = linear_decode, .mixed = linear_mixed, .scale = 1};

static void see_nothing(void *ctx, const struct replay_step *step)
{
    (void)step;
    ++*(int *)ctx;
}

static struct replay_rules random_rules(void)
{
    int block = random_in(0, 1) ? 16 : 1;

    return (struct replay_rules){.scheduler =
                                     (enum scheduler)random_in(SCHEDULER_VLLM, SCHEDULER_COUNT - 1),
                                 .overlap = random_in(0, 1),
                                 .whole_prompt = random_in(0, 1),
                                 .caches = random_in(0, 1),
                                 .slot_keeps = random_in(0, 3) == 0,
                                 .chunks = random_in(0, 1),
                                 .late = random_in(0, 1),
                                 .bare = random_in(0, 1),
                                 .budget = random_in(64, 512),
                                 .input = random_in(64, 1024),
                                 .decode_tokens = 1,
                                 .threshold = random_in(0, 1) ? 0 : random_in(16, 200),
                                 .slots = random_in(1, 40),
                                 .block = block,
                                 .blocks = random_in(600, 6000) / block,
                                 .context = 1000,
                                 .ratio = 0.7,
                                 .ratio_least = 0.098,
                                 .ratio_step = 0.001};
}

/* Of up to 5 turns, with or without all of the history in the next prompt. */
static void random_sessions(struct replay_load *l)
{
    int left = 0;

    for (int i = 0, session = 0; i < l->count; i++) {
        bool first = left-- == 0;

        if (first) {
            left = random_in(0, 4);
            session++;
        }
        int history = first ? -1 : made.prompt[i - 1] + made.output[i - 1];
        made.turn[i] = (struct replay_turn){.session = session, .next = -1, .history = history};
        if (first)
            continue;
        made.turn[i - 1].next = i;
        made.turn[i].history = random_in(0, 3) ? history : made.prompt[i - 1];
        made.turn[i].think = 0.0137123F * (float)random_in(l->users > 0 ? 0 : 1, 300);
        made.prompt[i] = history + random_in(1, 50);
    }
    l->turn = made.turn;
}

static struct replay_load random_load(void)
{
    struct replay_load l = {.count = random_in(1, 120),
                            .arrival = made.arrival,
                            .prompt = made.prompt,
                            .output = made.output,
                            .most = made.most,
                            .hash_tokens = 16};
    double at = 0;
    bool hashes = random_in(0, 1);

    for (int i = 0; i < l.count; i++) {
        at += random_in(0, 2) ? 0.01371234567891 * random_in(0, 40) : 0;
        made.arrival[i] = at;
        made.prompt[i] = random_in(1, 300);
        made.output[i] = random_in(1, 100);
        made.most[i] = made.output[i] + random_in(0, 20);
        made.hash_at[i + 1] = made.hash_at[i];
        for (int g = 0; g < made.prompt[i] / 16 && g < 4; g++)
            made.hash[made.hash_at[i + 1]++] = (uint64_t)random_in(0, 3) + 10 * (uint64_t)g;
    }
    if (hashes) {
        l.hash = made.hash;
        l.hash_at = made.hash_at;
    }
    l.users = random_in(0, 2) ? 0 : random_in(1, 10);
    if (random_in(0, 1))
        random_sessions(&l);
    if (l.users > 0 && random_in(0, 1))
        l.arrival = NULL;
    return l;
}

/* Drawn behind all else, so that the cases without them are as they were. */
static void random_priorities(struct replay_rules *rules, struct replay_load *l)
{
    bool sglang = rules->scheduler == SCHEDULER_SGLANG;

    if (!sglang && rules->scheduler != SCHEDULER_VLLM)
        return;
    rules->priority =
        (enum priority_rule)(sglang ? random_in(PRIORITY_ALL, PRIORITY_FEWEST)
                                    : random_in(PRIORITY_KEEPS_BUDGET, PRIORITY_GOES_ON));
    rules->high_first = random_in(0, 1);
    for (int i = 0; i < l->count; i++)
        made.priority[i] = random_in(0, 9) ? 12 * random_in(-1, 2) : PRIORITY_UNTOLD;
    l->priority = made.priority;
}

/* Tokens that requests have of others: history, or groups of hashes. */
static int64_t shared_tokens(const struct replay_load *l)
{
    int64_t sum = 0;

    for (int i = 0; i < l->count; i++) {
        int groups = l->hash ? (int)(l->hash_at[i + 1] - l->hash_at[i]) * l->hash_tokens : 0;
        int history = l->turn[i].history > groups ? l->turn[i].history : groups;

        sum += history;
    }
    return sum;
}

/* Cases in which blocks that a waiting request found went before their turn, in which a chunk left
 * no token for those that decode, in which blocks came back behind who waited for them, in which
 * steps of another replica were counted, and in which a preempted request found others' blocks. */
static const int stretches_seen[] = {2325,  5020,  6572,  7640,  18923, 19600,
                                     45206, 49155, 65756, 93319, 138932};

#define STRETCHES_SEEN (int)(sizeof(stretches_seen) / sizeof(stretches_seen[0]))

/* A router that goes by prefixes is left out: it sees a cache as old as the last decision. So
 * are replicas whose steps end at the moment at which a user asks the other one again: there
 * the last bit of a sum decides. GPUPLAN_STRETCHES sets how many. */
static void test_stretches_are_steps(void **state)
{
    static const enum router routers[] = {ROUTER_ROUND, ROUTER_LEAST, ROUTER_SESSION};
    const char *said = getenv("GPUPLAN_STRETCHES");
    int cases = said ? atoi(said) : 2000;

    (void)state;
    for (int k = 0; k < cases + STRETCHES_SEEN; k++) {
        int i = k < STRETCHES_SEEN ? stretches_seen[k] : k - STRETCHES_SEEN;

        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        int seen = 0;
        rules.host_blocks = i % 3 == 0 ? i % 400 : 0;
        rules.host_token = 1.7e-5;
        struct replay replay = {.load = &load,
                                .rules = &rules,
                                .clock = &linear_clock,
                                .replicas = load.users > 0 ? 1 : random_in(1, 3),
                                .router = routers[random_in(0, 2)],
                                .prefills = random_in(0, 3) ? 0 : 1,
                                .prefill_rules = &rules,
                                .prefill_clock = &linear_clock,
                                .handoff = 0.0123,
                                .handoff_token = 1.37e-5,
                                .lose_at = random_in(0, 3) ? 0 : 0.1237 * random_in(1, 400),
                                .add_at = random_in(0, 3) ? 0 : 0.1237 * random_in(1, 400)};
        if (i % 2)
            random_priorities(&rules, &load);
        struct replay_result fast, slow;

        if (load.users > 0)
            replay.prefills = 0;
        if (replay.prefills > 0) /* they work beside those */
            replay.replicas++;
        replay_run(&replay, &fast);
        replay.watch = see_nothing;
        replay.watch_ctx = &seen;
        replay_run(&replay, &slow);
        assert_int_equal(fast.steps, slow.steps);
        assert_int_equal(fast.completed + fast.refused, load.count);
        assert_int_equal(slow.completed, fast.completed);
        assert_int_equal(slow.preemptions, fast.preemptions);
        assert_int_equal(slow.cached_tokens, fast.cached_tokens);
        assert_int_equal(slow.host_tokens, fast.host_tokens);
        assert_true(fast.host_tokens <= fast.cached_tokens);
        /* who loses his blocks, or his replica, finds what is shared once more */
        assert_true(!load.turn || fast.restarted > 0 || fast.preemptions > 0 ||
                    fast.cached_tokens <= shared_tokens(&load));
        for (int n = 0; n < load.count; n++) {
            const struct replay_outcome *a = &fast.outcome[n], *b = &slow.outcome[n];

            if (isnan(a->e2e))
                continue;
            assert_true(a->queue <= a->ttft && a->ttft <= a->e2e);
            assert_true(fabsf(a->e2e - b->e2e) < 1e-3F && fabsf(a->ttft - b->ttft) < 1e-3F);
        }
        replay_result_fini(&fast);
        replay_result_fini(&slow);
    }
}

/* ---- priorities ---- */

/* Three requests of one slot: the first runs when the others come, c after b. */
static void replay_three(enum scheduler scheduler, enum priority_rule rule, const int *priority,
                         struct replay_result *out)
{
    static const double arrival[] = {0, 0.02, 0.03};
    static const int prompt[] = {50, 50, 50}, output[] = {40, 40, 40};
    struct replay_load load = {
        .count = 3, .arrival = arrival, .prompt = prompt, .output = output, .priority = priority};
    struct replay_rules rules = {.scheduler = scheduler,
                                 .priority = rule,
                                 .high_first = true,
                                 .budget = 512,
                                 .input = 512,
                                 .decode_tokens = 1,
                                 .slots = 1,
                                 .block = 16,
                                 .blocks = 100,
                                 .context = 1000,
                                 .ratio = 0.7,
                                 .ratio_least = 0.098,
                                 .ratio_step = 0.001};
    struct replay replay = {.load = &load, .rules = &rules, .clock = &linear_clock, .replicas = 1};

    replay_run(&replay, out);
}

/* vLLM: the lower value first. SGLang: the higher one, and who runs gives way to it when it is
 * more than 10 higher. */
static void test_priorities(void **state)
{
    static const struct {
        enum scheduler scheduler;
        enum priority_rule rule;
        int priority[3];
        bool last_first, gives_way;
    } cases[] = {
        {SCHEDULER_VLLM, PRIORITY_GOES_ON, {0, 5, 1}, true, false},
        {SCHEDULER_VLLM, PRIORITY_GOES_ON, {0, 1, 1}, false, false},
        {SCHEDULER_VLLM, PRIORITY_GOES_ON, {0, 1, PRIORITY_UNTOLD}, true, false},
        {SCHEDULER_VLLM, PRIORITY_NONE, {0, 5, 1}, false, false},
        {SCHEDULER_SGLANG, PRIORITY_FEWEST, {0, 5, 1}, false, false},
        {SCHEDULER_SGLANG, PRIORITY_FEWEST, {0, 5, 10}, true, false},
        {SCHEDULER_SGLANG, PRIORITY_FEWEST, {0, 5, 11}, true, true},
        {SCHEDULER_SGLANG, PRIORITY_ALL, {PRIORITY_UNTOLD, PRIORITY_UNTOLD, 0}, true, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct replay_result r;

        replay_three(cases[i].scheduler, cases[i].rule, cases[i].priority, &r);
        const struct replay_outcome *o = r.outcome;
        assert_int_equal(r.completed, 3);
        assert_int_equal(o[2].ttft < o[1].ttft, cases[i].last_first);
        assert_int_equal(o[0].preemptions > 0, cases[i].gives_way);
        assert_int_equal(o[2].ttft < o[0].e2e - 0.03F, cases[i].gives_way);
        replay_result_fini(&r);
    }
}

/* ---- closed forms ---- */

static double second_mixed(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                           int chunks, bool alone)
{
    (void)ctx, (void)decodes, (void)context, (void)chunk, (void)alone;
    return chunks;
}

/* One slot, a second for each prompt, answers of one token: the mean wait is rho / (2 (1 - rho))
 * services. */
static void test_waits_as_md1(void **state)
{
    static const double rates[] = {0.2, 0.5, 0.8};
    const struct replay_clock clock = {.decode = linear_decode, .mixed = second_mixed, .scale = 1};

    (void)state;
    for (size_t n = 0; n < sizeof(rates) / sizeof(rates[0]); n++) {
        struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                                   .rate = rates[n],
                                   .count = 200000,
                                   .seed = 7,
                                   .prompt = 100,
                                   .output = 1,
                                   .block = 16};
        struct replay_rules rules = {.scheduler = SCHEDULER_VLLM,
                                     .budget = 1000,
                                     .decode_tokens = 1,
                                     .slots = 1,
                                     .block = 16,
                                     .blocks = 1000,
                                     .context = 1000};
        struct arrivals arrivals;
        struct replay_result r;
        double sum = 0;

        arrivals_make(&ask, &arrivals);
        struct replay replay = {
            .load = &arrivals.load, .rules = &rules, .clock = &clock, .replicas = 1};
        replay_run(&replay, &r);
        for (int i = 0; i < ask.count; i++)
            sum += r.outcome[i].queue;
        double wait = rates[n] / (2 * (1 - rates[n]));
        assert_true(fabs(sum / ask.count / wait - 1) < 0.03);
        /* Little: those that wait in the mean are the rate times their wait */
        double span = r.last - r.first;
        assert_true(fabs(r.waiting / sum - 1) < 1e-3);
        assert_true(fabs(ask.count / span / rates[n] - 1) < 0.02);
        replay_result_fini(&r);
        arrivals_fini(&arrivals);
    }
}

static double token_mixed(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                          int chunks, bool alone)
{
    double t = 0;

    (void)ctx, (void)decodes, (void)context, (void)alone;
    for (int i = 0; i < chunks; i++)
        t += chunk[i].tokens * 1e-3;
    return t;
}

/* Prompts of other lengths: lambda E[S^2] / (2 (1 - rho)), whichever engine has the one slot. */
static void test_waits_as_mg1(void **state)
{
    const struct replay_clock clock = {.decode = linear_decode, .mixed = token_mixed, .scale = 1};

    (void)state;
    for (int scheduler = SCHEDULER_VLLM; scheduler < SCHEDULER_COUNT; scheduler++) {
        struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                                   .rate = 0.7,
                                   .count = 300000,
                                   .seed = 11,
                                   .prompt = 1000,
                                   .prompt_sd = 300,
                                   .lengths = LENGTHS_NORMAL,
                                   .output = 1,
                                   .block = 16};
        struct replay_rules rules = {.scheduler = (enum scheduler)scheduler,
                                     .budget = 10000,
                                     .input = 10000,
                                     .decode_tokens = 1,
                                     .slots = 1,
                                     .block = 16,
                                     .blocks = 1000,
                                     .context = 10000,
                                     .ratio = 0.7};
        struct arrivals arrivals;
        struct replay_result r;
        double sum = 0, work = 0, square = 0;

        arrivals_make(&ask, &arrivals);
        struct replay replay = {
            .load = &arrivals.load, .rules = &rules, .clock = &clock, .replicas = 1};
        replay_run(&replay, &r);
        for (int i = 0; i < ask.count; i++) {
            double service = arrivals.load.prompt[i] * 1e-3;

            sum += r.outcome[i].queue;
            work += service;
            square += service * service;
        }
        double rate = ask.count / (r.last - r.first), rho = rate * work / ask.count;
        double wait = rate * square / ask.count / (2 * (1 - rho));
        assert_true(fabs(sum / ask.count / wait - 1) < 0.03);
        replay_result_fini(&r);
        arrivals_fini(&arrivals);
    }
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* ---- prompts worked off apart ---- */

static double tandem[2]; /* s of a prompt, of an answer's tokens behind the first */

static double tandem_mixed(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                           int chunks, bool alone)
{
    (void)ctx, (void)decodes, (void)context, (void)chunk, (void)alone;
    return chunks * tandem[0];
}

static double tandem_decode(void *ctx, int decodes, double context, double *slope, double *until)
{
    (void)ctx, (void)decodes, (void)context;
    *slope = 0;
    *until = INFINITY;
    return tandem[1] / 10;
}

/* Of two queues one behind the other, whose services are constant, the slower one makes the wait,
 * whichever is first: rho / (2 (1 - rho)) of its services. A transfer comes to that. */
static void test_two_queues(void **state)
{
    static const double cases[][3] = {{0.5, 0.01, 0}, {0.01, 0.5, 0}, {0.5, 0.5, 0},
                                      {0.6, 0.3, 0},  {0.3, 0.6, 0},  {0.3, 0.6, 0.2}};
    const struct replay_clock clock = {.decode = tandem_decode, .mixed = tandem_mixed, .scale = 1};

    (void)state;
    for (int scheduler = SCHEDULER_VLLM; scheduler < SCHEDULER_COUNT; scheduler++)
        for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
            struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                                       .rate = 1,
                                       .count = 100000,
                                       .seed = 13,
                                       .prompt = 100,
                                       .output = 11,
                                       .block = 16};
            struct replay_rules rules = {.scheduler = (enum scheduler)scheduler,
                                         .budget = 1000,
                                         .input = 1000,
                                         .decode_tokens = 1,
                                         .slots = 1,
                                         .block = 16,
                                         .blocks = 1000,
                                         .context = 1000,
                                         .ratio = 0.7};
            struct arrivals arrivals;
            struct replay replay = {.load = &arrivals.load,
                                    .rules = &rules,
                                    .clock = &clock,
                                    .replicas = 2,
                                    .prefills = 1,
                                    .prefill_rules = &rules,
                                    .prefill_clock = &clock,
                                    .handoff = cases[n][2]};
            struct replay_result r;
            double ttft = 0, e2e = 0;

            tandem[0] = cases[n][0];
            tandem[1] = cases[n][1];
            arrivals_make(&ask, &arrivals);
            replay_run(&replay, &r);
            for (int i = 0; i < ask.count; i++) {
                ttft += (double)r.outcome[i].ttft / ask.count;
                e2e += (double)r.outcome[i].e2e / ask.count;
            }
            double slower = fmax(tandem[0], tandem[1]),
                   rho = ask.count / (r.last - r.first) * slower;
            double wait = slower * rho / (2 * (1 - rho));
            assert_int_equal(r.completed, ask.count);
            assert_int_equal(r.output_tokens, 11 * (int64_t)ask.count);
            assert_true(fabs((ttft - tandem[0] - cases[n][2]) / wait - 1) < 0.03);
            assert_true(fabs(e2e - ttft - tandem[1]) < 1e-3);
            replay_result_fini(&r);
            arrivals_fini(&arrivals);
        }
}

/* A load on one replica, with the times of linear_clock. */
static struct replay_result run_alone(const struct replay_load *load,
                                      const struct replay_rules *rules)
{
    struct replay replay = {.load = load, .rules = rules, .clock = &linear_clock, .replicas = 1};
    struct replay_result r;

    replay_run(&replay, &r);
    return r;
}

/* The last piece of a prompt that no step holds does not wait until nobody decodes. */
static void test_cut_goes_on(void **state)
{
    static const int prompt[] = {10, 159}, output[] = {200, 2};
    static const double arrival[] = {0, 0.2};
    const struct replay_load load = {
        .count = 2, .arrival = arrival, .prompt = prompt, .output = output};

    (void)state;
    for (int scheduler = SCHEDULER_VLLM; scheduler < SCHEDULER_COUNT; scheduler++) {
        const struct replay_rules rules = {.scheduler = (enum scheduler)scheduler,
                                           .budget = 80,
                                           .input = 80,
                                           .decode_tokens = 1,
                                           .slots = 4,
                                           .block = 1,
                                           .blocks = 1000,
                                           .context = 1000,
                                           .ratio = 0.7};
        struct replay_result r = run_alone(&load, &rules);

        assert_true((double)r.outcome[1].ttft < 0.1);
        replay_result_fini(&r);
    }
}

/* One of two replicas is lost in the middle: no percentile of the first token or of the whole
 * improves by more than requests that wait in another order may gain, all are served in the end,
 * and one that is there from the beginning takes the place of the lost one. */
static void test_a_loss_costs(void **state)
{
    static float time[2][2][MOST];
    int64_t again = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        struct replay replay = {.load = &load,
                                .rules = &rules,
                                .clock = &linear_clock,
                                .replicas = 2,
                                .router = ROUTER_LEAST};
        int refused[2];

        load.hash = NULL;
        load.turn = NULL;
        for (int lost = 0; lost < 2; lost++) {
            struct replay_result r;

            replay.lose_at = lost ? load.arrival ? load.arrival[load.count / 2] + 1e-3 : 0.5 : 0;
            replay_run(&replay, &r);
            refused[lost] = r.refused;
            again += r.restarted;
            assert_int_equal(r.completed + r.refused, load.count);
            int64_t tokens = 0;
            for (int n = 0; n < load.count; n++) {
                tokens += isnan(r.outcome[n].e2e) ? 0 : load.output[n];
                time[0][lost][n] = isnan(r.outcome[n].ttft) ? INFINITY : r.outcome[n].ttft;
                time[1][lost][n] = isnan(r.outcome[n].e2e) ? INFINITY : r.outcome[n].e2e;
            }
            assert_int_equal(tokens, r.output_tokens);
            replay_result_fini(&r);
        }
        assert_int_equal(refused[0], refused[1]);
        for (int of = 0; of < 2; of++) {
            qsort(time[of][0], (size_t)load.count, sizeof(float), by_size);
            qsort(time[of][1], (size_t)load.count, sizeof(float), by_size);
            for (int p = 50; p < 100; p += 7) {
                int at = (load.count - 1) * p / 100;
                float two = time[of][0][at], one = time[of][1][at];

                if (isfinite(two) && !(two <= one * 1.05F + 0.1F))
                    fail_msg("load %d, percentile %d: %g s on two, %g s where one is lost", i, p,
                             (double)two, (double)one);
            }
        }
    }
    assert_true(again > 200);
}

/* One alone that is lost: what comes meanwhile waits for the one that is added, which begins with
 * all of it at once. */
static void test_a_start_is_waited_for(void **state)
{
    static double arrival[40];
    static int prompt[40], output[40];
    struct replay_rules rules = {.scheduler = SCHEDULER_VLLM,
                                 .budget = 10000,
                                 .decode_tokens = 1,
                                 .slots = 100,
                                 .block = 16,
                                 .blocks = 10000,
                                 .context = 1000};
    struct replay_load load = {.count = 40, .arrival = arrival, .prompt = prompt, .output = output};
    struct replay replay = {.load = &load,
                            .rules = &rules,
                            .clock = &linear_clock,
                            .replicas = 1,
                            .lose_at = 9.995,
                            .add_at = 20};
    struct replay_result r;

    (void)state;
    for (int i = 0; i < 40; i++) {
        arrival[i] = i * 0.5;
        prompt[i] = 100;
        output[i] = 10;
    }
    replay_run(&replay, &r);
    assert_int_equal(r.completed, 40);
    assert_int_equal(r.restarted, 0); /* nothing was in flight */
    for (int i = 20; i < 40; i++)
        assert_true(fabs((double)r.outcome[i].queue - (20 - arrival[i])) < 1e-5);
    assert_int_equal(r.outcome[19].replica, 0);
    assert_int_equal(r.outcome[20].replica, 1);
    replay_result_fini(&r);
    replay.add_at = 0;
    replay_run(&replay, &r);
    assert_int_equal(r.completed, 20);
    assert_int_equal(r.refused, 20);
    replay_result_fini(&r);
}

/* Twice the replicas: no percentile of the first token or of the whole grows by more than a
 * router that does not know how long answers are may cost: a step or two. (Two caches find less
 * than one: without shared prefixes.) */
static void test_more_replicas_wait_less(void **state)
{
    static float time[2][2][MOST];

    (void)state;
    for (int i = 0; i < 300; i++) {
        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        struct replay replay = {.load = &load,
                                .rules = &rules,
                                .clock = &linear_clock,
                                .replicas = 1,
                                .router = ROUTER_LEAST};
        int refused[2];

        load.hash = NULL;
        for (int twice = 0; twice < 2; twice++) {
            struct replay_result r;

            replay.replicas = 1 + twice;
            replay_run(&replay, &r);
            refused[twice] = r.refused;
            for (int n = 0; n < load.count; n++) {
                time[0][twice][n] = isnan(r.outcome[n].ttft) ? INFINITY : r.outcome[n].ttft;
                time[1][twice][n] = isnan(r.outcome[n].e2e) ? INFINITY : r.outcome[n].e2e;
            }
            replay_result_fini(&r);
        }
        assert_int_equal(refused[0], refused[1]);
        for (int of = 0; of < 2; of++) {
            qsort(time[of][0], (size_t)load.count, sizeof(float), by_size);
            qsort(time[of][1], (size_t)load.count, sizeof(float), by_size);
            for (int p = 50; p < 100; p += 7) {
                int at = (load.count - 1) * p / 100;
                float one = time[of][0][at], two = time[of][1][at];

                if (isfinite(one) && !(two <= one * 1.05F + 0.05F))
                    fail_msg("load %d, percentile %d: %g s on one, %g s on two", i, p, (double)one,
                             (double)two);
            }
        }
    }
}

/* Requests in flight, summed over time, are the times that they take. */
static void test_obeys_little(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        struct replay replay = {
            .load = &load, .rules = &rules, .clock = &linear_clock, .replicas = 1};
        struct replay_result r;
        double sum = 0;

        rules.overlap = false; /* slots are then free at the last token */
        replay_run(&replay, &r);
        for (int n = 0; n < load.count; n++)
            sum += isnan(r.outcome[n].e2e) ? 0 : (double)r.outcome[n].e2e;
        assert_true(fabs(sum - r.running - r.waiting) <= 2e-3 * sum + 1e-3);
        replay_result_fini(&r);
    }
}

/* A turn finds what the one before held when its last token came, in whole blocks, and nothing
 * where the session's replica has no room for what others left meanwhile. */
static void test_finds_its_history(void **state)
{
    (void)state;
    for (int scheduler = SCHEDULER_VLLM; scheduler < SCHEDULER_COUNT; scheduler++) {
        struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                                   .rate = 2,
                                   .count = 6000,
                                   .seed = 5,
                                   .prompt = 60,
                                   .prompt_sd = 40,
                                   .output = 30,
                                   .output_sd = 20,
                                   .turns = 4,
                                   .think = 20,
                                   .block = 16};
        struct replay_rules rules = {.scheduler = (enum scheduler)scheduler,
                                     .caches = true,
                                     .slot_keeps = scheduler == SCHEDULER_LLAMACPP,
                                     .budget = 10000,
                                     .input = 10000,
                                     .decode_tokens = 1,
                                     .slots = 4000,
                                     .block = 16,
                                     .blocks = 1000000,
                                     .context = 10000,
                                     .ratio = 0.7};
        struct arrivals arrivals;
        struct replay_result r;
        struct replay replay = {
            .load = &arrivals.load, .rules = &rules, .clock = &linear_clock, .replicas = 1};

        arrivals_make(&ask, &arrivals);
        const struct replay_load *l = &arrivals.load;
        replay_run(&replay, &r);
        for (int i = 0; i < l->count; i++)
            assert_int_equal(r.outcome[i].cached,
                             l->turn[i].history < 0 ? 0 : (l->turn[i].history - 1) / 16 * 16);
        /* as many come as were asked for, from when as many sessions end as begin */
        int came = 0;
        for (int i = 0; i < l->count; i++)
            came += r.arrival[i] >= r.first;
        assert_true(l->counts_from > 60 && r.first == l->counts_from);
        assert_true(fabs(came / (r.last - r.first) / ask.rate - 1) < 0.08);
        int64_t all = r.cached_tokens;
        replay_result_fini(&r);
        rules.blocks = 200;
        rules.slots = scheduler == SCHEDULER_LLAMACPP ? 2 : 40;
        replay_run(&replay, &r);
        assert_true(r.cached_tokens < all / 2);
        replay_result_fini(&r);
        arrivals_fini(&arrivals);
    }
}

/* SGLang's tree gives a leaf away whole, vLLM's pool single blocks; what two prompts share is a
 * node of its own, and stays. Prompts of 50, 35, 60 and 50 tokens, of which the first 30 of all but
 * the third are alike, one after the other: 100 tokens hold 55 behind the second, so that 15 of
 * the third have to be taken from these. */
static void test_gives_leaves_away(void **state)
{
    static const struct {
        enum scheduler scheduler;
        bool second; /* comes, too: it splits the first */
        int cached;
    } rows[] = {{SCHEDULER_SGLANG, true, 30},
                {SCHEDULER_SGLANG, false, 0},
                {SCHEDULER_VLLM, true, 30},
                {SCHEDULER_VLLM, false, 30}};
    uint64_t hash[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    uint32_t hash_at[] = {0, 3, 6, 6, 9};
    double arrival[] = {0, 10, 20, 30};
    int output[] = {1, 1, 1, 1};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int prompt[] = {50, rows[i].second ? 35 : 101, 60, 50}; /* 101: is refused */
        struct replay_load load = {.count = 4,
                                   .arrival = arrival,
                                   .prompt = prompt,
                                   .output = output,
                                   .hash = hash,
                                   .hash_at = hash_at,
                                   .hash_tokens = 10};
        struct replay_rules rules = {.scheduler = rows[i].scheduler,
                                     .caches = true,
                                     .budget = 1000,
                                     .input = 1000,
                                     .decode_tokens = 1,
                                     .slots = 10,
                                     .block = 1,
                                     .blocks = 100,
                                     .context = 1000,
                                     .ratio = 0.7};
        struct replay_result r = run_alone(&load, &rules);

        assert_int_equal(r.completed, 3 + rows[i].second);
        assert_int_equal(r.outcome[3].cached, rows[i].cached);
        replay_result_fini(&r);
    }
}

/* Another rate leaves the lengths, and scales the gaps; lengths have their mean and deviation. */
static void test_draws_in_streams(void **state)
{
    struct arrivals_ask ask = {.kind = ARRIVALS_GAMMA,
                               .shape = 0.7,
                               .rate = 1,
                               .count = 100000,
                               .seed = 3,
                               .prompt = 200,
                               .prompt_sd = 150,
                               .output = 100,
                               .block = 16};
    struct arrivals a, b;

    (void)state;
    for (int kind = 0; kind < LENGTHS_FIXED; kind++) {
        double sum = 0, square = 0, gaps = 0, spread = 0;

        ask.lengths = (enum lengths_kind)kind;
        ask.prompt_sd = kind == LENGTHS_LOGNORMAL ? 150 : 40;
        ask.rate = 1;
        arrivals_make(&ask, &a);
        ask.rate = 4;
        arrivals_make(&ask, &b);
        for (int i = 0; i < ask.count; i++) {
            double gap = i > 0 ? a.arrival[i] - a.arrival[i - 1] : 0;

            assert_int_equal(a.load.prompt[i], b.load.prompt[i]);
            assert_true(fabs(a.arrival[i] - 4 * b.arrival[i]) < 1e-6);
            sum += a.load.prompt[i];
            square += (double)a.load.prompt[i] * a.load.prompt[i];
            gaps += gap;
            spread += gap * gap;
        }
        double mean = sum / ask.count, sd = sqrt(square / ask.count - mean * mean);
        assert_true(fabs(mean / 200 - 1) < 0.01);
        assert_true(fabs(sd / ask.prompt_sd - 1) < 0.03);
        double gap = gaps / ask.count;
        assert_true(fabs(gap - 1) < 0.02);
        assert_true(fabs((spread / ask.count - gap * gap) * 0.7 - 1) < 0.05); /* CV^2 = 1/K */
        arrivals_fini(&a);
        arrivals_fini(&b);
    }
}

static int by_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* As wide as their mean they are exponential: -ln(1 - p) of it; wider ones are mostly short. */
static void test_draws_gamma_lengths(void **state)
{
    static const double share[] = {0.1, 0.5, 0.9, 0.99};
    struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                               .rate = 1,
                               .count = 100000,
                               .seed = 5,
                               .lengths = LENGTHS_GAMMA,
                               .prompt = 1000,
                               .prompt_sd = 1000,
                               .output = 1000,
                               .output_sd = 2000,
                               .block = 16};
    struct arrivals a;

    (void)state;
    arrivals_make(&ask, &a);
    int *sorted = gp_malloc(2 * (size_t)ask.count * sizeof(*sorted)), *output = sorted + ask.count;
    double sum = 0, square = 0;

    for (int i = 0; i < ask.count; i++) {
        sorted[i] = a.load.prompt[i];
        output[i] = a.load.output[i];
        sum += output[i];
        square += (double)output[i] * output[i];
    }
    qsort(sorted, (size_t)ask.count, sizeof(*sorted), by_int);
    qsort(output, (size_t)ask.count, sizeof(*output), by_int);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(sorted[(int)(share[i] * ask.count)] / (-1000 * log(1 - share[i])) - 1) <
                    0.03);
    /* shape 1/4: the median is 0.1747 of the mean, the 90th percentile 3.002 of it */
    assert_true(fabs(output[ask.count / 2] / 174.7 - 1) < 0.05);
    assert_true(fabs(output[ask.count * 9 / 10] / 3002.0 - 1) < 0.03);
    assert_true(fabs(sum / ask.count / 1000 - 1) < 0.02);
    assert_true(fabs(sqrt(square / ask.count - pow(sum / ask.count, 2)) / 2000 - 1) < 0.03);
    free(sorted);
    arrivals_fini(&a);
}

/* ---- the rate that a plan keeps ---- */

/* Without goals it is what the server keeps up with, also where all requests have a slot at once
 * and none ever waits. */
static void test_solves_without_goals(void **state)
{
    static const char *const engines[] = {"vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama"};
    struct planner *planner = planner_new(source_path("profiles"), 0, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        struct options o = {0};
        struct gp_err err = {0};
        struct replay_run run;
        struct quantity rate = {0};

        assert_int_equal(options_text(&o, OPT_MODEL, "-m", "llama-3.1-8b", &err), GP_OK);
        assert_int_equal(options_text(&o, OPT_GPU, "-g", "l40s", &err), GP_OK);
        assert_int_equal(options_text(&o, OPT_ENGINE, "-e", engines[i], &err), GP_OK);
        assert_int_equal(options_text(&o, OPT_PRECISION, "-p", i < 3 ? "bf16" : "q4_k_m", &err),
                         GP_OK);
        assert_int_equal(options_number(&o, OPT_RATE, "--rate", 1, &err), GP_OK);
        assert_int_equal(replay_run_options(planner, &o, &run, &err), GP_OK);
        struct forecast_ask ask = {.arrivals = forecast_arrivals(&run.answer.plan.request)};
        assert_int_equal(forecast_solve_rate(&run.answer.plan, &ask, &rate), FORECAST_KNOWN);
        double full = run.answer.plan.speed.full.value;

        if (!(rate.value > full / 3 && rate.value < 1.5 * full))
            fail_msg("%s: %g requests/s kept, %g served", engines[i], rate.value, full);
        replay_run_fini(&run);
    }
    planner_free(planner);
}

/* A replay that ends when a goal is missed, whatever comes, says what the whole one does: missed,
 * or the same percentile. */
static void test_gives_up_what_is_missed(void **state)
{
    static const enum measure measures[] = {MEASURE_TTFT, MEASURE_TPOT, MEASURE_E2E};
    static const double most[] = {0.5, 0.9, 0.99, 1, 1.01, 2}; /* of the percentile */
    struct planner *planner = planner_new(source_path("profiles"), 0, NULL);
    struct options o = {0};
    struct gp_err err = {0};
    struct replay_run run;
    int ended = 0;

    (void)state;
    assert_int_equal(options_text(&o, OPT_MODEL, "-m", "llama-3.1-8b", &err), GP_OK);
    assert_int_equal(options_text(&o, OPT_GPU, "-g", "l40s", &err), GP_OK);
    assert_int_equal(options_number(&o, OPT_RATE, "--rate", 1.5, &err), GP_OK);
    assert_int_equal(replay_run_options(planner, &o, &run, &err), GP_OK);
    for (int m = 0; m < 3; m++)
        for (int p = POINT_P50; p <= POINT_P99; p++)
            for (int i = 0; i < 6; i++) {
                struct forecast_ask ask = {.arrivals = forecast_arrivals(&run.answer.plan.request)};
                struct forecast whole, cut;

                ask.arrivals.count = 300;
                assert_int_equal(forecast_run(&run.answer.plan, &ask, &whole), FORECAST_KNOWN);
                double value = whole.point[measures[m]][p].value;
                ask.goal[0] = (struct forecast_goal){measures[m], (enum point)p, most[i] * value};
                ask.give_up = 1;
                assert_int_equal(forecast_run(&run.answer.plan, &ask, &cut), FORECAST_KNOWN);
                double told = cut.point[measures[m]][p].value;
                assert_true(most[i] < 1 ? told > most[i] * value : told == value);
                ended += cut.result.completed < whole.result.completed;
                forecast_fini(&whole);
                forecast_fini(&cut);
            }
    assert_true(ended >= 12); /* all that are missed by half at least */
    replay_run_fini(&run);
    planner_free(planner);
}

/* Does the high end of the goal's percentile miss it, or (likely) the percentile? */
static bool ask_misses(const struct plan *plan, const struct forecast_ask *ask, bool sure)
{
    const struct forecast_goal *g = &ask->goal[0];
    struct forecast f;

    assert_int_equal(forecast_run(plan, ask, &f), FORECAST_KNOWN);
    const struct quantity *q = &f.point[g->measure][g->point];
    bool missed = (sure ? q->high : q->value) > g->most;

    forecast_fini(&f);
    return missed;
}

/* What few requests say of a goal, and a band that is wide enough to miss it, is what all say. */
static void test_few_say_what_all_do(void **state)
{
    static const char *const engines[] = {"vllm", "sglang", "trtllm"};
    static const double loads[] = {0.1, 0.4, 0.7, 0.9}; /* of what is served */
    static const enum measure measures[] = {MEASURE_TTFT, MEASURE_TPOT, MEASURE_E2E};
    static const double most[] = {0.3, 0.6, 0.9, 1.1, 1.6, 4, 30}; /* of the percentile */
    struct planner *planner = planner_new(source_path("profiles"), 0, NULL);
    struct gp_err err = {0};
    int differ = 0, ended[2] = {0};

    (void)state;
    for (int n = 0; n < 12; n++) {
        struct options o = {0};
        struct replay_run run;

        assert_int_equal(options_text(&o, OPT_MODEL, "-m", "llama-3.1-8b", &err), GP_OK);
        assert_int_equal(options_text(&o, OPT_GPU, "-g", "h100-sxm", &err), GP_OK);
        assert_int_equal(options_text(&o, OPT_ENGINE, "--engine", engines[n % 3], &err), GP_OK);
        assert_int_equal(options_number(&o, OPT_RATE, "--rate", 1, &err), GP_OK);
        assert_int_equal(replay_run_options(planner, &o, &run, &err), GP_OK);
        struct forecast_ask whole = {.arrivals = forecast_arrivals(&run.answer.plan.request),
                                     .router = ROUTER_LEAST,
                                     .bands = true,
                                     .quick = true,
                                     .served = true};
        struct forecast f;
        whole.arrivals.rate = loads[n / 3] * run.answer.plan.speed.full.value;
        assert_int_equal(forecast_run(&run.answer.plan, &whole, &f), FORECAST_KNOWN);
        for (int i = 0; i < 3 * 7; i++) {
            enum measure m = measures[i / 7];
            struct forecast_ask few = whole;

            few.goal[0] =
                (struct forecast_goal){m, POINT_P99, most[i % 7] * f.point[m][POINT_P99].value};
            few.until_missed = true;
            assert_int_equal(ask_misses(&run.answer.plan, &few, true),
                             f.point[m][POINT_P99].high > few.goal[0].most);
            few.few = 500;
            few.bands = few.until_missed = false;
            assert_int_equal(ask_misses(&run.answer.plan, &few, false), most[i % 7] < 1);
            few.bands = few.until_missed = true;
            bool missed = f.point[m][POINT_P99].high > few.goal[0].most;
            differ += ask_misses(&run.answer.plan, &few, true) != missed;
            ended[missed]++;
        }
        forecast_fini(&f);
        replay_run_fini(&run);
    }
    assert_true(ended[0] >= 40 && ended[1] >= 120);
    printf("%d of %d differ\n", differ, ended[0] + ended[1]);
    assert_true(differ <= 4); /* of 252: high ends of few lie close to theirs */
    planner_free(planner);
}

/* A server as slow as `slower` times the law: what its own benchmark says comes back. */
static void test_returns_its_own_benchmark(void **state)
{
    static const char *const arrivals[] = {"poisson", "burst", "closed"};
    struct planner *planner = planner_new(source_path("profiles"), 0, NULL);
    char name[] = "/tmp/gpuplan-own-XXXXXX", text[256];

    (void)state;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    close(fd);
    for (int i = 0; i < 6; i++) {
        double slower = i < 3 ? 1.4 : 0.75, seen[2] = {0};

        for (int calibrated = 0; calibrated < 2; calibrated++) {
            struct options o = {0};
            struct gp_err err = {0};
            struct replay_run run;

            assert_int_equal(options_text(&o, OPT_MODEL, "-m", "llama-3.1-8b", &err), GP_OK);
            assert_int_equal(options_text(&o, OPT_GPU, "-g", "l40s:1", &err), GP_OK);
            assert_int_equal(options_text(&o, OPT_ARRIVALS, "-a", arrivals[i % 3], &err), GP_OK);
            assert_int_equal(options_number(&o, OPT_REQUESTS, "--requests", 300, &err), GP_OK);
            assert_int_equal(options_number(&o, i % 3 == 0 ? OPT_RATE : OPT_USERS, "load",
                                            i % 3 == 0 ? 2 : 16, &err),
                             GP_OK);
            if (calibrated)
                assert_int_equal(options_text(&o, OPT_CALIBRATION, "-c", name, &err), GP_OK);
            if (replay_run_options(planner, &o, &run, &err) != GP_OK)
                fail_msg("%s: %s", err.where, err.text);
            const struct forecast *f = &run.forecast;
            const struct replay_load *l = &f->arrivals.load;
            double tokens[2] = {0}, tpot = f->point[MEASURE_TPOT][POINT_P50].value * 1e3;

            seen[calibrated] = tpot;
            for (int k = 0; k < l->count; k++) {
                tokens[0] += l->prompt[k];
                tokens[1] += l->output[k];
            }
            FILE *file = calibrated ? NULL : fopen(name, "w");
            snprintf(text, sizeof(text), i % 3 == 2 ? "\"max_concurrency\": 16, " : "%s", "");
            if (file) {
                fprintf(file,
                        "{\"completed\": %d, \"total_input_tokens\": %.0f, "
                        "\"total_output_tokens\": %.0f, \"duration\": %.3f, "
                        "\"mean_tpot_ms\": %.4f, \"median_tpot_ms\": %.4f, %s"
                        "\"request_rate\": %s}\n",
                        l->count, tokens[0], tokens[1], f->seconds, slower * tpot, slower * tpot,
                        text, i % 3 == 0 ? "2" : "\"inf\"");
                fclose(file);
            }
            replay_run_fini(&run);
        }
        if (!(fabs(log(seen[1] / (slower * seen[0]))) < 0.05))
            fail_msg("%s: TPOT %g ms, %g times it measured, %g calibrated", arrivals[i % 3],
                     seen[0], slower, seen[1]);
    }
    remove(name);
    planner_free(planner);
}

static int asked; /* times of steps */

static double counted_decode(void *ctx, int decodes, double context, double *slope, double *until)
{
    asked++;
    return linear_decode(ctx, decodes, context, slope, until);
}

static double counted_mixed(void *ctx, int decodes, double context,
                            const struct replay_chunk *chunk, int chunks, bool alone)
{
    asked++;
    return linear_mixed(ctx, decodes, context, chunk, chunks, alone);
}

/* Steps in which nothing happens are taken at once: requests of 1,000 tokens ask for the time of a
 * step no more than six times each, whatever runs them. */
static void test_asks_little_per_request(void **state)
{
    struct arrivals_ask ask = {.kind = ARRIVALS_POISSON,
                               .rate = 1,
                               .count = 20000,
                               .seed = 1,
                               .prompt = 500,
                               .output = 500,
                               .block = 16};
    struct replay_clock clock = {.decode = counted_decode, .mixed = counted_mixed, .scale = 1};
    struct arrivals a;

    (void)state;
    arrivals_make(&ask, &a);
    for (int i = SCHEDULER_VLLM; i < SCHEDULER_COUNT; i++) {
        struct replay_rules rules = {.scheduler = (enum scheduler)i,
                                     .overlap = true,
                                     .budget = 8192,
                                     .input = 16384,
                                     .decode_tokens = 1,
                                     .slots = 256,
                                     .block = 16,
                                     .blocks = 20000,
                                     .context = 4096,
                                     .ratio = 0.7,
                                     .ratio_least = 0.098,
                                     .ratio_step = 0.001};
        struct replay replay = {.load = &a.load, .rules = &rules, .clock = &clock, .replicas = 1};
        struct replay_result r;

        asked = 0;
        replay_run(&replay, &r);
        assert_int_equal(r.completed, ask.count);
        assert_true(r.steps > 50 * ask.count);
        assert_true(asked < 6 * ask.count);
        replay_result_fini(&r);
    }
    arrivals_fini(&a);
}

static int looks;

static bool stop_late(void)
{
    return ++looks > 1000;
}

/* Who is not waited for any more ends where it is, and what it holds can be let go. */
static void test_ends_when_told(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        struct replay replay = {.load = &load,
                                .rules = &rules,
                                .clock = &linear_clock,
                                .replicas = random_in(1, 3),
                                .span_seconds = 0.1,
                                .stop = stop_late};
        struct replay_result r;

        looks = 0;
        replay_run(&replay, &r);
        assert_true(looks <= 1001);
        assert_true(looks <= 1000 || r.completed + r.refused <= load.count);
        replay_result_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches_are_steps),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_waits_as_md1),
        cmocka_unit_test(test_waits_as_mg1),
        cmocka_unit_test(test_two_queues),
        cmocka_unit_test(test_cut_goes_on),
        cmocka_unit_test(test_a_loss_costs),
        cmocka_unit_test(test_a_start_is_waited_for),
        cmocka_unit_test(test_more_replicas_wait_less),
        cmocka_unit_test(test_obeys_little),
        cmocka_unit_test(test_finds_its_history),
        cmocka_unit_test(test_gives_leaves_away),
        cmocka_unit_test(test_draws_in_streams),
        cmocka_unit_test(test_draws_gamma_lengths),
        cmocka_unit_test(test_solves_without_goals),
        cmocka_unit_test(test_gives_up_what_is_missed),
        cmocka_unit_test(test_few_say_what_all_do),
        cmocka_unit_test(test_returns_its_own_benchmark),
        cmocka_unit_test(test_asks_little_per_request),
        cmocka_unit_test(test_ends_when_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
