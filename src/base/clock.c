/* clock.c - see clock.h. */
#include "base/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Days before month m in a year that is not a leap year. */
static const int month_days[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

/* What stands behind a '-' at *date, which it passes; `missing` where there is none. */
static int date_part(const char **date, int missing)
{
    int number = 0, digits = 0;

    if (**date != '-')
        return missing;
    for (++*date; **date >= '0' && **date <= '9' && digits < 2; ++*date, digits++)
        number = 10 * number + **date - '0';
    return digits > 0 ? number : missing;
}

long date_days(const char *date)
{
    char *end;
    long y = strtol(date, &end, 10);
    const char *rest = end;
    int m = date_part(&rest, 1), d = date_part(&rest, 1);

    if (y < 1970 || y > 9999)
        return -1;
    if (m < 1 || m > 12 || d < 1)
        return -1;
    long leaps = (y - 1) / 4 - (y - 1) / 100 + (y - 1) / 400 - 477; /* before 1970: 477 */
    bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    int next = m < 12 ? month_days[m] : 365;
    if (d > next - month_days[m - 1] + (leap && m == 2))
        return -1;
    return 365L * (y - 1970) + leaps + month_days[m - 1] + (leap && m > 2 ? 1 : 0) + d - 1;
}
