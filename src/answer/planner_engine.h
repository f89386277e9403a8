/*
 * planner_engine.h - the engine of a plan for which none is named.
 */
#ifndef GP_ANSWER_PLANNER_ENGINE_H
#define GP_ANSWER_PLANNER_ENGINE_H

#include "catalog/catalog.h"
#include "plan/request.h"

/* Sets the engine and usual_engine: the newest range of the first of CATALOG_ENGINES_TAKEN that
 * runs on the vendor of q's GPU, or of the first where there is no GPU yet or none runs there.
 * Errors: as catalog_engine(). */
enum gp_status planner_engine(struct catalog *catalog, struct request *q, struct gp_err *err);

#endif
