/*
 * pool_check.c - is a pool's printed plan one that can be carried out? Reads the JSON of
 * gpuplan --pool alone and shares no code with what made it.
 *
 *   pool_check PLAN.json [chassis=NAME:SLOTS:HOSTS:PER_HOST] [alone=WORKLOAD]
 *              [minimum=WORKLOAD:N] [cap=WATTS]
 *
 * In every hour: no slot serves two things and none changes its type; GPUs of each type
 * with the spares are owned; every replica that is counted has its place, in one host where
 * one holds it; hosts and chassis hold what is plugged to them, and none is shared where a
 * workload is alone; slices fit the GPUs that are cut; what is served and what is unmet add
 * up to the need; what the moves say leads from the places of one hour to the next; and
 * the money is that of the GPUs. A plan that says itself that replicas found no host may
 * lack their places. Exit 1 with a line for each that is not so.
 */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOURS 168
#define SLOTS 4096 /* of a box */
#define BOXES 128
#define HOSTS 128 /* of a box */

struct box {
    char name[48];
    int slots, hosts, per_host; /* 0: not told */
    const char *gpu[SLOTS];
    int host[HOURS][HOSTS];         /* GPUs plugged to it */
    const char *user[HOURS][HOSTS]; /* who is on it; "several" */
};

static struct box *boxes;
static int box_count, hours, failures;
static json_t *plan, *rung;

static void wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void wrong(const char *fmt, ...)
{
    va_list args;

    if (failures++ > 20)
        return;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
}

static const char *text(const json_t *row, const char *key)
{
    const char *value = json_string_value(json_object_get(row, key));

    return value ? value : "";
}

static int count(const json_t *row, const char *key)
{
    return (int)json_number_value(json_object_get(row, key));
}

static double value(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(json_object_get(row, key), "value"));
}

static json_t *list(const char *key)
{
    return json_object_get(plan, key);
}

static struct box *box_of(const char *name)
{
    for (int i = 0; i < box_count; i++)
        if (strcmp(boxes[i].name, name) == 0)
            return &boxes[i];
    if (box_count == BOXES) {
        printf("more boxes than this test holds\n");
        exit(2);
    }
    snprintf(boxes[box_count].name, sizeof(boxes->name), "%s", name);
    return &boxes[box_count++];
}

/* The type of a layout: what stands before a blank or a slice's name. */
static bool is_of_type(const char *layout, const char *gpu)
{
    size_t n = strlen(gpu);

    return strncmp(layout, gpu, n) == 0 && (layout[n] == '\0' || strchr(" /", layout[n]));
}

static const char *type_of(const char *layout)
{
    size_t i;
    json_t *t;

    json_array_foreach(list("types"), i,
                       t) if (is_of_type(layout, text(t, "gpu"))) return text(t, "gpu");
    wrong("layout %s is of no type of the pool", layout);
    return "";
}

/* "1-4,7" into out[]; how many. */
static int slots_of(const json_t *place, int *out)
{
    const char *at = text(place, "slots");
    int n = 0;

    while (*at) {
        char *end;
        long a = strtol(at, &end, 10), b = *end == '-' ? strtol(end + 1, &end, 10) : a;
        if (end == at || a < 1 || b < a || b > SLOTS) {
            wrong("slots \"%s\" of box %s", text(place, "slots"), text(place, "box"));
            return n;
        }
        for (long s = a; s <= b; s++)
            out[n++] = (int)s;
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* ---- who is where ---- */

static void take_slots(const json_t *place, struct box *box, const char *gpu, unsigned char *busy)
{
    int slot[SLOTS], n = slots_of(place, slot), host = count(place, "host");
    int from = count(place, "from"), until = count(place, "until");

    if (from < 0 || until <= from || until > hours || host < 1 || host >= HOSTS) {
        wrong("a place from hour %d to %d on host %d", from, until, host);
        return;
    }
    for (int h = from; h < until; h++) {
        const char **user = &box->user[h][host];
        box->host[h][host] += n;
        *user =
            !*user || strcmp(*user, text(place, "serves")) == 0 ? text(place, "serves") : "several";
    }
    for (int i = 0; i < n; i++) {
        const char **is = &box->gpu[slot[i] - 1];
        if (*is && strcmp(*is, gpu) != 0)
            wrong("%s/%d is a %s and a %s", box->name, slot[i], *is, gpu);
        *is = gpu;
        for (int h = from; h < until; h++) {
            unsigned char *b = &busy[((box - boxes) * SLOTS + slot[i] - 1) * HOURS + h];
            if ((*b)++)
                wrong("hour %d: %s/%d serves two things", h, box->name, slot[i]);
        }
    }
}

static int owned(const char *gpu)
{
    const char *at = text(rung, "gpus_by_type");
    size_t n = strlen(gpu);

    while (*at) {
        char *end;
        long k = strtol(at, &end, 10);
        if (strncmp(end + 1, gpu, n) == 0 && (end[n + 1] == '\0' || end[n + 1] == ','))
            return (int)k;
        at = strchr(end, ',');
        if (!at)
            break;
        at += 2;
    }
    return 0;
}

static void check_types(void)
{
    size_t t, i;
    json_t *type, *place;
    bool cloud = strcmp(text(plan, "rung"), "cloud") == 0;

    json_array_foreach(list("types"), t, type)
    {
        int used[HOURS] = {0}, slot[SLOTS];
        const char *gpu = text(type, "gpu");
        int spare = cloud ? 0 : count(json_object_get(plan, "pool"), "spare");
        json_array_foreach(list("places"), i, place)
        {
            int n = slots_of(place, slot);
            if (is_of_type(text(place, "layout"), gpu))
                for (int h = count(place, "from"); h < count(place, "until"); h++)
                    used[h] += n;
        }
        if (!cloud && owned(gpu) > count(type, "stock") + count(type, "buy"))
            wrong("%d %s are owned, %d may be", owned(gpu), gpu,
                  count(type, "stock") + count(type, "buy"));
        for (int h = 0; h < hours; h++)
            if (used[h] > 0 && used[h] + spare > owned(gpu))
                wrong("hour %d: %d %s in use and %d spare, %d owned", h, used[h], gpu, spare,
                      owned(gpu));
    }
}

static void check_places(void)
{
    unsigned char *busy = calloc((size_t)BOXES * SLOTS, HOURS);
    size_t i;
    json_t *place;

    json_array_foreach(list("places"), i, place)
        take_slots(place, box_of(text(place, "box")), type_of(text(place, "layout")), busy);
    free(busy);
    for (int b = 0; b < box_count; b++)
        for (int h = 0; h < hours; h++) {
            int all = 0;
            for (int k = 1; k < HOSTS; k++) {
                int n = boxes[b].host[h][k];
                all += n;
                if (boxes[b].per_host > 0 && n > boxes[b].per_host)
                    wrong("hour %d: host %d of %s holds %d GPUs", h, k, boxes[b].name, n);
                if (n > 0 && boxes[b].hosts > 0 && k > boxes[b].hosts)
                    wrong("hour %d: %s has no host %d", h, boxes[b].name, k);
            }
            if (boxes[b].slots > 0 && all > boxes[b].slots)
                wrong("hour %d: %d GPUs in the %d slots of %s", h, all, boxes[b].slots,
                      boxes[b].name);
        }
}

/* A replica stays in one host where one holds it. */
static void check_pieces(void)
{
    size_t i, k;
    json_t *a, *b;

    json_array_foreach(list("places"), i, a) json_array_foreach(list("places"), k, b)
    {
        int slot[SLOTS], per = box_of(text(a, "box"))->per_host;
        if (k <= i || count(a, "replica") != count(b, "replica") ||
            count(a, "from") >= count(b, "until") || count(b, "from") >= count(a, "until"))
            continue;
        if (per == 0 || slots_of(a, slot) + slots_of(b, slot) <= per)
            wrong("replica %d of %s is in %s and in %s", count(a, "replica"), text(a, "serves"),
                  text(a, "box"), text(b, "box"));
    }
}

static void check_alone(const char *workload)
{
    for (int b = 0; b < box_count; b++)
        for (int k = 1; k < HOSTS; k++) {
            bool its = false, others = false;
            for (int h = 0; h < hours; h++) {
                const char *user = boxes[b].user[h][k];
                its |= user && strcmp(user, workload) == 0;
                others |= user && strcmp(user, workload) != 0;
            }
            if (its && others)
                wrong("%s shares host %d of %s", workload, k, boxes[b].name);
        }
}

/* ---- counts, needs and moves ---- */

static bool is_same(const json_t *a, const json_t *b)
{
    return strcmp(text(a, "workload"), text(b, "workload")) == 0 &&
           strcmp(text(a, "layout"), text(b, "layout")) == 0;
}

static bool is_place_of(const json_t *place, const json_t *row)
{
    return strcmp(text(place, "serves"), text(row, "workload")) == 0 &&
           strcmp(text(place, "layout"), text(row, "layout")) == 0;
}

/* Replicas of a row's workload and layout that have places in an hour; those that begin
 * in it, or that end with the one before. */
static int placed(const json_t *row, int hour, const char *edge)
{
    size_t i, k;
    json_t *place, *other;
    int n = 0;

    json_array_foreach(list("places"), i, place)
    {
        bool in = edge ? count(place, edge) == hour
                       : count(place, "from") <= hour && hour < count(place, "until");
        if (!in || !is_place_of(place, row))
            continue;
        n++;
        json_array_foreach(list("places"), k, other) /* its other pieces */
            if (k < i && count(other, "replica") == count(place, "replica") &&
                count(other, "from") == count(place, "from"))
        {
            n--;
            break;
        }
    }
    return n;
}

/* Does the plan say itself that some replicas found no host? */
static bool says_unplaced(void)
{
    size_t i;
    json_t *line;

    json_array_foreach(
        list("conclusion"), i,
        line) if (strstr(json_string_value(line), "found no server or chassis")) return true;
    return false;
}

static void check_counts(void)
{
    size_t i;
    json_t *row;
    bool fewer = says_unplaced();

    json_array_foreach(list("hours"), i, row)
    {
        bool slices = strchr(text(row, "layout"), '/') != NULL;
        int n = slices ? 0 : placed(row, count(row, "hour"), NULL);
        if (!slices && (fewer ? n > count(row, "replicas") : n != count(row, "replicas")))
            wrong("hour %d: %d replicas of %s as %s, %d places", count(row, "hour"),
                  count(row, "replicas"), text(row, "workload"), text(row, "layout"), n);
    }
    json_array_foreach(list("job_hours"), i, row)
    {
        int gpus = 0, slot[SLOTS];
        size_t k;
        json_t *place;
        json_array_foreach(list("places"), k,
                           place) if (strcmp(text(place, "serves"), text(row, "job")) == 0 &&
                                      count(place, "from") <= count(row, "hour") &&
                                      count(row, "hour") < count(place, "until")) gpus +=
            slots_of(place, slot);
        if (gpus < count(row, "gpus") && !fewer)
            wrong("hour %d: job %s has %d GPUs, %d places", count(row, "hour"), text(row, "job"),
                  count(row, "gpus"), gpus);
    }
}

/* Slices of a profile that the GPUs cut in an hour give: "h100-sxm as 1g.10gb x 7, ...". */
static int slices_there(const char *gpu, const char *profile, int hour)
{
    size_t i;
    json_t *place;
    int n = 0;

    json_array_foreach(list("places"), i, place)
    {
        const char *at = text(place, "layout");
        if (strcmp(text(place, "serves"), "slices") != 0 || !is_of_type(at, gpu) ||
            hour < count(place, "from") || hour >= count(place, "until"))
            continue;
        at = strstr(at, " as ") + 3;
        while (*at) {
            char name[32];
            int each = 0, len = 0;
            if (sscanf(at, " %31[^ ] x %d%n", name, &each, &len) != 2)
                break;
            n += strcmp(name, profile) == 0 ? each : 0;
            at += len + (at[len] == ',');
        }
    }
    return n;
}

static void check_slices(void)
{
    size_t i, k;
    json_t *row, *other;

    json_array_foreach(list("hours"), i, row)
    {
        const char *layout = text(row, "layout"), *slash = strchr(layout, '/');
        char profile[32];
        int n = 0, there;
        if (!slash)
            continue;
        snprintf(profile, sizeof(profile), "%.*s", (int)strcspn(slash + 1, " "), slash + 1);
        json_array_foreach(
            list("hours"), k,
            other) if (count(other, "hour") == count(row, "hour") &&
                       strncmp(text(other, "layout"), layout, (size_t)(slash - layout) + 1) == 0 &&
                       strncmp(strchr(text(other, "layout"), '/') + 1, profile, strlen(profile)) ==
                           0) n += count(other, "replicas");
        there = slices_there(type_of(layout), profile, count(row, "hour"));
        if (n > there)
            wrong("hour %d: %d slices %s, %d are cut", count(row, "hour"), n, profile, there);
    }
}

/* Rates are printed to a few digits. */
static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b));
}

static void check_needs(void)
{
    size_t i, k;
    json_t *row, *other;

    json_array_foreach(list("hours"), i, row)
    {
        double serves = 0;
        json_array_foreach(list("hours"), k,
                           other) if (count(other, "hour") == count(row, "hour") &&
                                      strcmp(text(other, "workload"), text(row, "workload")) == 0)
            serves += value(other, "serves");
        double unmet = fmax(0, value(row, "needs") - serves);
        if (!is_near(unmet, value(row, "unmet")))
            wrong("hour %d: %s needs %g, is served %g, unmet %g", count(row, "hour"),
                  text(row, "workload"), value(row, "needs"), serves, value(row, "unmet"));
    }
}

static int moved(const json_t *row, int hour, const char *a, const char *b)
{
    size_t i;
    json_t *move;
    int n = 0;

    json_array_foreach(list("moves"), i,
                       move) if (count(move, "hour") == hour && is_same(move, row) &&
                                 (strcmp(text(move, "move"), a) == 0 ||
                                  strcmp(text(move, "move"), b) == 0)) n += count(move, "replicas");
    return n;
}

/* From hour to hour: what begins was started or moved, what ends was stopped or moved. */
static void check_moves(const char *alone)
{
    size_t i;
    json_t *row;

    json_array_foreach(list("hours"), i, row)
    {
        if (strchr(text(row, "layout"), '/') || strcmp(text(row, "workload"), alone) == 0)
            continue;
        for (int h = 1; h < hours; h++) {
            int begin = placed(row, h, "from"), end = placed(row, h, "until");
            int on = moved(row, h, "start", "move"), off = moved(row, h, "stop", "move");
            if (begin != on || end != off)
                wrong("hour %d: %d places of %s as %s begin and %d end; moved on %d, off %d", h,
                      begin, text(row, "workload"), text(row, "layout"), end, on, off);
        }
        while (i + 1 < json_array_size(list("hours")) &&
               is_same(row, json_array_get(list("hours"), i + 1)))
            i++;
    }
}

/* ---- money ---- */

static void check_money(double cap)
{
    bool composed =
        strcmp(text(plan, "rung"), "hourly") == 0 || strcmp(text(plan, "rung"), "composed") == 0;
    double sum = 0, watts = 0;
    size_t i;
    json_t *t;

    json_array_foreach(list("types"), i, t)
    {
        int n = owned(text(t, "gpu"));
        sum += n * 24 * (value(t, "own") + (composed ? value(t, "premium") : 0));
        watts += n * value(t, "busy");
    }
    if (!is_near(sum, value(rung, "purchase")))
        wrong("%g for the GPUs, printed %g", sum, value(rung, "purchase"));
    sum = value(rung, "energy") * value(json_object_get(plan, "pool"), "electricity");
    if (!is_near(sum, value(rung, "electricity")))
        wrong("%g for the energy, printed %g", sum, value(rung, "electricity"));
    sum = value(rung, "purchase") + value(rung, "running") + value(rung, "electricity") +
          value(rung, "starting") + value(rung, "penalty");
    if (!is_near(sum, value(rung, "cost")))
        wrong("the cost is %g, its parts %g", value(rung, "cost"), sum);
    if (value(rung, "bound") > value(rung, "cost") * (1 + 1e-9))
        wrong("the bound %g is above the cost %g", value(rung, "bound"), value(rung, "cost"));
    if (cap > 0 && watts > cap)
        wrong("%g W of %g", watts, cap);
}

static void check_minimum(const char *workload, int least)
{
    for (int h = 0; h < hours; h++) {
        size_t i;
        json_t *row;
        int n = 0;
        json_array_foreach(list("hours"), i, row) if (count(row, "hour") == h &&
                                                      strcmp(text(row, "workload"), workload) == 0)
            n += count(row, "replicas");
        if (n < least)
            wrong("hour %d: %d replicas of %s, at least %d wanted", h, n, workload, least);
    }
}

static double at_hour(const json_t *from, const char *key, int hour)
{
    return json_number_value(json_array_get(json_object_get(from, key), (size_t)hour));
}

static json_t *hour_row(const json_t *work, const json_t *run, int hour, int n, double needs,
                        double unmet)
{
    return json_pack("{s:i,s:s,s:s,s:i,s:{s:f},s:{s:f},s:{s:f}}", "hour", hour, "workload",
                     text(work, "workload"), "layout", run ? text(run, "layout") : "", "replicas",
                     n, "serves", "value", run ? n * value(run, "serves") : 0.0, "needs", "value",
                     needs, "unmet", "value", unmet);
}

/* The rows of numbers of a workload become a row for each hour and layout that runs in it, and
 * one for an hour in which none does. */
static void expand_hours(void)
{
    json_t *rows = json_array(), *work, *run;
    size_t i, k;

    json_array_foreach(list("hours"), i, work) for (int h = 0; h < hours; h++)
    {
        double needs = at_hour(json_object_get(work, "needs"), "values", h);
        double unmet = at_hour(json_object_get(work, "unmet"), "values", h);
        bool any = false;
        json_array_foreach(json_object_get(work, "runs"), k, run)
        {
            int n = (int)at_hour(run, "replicas", h);
            if (n > 0)
                json_array_append_new(rows, hour_row(work, run, h, n, needs, unmet));
            any = any || n > 0;
        }
        if (!any)
            json_array_append_new(rows, hour_row(work, NULL, h, 0, needs, unmet));
    }
    json_object_set_new(plan, "hours", rows);
}

int main(int argc, char **argv)
{
    const char *alone = "", *minimum = "";
    int least = 0;
    double cap = 0;
    char name[2][48];

    boxes = calloc(BOXES, sizeof(*boxes));
    plan = argc > 1 ? json_load_file(argv[1], 0, NULL) : NULL;
    if (!plan || !boxes)
        return 2;
    hours = count(json_object_get(plan, "pool"), "hours");
    for (int i = 2; i < argc; i++) {
        int n[3];
        if (sscanf(argv[i], "chassis=%47[^:]:%d:%d:%d", name[0], &n[0], &n[1], &n[2]) == 4) {
            struct box *box = box_of(name[0]);
            box->slots = n[0];
            box->hosts = n[1];
            box->per_host = n[2];
        } else if (strncmp(argv[i], "alone=", 6) == 0) {
            alone = argv[i] + 6;
        } else if (sscanf(argv[i], "minimum=%47[^:]:%d", name[1], &least) == 2) {
            minimum = name[1];
        } else if (sscanf(argv[i], "cap=%lf", &cap) != 1) {
            return 2;
        }
    }
    size_t i;
    json_t *row;
    if (hours >= 1 && hours <= HOURS)
        expand_hours();
    json_array_foreach(list("ladder"), i,
                       row) if (strcmp(text(row, "name"), text(plan, "rung")) == 0) rung = row;
    if (!rung || hours < 1 || hours > HOURS || json_array_size(list("places")) == 0) {
        printf("no rung, hours or places\n");
        return 1;
    }
    check_places();
    check_pieces();
    check_types();
    check_counts();
    check_slices();
    check_needs();
    check_money(cap);
    if (alone[0])
        check_alone(alone);
    if (minimum[0])
        check_minimum(minimum, least);
    if (says_unplaced())
        return failures > 0;
    if (strcmp(text(plan, "rung"), "shared") == 0 || strcmp(text(plan, "rung"), "hourly") == 0)
        check_moves(alone);
    return failures > 0;
}
