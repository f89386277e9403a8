/* planner_engine.c - see planner_engine.h. */
#include "answer/planner_engine.h"

enum gp_status planner_engine(struct catalog *catalog, struct request *q, struct gp_err *err)
{
    static const char *const names[] = CATALOG_ENGINES_TAKEN;
    enum gp_status rc = catalog_engine(catalog, names[0], &q->usual_engine, err);

    q->engine = q->usual_engine;
    for (size_t i = 1; i < sizeof(names) / sizeof(names[0]) && !rc && q->gpu; i++) {
        const struct engine *e;

        if (engine_runs_on(q->engine, q->gpu->vendor))
            break;
        rc = catalog_engine(catalog, names[i], &e, err);
        if (!rc && engine_runs_on(e, q->gpu->vendor))
            q->engine = e;
    }
    return rc;
}
