/*
 * speed_manual.h - whether gpuplan-model(7) still says how far estimates of speed are.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_MANUAL_H
#define GP_TESTS_ACCURACY_SPEED_MANUAL_H

#include "speed_score.h"

/* The manual's lines of one set of rows, by rows that shaped no constant; prints those that
 * it does not have and returns how many. */
int manual_check(const char *set, const struct rows *rows, const struct plan_summary *outcome);

/* Its lines on rows of which 1, 2 or 3 others of the same server are known. */
int manual_check_points(const char *set, int points, const struct score *score);

/* Its sentence on TTFT in a closed loop, likewise. */
int manual_check_ttft(const char *set, const struct rows *rows, const struct plan_summary *outcome);

#endif
