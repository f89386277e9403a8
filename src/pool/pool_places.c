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

/* Those of one candidate that are new to their GPUs. */
struct fresh {
    const struct piece *piece;
    int count;
};

static int by_candidate(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

    return a->who != b->who ? (a->who > b->who) - (a->who < b->who)
                            : (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

/* Replicas that wake, or the others. */
static int fresh_replicas(const struct pool_run *run, const struct fresh *f, bool wakes)
{
    int n = 0;

    for (int i = 0; i < f->count; i++)
        n += (i == 0 || f->piece[i].unit != f->piece[i - 1].unit) &&
             pool_run_wakes(run, f->piece[i].hour, f->piece[i].gpu) == wakes;
    return n;
}

struct move {
    const char *word;
    bool wakes;
    int hour, candidate, replicas, skip;
    double seconds; /* < 0: not known */
    struct fresh fresh;
};

/* "server 2/3-4, A/7": `replicas` of them, those that wake or the others, the first `skip` of
 * them left out. */
static void where_words(const struct pool_run *run, const struct move *m, struct strbuf *out)
{
    int last = 0, named = 0, seen = 0, until = m->skip + m->replicas;
    char name[POOL_FILE_NAME];

    for (int i = 0; i < m->fresh.count && seen <= until; i++) {
        const struct piece *piece = &m->fresh.piece[i];
        struct strbuf slots;

        if (pool_run_wakes(run, piece->hour, piece->gpu) != m->wakes)
            continue;
        seen += piece->unit != last;
        last = piece->unit;
        if (seen <= m->skip || seen > until)
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

static void move_facts(const struct pool_run *run, int hour, const char *word, const char *workload,
                       int replicas, const char *layout, double seconds, const char *where,
                       struct record *doc)
{
    struct record *r = record_append(doc, "moves");

    pool_record_when(run, r, hour);
    record_text(r, "move", word);
    record_text(r, "workload", workload);
    record_count(r, "replicas", "", replicas);
    record_text(r, "layout", layout);
    record_quantity(r, "takes", "s",
                    seconds < 0 ? quantity_unknown() : quantity_of(seconds, ORIGIN_MODEL), 1, 0);
    record_text(r, "where", where);
}

static void add_move(const struct pool_run *run, const struct move *m, struct record *doc)
{
    int workload = run->c.pool.candidates[m->candidate].workload;
    struct strbuf layout, where;

    if (m->replicas <= 0)
        return;
    strbuf_init(&layout);
    strbuf_init(&where);
    pool_layout_words(run, m->candidate, &layout);
    if (m->seconds > 0)
        where_words(run, m, &where);
    move_facts(run, m->hour, m->word, run->c.file.workloads[workload].name, m->replicas,
               layout.text, m->seconds, where.text, doc);
    strbuf_fini(&layout);
    strbuf_fini(&where);
}

/* What starts, stops, wakes or moves of each candidate. fresh: all that is new to its GPUs, in
 * the candidates' order. */
static void hour_moves(const struct pool_run *run, int hour, const struct piece *fresh, int count,
                       struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const int *replicas = run->answer.rungs[run->rung].replicas;

    for (int i = 0; i < pool->candidate_count; i++) {
        int before = replicas[i * pool->hours + (hour > 0 ? hour : pool->hours) - 1];
        int more = replicas[i * pool->hours + hour] - before, woken;
        struct move m = {.hour = hour, .candidate = i, .fresh = {fresh, 0}};

        for (; count > 0 && fresh->who == i + 1; fresh++, count--)
            m.fresh.count++;
        if (pool->workloads[pool->candidates[i].workload].alone)
            continue; /* its replicas stay, used or not */
        woken = fresh_replicas(run, &m.fresh, true);
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
        m.replicas = fresh_replicas(run, &m.fresh, false) - m.skip;
        add_move(run, &m, doc);
    }
}

/* GPUs that are cut in another way than in the hour before come first. */
static void moves_of_hour(const void *ctx, int hour, struct record *doc)
{
    const struct pool_run *run = ctx;
    struct piece *fresh = gp_calloc((size_t)run->placement.gpus + 1, sizeof(*fresh)), piece;
    struct pieces it = {.p = &run->placement, .hour = hour};
    int count = 0;

    while (next_piece(&it, &piece)) {
        struct strbuf layout, where;
        char name[POOL_FILE_NAME];

        if (piece.who > 0 && !is_cut(it.p, &piece))
            fresh[count++] = piece;
        if (!is_cut(it.p, &piece))
            continue;
        strbuf_init(&layout);
        strbuf_init(&where);
        cut_words(run, &piece, &layout);
        pool_box_name(run, piece.box, name, sizeof(name));
        strbuf_addf(&where, "%s/%d", name, piece.gpu - it.p->box[piece.box].first + 1);
        move_facts(run, hour, "cut", "slices", 1, layout.text, -1, where.text, doc);
        strbuf_fini(&layout);
        strbuf_fini(&where);
    }
    if (count > 1)
        qsort(fresh, (size_t)count, sizeof(*fresh), by_candidate);
    hour_moves(run, hour, fresh, count, doc);
    free(fresh);
}

void pool_record_moves(const struct pool_run *run, struct record *doc)
{
    bool still = run->rung == POOL_FIXED || run->rung == POOL_COMPOSED; /* all day */

    record_parts(doc, "moves", moves_of_hour, run, still ? 0 : run->c.pool.hours);
}
