/*
 * pool_places.c - which GPUs serve what from when, and what changes by the hour; see pool_record.h.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "pool/pool_record.h"

#define NAMED 4 /* places in one move */

void pool_box_name(const struct pool_run *run, int box, char *text, size_t size)
{
    int chassis = run->placement.box[box].chassis;

    if (chassis >= 0 && (size_t)chassis < run->c.file.chassis_count)
        gp_copy(text, size, run->c.file.chassis[chassis].name);
    else if (chassis >= 0)
        gp_copy(text, size, run->c.file.chassis_count > 0 ? "no chassis" : "pool");
    else
        gp_format(text, size, "server %d", box + 1);
}

/* "1-4,7": the slots of a box that a replica has in an hour. */
static void slot_words(const struct placement *p, int hour, int box, int unit, struct strbuf *out)
{
    const struct placement_chassis *b = &p->box[box];
    int begun = 0;

    for (int i = 0; i <= b->gpus; i++) {
        bool has = i < b->gpus && p->unit[placement_cell(p, hour, b->first + i)] == unit;

        if (has && begun == 0) {
            strbuf_addf(out, "%s%d", out->len > 0 ? "," : "", i + 1);
            begun = i + 1;
        } else if (!has && begun > 0) {
            if (i > begun)
                strbuf_addf(out, "-%d", i);
            begun = 0;
        }
    }
}

/* ---- pieces: the GPUs of one replica in one box ---- */

struct piece {
    int hour, gpu; /* the first of it */
    int box, unit, who;
};

/* Goes through the pieces of an hour that are new to it (all: every one). */
struct pieces {
    const struct placement *p;
    int hour, gpu;
    bool all;
};

static bool next_piece(struct pieces *it, struct piece *out)
{
    const struct placement *p = it->p;

    for (; it->gpu < p->gpus; it->gpu++) {
        size_t at = placement_cell(p, it->hour, it->gpu);
        int g = p->box[p->box_of[it->gpu]].first;

        if (p->who[at] == PLACEMENT_FREE || (!it->all && p->stays[at]))
            continue;
        while (g < it->gpu && p->unit[placement_cell(p, it->hour, g)] != p->unit[at])
            g++;
        if (g < it->gpu) /* a piece that was met */
            continue;
        *out = (struct piece){it->hour, it->gpu++, p->box_of[g], p->unit[at], p->who[at]};
        return true;
    }
    return false;
}

static bool is_cut(const struct placement *p, const struct piece *piece)
{
    return p->cut[placement_cell(p, piece->hour, piece->gpu)] >= 0;
}

/* "h100-sxm as 1g.10gb x 7" */
static void cut_words(const struct pool_run *run, const struct piece *piece, struct strbuf *out)
{
    int type = run->placement.type[piece->gpu];
    int cut = run->placement.cut[placement_cell(&run->placement, piece->hour, piece->gpu)], n = 0;
    const struct pool_type *t = &run->c.types[type];

    strbuf_addf(out, "%s as", run->c.file.types[type].gpu);
    for (int i = 0; i < t->slices; i++)
        if (t->cut[cut][i] > 0)
            strbuf_addf(out, "%s %s x %d", n++ > 0 ? "," : "",
                        run->c.replicas.type[type].slice[run->c.slice_of[type][i]].profile,
                        t->cut[cut][i]);
}

const char *pool_served_by(const struct pool_run *run, int hour, int gpu)
{
    const struct placement *p = &run->placement;
    size_t at = placement_cell(p, hour, gpu);
    int who = p->who[at];

    return who == PLACEMENT_FREE ? ""
           : p->cut[at] >= 0     ? "slices"
           : who > 0 ? run->c.file.workloads[run->c.pool.candidates[who - 1].workload].name
                     : run->c.file.jobs[-who - 1].name;
}

/* ---- places ---- */

static void hour_places(const void *ctx, int hour, struct record *doc)
{
    const struct pool_run *run = ctx;
    const struct placement *p = &run->placement;
    struct pieces it = {.p = p, .hour = hour, .all = hour == 0};
    struct piece piece;
    char box[POOL_FILE_NAME];

    while (next_piece(&it, &piece)) {
        struct record *r = record_append(doc, "places");
        struct strbuf slots, layout;
        int until = hour + 1;

        while (until < p->hours && p->stays[placement_cell(p, until, piece.gpu)])
            until++;
        strbuf_init(&slots);
        strbuf_init(&layout);
        slot_words(p, hour, piece.box, piece.unit, &slots);
        if (is_cut(p, &piece))
            cut_words(run, &piece, &layout);
        else if (piece.who > 0)
            pool_layout_words(run, piece.who - 1, &layout);
        else
            strbuf_add(&layout, run->c.file.types[p->type[piece.gpu]].gpu);
        pool_box_name(run, piece.box, box, sizeof(box));
        record_count(r, "replica", "", piece.unit);
        record_text(r, "serves", pool_served_by(run, hour, piece.gpu));
        record_text(r, "layout", layout.text);
        record_text(r, "box", box);
        record_count(r, "host", "", p->host[placement_cell(p, hour, piece.gpu)]);
        record_text(r, "slots", slots.text);
        record_count(r, "from", "", hour);
        record_count(r, "until", "", until);
        strbuf_fini(&slots);
        strbuf_fini(&layout);
    }
}

void pool_record_places(const struct pool_run *run, struct record *doc)
{
    record_parts(doc, "places", hour_places, run, run->placement.hours);
}

/* ---- moves ---- */

/* What is new to its GPUs in an hour, slices left out, candidate by candidate. */
struct fresh {
    struct piece *piece; /* has room for a whole pool */
    int count;
};

static int by_candidate(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

    return a->who != b->who ? (a->who > b->who) - (a->who < b->who)
                            : (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

static void fresh_find(const struct pool_run *run, int hour, struct fresh *out)
{
    struct pieces it = {.p = &run->placement, .hour = hour};
    struct piece piece;

    out->count = 0;
    while (next_piece(&it, &piece))
        if (piece.who > 0 && !is_cut(it.p, &piece))
            out->piece[out->count++] = piece;
    if (out->count > 1)
        qsort(out->piece, (size_t)out->count, sizeof(piece), by_candidate);
}

/* Takes those of a candidate off the front of all. */
static struct fresh fresh_take(struct fresh *all, int candidate)
{
    struct fresh out = {.piece = all->piece};

    while (out.count < all->count && out.piece[out.count].who == candidate + 1)
        out.count++;
    all->piece += out.count;
    all->count -= out.count;
    return out;
}

/* Replicas of a candidate that are new to their GPUs: those that wake, or the others. */
static int fresh_replicas(const struct pool_run *run, const struct fresh *f, bool wakes)
{
    int n = 0;

    for (int i = 0; i < f->count; i++)
        n += (i == 0 || f->piece[i].unit != f->piece[i - 1].unit) &&
             pool_run_wakes(run, f->piece[i].hour, f->piece[i].gpu) == wakes;
    return n;
}

/* "server 2/3-4, A/7": `count` replicas of them, those that wake or the others, the first
 * `skip` of them left out. */
static void where_words(const struct pool_run *run, const struct fresh *f, bool wakes, int skip,
                        int count, struct strbuf *out)
{
    int last = 0, named = 0, seen = 0;
    char name[POOL_FILE_NAME];

    for (int i = 0; i < f->count && seen <= skip + count; i++) {
        const struct piece *piece = &f->piece[i];
        struct strbuf slots;

        if (pool_run_wakes(run, piece->hour, piece->gpu) != wakes)
            continue;
        seen += piece->unit != last;
        last = piece->unit;
        if (seen <= skip || seen > skip + count)
            continue;
        if (++named > NAMED) {
            strbuf_add(out, ", ...");
            return;
        }
        strbuf_init(&slots);
        slot_words(&run->placement, piece->hour, piece->box, piece->unit, &slots);
        pool_box_name(run, piece->box, name, sizeof(name));
        strbuf_addf(out, "%s%s/%s", named > 1 ? ", " : "", name, slots.text);
        strbuf_fini(&slots);
    }
}

struct move {
    const char *word;
    bool wakes;
    int hour, candidate, replicas, skip;
    double seconds; /* < 0: not known */
    const struct fresh *fresh;
};

static void add_move(const struct pool_run *run, const struct move *m, struct record *doc)
{
    const struct pool_candidate *one = &run->c.pool.candidates[m->candidate];
    struct record *r;
    struct strbuf text;

    if (m->replicas <= 0)
        return;
    r = record_append(doc, "moves");
    strbuf_init(&text);
    pool_layout_words(run, m->candidate, &text);
    pool_record_when(run, r, m->hour);
    record_text(r, "move", m->word);
    record_text(r, "workload", run->c.file.workloads[one->workload].name);
    record_count(r, "replicas", "", m->replicas);
    record_text(r, "layout", text.text);
    record_quantity(r, "takes", "s", quantity_of(m->seconds, ORIGIN_MODEL), 1, 0);
    strbuf_fini(&text);
    strbuf_init(&text);
    if (m->seconds > 0)
        where_words(run, m->fresh, m->wakes, m->skip, m->replicas, &text);
    record_text(r, "where", text.text);
    strbuf_fini(&text);
}

static void hour_moves(const struct pool_run *run, int hour, struct fresh all, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const int *replicas = run->answer.rungs[run->rung].replicas;

    fresh_find(run, hour, &all);
    for (int i = 0; i < pool->candidate_count; i++) {
        int before = replicas[i * pool->hours + (hour > 0 ? hour : pool->hours) - 1];
        int more = replicas[i * pool->hours + hour] - before;
        struct fresh fresh = fresh_take(&all, i);
        struct move m = {.hour = hour, .candidate = i, .fresh = &fresh};
        int woken = fresh_replicas(run, &fresh, true);

        if (pool->workloads[pool->candidates[i].workload].alone)
            continue; /* its replicas stay, used or not */
        m.word = "stop";
        m.replicas = -more;
        add_move(run, &m, doc);
        m.wakes = true;
        m.seconds = pool_run_wake_s(run, i);
        m.word = "wake";
        m.replicas = woken;
        add_move(run, &m, doc);
        m.wakes = false;
        more -= woken;
        m.seconds = pool_start_s(pool, i, run->rung);
        m.word = "start";
        m.replicas = more;
        add_move(run, &m, doc);
        m.word = "move";
        m.skip = more > 0 ? more : 0;
        m.replicas = fresh_replicas(run, &fresh, false) - m.skip;
        add_move(run, &m, doc);
    }
}

/* GPUs that are cut in another way than in the hour before. */
static void hour_cuts(const struct pool_run *run, int hour, struct record *doc)
{
    struct pieces it = {.p = &run->placement, .hour = hour};
    struct piece piece;

    while (next_piece(&it, &piece)) {
        struct strbuf layout, at;
        struct record *r;
        char name[POOL_FILE_NAME];

        if (!is_cut(it.p, &piece))
            continue;
        r = record_append(doc, "moves");
        strbuf_init(&layout);
        strbuf_init(&at);
        cut_words(run, &piece, &layout);
        pool_box_name(run, piece.box, name, sizeof(name));
        strbuf_addf(&at, "%s/%d", name, piece.gpu - it.p->box[piece.box].first + 1);
        pool_record_when(run, r, hour);
        record_text(r, "move", "cut");
        record_text(r, "workload", "slices");
        record_count(r, "replicas", "", 1);
        record_text(r, "layout", layout.text);
        record_quantity(r, "takes", "s", quantity_unknown(), 1, 0);
        record_text(r, "where", at.text);
        strbuf_fini(&layout);
        strbuf_fini(&at);
    }
}

static void moves_of_hour(const void *ctx, int hour, struct record *doc)
{
    const struct pool_run *run = ctx;
    struct fresh fresh = {gp_calloc((size_t)run->placement.gpus + 1, sizeof(struct piece)), 0};

    hour_cuts(run, hour, doc);
    hour_moves(run, hour, fresh, doc);
    free(fresh.piece);
}

void pool_record_moves(const struct pool_run *run, struct record *doc)
{
    bool still = run->rung == POOL_FIXED || run->rung == POOL_COMPOSED; /* all day */

    record_parts(doc, "moves", moves_of_hour, run, still ? 0 : run->c.pool.hours);
}
