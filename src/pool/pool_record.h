/*
 * pool_record.h - what a pool's answer says: gpuplan.pool/1.
 *
 * The ladder and all money are per day, whether the pool is of a day or a week.
 */
#ifndef GP_POOL_POOL_RECORD_H
#define GP_POOL_POOL_RECORD_H

#include "answer/record.h"
#include "pool/pool_run.h"

/* The answer. `whole`: candidates, and what runs where in each hour, too: as many lines as
 * there are workloads or replicas times hours, which only JSON has. */
void pool_record(const struct pool_run *run, struct record *doc, bool whole);

/* Rows of it alone, as CSV prints them. */
void pool_record_ladder(const struct pool_run *run, struct record *doc);
void pool_record_hours(const struct pool_run *run, struct record *doc);

/* Days that a pool's hours are. */
double pool_days(const struct pool_run *run);

/* "19:00", of a week "Wed 19:00". */
const char *pool_hour_words(const struct pool_run *run, int hour, char text[16]);
/* The same as facts: hour, and when. */
void pool_record_when(const struct pool_run *run, struct record *r, int hour);

/* $ to buy what a rung has beyond the stock, servers and the fabric's premium included. */
double pool_capital(const struct pool_run *run, enum pool_rung_id id);
/* "16 h100-pcie, 8 l40s": its GPUs. */
void pool_fleet_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out);
/* "server 4.0, peaks 22.3": GPUs of it that serve nothing, in the mean, by cause. */
void pool_stranded_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out);
/* GPUs of a rung that are in stock. */
int pool_in_stock(const struct pool_run *run, enum pool_rung_id id);

/* How a candidate is used on the chosen rung: on the fabric of a chassis, or in a server. */
const struct layout *pool_layout(const struct pool_run *run, int candidate);

/* "h100-sxm/1g.10gb x 2 TP 2" */
void pool_layout_words(const struct pool_run *run, int candidate, struct strbuf *out);

/* ---- pool_conclusion.c ---- */

/* Does a rung leave demand or jobs undone? Its cost holds their price then. */
bool pool_is_short(const struct pool_run *run, enum pool_rung_id id);
/* What to make of it, a sentence each; the first is the decision. */
void pool_record_conclusion(const struct pool_run *run, struct record *doc);

/* ---- pool_places.c ---- */

/* What starts, stops, goes to other GPUs, and GPUs that are cut anew, by the hour. */
void pool_record_moves(const struct pool_run *run, struct record *doc);

/* Which GPUs each replica has from when until when: all hours are in it. */
void pool_record_places(const struct pool_run *run, struct record *doc);

/* The workload or job that a GPU serves in an hour, "slices", or "". */
const char *pool_served_by(const struct pool_run *run, int hour, int gpu);

/* "server 3", or the name of a chassis. */
void pool_box_name(const struct pool_run *run, int box, char *text, size_t size);

#endif
