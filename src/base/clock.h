/*
 * clock.h - the one clock that times everything: seconds that only go forward.
 *
 * Its zero is of no meaning (the machine's start); a difference of two readings is a
 * time, which no adjustment of the date changes. Safe in a signal handler.
 * Dates of prices and profiles are days since 1970-01-01.
 */
#ifndef GP_BASE_CLOCK_H
#define GP_BASE_CLOCK_H

double clock_now(void); /* s, monotonic */

/* "2026-07-20" to days since 1970-01-01; -1 when it is not a date ("2026-07" = its 1st). */
long date_days(const char *date);

#endif
