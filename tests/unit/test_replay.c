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

#include "base/mem.h"
#include "plan/replay/replay.h"

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
                                 .chunks = random_in(0, 1),
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
    if (l.users > 0 && random_in(0, 1))
        l.arrival = NULL;
    return l;
}

/* A router that goes by prefixes is left out: it sees a cache as old as the last decision. */
static void test_stretches_are_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        random_state = (uint64_t)i;
        struct replay_rules rules = random_rules();
        struct replay_load load = random_load();
        int seen = 0;
        struct replay replay = {.load = &load,
                                .rules = &rules,
                                .clock = &linear_clock,
                                .replicas = random_in(1, 3),
                                .router = (enum router)random_in(0, 1)};
        struct replay_result fast, slow;

        replay_run(&replay, &fast);
        replay.watch = see_nothing;
        replay.watch_ctx = &seen;
        replay_run(&replay, &slow);
        assert_int_equal(fast.steps, slow.steps);
        assert_int_equal(fast.completed + fast.refused, load.count);
        assert_int_equal(slow.completed, fast.completed);
        assert_int_equal(slow.preemptions, fast.preemptions);
        assert_int_equal(slow.cached_tokens, fast.cached_tokens);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches_are_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
