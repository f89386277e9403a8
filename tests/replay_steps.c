/*
 * replay_steps.c - the sequence of steps of a replay, one JSON object a line, for a check
 * against the real schedulers. Not part of make check.
 *
 *   tests/replay_steps TRACE.jsonl [key=value]...
 *
 * Each step takes one second, whatever is in it, so that an "arrival" of 3 is there when step 3
 * is packed (an idle engine starts at the arrival). Keys, with what they are if not said:
 *
 *   scheduler=vllm|sglang|no-evict|slots   overlap=0 whole_prompt=0 lone=0 in_turn=0
 *   late=0 bare=0 caches=1 chunks=0 priority=0 (enum priority_rule) high_first=0
 *   budget=2048 input=16384 decode_tokens=1 threshold=0 slots=256 block=16 blocks=100000
 *   context=1000000 ratio=0.7 ratio_least=0.098 ratio_step=0.00100333 users=0 replicas=1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "catalog/trace.h"
#include "plan/replay/replay.h"

static double decode_second(void *ctx, int decodes, double context, double *slope, double *until)
{
    (void)ctx, (void)decodes, (void)context;
    *slope = 0;
    *until = INFINITY;
    return 1;
}

static double mixed_second(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                           int chunks, bool alone)
{
    (void)ctx, (void)decodes, (void)context, (void)chunk, (void)chunks, (void)alone;
    return 1;
}

static void print_step(void *ctx, const struct replay_step *s)
{
    (void)ctx;
    printf("{\"step\": %lld, \"start\": %g, \"decodes\": %d, \"prefill\": {", (long long)s->number,
           s->start, s->decodes);
    for (int i = 0; i < s->chunks; i++)
        printf("%s\"%d\": %d", i ? ", " : "", s->chunk[i].request, s->chunk[i].tokens);
    printf("}, \"preempted\": [");
    for (int i = 0; i < s->preemptions; i++)
        printf("%s%d", i ? ", " : "", s->preempted[i]);
    printf("]}\n");
}

static const struct {
    const char *key;
    size_t at;
} keys[] = {
#define KEY(member)                                    \
    {                                                  \
#member, offsetof(struct replay_rules, member) \
    }
    KEY(budget), KEY(input), KEY(decode_tokens), KEY(threshold),
    KEY(slots),  KEY(block), KEY(context),
};

static void set(struct replay_rules *rules, struct replay *replay, struct replay_load *load,
                const char *word)
{
    const char *value = strchr(word, '=');
    size_t n = value ? (size_t)(value - word) : 0;
    static const char *const schedulers[SCHEDULER_COUNT] = {
#define X(NAME, text) [SCHEDULER_##NAME] = text,
        SCHEDULERS(X)
#undef X
    };
#define IS(name) (n == strlen(name) && strncmp(word, name, n) == 0)

    if (!value) {
        fprintf(stderr, "replay_steps: %s: not key=value\n", word);
        exit(2);
    }
    value++;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (IS(keys[i].key)) {
            *(int *)((char *)rules + keys[i].at) = atoi(value);
            return;
        }
    for (int i = 0; IS("scheduler") && i < SCHEDULER_COUNT; i++)
        if (strcmp(value, schedulers[i]) == 0) {
            rules->scheduler = (enum scheduler)i;
            return;
        }
    if (IS("overlap"))
        rules->overlap = atoi(value) != 0;
    else if (IS("whole_prompt"))
        rules->whole_prompt = atoi(value) != 0;
    else if (IS("lone"))
        rules->lone = atoi(value) != 0;
    else if (IS("in_turn"))
        rules->in_turn = atoi(value) != 0;
    else if (IS("late"))
        rules->late = atoi(value) != 0;
    else if (IS("bare"))
        rules->bare = atoi(value) != 0;
    else if (IS("caches"))
        rules->caches = atoi(value) != 0;
    else if (IS("priority"))
        rules->priority = (enum priority_rule)atoi(value);
    else if (IS("high_first"))
        rules->high_first = atoi(value) != 0;
    else if (IS("chunks"))
        rules->chunks = atoi(value) != 0;
    else if (IS("blocks"))
        rules->blocks = atoll(value);
    else if (IS("ratio"))
        rules->ratio = atof(value);
    else if (IS("ratio_least"))
        rules->ratio_least = atof(value);
    else if (IS("ratio_step"))
        rules->ratio_step = atof(value);
    else if (IS("users"))
        load->users = atoi(value);
    else if (IS("replicas"))
        replay->replicas = atoi(value);
    else {
        fprintf(stderr, "replay_steps: %s: no such key\n", word);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct replay_rules rules = {.scheduler = SCHEDULER_VLLM,
                                 .caches = true,
                                 .budget = 2048,
                                 .input = 16384,
                                 .decode_tokens = 1,
                                 .slots = 256,
                                 .block = 16,
                                 .blocks = 100000,
                                 .context = 1000000,
                                 .ratio = 0.7,
                                 .ratio_least = 0.098,
                                 .ratio_step = (0.7 - 0.098) / 600};
    struct replay_clock clock = {.decode = decode_second, .mixed = mixed_second, .scale = 1};
    struct replay_load load = {0};
    struct replay replay = {
        .load = &load, .rules = &rules, .clock = &clock, .replicas = 1, .watch = print_step};
    struct replay_result result;
    struct trace trace;
    struct gp_err err = {0};

    if (argc < 2) {
        fprintf(stderr, "usage: replay_steps TRACE.jsonl [key=value]...\n");
        return 2;
    }
    if (trace_read(argv[1], &trace, &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.text);
        return 3;
    }
    for (int i = 2; i < argc; i++)
        set(&rules, &replay, &load, argv[i]);
    double *arrival = gp_calloc(trace.count, sizeof(*arrival));
    int *length = gp_calloc(4 * trace.count, sizeof(*length));
    for (size_t i = 0; i < trace.count; i++) {
        arrival[i] = isnan(trace.row[i].at) ? 0 : trace.row[i].at;
        length[i] = (int)trace.row[i].prompt;
        length[trace.count + i] = (int)trace.row[i].output;
        length[2 * trace.count + i] = (int)fmax(trace.row[i].most, trace.row[i].output);
        length[3 * trace.count + i] = trace.row[i].priority;
    }
    load.count = (int)trace.count;
    load.arrival = arrival;
    load.prompt = length;
    load.output = length + trace.count;
    load.most = length + 2 * trace.count;
    load.priority = trace.priorities ? length + 3 * trace.count : NULL;
    if (trace.hash_at) {
        load.hash = trace.hash;
        load.hash_at = trace.hash_at;
        load.hash_tokens = trace.hash_tokens;
    }
    replay_run(&replay, &result);
    printf("{\"steps\": %lld, \"completed\": %d, \"refused\": %d, \"preemptions\": %lld}\n",
           (long long)result.steps, result.completed, result.refused,
           (long long)result.preemptions);
    replay_result_fini(&result);
    trace_fini(&trace);
    free(arrival);
    free(length);
    return 0;
}
