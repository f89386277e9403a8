/*
 * pool_mps.c - see pool_mps.h.
 */
#include "pool/pool_mps.h"

#include <math.h>
#include <stdio.h>

#include "pool/grid.h"

struct mps {
    const struct grid *grid;
    struct strbuf *out;
    char column[64]; /* that entries are written of */
};

/* ---- what the rung has ---- */

/* Profiles of a type that is cut on this rung. */
static int slice_count(const struct mps *m, int g)
{
    return m->grid->sliced ? m->grid->pool->types[g].slices : 0;
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

static int way_owner(const struct mps *m, int i)
{
    return m->grid->pool->candidates[m->grid->ways[i].candidate].workload;
}

static bool way_starts(const struct mps *m, int i)
{
    return m->grid->ways[i].start > 0 && !m->grid->constant[way_owner(m, i)];
}

/* ---- rows ---- */

static void workload_rows(struct mps *m, int w)
{
    const struct grid *grid = m->grid;

    for (int t = 0; t < grid->hours; t++) {
        strbuf_addf(m->out, " G need%d.%d\n", w, t);
        if (grid->pool->workloads[w].minimum > 0)
            strbuf_addf(m->out, " G least%d.%d\n", w, t);
    }
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        for (int t = 0; t < grid->hours; t++) {
            if (grid->constant[w])
                strbuf_addf(m->out, " L held%d.%d\n", i, t);
            if (way_starts(m, i))
                strbuf_addf(m->out, " L start%d.%d\n", i, t);
        }
    for (int g = 0; g < grid->types && grid->constant[w]; g++) {
        strbuf_addf(m->out, " L own%d.%d\n", w, g);
        if (has_own_spare(m, g))
            strbuf_addf(m->out, " L any%d.%d\n", w, g);
        for (int p = 0; p < slice_count(m, g); p++) {
            strbuf_addf(m->out, " G cut%d.%d.%d\n", w, g, p);
            for (int t = 0; t < grid->hours; t++)
                strbuf_addf(m->out, " G cut%d.%d.%d.%d\n", w, g, p, t);
        }
    }
}

static void add_rows(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "ROWS\n N cost\n");
    for (int w = 0; w < grid->workloads; w++)
        workload_rows(m, w);
    for (int g = 0; g < grid->types; g++)
        for (int t = 0; t < grid->hours; t++) {
            if (is_limited(m))
                strbuf_addf(m->out, " L room%d.%d\n", g, t);
            if (has_spare(m, g))
                strbuf_addf(m->out, " L kept%d.%d\n", g, t);
            for (int p = 0; p < slice_count(m, g); p++)
                strbuf_addf(m->out, " G slice%d.%d.%d\n", g, p, t);
        }
    for (int j = 0; j < grid->jobs; j++) {
        strbuf_addf(m->out, " G work%d\n", j);
        if (grid->jobs_own)
            strbuf_addf(m->out, " L jobown%d\n", j);
        if (has_own_spare(m, grid->pool->jobs[j].type))
            strbuf_addf(m->out, " L jobany%d\n", j);
        for (int t = 0; t < grid->hours && grid->jobs_own; t++)
            strbuf_addf(m->out, " L jobheld%d.%d\n", j, t);
    }
    if (grid->slots > 0)
        strbuf_add(m->out, " L slots\n");
    if (grid->watts > 0)
        strbuf_add(m->out, " L watts\n");
}

/* ---- columns ---- */

static void add_entry(struct mps *m, double value, const char *row, ...)
    __attribute__((format(printf, 3, 4)));

static void add_entry(struct mps *m, double value, const char *row, ...)
{
    va_list args;

    if (value == 0)
        return;
    strbuf_addf(m->out, " %s ", m->column);
    va_start(args, row);
    strbuf_addv(m->out, row, args);
    va_end(args);
    strbuf_addf(m->out, " %.17g\n", value);
}

#define COLUMN(m, ...) gp_format((m)->column, sizeof((m)->column), __VA_ARGS__)

/* GPUs in use in an hour: in both rows that limit them. */
static void use_entries(struct mps *m, int g, int t, double gpus)
{
    if (is_limited(m))
        add_entry(m, gpus, "room%d.%d", g, t);
    if (has_spare(m, g))
        add_entry(m, gpus, "kept%d.%d", g, t);
}

static void run_column(struct mps *m, int i, int t)
{
    const struct grid *grid = m->grid;
    const struct way *way = &grid->ways[i];
    int w = way_owner(m, i);
    bool own = grid->constant[w];

    COLUMN(m, "X%d.%d", i, t);
    add_entry(m, way->slice < 0 ? way->gpus * grid->type[way->type].run : 0, "cost");
    add_entry(m, way->rate, "need%d.%d", w, t);
    if (grid->pool->workloads[w].minimum > 0)
        add_entry(m, 1, "least%d.%d", w, t);
    if (own)
        add_entry(m, 1, "held%d.%d", i, t);
    if (way->slice >= 0 && own)
        add_entry(m, -1, "cut%d.%d.%d.%d", w, way->type, way->slice, t);
    if (way->slice >= 0 && !own)
        add_entry(m, -1, "slice%d.%d.%d", way->type, way->slice, t);
    if (way->slice < 0 && !own)
        use_entries(m, way->type, t, way->seat);
    if (!way_starts(m, i))
        return;
    add_entry(m, 1, "start%d.%d", i, t);
    add_entry(m, -1, "start%d.%d", i, (t + 1) % grid->hours);
    COLUMN(m, "S%d.%d", i, t);
    add_entry(m, way->start, "cost");
    add_entry(m, -1, "start%d.%d", i, t);
}

/* GPUs of w's own: they take units, and spares with the first of them. */
static void own_entries(struct mps *m, double gpus, int w, int g)
{
    add_entry(m, gpus, "own%d.%d", w, g);
    if (has_own_spare(m, g))
        add_entry(m, gpus, "any%d.%d", w, g);
}

static void own_columns(struct mps *m, int w, int g)
{
    const struct grid *grid = m->grid;
    const struct pool_type *type = &grid->pool->types[g];

    COLUMN(m, "O%d.%d", w, g);
    add_entry(m, -grid->type[g].unit, "own%d.%d", w, g);
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, g, t, grid->type[g].unit);
    if (has_own_spare(m, g)) {
        COLUMN(m, "E%d.%d", w, g);
        add_entry(m, grid->type[g].own_spare, "own%d.%d", w, g);
        add_entry(m, -grid->type[g].most, "any%d.%d", w, g);
    }
    for (int k = 0; slice_count(m, g) > 0 && k < type->cuts; k++)
        for (int t = -1; t < grid->hours; t++) { /* -1: what is held */
            COLUMN(m, "Y%d.%d.%d.%d", w, g, k, t + 1);
            if (t < 0)
                own_entries(m, 1, w, g);
            else
                add_entry(m, grid->type[g].run, "cost");
            for (int p = 0; p < type->slices; p++)
                if (t < 0)
                    add_entry(m, type->cut[k][p], "cut%d.%d.%d", w, g, p);
                else
                    add_entry(m, type->cut[k][p], "cut%d.%d.%d.%d", w, g, p, t);
        }
}

static void workload_columns(struct mps *m, int w)
{
    const struct grid *grid = m->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];

        for (int t = 0; t < grid->hours; t++)
            run_column(m, i, t);
        if (!grid->constant[w])
            continue;
        COLUMN(m, "H%d", i);
        for (int t = 0; t < grid->hours; t++)
            add_entry(m, -1, "held%d.%d", i, t);
        if (way->slice >= 0)
            add_entry(m, -1, "cut%d.%d.%d", w, way->type, way->slice);
        else
            own_entries(m, way->seat, w, way->type);
    }
    for (int g = 0; g < grid->types && grid->constant[w]; g++)
        own_columns(m, w, g);
}

static void type_columns(struct mps *m, int g)
{
    const struct grid *grid = m->grid;
    const struct grid_type *type = &grid->type[g];
    const struct pool_type *from = &grid->pool->types[g];

    for (int t = 0; t < grid->hours; t++)
        for (int k = 0; slice_count(m, g) > 0 && k < from->cuts; k++) {
            COLUMN(m, "Y%d.%d.%d", g, k, t);
            add_entry(m, type->run, "cost");
            use_entries(m, g, t, 1);
            for (int p = 0; p < from->slices; p++)
                add_entry(m, from->cut[k][p], "slice%d.%d.%d", g, p, t);
        }
    for (int bought = 0; bought < 2 && is_limited(m); bought++) {
        COLUMN(m, "%c%d", bought ? 'B' : 'N', g);
        add_entry(m, type->unit * (bought ? type->own_buy : type->own_stock), "cost");
        for (int t = 0; t < grid->hours; t++)
            add_entry(m, -type->unit, "room%d.%d", g, t);
        if (grid->slots > 0 && type->slots > 0)
            add_entry(m, type->unit, "slots");
        if (grid->watts > 0)
            add_entry(m, type->unit * type->watts, "watts");
    }
    if (!has_spare(m, g))
        return;
    COLUMN(m, "Z%d", g);
    for (int t = 0; t < grid->hours; t++) {
        add_entry(m, type->spare, "room%d.%d", g, t);
        add_entry(m, -grid_room(type), "kept%d.%d", g, t);
    }
}

static void worker_columns(struct mps *m, int j)
{
    const struct grid *grid = m->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    int unit = grid->type[job->type].unit;

    for (int t = job->first; t < job->end; t++) {
        COLUMN(m, "V%d.%d", j, t);
        add_entry(m, job->gpus, "work%d", j);
        if (grid->jobs_own)
            add_entry(m, 1, "jobheld%d.%d", j, t);
        else
            use_entries(m, job->type, t, grid->job_seat[j]);
    }
    if (!grid->jobs_own)
        return;
    COLUMN(m, "W%d", j);
    add_entry(m, grid->job_seat[j], "jobown%d", j);
    if (has_own_spare(m, job->type))
        add_entry(m, grid->job_seat[j], "jobany%d", j);
    for (int t = 0; t < grid->hours; t++)
        add_entry(m, -1, "jobheld%d.%d", j, t);
    COLUMN(m, "P%d", j);
    add_entry(m, -unit, "jobown%d", j);
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, job->type, t, unit);
    if (!has_own_spare(m, job->type))
        return;
    COLUMN(m, "G%d", j);
    add_entry(m, grid->type[job->type].own_spare, "jobown%d", j);
    add_entry(m, -grid->type[job->type].most, "jobany%d", j);
}

static void add_columns(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "COLUMNS\n");
    strbuf_add(m->out, " MARK 'MARKER' 'INTORG'\n");
    for (int w = 0; w < grid->workloads; w++)
        workload_columns(m, w);
    for (int g = 0; g < grid->types; g++)
        type_columns(m, g);
    for (int j = 0; j < grid->jobs; j++)
        worker_columns(m, j);
    strbuf_add(m->out, " MARK 'MARKER' 'INTEND'\n");
    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++) {
            COLUMN(m, "U%d.%d", w, t);
            add_entry(m, grid->penalty[w], "cost");
            add_entry(m, 1, "need%d.%d", w, t);
            COLUMN(m, "M%d.%d", w, t);
            if (grid->pool->workloads[w].minimum > 0) {
                add_entry(m, grid->missing[w], "cost");
                add_entry(m, 1, "least%d.%d", w, t);
            }
        }
    for (int j = 0; j < grid->jobs; j++) { /* undone costs the penalty and saves running */
        COLUMN(m, "Q%d", j);
        add_entry(m, grid->job_penalty[j] - grid->type[grid->pool->jobs[j].type].run, "cost");
        add_entry(m, 1, "work%d", j);
    }
}

/* ---- right sides and bounds ---- */

static void add_right_sides(struct mps *m)
{
    const struct grid *grid = m->grid;
    double running = 0;

    strbuf_add(m->out, "RHS\n");
    COLUMN(m, "RHS");
    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++) {
            add_entry(m, grid->need[w * grid->hours + t], "need%d.%d", w, t);
            add_entry(m, grid->pool->workloads[w].minimum, "least%d.%d", w, t);
        }
    for (int j = 0; j < grid->jobs; j++) {
        add_entry(m, grid->pool->jobs[j].gpu_hours, "work%d", j);
        running += grid->pool->jobs[j].gpu_hours * grid->type[grid->pool->jobs[j].type].run;
    }
    add_entry(m, -running, "cost"); /* jobs run, but for what is undone */
    add_entry(m, grid->slots, "slots");
    add_entry(m, grid->watts, "watts");
}

static void add_upper(struct mps *m, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_upper(struct mps *m, double value, const char *format, ...)
{
    va_list args;

    strbuf_add(m->out, " UP BND ");
    va_start(args, format);
    strbuf_addv(m->out, format, args);
    va_end(args);
    strbuf_addf(m->out, " %.17g\n", value);
}

static void add_bounds(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "BOUNDS\n");
    for (int i = 0; i < grid->first[grid->workloads]; i++) {
        for (int t = 0; t < grid->hours; t++) {
            add_upper(m, POOL_MOST_REPLICAS, "X%d.%d", i, t);
            if (way_starts(m, i))
                add_upper(m, POOL_MOST_REPLICAS, "S%d.%d", i, t);
        }
        if (grid->constant[way_owner(m, i)])
            add_upper(m, POOL_MOST_REPLICAS, "H%d", i);
    }
    for (int g = 0; g < grid->types; g++) {
        int cuts = slice_count(m, g) > 0 ? grid->pool->types[g].cuts : 0;

        for (int k = 0; k < cuts; k++)
            for (int t = 0; t < grid->hours; t++)
                add_upper(m, POOL_MOST_GPUS, "Y%d.%d.%d", g, k, t);
        for (int w = 0; w < grid->workloads; w++) {
            if (!grid->constant[w])
                continue;
            add_upper(m, POOL_MOST_GPUS, "O%d.%d", w, g);
            if (has_own_spare(m, g))
                add_upper(m, 1, "E%d.%d", w, g);
            for (int k = 0; k < cuts; k++)
                for (int t = 0; t <= grid->hours; t++)
                    add_upper(m, POOL_MOST_GPUS, "Y%d.%d.%d.%d", w, g, k, t);
        }
    }
    for (int g = 0; g < grid->types && is_limited(m); g++) {
        const struct grid_type *type = &grid->type[g];

        add_upper(m, type->stock / type->unit, "N%d", g);
        add_upper(m, (type->most - type->stock) / type->unit, "B%d", g);
        if (has_spare(m, g))
            add_upper(m, 1, "Z%d", g);
    }
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &grid->pool->jobs[j];

        for (int t = job->first; t < job->end; t++)
            add_upper(m, job->most, "V%d.%d", j, t);
        add_upper(m, job->gpu_hours, "Q%d", j);
        if (grid->jobs_own) {
            add_upper(m, job->most, "W%d", j);
            add_upper(m, POOL_MOST_GPUS, "P%d", j);
            if (has_own_spare(m, job->type))
                add_upper(m, 1, "G%d", j);
        }
    }
    strbuf_add(m->out, "ENDATA\n");
}

void pool_mps(const struct pool *pool, enum pool_rung_id rung, struct strbuf *out)
{
    struct grid grid;
    struct mps m = {.grid = &grid, .out = out};

    grid_init(&grid, pool, rung);
    strbuf_addf(out, "NAME gpuplan-pool-%d\n", (int)rung);
    add_rows(&m);
    add_columns(&m);
    add_right_sides(&m);
    add_bounds(&m);
    grid_fini(&grid);
}

bool pool_mps_read(const struct pool *pool, enum pool_rung_id rung, int columns,
                   const char *(*name)(void *ctx, int column), void *ctx, const double *value,
                   int *replicas)
{
    struct grid grid;
    bool ok = true;

    grid_init(&grid, pool, rung);
    for (int i = 0; i < columns && ok; i++) {
        const char *text = name(ctx, i);
        int way, hour, end = 0;

        ok = text && isfinite(value[i]);
        if (!ok || sscanf(text, "X%d.%d%n", &way, &hour, &end) != 2 || text[end] != '\0')
            continue;
        ok = way >= 0 && way < grid.first[grid.workloads] && hour >= 0 && hour < grid.hours &&
             value[i] > -0.5 && value[i] < POOL_MOST_REPLICAS + 0.5;
        if (ok)
            replicas[grid.ways[way].candidate * grid.hours + hour] = (int)lround(value[i]);
    }
    grid_fini(&grid);
    return ok;
}
