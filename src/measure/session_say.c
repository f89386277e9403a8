/* session_say.c - see session_say.h. */
#include "measure/session_say.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "measure/result/benchlog.h"

char *session_say_time(char *text, size_t size, double seconds)
{
    long s = lround(seconds);

    if (seconds < 1)
        gp_format(text, size, "under 1 s");
    else if (s < 60)
        gp_format(text, size, "%ld s", s);
    else if (s < 3600)
        gp_format(text, size, "%ld min %02ld s", s / 60, s % 60);
    else
        gp_format(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    return text;
}

char *session_say_plan(const struct session *s, char *text, size_t size)
{
    struct session_plan plan;
    char bytes[32], time[32];

    session_plan(s, &plan);
    gp_format(text, size,
              "%d points on %d device%s, %d passes, about %s with warm-up and rests, at "
              "most %s at once on each device",
              plan.points, plan.devices, plan.devices == 1 ? "" : "s", plan.passes,
              session_say_time(time, sizeof(time), plan.seconds),
              units_bytes(bytes, sizeof(bytes), plan.bytes));
    return text;
}

/* ---- lost devices ---- */

/* An engine that finds others at work says "busy: ...". */
bool session_is_busy(const struct session_device *device)
{
    return device->failed && strncmp(device->why, "busy: ", 6) == 0;
}

static int count_busy(const struct session *s)
{
    struct session_device d;
    int n = 0;

    for (int i = 0; session_device(s, i, &d); i++)
        n += session_is_busy(&d);
    return n;
}

bool session_some_busy(const struct session *s)
{
    return count_busy(s) > 0;
}

bool session_say_lost(const struct session *s, int place, char *text, size_t size)
{
    struct session_device d, other;
    char list[120] = "";
    int count = 0;

    if (!session_device(s, place, &d) || !d.failed)
        return false;
    for (int i = 0; session_device(s, i, &other); i++) {
        if (!other.failed || strcmp(other.why, d.why) != 0)
            continue;
        if (i < place)
            return false;
        gp_append(list, sizeof(list), ", ", "%d", other.id);
        count++;
    }
    gp_format(text, size, "device%s %s %s: %s", count == 1 ? "" : "s", list,
              session_is_busy(&d) ? "not measured" : "lost", d.why);
    return true;
}

/* ---- what it came to ---- */

static const char *failed_words(const struct session *s)
{
    int busy = count_busy(s);

    return busy == 0 ? "Failed: a device was lost; what was measured is kept."
           : session_can_resume(s)
               ? "Partly measured: other processes use a device; the rest is kept."
           : busy < session_devices(s)
               ? "Nothing was measured: one device was lost, another is in use."
               : "Nothing was measured: other processes use the device.";
}

/* The reason of the first point that has no figure; "" when none says one. */
static const char *first_reason(const struct benchlog *log)
{
    for (int i = 0; i < log->count; i++)
        if (log->point[i].state != POINT_OK && log->point[i].reason[0])
            return log->point[i].reason;
    return "";
}

static void complete_words(const struct benchlog *log, char *text, size_t size)
{
    struct benchlog_tally t = benchlog_tally(log);

    if (t.good == log->count)
        gp_copy(text, size, "Complete: every point was measured.");
    else if (t.good > 0)
        gp_format(text, size, "Complete: %d of %d points have a good figure.", t.good, log->count);
    else if (t.without == log->count)
        gp_format(text, size, "Nothing was measured: %s", first_reason(log));
    else
        gp_format(text, size, "No good figure: %d flagged, %d wrong, %d without one.", t.flagged,
                  t.wrong, t.without);
}

char *session_outcome(const struct session *s, char *text, size_t size)
{
    const char *status = session_status(s);

    if (strcmp(status, "failed") == 0)
        gp_copy(text, size, failed_words(s));
    else if (strcmp(status, "complete") == 0 && session_log(s))
        complete_words(session_log(s), text, size);
    else if (strcmp(status, "complete") == 0)
        gp_copy(text, size, "Complete, but no result could be made of it.");
    else
        gp_copy(text, size,
                session_can_resume(s) ? "Interrupted: what was measured is kept."
                                      : "Interrupted before a point was measured.");
    return text;
}

char *session_outcome_word(const struct session *s, char *text, size_t size)
{
    const struct benchlog *log = session_log(s);
    int good = log ? benchlog_tally(log).good : 0;

    if (!log || strcmp(session_status(s), "complete") != 0 || good == log->count)
        gp_copy(text, size, session_status(s));
    else
        gp_format(text, size, "%d of %d good", good, log->count);
    return text;
}
