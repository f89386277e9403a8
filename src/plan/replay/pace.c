/*
 * pace.c - a replica's steps one after the other (replica.h), alike ones at once, and what is
 * counted over them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/replay/replica.h"

static const struct scheduler_rules *const schedulers[SCHEDULER_COUNT] = {
    [SCHEDULER_VLLM] = &scheduler_vllm,
    [SCHEDULER_SGLANG] = &scheduler_sglang,
    [SCHEDULER_TRTLLM] = &scheduler_trtllm,
    [SCHEDULER_LLAMACPP] = &scheduler_llamacpp,
};

/* ---- counting ---- */

static void count_spans(struct replica *r, double from, double to, double occupancy)
{
    double width = r->out->span_seconds, first = r->out->first;

    for (double at = fmax(from, first); at < to;) {
        int n = (int)((at - first) / width);
        double until = fmin(to, first + (n + 1) * width);

        if (n >= REPLAY_TIMELINE)
            return;
        if (!(until > at))
            until = fmin(to, nextafter(at, INFINITY));
        struct replay_span *span = &r->out->span[n];
        span->running += (until - at) / width * r->running;
        span->waiting += (until - at) / width * r->queue.count;
        span->occupancy += (until - at) / width * occupancy;
        at = until;
    }
}

static struct replay_span *span_at(struct replica *r, double at)
{
    int n = r->out->span ? (int)((at - r->out->first) / r->out->span_seconds) : 0;

    if (!r->out->span || n < 0)
        return NULL;
    return &r->out->span[n < REPLAY_TIMELINE ? n : REPLAY_TIMELINE - 1];
}

static double occupancy_of(const struct replica *r)
{
    return 1 - (double)blocks_left(&r->blocks) / (double)r->blocks.all;
}

void replica_count_on(struct replica *r, double at)
{
    double dt = at - r->counted, occupancy = occupancy_of(r);

    if (r->out->span)
        count_spans(r, r->counted, at, occupancy);
    r->counted = at;
    r->out->running += dt * r->running;
    r->out->waiting += dt * r->queue.count;
    r->out->occupancy_time[(int)(100 * fmin(fmax(occupancy, 0), 1))] += dt;
    r->out->occupancy_most = fmax(r->out->occupancy_most, occupancy);
    if (r->running > r->out->running_most)
        r->out->running_most = r->running;
    if (r->queue.count > r->out->waiting_most)
        r->out->waiting_most = r->queue.count;
    if (r->queue.count > 0 && r->lacks_slots)
        r->out->blocked_slots += dt;
    if (r->queue.count > 0 && r->lacks_blocks)
        r->out->blocked_blocks += dt;
}

/* Bins by the leading bits of a gap: GAP_PARTS of each octave from 2^GAP_FIRST s on. */
#define GAP_FIRST (-16)
#define GAP_BITS 7
#define GAP_PARTS (1 << GAP_BITS)

double replay_gap_seconds(int bin)
{
    return ldexp(1 + (bin % GAP_PARTS + 0.5) / GAP_PARTS, bin / GAP_PARTS + GAP_FIRST);
}

static void count_gap(struct replica *r, double gap, int64_t tokens)
{
    uint64_t bits;

    memcpy(&bits, &gap, sizeof(bits)); /* IEEE 754: exponent behind 1023, then the mantissa */
    int64_t bin = gap > 0 ? (int64_t)(bits >> (52 - GAP_BITS)) - (1023 + GAP_FIRST) * GAP_PARTS : 0;

    bin = bin > 0 ? bin : 0;
    r->out->gap[bin < REPLAY_GAPS ? bin : REPLAY_GAPS - 1] += tokens;
}

/* Gaps of `steps` steps of d, of which the first ends at `end` and the others take first..last. */
static void count_gaps(struct replica *r, int d, double end, int64_t steps, double first,
                       double last)
{
    int fresh = r->fresh < d ? r->fresh : d;

    if (d > fresh)
        count_gap(r, end - r->joined, d - fresh);
    if (fresh > 0)
        count_gap(r, end - r->fresh_at, fresh);
    r->fresh = 0;
    if (--steps <= 0)
        return;
    /* as many bins as they reach over, alike many steps in each */
    int64_t parts = 1 + (int64_t)fmin(fmax((last - first) / first * GAP_PARTS, 0), 63);
    parts = parts < steps ? parts : steps;
    for (int64_t n = 0; n < parts; n++) {
        int64_t share = steps * (n + 1) / parts - steps * n / parts;

        count_gap(r, first + (last - first) * ((double)n + 0.5) / (double)parts, share * d);
    }
}

/* ---- steps ---- */

/* Blocks that the decoding ones take in so many ticks. */
static int64_t ticks_blocks(const struct replica *r, int64_t ticks)
{
    int64_t block = r->rules->block, rest = ticks % block, n = ticks / block * r->decoding;

    if (r->reserves)
        return 0;
    for (int at = r->entering; rest-- > 0; at = at > 0 ? at - 1 : (int)block - 1)
        n += r->enter[at];
    return n;
}

/* The most ticks, up to `most`, for which there are blocks. */
static int64_t ticks_held(const struct replica *r, int64_t most)
{
    int64_t block = r->rules->block, left = blocks_left(&r->blocks) + r->taken, t = 0;

    if (r->reserves || left >= (most / block + 1) * r->decoding)
        return most;
    t = r->decoding > 0 ? left / r->decoding * block : most;
    if (t >= most)
        return most;
    left -= t / block * r->decoding;
    int at = r->entering; /* t is whole rounds */
    for (; t < most && (left -= r->enter[at]) >= 0; t++)
        at = at > 0 ? at - 1 : (int)block - 1;
    return t;
}

/* Leaves of a tree go tick by tick; for the first they have gone. */
static void take_ticks(struct replica *r, int64_t ticks)
{
    int64_t blocks = ticks_blocks(r, ticks) - r->taken;

    if (r->tree.buckets == 0 || blocks + r->decoding <= r->blocks.free) {
        blocks_take(&r->blocks, blocks);
        return;
    }
    int at = r->entering;
    for (int64_t n = 0; n < ticks; n++) {
        if (n > 0)
            r->scheduler->make_room(r, r->enter[at]);
        blocks_take(&r->blocks, r->enter[at]);
        at = at > 0 ? at - 1 : r->rules->block - 1;
    }
}

static void count_ticks(struct replica *r, int64_t ticks)
{
    int block = r->rules->block;

    r->tick += ticks;
    r->entering -= (int)(ticks % block);
    r->entering += r->entering < 0 ? block : 0;
}

static void count_steps(struct replica *r, int64_t n)
{
    r->steps += n;
    r->out->steps += n;
}

static void end_those(struct replica *r, double at)
{
    while (r->decoding > 0 && r->seq[r->heap[0]].last <= r->tick) {
        int i = r->heap[0];

        replica_decode_end(r, i);
        replica_end(r, i, at, false);
    }
}

static double stretch_time(const struct stretch *s, double steps)
{
    return steps * s->first + s->more * steps * (steps - 1) / 2;
}

static void stretch_bound(struct replica *r)
{
    const struct stretch *s = &r->stretch;

    r->end = s->start + stretch_time(s, (double)s->steps);
    r->decide = r->rules->overlap ? s->start + stretch_time(s, (double)s->steps - 1) : r->end;
}

/* How many of its steps are decided when something arrives. */
static void stretch_cut(struct replica *r, double at)
{
    struct stretch *s = &r->stretch;
    double span = at - s->start, a = s->more / 2, b = s->first - a;
    /* the first step that begins at `at` or later */
    double root = a > 0 ? (sqrt(b * b + 4 * a * fmax(span, 0)) - b) / (2 * a) : span / s->first;
    int64_t n = (int64_t)fmin(fmax(floor(root), 0), (double)s->steps);

    while (n > 0 && stretch_time(s, (double)n - 1) >= span)
        n--;
    while (n < s->steps && stretch_time(s, (double)n) < span)
        n++;
    n += r->rules->overlap;
    n = n < 1 ? 1 : n;
    if (n >= s->steps)
        return;
    s->steps = n;
    stretch_bound(r);
}

void replica_part(struct replica *r, double at)
{
    replica_count(r, fmin(at, r->decide));
    if (r->stretch.steps > 1)
        stretch_cut(r, at);
}

void replica_settle(struct replica *r)
{
    struct stretch s = r->stretch;
    int64_t n = s.steps;
    int d = r->decoding;
    double end = r->end, last = s.first + s.more * (double)(n - 1);

    r->stretch.steps = 0;
    take_ticks(r, n);
    replica_count(r, end);
    count_gaps(r, d, s.start + s.first, n, s.first + (n > 1 ? s.more : 0), last);
    r->joined = end;
    r->last_decoded = true;
    count_ticks(r, n);
    r->context += (double)d * (double)n;
    count_steps(r, n);
    r->out->output_tokens += d * n;
    r->out->busy += end - s.start;
    struct replay_span *span = span_at(r, end);
    if (span)
        span->output_tokens += (double)d * (double)n;
    if (r->scheduler->decoded)
        r->scheduler->decoded(r, n);
    end_those(r, end);
}

static void watch_step(struct replica *r, int decodes, double start, double end)
{
    if (!r->replay->watch)
        return;
    struct replay_step step = {.replica = r->number,
                               .number = r->out->steps,
                               .start = start,
                               .end = end,
                               .decodes = decodes,
                               .context = r->context,
                               .chunk = r->chunk,
                               .chunks = r->chunks,
                               .preempted = r->preempted,
                               .preemptions = r->preemptions};
    for (int i = 0; i < r->chunks; i++)
        step.prompt_tokens += r->chunk[i].tokens;
    r->replay->watch(r->replay->watch_ctx, &step);
}

/* A step with prompts, or one that leaves some out. */
static void mixed_step(struct replica *r, int decodes, double start, double end)
{
    double tokens = 0;

    r->last_decoded = decodes > 0;
    if (decodes > 0 && !r->reserves)
        blocks_take(&r->blocks, replica_entering(r) - r->taken);
    replica_count(r, end);
    replica_shift_held(r, decodes > 0);
    if (decodes > 0) {
        count_gaps(r, decodes, end, 1, 0, 0);
        r->joined = end;
        count_ticks(r, 1);
        r->context += decodes;
        r->out->output_tokens += decodes;
        if (r->scheduler->decoded)
            r->scheduler->decoded(r, 1);
        end_those(r, end);
    }
    for (int n = 0; n < r->chunks; n++) {
        int i = r->chunk[n].seq;
        struct seq *s = &r->seq[i];

        tokens += r->chunk[n].tokens;
        if (r->tree.buckets == 0)
            replica_groups_add(r, i);
        if (s->computed < seq_known(s))
            continue;
        if (s->made++ == 0)
            r->out->outcome[s->request].ttft = (float)(end - r->out->arrival[s->request]);
        else if (!isnan(s->token))
            count_gap(r, end - s->token, 1);
        r->out->output_tokens++;
        r->prompts--;
        if (s->made >= s->output) {
            replica_end(r, i, end, true);
            continue;
        }
        if (r->tree.buckets > 0) {
            r->prompted = gp_grow(r->prompted, &r->prompted_cap, (size_t)r->prompted_count + 1,
                                  sizeof(*r->prompted));
            r->prompted[r->prompted_count++] = (struct released){.at = end, .seq = i};
        }
        replica_decode_begin(r, i);
        r->fresh++;
        r->fresh_at = end;
    }
    count_steps(r, 1);
    r->out->prompt_tokens += (int64_t)tokens;
    r->out->busy += end - start;
    struct replay_span *span = span_at(r, end);
    if (span) {
        span->output_tokens += decodes;
        span->prompt_tokens += tokens;
        span->preemptions += r->preemptions;
    }
}

static int64_t stretch_steps(const struct replica *r, double until)
{
    int64_t n = r->seq[r->heap[0]].last - r->tick;

    if (r->replay->watch || r->released_count > 0 || r->preemptions > 0)
        return 1;
    if (until < r->context + (double)n * r->decoding)
        n = (int64_t)fmax(ceil((until - r->context) / r->decoding), 1);
    n = ticks_held(r, n);
    if (r->scheduler->steady) {
        int64_t most = r->scheduler->steady(r);

        n = most < n ? most : n;
    }
    return n > 1 ? n : 1;
}

void replica_step(struct replica *r)
{
    replica_count(r, r->decide);
    replica_release(r);
    r->chunks = r->preemptions = r->held_back = 0;
    r->taken = 0;
    replica_join(r);
    bool slots = r->stuck && r->lacks_slots, blocks = r->stuck && r->lacks_blocks;
    int decodes = r->scheduler->pack(r);
    r->lacks_slots |= slots;
    r->lacks_blocks |= blocks;
    if (decodes == 0 && r->chunks == 0 && r->wasted > 0) { /* a step for nobody */
        double start = fmax(r->decide, r->end), slope, until;

        r->end = start + r->clock->scale *
                             r->clock->decode(r->clock->ctx, r->wasted, r->wasted, &slope, &until);
        watch_step(r, 0, start, r->end);
        count_steps(r, 1);
        if (r->scheduler->decoded)
            r->scheduler->decoded(r, 1);
        r->decide = start;
        return;
    }
    if (decodes == 0 && r->chunks == 0 && r->again) {
        r->decide = fmax(r->decide, r->end);
        return;
    }
    if (decodes == 0 && r->chunks == 0 && r->urgent && r->preemptions > 0) {
        /* who gave way did so for the next step */
        replica_shift_held(r, false);
        r->decide = fmax(r->decide, r->end);
        return;
    }
    if (decodes == 0 && r->chunks == 0) {
        if (r->running == 0 && r->queue.count > 0) { /* not even alone: it would wait for ever */
            replica_refuse_first(r);
            return;
        }
        r->decide = r->released_count > 0 ? r->released[0].at : INFINITY;
        if (r->released_count == 0 && r->scheduler->idle)
            r->scheduler->idle(r);
        return;
    }
    double start = fmax(r->decide, r->end), slope = 0, until = INFINITY;
    if (r->chunks == 0 && r->held_back == 0) {
        double scale = r->clock->scale;
        double first = scale * r->clock->decode(r->clock->ctx, decodes, r->context, &slope, &until);

        r->stretch = (struct stretch){1, start, first, scale * slope * decodes};
        watch_step(r, decodes, start, start + first);
        r->stretch.steps = stretch_steps(r, until);
        stretch_bound(r);
        return;
    }
    double time = r->clock->scale * r->clock->mixed(r->clock->ctx, decodes, r->context, r->chunk,
                                                    r->chunks, r->alone);
    watch_step(r, decodes, start, start + time);
    r->end = start + time;
    double next = r->rules->overlap ? start : r->end;
    mixed_step(r, decodes, start, r->end);
    r->decide = next;
}

void replica_arrive(struct replica *r, int request, double at)
{
    replica_count(r, fmin(at, r->decide));
    /* a step that runs is counted to its end already, without this one */
    if (at < r->counted)
        r->out->waiting += fmax(fmin(r->counted, r->decide) - at, 0);
    bool first = replica_push(r, request, false);
    if (r->decide == INFINITY)
        r->decide = fmax(at + r->clock->wake, r->end);
    else if (r->stretch.steps > 1 && first)
        stretch_cut(r, at);
}

void replica_init(struct replica *r, const struct replay *replay, int number,
                  struct replay_result *out)
{
    bool prefills = number < replay->prefills;
    const struct replay_rules *rules = prefills ? replay->prefill_rules : replay->rules;

    memset(r, 0, sizeof(*r));
    r->rules = rules;
    r->load = replay->load;
    r->clock = prefills ? replay->prefill_clock : replay->clock;
    r->hands_on = prefills;
    r->joins = replay->prefills > 0 && !prefills;
    r->replay = replay;
    r->out = out;
    r->number = number;
    r->scheduler = schedulers[rules->scheduler];
    r->alone = r->scheduler->alone;
    r->reserves = r->scheduler->reserves;
    r->urgent = rules->priority && replay->load->priority;
    r->unused = r->head = r->tail = r->unfinished = SEQ_NONE;
    r->enter = gp_calloc((size_t)rules->block, sizeof(*r->enter));
    r->ratio = rules->ratio;
    r->decide = INFINITY;
    r->counted = out->first;
    bool hashed = rules->caches && !rules->slot_keeps && replay->load->hash;
    uint32_t hashes = hashed ? replay->load->hash_at[replay->load->count] : 0;
    int64_t sessions = rules->caches && replay->load->turn ? replay->load->count : 0;
    blocks_init(&r->blocks, rules->blocks, hashes + sessions);
    blocks_init(&r->host, rules->host_blocks, rules->host_blocks > 0 ? hashes + sessions : 0);
    r->blocks.in_turn = rules->caches && rules->in_turn;
    if (r->alone && rules->caches && !r->joins)
        tree_init(&r->tree, r->load, &r->blocks, rules->block, rules->bare);
    r->item = hashes > 0 ? gp_malloc(hashes * sizeof(*r->item)) : NULL;
    const struct replay_load *l = replay->load;
    if (number < replay->replicas)
        replica_warm(r, l->warm < l->count ? l->warm : l->count);
}
