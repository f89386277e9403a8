/*
 * speed_hit_share.h - how often estimates of a kind are right: the lists `hits` of the engines'
 * profiles, counted anew.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_HITS_H
#define GP_TESTS_ACCURACY_SPEED_HITS_H

#include "speed_score.h"

#define HIT_ENGINES 8

/* Rows of one engine, kind of model and phase, of all sets together. */
struct hit_rows {
    char families[96];
    int rows, inside;
    double error[ROWS_MAX];
};

struct hit_tally {
    char engine[HIT_ENGINES][24];
    int engines;
    struct hit_rows *at[HIT_ENGINES][HIT_KIND_COUNT][HIT_PHASE_COUNT];
};

/* ttft: the outcomes are of TTFT. */
void hits_add(struct hit_tally *tally, const struct rows *rows, const struct plan_summary *outcome,
              bool ttft);
/* The rows alone, without their outcomes. */
void hits_count(struct hit_tally *tally, const struct rows *rows);

/* As profiles have them. */
void hits_print(const struct hit_tally *tally);

/* How many lists of the profiles are stale; figures: their errors too, not the rows
 * alone. Frees the tally. */
int hits_check(struct hit_tally *tally, bool figures);

#endif
