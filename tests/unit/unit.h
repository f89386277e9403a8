/*
 * unit.h - what every unit test includes: cmocka in the order it wants, and a
 * comparison of doubles that says how near is near enough.
 */
#ifndef GP_TESTS_UNIT_H
#define GP_TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Equal to within `tolerance`, absolute; 0 asks for the same double. */
#define assert_near(got, want, tolerance)                          \
    do {                                                           \
        double got_ = (got), want_ = (want);                       \
        if (!(fabs(got_ - want_) <= (tolerance)))                  \
            fail_msg("%s is %.17g, not %.17g", #got, got_, want_); \
    } while (0)

#endif
