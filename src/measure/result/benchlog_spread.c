/*
 * benchlog_spread.c - do devices of one name do the same work in the same time?
 *
 * Of each work that several of them did well, the spread is (slowest - fastest) /
 * median. A straggler is a device whose rate lies more than 3 % under the median's. Of
 * two, the faster takes the place of the median: what one can, the other could. Worked:
 * 100, 101, 102 and 107 us: median 101.5, spread 6.9 %, and the last is at 101.5 / 107
 * = 0.949 of the median's rate, 5.1 % slower.
 */
#include "measure/result/benchlog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

struct entry { /* one good point of one device */
    const struct benchlog_point *point;
    const struct benchlog_device *device;
};

static int by_work(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->device->name, b->device->name);

    if (!order)
        order = strcmp(a->point->id, b->point->id);
    if (!order)
        order = strcmp(a->point->variant, b->point->variant);
    if (order)
        return order;
    return (a->point->median > b->point->median) - (a->point->median < b->point->median);
}

static bool same_name(const struct entry *a, const struct entry *b)
{
    return strcmp(a->device->name, b->device->name) == 0;
}

static bool same_work(const struct entry *a, const struct entry *b)
{
    return same_name(a, b) && strcmp(a->point->id, b->point->id) == 0 &&
           strcmp(a->point->variant, b->point->variant) == 0;
}

/* To be freed. What is allocated once ("fit") has no rate to compare. */
static struct entry *entries_of(const struct benchlog *log, int *n)
{
    struct entry *e = gp_calloc((size_t)log->count + 1, sizeof *e);

    *n = 0;
    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (benchlog_good(p) && !bench_test_is(p->test, TEST_IS_ONCE))
            e[(*n)++] = (struct entry){p, &log->device[p->device]};
    }
    qsort(e, (size_t)*n, sizeof *e, by_work);
    return e;
}

static int end_of(const struct entry *e, int from, int n,
                  bool (*same)(const struct entry *, const struct entry *))
{
    int end = from + 1;

    while (end < n && same(&e[from], &e[end]))
        end++;
    return end;
}

/* Of the entries of one work, sorted by time: what each is compared with, s. */
static double usual(const struct entry *e, int n)
{
    if (n < 3)
        return e[0].point->median;
    return n % 2 ? e[n / 2].point->median
                 : (e[n / 2 - 1].point->median + e[n / 2].point->median) / 2;
}

/* ---- point by point ---- */

static json_t *straggler(const struct entry *e, double ratio, int of)
{
    json_t *one = json_object();

    json_object_set_new(one, "host", gp_json_text(e->device->host));
    json_object_set_new(one, "device", json_integer(e->device->id));
    json_object_set_new(one, "name", gp_json_text(e->device->name));
    json_object_set_new(one, "id", gp_json_text(e->point->id));
    json_object_set_new(one, "variant", gp_json_text(e->point->variant));
    json_object_set_new(one, "ratio", gp_json_number(ratio));
    json_object_set_new(one, "of", json_integer(of));
    return one;
}

json_t *benchlog_stragglers(const struct benchlog *log)
{
    json_t *list = json_array();
    int n;
    struct entry *e = entries_of(log, &n);

    for (int i = 0, end; i < n; i = end) {
        double measure = usual(e + i, (end = end_of(e, i, n, same_work)) - i);

        for (int k = i; k < end; k++) {
            double ratio = measure / e[k].point->median;

            if (ratio < 1 - BENCHLOG_STRAGGLER)
                json_array_append_new(list, straggler(&e[k], ratio, end - i));
        }
    }
    free(e);
    return list;
}

/* ---- in words ---- */

struct share { /* of one device, over the works that others did, too */
    int works, slow;
    double most; /* slower by so much, of 1 */
};

struct spread { /* of the devices of one name */
    int devices, works;
    double widest; /* spread of any work */
};

static void add_work(const struct benchlog *log, const struct entry *e, int n, struct share *share,
                     struct spread *spread)
{
    double measure = usual(e, n);
    double width = e[n - 1].point->median - e[0].point->median;

    if (n < 2)
        return;
    spread->works++;
    spread->devices = n > spread->devices ? n : spread->devices;
    spread->widest = fmax(spread->widest, width / measure);
    for (int i = 0; i < n; i++) {
        struct share *s = &share[e[i].device - log->device];
        double slower = 1 - measure / e[i].point->median;

        s->works++;
        s->slow += slower > BENCHLOG_STRAGGLER;
        s->most = fmax(s->most, slower);
    }
}

/* Those of one name. */
static void say_name(const struct benchlog *log, const char *name, const struct share *share,
                     const struct spread *spread, json_t *list)
{
    bool slow = false;

    for (int d = 0; d < log->device_count; d++) {
        const struct benchlog_device *device = &log->device[d];
        bool elsewhere = strcmp(device->host, log->host) != 0;

        if (strcmp(device->name, name) != 0 || !share[d].slow)
            continue;
        slow = true;
        benchlog_say(list,
                     "device %ld%s%.155s is up to %.1f %% slower than the %s of %d "
                     "devices, by more than %.0f %% in %d of %d points",
                     device->id, elsewhere ? " of " : "", elsewhere ? device->host : "",
                     100 * share[d].most, spread->devices < 3 ? "faster" : "median",
                     spread->devices, 100 * BENCHLOG_STRAGGLER, share[d].slow, share[d].works);
    }
    if (!slow)
        benchlog_say(list, "%d devices (%s) agree within %.1f %% in %d points", spread->devices,
                     name, 100 * spread->widest, spread->works);
}

void benchlog_say_spread(const struct benchlog *log, json_t *list)
{
    struct share *share = gp_calloc((size_t)log->device_count + 1, sizeof *share);
    int n;
    struct entry *e = entries_of(log, &n);

    for (int i = 0, next; i < n; i = next) {
        struct spread spread = {0};

        next = end_of(e, i, n, same_name);
        for (int k = i, end; k < next; k = end) {
            end = end_of(e, k, next, same_work);
            add_work(log, e + k, end - k, share, &spread);
        }
        if (spread.works)
            say_name(log, e[i].device->name, share, &spread, list);
    }
    free(e);
    free(share);
}
