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
};

/* ---- what the rung has ---- */

static bool has_slices(const struct mps *m, int g)
{
    return m->grid->sliced && m->grid->pool->types[g].slices > 0;
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
        for (int p = 0; has_slices(m, g) && p < grid->pool->types[g].slices; p++) {
            strbuf_addf(m->out, " G cut%d.%d.%d\n", w, g, p);
            for (int t = 0; t < grid->hours; t++)
                strbuf_addf(m->out, " G cut%d.%d.%d.%d\n", w, g, p, t);
        }
    }
}

static void type_rows(struct mps *m, int g)
{
    const struct grid *grid = m->grid;

    for (int t = 0; t < grid->hours; t++) {
        if (is_limited(m))
            strbuf_addf(m->out, " L room%d.%d\n", g, t);
        if (has_spare(m, g))
            strbuf_addf(m->out, " L kept%d.%d\n", g, t);
        for (int p = 0; has_slices(m, g) && p < grid->pool->types[g].slices; p++)
            strbuf_addf(m->out, " G slice%d.%d.%d\n", g, p, t);
    }
}

static void add_rows(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "ROWS\n N cost\n");
    for (int w = 0; w < grid->workloads; w++)
        workload_rows(m, w);
    for (int g = 0; g < grid->types; g++)
        type_rows(m, g);
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

static void entry(struct mps *m, const char *column, double value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void entry(struct mps *m, const char *column, double value, const char *format, ...)
{
    va_list args;

    if (value == 0)
        return;
    strbuf_addf(m->out, " %s ", column);
    va_start(args, format);
    strbuf_addv(m->out, format, args);
    va_end(args);
    strbuf_addf(m->out, " %.17g\n", value);
}

/* GPUs in use in an hour: in both rows that limit them. */
static void use_entries(struct mps *m, const char *column, int g, int t, double gpus)
{
    if (is_limited(m))
        entry(m, column, gpus, "room%d.%d", g, t);
    if (has_spare(m, g))
        entry(m, column, gpus, "kept%d.%d", g, t);
}

static void run_column(struct mps *m, int i, int t)
{
    const struct grid *grid = m->grid;
    const struct way *way = &grid->ways[i];
    int w = way_owner(m, i);
    bool own = grid->constant[w];
    char name[48];

    gp_format(name, sizeof(name), "X%d.%d", i, t);
    entry(m, name, way->slice < 0 ? way->gpus * grid->type[way->type].run : 0, "cost");
    entry(m, name, way->rate, "need%d.%d", w, t);
    if (grid->pool->workloads[w].minimum > 0)
        entry(m, name, 1, "least%d.%d", w, t);
    if (own)
        entry(m, name, 1, "held%d.%d", i, t);
    if (way->slice >= 0 && own)
        entry(m, name, -1, "cut%d.%d.%d.%d", w, way->type, way->slice, t);
    if (way->slice >= 0 && !own)
        entry(m, name, -1, "slice%d.%d.%d", way->type, way->slice, t);
    if (way->slice < 0 && !own)
        use_entries(m, name, way->type, t, way->seat);
    if (!way_starts(m, i))
        return;
    entry(m, name, 1, "start%d.%d", i, t);
    entry(m, name, -1, "start%d.%d", i, (t + 1) % grid->hours);
    gp_format(name, sizeof(name), "S%d.%d", i, t);
    entry(m, name, way->start, "cost");
    entry(m, name, -1, "start%d.%d", i, t);
}

/* GPUs of w's own: they take units, and spares with the first of them. */
static void own_entries(struct mps *m, const char *column, double gpus, int w, int g)
{
    entry(m, column, gpus, "own%d.%d", w, g);
    if (has_own_spare(m, g))
        entry(m, column, gpus, "any%d.%d", w, g);
}

static void held_column(struct mps *m, int i)
{
    const struct way *way = &m->grid->ways[i];
    int w = way_owner(m, i);
    char name[48];

    gp_format(name, sizeof(name), "H%d", i);
    for (int t = 0; t < m->grid->hours; t++)
        entry(m, name, -1, "held%d.%d", i, t);
    if (way->slice >= 0)
        entry(m, name, -1, "cut%d.%d.%d", w, way->type, way->slice);
    else
        own_entries(m, name, way->seat, w, way->type);
}

static void own_columns(struct mps *m, int w, int g)
{
    const struct grid *grid = m->grid;
    const struct pool_type *type = &grid->pool->types[g];
    char name[64];

    gp_format(name, sizeof(name), "O%d.%d", w, g);
    entry(m, name, -grid->type[g].unit, "own%d.%d", w, g);
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, name, g, t, grid->type[g].unit);
    if (has_own_spare(m, g)) {
        gp_format(name, sizeof(name), "E%d.%d", w, g);
        entry(m, name, grid->type[g].own_spare, "own%d.%d", w, g);
        entry(m, name, -grid->type[g].most, "any%d.%d", w, g);
    }
    for (int k = 0; has_slices(m, g) && k < type->cuts; k++)
        for (int t = -1; t < grid->hours; t++) { /* -1: what is held */
            gp_format(name, sizeof(name), "Y%d.%d.%d.%d", w, g, k, t + 1);
            if (t < 0)
                own_entries(m, name, 1, w, g);
            else
                entry(m, name, grid->type[g].run, "cost");
            for (int p = 0; p < type->slices; p++)
                if (t < 0)
                    entry(m, name, type->cut[k][p], "cut%d.%d.%d", w, g, p);
                else
                    entry(m, name, type->cut[k][p], "cut%d.%d.%d.%d", w, g, p, t);
        }
}

static void workload_columns(struct mps *m, int w)
{
    const struct grid *grid = m->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        for (int t = 0; t < grid->hours; t++)
            run_column(m, i, t);
        if (grid->constant[w])
            held_column(m, i);
    }
    for (int g = 0; g < grid->types && grid->constant[w]; g++)
        own_columns(m, w, g);
}

static void cut_columns(struct mps *m, int g, int t)
{
    const struct pool_type *type = &m->grid->pool->types[g];
    char name[48];

    for (int k = 0; has_slices(m, g) && k < type->cuts; k++) {
        gp_format(name, sizeof(name), "Y%d.%d.%d", g, k, t);
        entry(m, name, m->grid->type[g].run, "cost");
        use_entries(m, name, g, t, 1);
        for (int p = 0; p < type->slices; p++)
            entry(m, name, type->cut[k][p], "slice%d.%d.%d", g, p, t);
    }
}

static void fleet_column(struct mps *m, int g, bool bought)
{
    const struct grid_type *type = &m->grid->type[g];
    char name[48];

    gp_format(name, sizeof(name), "%c%d", bought ? 'B' : 'N', g);
    entry(m, name, type->unit * (bought ? type->own_buy : type->own_stock), "cost");
    for (int t = 0; t < m->grid->hours; t++)
        entry(m, name, -type->unit, "room%d.%d", g, t);
    if (m->grid->slots > 0 && type->slots > 0)
        entry(m, name, type->unit, "slots");
    if (m->grid->watts > 0)
        entry(m, name, type->unit * type->watts, "watts");
}

static void kept_column(struct mps *m, int g)
{
    char name[48];

    gp_format(name, sizeof(name), "Z%d", g);
    for (int t = 0; t < m->grid->hours; t++) {
        entry(m, name, m->grid->type[g].spare, "room%d.%d", g, t);
        entry(m, name, -grid_room(&m->grid->type[g]), "kept%d.%d", g, t);
    }
}

static void worker_columns(struct mps *m, int j)
{
    const struct grid *grid = m->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    int unit = grid->type[job->type].unit;
    char name[48];

    for (int t = job->first; t < job->end; t++) {
        gp_format(name, sizeof(name), "V%d.%d", j, t);
        entry(m, name, job->gpus, "work%d", j);
        if (grid->jobs_own)
            entry(m, name, 1, "jobheld%d.%d", j, t);
        else
            use_entries(m, name, job->type, t, grid->job_seat[j]);
    }
    if (!grid->jobs_own)
        return;
    gp_format(name, sizeof(name), "W%d", j);
    entry(m, name, grid->job_seat[j], "jobown%d", j);
    if (has_own_spare(m, job->type))
        entry(m, name, grid->job_seat[j], "jobany%d", j);
    for (int t = 0; t < grid->hours; t++)
        entry(m, name, -1, "jobheld%d.%d", j, t);
    gp_format(name, sizeof(name), "P%d", j);
    entry(m, name, -unit, "jobown%d", j);
    for (int t = 0; t < grid->hours; t++)
        use_entries(m, name, job->type, t, unit);
    if (!has_own_spare(m, job->type))
        return;
    gp_format(name, sizeof(name), "G%d", j);
    entry(m, name, grid->type[job->type].own_spare, "jobown%d", j);
    entry(m, name, -grid->type[job->type].most, "jobany%d", j);
}

static void mark(struct mps *m, const char *word)
{
    strbuf_addf(m->out, " MARK 'MARKER' '%s'\n", word);
}

static void add_columns(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "COLUMNS\n");
    mark(m, "INTORG");
    for (int w = 0; w < grid->workloads; w++)
        workload_columns(m, w);
    for (int g = 0; g < grid->types; g++) {
        for (int t = 0; t < grid->hours; t++)
            cut_columns(m, g, t);
        for (int bought = 0; bought < 2 && is_limited(m); bought++)
            fleet_column(m, g, bought);
        if (has_spare(m, g))
            kept_column(m, g);
    }
    for (int j = 0; j < grid->jobs; j++)
        worker_columns(m, j);
    mark(m, "INTEND");
    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++) {
            char name[48];

            gp_format(name, sizeof(name), "U%d.%d", w, t);
            entry(m, name, grid->penalty[w], "cost");
            entry(m, name, 1, "need%d.%d", w, t);
            gp_format(name, sizeof(name), "M%d.%d", w, t);
            if (grid->pool->workloads[w].minimum > 0) {
                entry(m, name, grid->missing[w], "cost");
                entry(m, name, 1, "least%d.%d", w, t);
            }
        }
    for (int j = 0; j < grid->jobs; j++) { /* undone costs the penalty and saves running */
        char name[48];

        gp_format(name, sizeof(name), "Q%d", j);
        entry(m, name, grid->job_penalty[j] - grid->type[grid->pool->jobs[j].type].run, "cost");
        entry(m, name, 1, "work%d", j);
    }
}

/* ---- right sides and bounds ---- */

static void add_right_sides(struct mps *m)
{
    const struct grid *grid = m->grid;
    double running = 0;

    strbuf_add(m->out, "RHS\n");
    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++) {
            entry(m, "RHS", grid->need[w * grid->hours + t], "need%d.%d", w, t);
            entry(m, "RHS", grid->pool->workloads[w].minimum, "least%d.%d", w, t);
        }
    for (int j = 0; j < grid->jobs; j++) {
        entry(m, "RHS", grid->pool->jobs[j].gpu_hours, "work%d", j);
        running += grid->pool->jobs[j].gpu_hours * grid->type[grid->pool->jobs[j].type].run;
    }
    entry(m, "RHS", -running, "cost"); /* jobs run, but for what is undone */
    entry(m, "RHS", grid->slots, "slots");
    entry(m, "RHS", grid->watts, "watts");
}

static void upper(struct mps *m, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void upper(struct mps *m, double value, const char *format, ...)
{
    va_list args;

    strbuf_add(m->out, " UP BND ");
    va_start(args, format);
    strbuf_addv(m->out, format, args);
    va_end(args);
    strbuf_addf(m->out, " %.17g\n", value);
}

static void way_bounds(struct mps *m)
{
    const struct grid *grid = m->grid;

    for (int i = 0; i < grid->first[grid->workloads]; i++) {
        for (int t = 0; t < grid->hours; t++) {
            upper(m, POOL_MOST_REPLICAS, "X%d.%d", i, t);
            if (way_starts(m, i))
                upper(m, POOL_MOST_REPLICAS, "S%d.%d", i, t);
        }
        if (grid->constant[way_owner(m, i)])
            upper(m, POOL_MOST_REPLICAS, "H%d", i);
    }
}

static void cut_bounds(struct mps *m)
{
    const struct grid *grid = m->grid;

    for (int g = 0; g < grid->types; g++) {
        int cuts = has_slices(m, g) ? grid->pool->types[g].cuts : 0;

        for (int k = 0; k < cuts; k++)
            for (int t = 0; t < grid->hours; t++)
                upper(m, POOL_MOST_GPUS, "Y%d.%d.%d", g, k, t);
        for (int w = 0; w < grid->workloads; w++) {
            if (!grid->constant[w])
                continue;
            upper(m, POOL_MOST_GPUS, "O%d.%d", w, g);
            if (has_own_spare(m, g))
                upper(m, 1, "E%d.%d", w, g);
            for (int k = 0; k < cuts; k++)
                for (int t = 0; t <= grid->hours; t++)
                    upper(m, POOL_MOST_GPUS, "Y%d.%d.%d.%d", w, g, k, t);
        }
    }
}

static void add_bounds(struct mps *m)
{
    const struct grid *grid = m->grid;

    strbuf_add(m->out, "BOUNDS\n");
    way_bounds(m);
    cut_bounds(m);
    for (int g = 0; g < grid->types && is_limited(m); g++) {
        const struct grid_type *type = &grid->type[g];

        upper(m, type->stock / type->unit, "N%d", g);
        upper(m, (type->most - type->stock) / type->unit, "B%d", g);
        if (has_spare(m, g))
            upper(m, 1, "Z%d", g);
    }
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &grid->pool->jobs[j];

        for (int t = job->first; t < job->end; t++)
            upper(m, job->most, "V%d.%d", j, t);
        upper(m, job->gpu_hours, "Q%d", j);
        if (grid->jobs_own) {
            upper(m, job->most, "W%d", j);
            upper(m, POOL_MOST_GPUS, "P%d", j);
            if (has_own_spare(m, job->type))
                upper(m, 1, "G%d", j);
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
