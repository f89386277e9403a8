/*
 * pool_mps.c - see pool_mps.h. One walk over workloads, types and jobs writes all four sections:
 * a row brings its right side with it, a column its upper bound.
 */
#include "pool/pool_mps.h"

#include <math.h>
#include <stdio.h>

#include "pool/grid.h"

struct mps {
    const struct grid *grid;
    struct strbuf rows, columns, right, bounds;
    char name[64];   /* NAME() */
    char column[64]; /* that entries are written of */
};

/* The name of a row or column: NAME("need%d.%d", w, t). */
#define NAME(...) (gp_format(m->name, sizeof(m->name), __VA_ARGS__), m->name)

/* Rows are G (at least) or L (at most the right side). */
static void add_row(struct mps *m, char kind, double right, const char *name)
{
    strbuf_addf(&m->rows, " %c %s\n", kind, name);
    if (right != 0)
        strbuf_addf(&m->right, " RHS %s %.17g\n", name, right);
}

/* The column that the next entries are of; INFINITY: it has no upper bound. */
static void begin_column(struct mps *m, double upper, const char *name)
{
    gp_copy(m->column, sizeof(m->column), name);
    if (!isinf(upper))
        strbuf_addf(&m->bounds, " UP BND %s %.17g\n", name, upper);
}

static void add_entry(struct mps *m, double value, const char *row)
{
    if (value != 0)
        strbuf_addf(&m->columns, " %s %s %.17g\n", m->column, row, value);
}

/* ---- what the rung has ---- */

/* Profiles of a type that is cut on this rung. */
static int slice_count(const struct mps *m, int g)
{
    return m->grid->sliced ? m->grid->pool->types[g].slices : 0;
}

static int cut_count(const struct mps *m, int g)
{
    return slice_count(m, g) > 0 ? m->grid->pool->types[g].cuts : 0;
}

static bool has_spare(const struct mps *m, int g)
{
    return m->grid->type[g].spare > 0;
}

static bool has_own_spare(const struct mps *m, int g)
{
    return m->grid->type[g].own_spare > 0;
}

static bool is_limited(const struct mps *m)
{
    return m->grid->id != POOL_CLOUD;
}

/* GPUs in use in an hour: in both rows that limit them. */
static void use_entries(struct mps *m, int g, int t, double gpus)
{
    if (is_limited(m))
        add_entry(m, gpus, NAME("room%d.%d", g, t));
    if (has_spare(m, g))
        add_entry(m, gpus, NAME("kept%d.%d", g, t));
}

/* ---- workloads ---- */

static void run_column(struct mps *m, int w, int i, int t)
{
    const struct grid *grid = m->grid;
    const struct way *way = &grid->ways[i];
    bool own = grid->constant[w];

    begin_column(m, POOL_MOST_REPLICAS, NAME("X%d.%d", i, t));
    add_entry(m, way->slice < 0 ? way->gpus * grid->type[way->type].run : 0, "cost");
    add_entry(m, way->rate, NAME("need%d.%d", w, t));
    if (grid->pool->workloads[w].minimum > 0)
        add_entry(m, 1, NAME("least%d.%d", w, t));
    if (own) {
        add_row(m, 'L', 0, NAME("held%d.%d", i, t));
        add_entry(m, 1, NAME("held%d.%d", i, t));
    }
    if (way->slice >= 0 && own)
        add_entry(m, -1, NAME("cut%d.%d.%d.%d", w, way->type, way->slice, t));
    if (way->slice >= 0 && !own)
        add_entry(m, -1, NAME("slice%d.%d.%d", way->type, way->slice, t));
    if (way->slice < 0 && !own)
        use_entries(m, way->type, t, way->seat);
    if (own || way->start <= 0)
        return;
    add_row(m, 'L', 0, NAME("start%d.%d", i, t));
    add_entry(m, 1, NAME("start%d.%d", i, t));
    add_entry(m, -1, NAME("start%d.%d", i, (t + 1) % grid->hours));
    begin_column(m, POOL_MOST_REPLICAS, NAME("S%d.%d", i, t));
    add_entry(m, way->start, "cost");
    add_entry(m, -1, NAME("start%d.%d", i, t));
}

/* GPUs of w's own: they take units, and spares with the first of them. */
static void own_entries(struct mps *m, double gpus, int w, int g)
{
    add_entry(m, gpus, NAME("own%d.%d", w, g));
    if (has_own_spare(m, g))
        add_entry(m, gpus, NAME("any%d.%d", w, g));
}

static void own_columns(struct mps *m, int w, int g)
{
    const struct grid *grid = m->grid;
    const struct pool_type *type = &grid->pool->types[g];

    add_row(m, 'L', 0, NAME("own%d.%d", w, g));
    begin_column(m, POOL_MOST_GPUS, NAME("O%d.%d", w, g));
    add_entry(m, -grid->type[g].unit, NAME("own%d.%d", w, g));
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, g, t, grid->type[g].unit);
    if (has_own_spare(m, g)) {
        add_row(m, 'L', 0, NAME("any%d.%d", w, g));
        begin_column(m, 1, NAME("E%d.%d", w, g));
        add_entry(m, grid->type[g].own_spare, NAME("own%d.%d", w, g));
        add_entry(m, -grid->type[g].most, NAME("any%d.%d", w, g));
    }
    for (int p = 0; p < slice_count(m, g); p++) {
        add_row(m, 'G', 0, NAME("cut%d.%d.%d", w, g, p));
        for (int t = 0; t < grid->hours; t++)
            add_row(m, 'G', 0, NAME("cut%d.%d.%d.%d", w, g, p, t));
    }
    for (int k = 0; k < cut_count(m, g); k++)
        for (int t = -1; t < grid->hours; t++) { /* -1: what is held */
            begin_column(m, POOL_MOST_GPUS, NAME("Y%d.%d.%d.%d", w, g, k, t + 1));
            if (t < 0)
                own_entries(m, 1, w, g);
            else
                add_entry(m, grid->type[g].run, "cost");
            for (int p = 0; p < type->slices; p++)
                add_entry(m, type->cut[k][p],
                          t < 0 ? NAME("cut%d.%d.%d", w, g, p)
                                : NAME("cut%d.%d.%d.%d", w, g, p, t));
        }
}

static void add_workload(struct mps *m, int w)
{
    const struct grid *grid = m->grid;
    int minimum = grid->pool->workloads[w].minimum;

    for (int t = 0; t < grid->hours; t++) {
        add_row(m, 'G', grid->need[w * grid->hours + t], NAME("need%d.%d", w, t));
        if (minimum > 0)
            add_row(m, 'G', minimum, NAME("least%d.%d", w, t));
    }
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];

        for (int t = 0; t < grid->hours; t++)
            run_column(m, w, i, t);
        if (!grid->constant[w])
            continue;
        begin_column(m, POOL_MOST_REPLICAS, NAME("H%d", i));
        for (int t = 0; t < grid->hours; t++)
            add_entry(m, -1, NAME("held%d.%d", i, t));
        if (way->slice >= 0)
            add_entry(m, -1, NAME("cut%d.%d.%d", w, way->type, way->slice));
        else
            own_entries(m, way->seat, w, way->type);
    }
    for (int g = 0; g < grid->types && grid->constant[w]; g++)
        own_columns(m, w, g);
}

/* ---- types and jobs ---- */

static void add_type(struct mps *m, int g)
{
    const struct grid *grid = m->grid;
    const struct grid_type *type = &grid->type[g];
    const struct pool_type *from = &grid->pool->types[g];

    for (int t = 0; t < grid->hours; t++) {
        if (is_limited(m))
            add_row(m, 'L', 0, NAME("room%d.%d", g, t));
        if (has_spare(m, g))
            add_row(m, 'L', 0, NAME("kept%d.%d", g, t));
        for (int p = 0; p < slice_count(m, g); p++)
            add_row(m, 'G', 0, NAME("slice%d.%d.%d", g, p, t));
        for (int k = 0; k < cut_count(m, g); k++) {
            begin_column(m, POOL_MOST_GPUS, NAME("Y%d.%d.%d", g, k, t));
            add_entry(m, type->run, "cost");
            use_entries(m, g, t, 1);
            for (int p = 0; p < from->slices; p++)
                add_entry(m, from->cut[k][p], NAME("slice%d.%d.%d", g, p, t));
        }
    }
    for (int bought = 0; bought < 2 && is_limited(m); bought++) {
        int most = (bought ? type->most - type->stock : type->stock) / type->unit;

        begin_column(m, most, NAME("%c%d", bought ? 'B' : 'N', g));
        add_entry(m, type->unit * (bought ? type->own_buy : type->own_stock), "cost");
        for (int t = 0; t < grid->hours; t++)
            add_entry(m, -type->unit, NAME("room%d.%d", g, t));
        if (grid->slots > 0)
            add_entry(m, type->unit * type->slots, "slots");
        if (grid->watts > 0)
            add_entry(m, type->unit * type->watts, "watts");
    }
    if (!has_spare(m, g))
        return;
    begin_column(m, 1, NAME("Z%d", g));
    for (int t = 0; t < grid->hours; t++) {
        add_entry(m, type->spare, NAME("room%d.%d", g, t));
        add_entry(m, -grid_room(type), NAME("kept%d.%d", g, t));
    }
}

static void add_job(struct mps *m, int j)
{
    const struct grid *grid = m->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    int unit = grid->type[job->type].unit, seat = grid->job_seat[j];

    add_row(m, 'G', job->gpu_hours, NAME("work%d", j));
    for (int t = job->first; t < job->end; t++) {
        begin_column(m, job->most, NAME("V%d.%d", j, t));
        add_entry(m, job->gpus, NAME("work%d", j));
        if (grid->jobs_own)
            add_entry(m, 1, NAME("jobheld%d.%d", j, t));
        else
            use_entries(m, job->type, t, seat);
    }
    if (!grid->jobs_own)
        return;
    add_row(m, 'L', 0, NAME("jobown%d", j));
    begin_column(m, job->most, NAME("W%d", j));
    add_entry(m, seat, NAME("jobown%d", j));
    if (has_own_spare(m, job->type))
        add_entry(m, seat, NAME("jobany%d", j));
    for (int t = 0; t < grid->hours; t++) {
        add_row(m, 'L', 0, NAME("jobheld%d.%d", j, t));
        add_entry(m, -1, NAME("jobheld%d.%d", j, t));
    }
    begin_column(m, POOL_MOST_GPUS, NAME("P%d", j));
    add_entry(m, -unit, NAME("jobown%d", j));
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, job->type, t, unit);
    if (!has_own_spare(m, job->type))
        return;
    add_row(m, 'L', 0, NAME("jobany%d", j));
    begin_column(m, 1, NAME("G%d", j));
    add_entry(m, grid->type[job->type].own_spare, NAME("jobown%d", j));
    add_entry(m, -grid->type[job->type].most, NAME("jobany%d", j));
}

/* What is not served, and not whole. */
static void add_shortages(struct mps *m)
{
    const struct grid *grid = m->grid;
    double running = 0;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++) {
            begin_column(m, INFINITY, NAME("U%d.%d", w, t));
            add_entry(m, grid->penalty[w], "cost");
            add_entry(m, 1, NAME("need%d.%d", w, t));
            if (grid->pool->workloads[w].minimum <= 0)
                continue;
            begin_column(m, INFINITY, NAME("M%d.%d", w, t));
            add_entry(m, grid->missing[w], "cost");
            add_entry(m, 1, NAME("least%d.%d", w, t));
        }
    for (int j = 0; j < grid->jobs; j++) { /* undone costs the penalty and saves running */
        const struct pool_job *job = &grid->pool->jobs[j];

        begin_column(m, job->gpu_hours, NAME("Q%d", j));
        add_entry(m, grid->job_penalty[j] - grid->type[job->type].run, "cost");
        add_entry(m, 1, NAME("work%d", j));
        running += job->gpu_hours * grid->type[job->type].run;
    }
    add_row(m, 'N', -running, "cost"); /* jobs run, but for what is undone */
}

void pool_mps(const struct pool *pool, enum pool_rung_id rung, struct strbuf *out)
{
    struct grid grid;
    struct mps all = {.grid = &grid}, *m = &all;
    struct strbuf *parts[] = {&m->rows, &m->columns, &m->right, &m->bounds};

    grid_init(&grid, pool, rung);
    for (int i = 0; i < 4; i++)
        strbuf_init(parts[i]);
    strbuf_add(&m->columns, " MARK 'MARKER' 'INTORG'\n");
    for (int w = 0; w < grid.workloads; w++)
        add_workload(m, w);
    for (int g = 0; g < grid.types; g++)
        add_type(m, g);
    for (int j = 0; j < grid.jobs; j++)
        add_job(m, j);
    strbuf_add(&m->columns, " MARK 'MARKER' 'INTEND'\n");
    add_shortages(m);
    if (grid.slots > 0)
        add_row(m, 'L', grid.slots, "slots");
    if (grid.watts > 0)
        add_row(m, 'L', grid.watts, "watts");
    strbuf_addf(out, "NAME gpuplan-pool-%d\nROWS\n%sCOLUMNS\n%sRHS\n%sBOUNDS\n%sENDATA\n",
                (int)rung, m->rows.text, m->columns.text, m->right.text, m->bounds.text);
    for (int i = 0; i < 4; i++)
        strbuf_fini(parts[i]);
    grid_fini(&grid);
}
