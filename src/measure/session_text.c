/* session_text.c - what a run will take and came to, in words: see session.h. */
#include "measure/session_inside.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

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

void session_dry_run(const struct session *s, struct strbuf *out)
{
    const struct points *p = &s->plan.points;
    char size[32], text[200];

    for (int i = 0; i < s->devices; i++)
        strbuf_addf(out, "device %d: %s (%s)\n", s->device[i].facts.id, s->device[i].facts.name,
                    s->look.backend);
    for (int i = 0; i < p->count; i++)
        strbuf_addf(out, "%-64s %10s %7.1f s\n", p->point[i].id,
                    units_bytes(size, sizeof(size), p->bytes[i]), p->seconds[i] * POINTS_PASSES);
    for (int i = 0; i < p->note_count; i++)
        strbuf_addf(out, "note: %s\n", p->note[i]);
    for (int i = 0; i < s->notes.count; i++)
        strbuf_addf(out, "note: %s\n", s->notes.remark[i].text);
    strbuf_addf(out, "%s; result in %s\n", session_say_plan(s, text, sizeof(text)),
                s->files.result);
}

/* ---- lost devices ---- */

/* An engine that finds others at work says "busy: ...". */
bool session_is_busy(const struct session_device *device)
{
    return device->failed && strncmp(device->why, "busy: ", 6) == 0;
}

static int count_busy(const struct session *s)
{
    int n = 0;

    for (int i = 0; i < s->devices; i++)
        n += session_is_busy(&s->device[i].facts);
    return n;
}

bool session_some_busy(const struct session *s)
{
    return count_busy(s) > 0;
}

bool session_say_lost(const struct session *s, int place, char *text, size_t size)
{
    const struct session_device *d, *other;
    char list[120] = "";
    int count = 0;

    if (place < 0 || place >= s->devices || !(d = &s->device[place].facts)->failed)
        return false;
    for (int i = 0; i < s->devices; i++) {
        other = &s->device[i].facts;
        if (!other->failed || strcmp(other->why, d->why) != 0)
            continue;
        if (i < place)
            return false;
        gp_append(list, sizeof(list), ", ", "%d", other->id);
        count++;
    }
    gp_format(text, size, "device%s %s %s: %s", count == 1 ? "" : "s", list,
              session_is_busy(d) ? "not measured" : "lost", d->why);
    return true;
}

/* ---- what it came to ---- */

static void say_complete(const struct benchlog *log, char *text, size_t size)
{
    struct benchlog_tally t = benchlog_tally(log);
    const char *reason = "";

    for (int i = log->count - 1; i >= 0; i--)
        if (log->point[i].state != POINT_OK && log->point[i].reason[0])
            reason = log->point[i].reason;
    if (t.good == log->count)
        gp_copy(text, size, "Complete: every point was measured.");
    else if (t.good > 0)
        gp_format(text, size, "Complete: %d of %d points have a good figure.", t.good, log->count);
    else if (t.without == log->count)
        gp_format(text, size, "Nothing was measured: %s", reason);
    else
        gp_format(text, size, "No good figure: %d flagged, %d wrong, %d without one.", t.flagged,
                  t.wrong, t.without);
}

char *session_outcome(const struct session *s, char *text, size_t size)
{
    const char *status = session_status(s);
    int busy = count_busy(s);

    if (strcmp(status, "complete") == 0 && s->have_log)
        say_complete(&s->log, text, size);
    else if (strcmp(status, "complete") == 0)
        gp_copy(text, size, "Complete, but no result could be made of it.");
    else if (strcmp(status, "failed") != 0)
        gp_copy(text, size,
                session_can_resume(s) ? "Interrupted: what was measured is kept."
                                      : "Interrupted before a point was measured.");
    else
        gp_copy(text, size,
                busy == 0 ? "Failed: a device was lost; what was measured is kept."
                : session_can_resume(s)
                    ? "Partly measured: other processes use a device; the rest is kept."
                : busy < s->devices
                    ? "Nothing was measured: one device was lost, another is in use."
                    : "Nothing was measured: other processes use the device.");
    return text;
}

char *session_outcome_word(const struct session *s, char *text, size_t size)
{
    int good = s->have_log ? benchlog_tally(&s->log).good : 0;

    if (!s->have_log || strcmp(session_status(s), "complete") != 0 || good == s->log.count)
        gp_copy(text, size, session_status(s));
    else
        gp_format(text, size, "%d of %d good", good, s->log.count);
    return text;
}
