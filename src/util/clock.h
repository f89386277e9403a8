/*
 * clock.h - the one clock that times everything: seconds that only go forward.
 *
 * Its zero is of no meaning (the machine's start); a difference of two readings is a
 * time, which no adjustment of the date changes. Safe in a signal handler.
 */
#ifndef GP_UTIL_CLOCK_H
#define GP_UTIL_CLOCK_H

double clock_now(void); /* s, monotonic */

#endif
