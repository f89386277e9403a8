/*
 * gpuplan.c - libgpuplan over what the command line uses. A planner is not for several threads,
 * so each call takes one that is free, or a new one, and puts it back.
 */
#include "lib/gpuplan.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/planner.h"
#include "answer/report.h"
#include "answer/report_catalog.h"
#include "answer/request_line.h"
#include "base/mem.h"
#include "measure/devices.h"

#ifndef GP_VERSION
#define GP_VERSION ""
#endif

#define PUBLIC __attribute__((visibility("default")))

struct gpuplan {
    pthread_mutex_t lock;
    char *profiles;
    struct planner **idle;
    size_t count, cap;
    char date[16];
};

struct gpuplan_answer {
    struct strbuf text; /* one line of JSON */
    json_t *json;       /* NULL: it is none */
    char error[GP_ERR_LINE];
};

/* ---- planners ---- */

static struct planner *take_planner(struct gpuplan *g)
{
    struct planner *planner = NULL;

    pthread_mutex_lock(&g->lock);
    if (g->count > 0)
        planner = g->idle[--g->count];
    pthread_mutex_unlock(&g->lock);
    return planner ? planner : planner_new(g->profiles, (long)(time(NULL) / 86400), devices_local);
}

static void put_planner(struct gpuplan *g, struct planner *planner)
{
    pthread_mutex_lock(&g->lock);
    g->idle = gp_grow(g->idle, &g->cap, g->count + 1, sizeof(*g->idle));
    g->idle[g->count++] = planner;
    pthread_mutex_unlock(&g->lock);
}

PUBLIC int gpuplan_abi(void)
{
    return GPUPLAN_ABI;
}

PUBLIC const char *gpuplan_version(void)
{
    return GP_VERSION;
}

PUBLIC gpuplan *gpuplan_open(const char *profiles)
{
    struct gpuplan *g = gp_calloc(1, sizeof(*g));

    json_object_seed(0); /* else jansson's threads race for it */
    pthread_mutex_init(&g->lock, NULL);
    g->profiles = profiles ? gp_strdup(profiles) : NULL;
    struct planner *planner = take_planner(g);
    gp_copy(g->date, sizeof(g->date), catalog_data_date(planner_catalog(planner)));
    put_planner(g, planner);
    return g;
}

PUBLIC void gpuplan_close(gpuplan *g)
{
    if (!g)
        return;
    while (g->count > 0)
        planner_free(g->idle[--g->count]);
    pthread_mutex_destroy(&g->lock);
    free(g->idle);
    free(g->profiles);
    free(g);
}

PUBLIC const char *gpuplan_data_date(gpuplan *g)
{
    return g->date;
}

/* ---- answers ---- */

static const json_t *value_at(const gpuplan_answer *a, const char *path)
{
    const json_t *at = a->json;
    char name[128];

    while (at && *path) {
        size_t len = strcspn(path, ".");

        if (!gp_format(name, sizeof(name), "%.*s", (int)len, path))
            return NULL;
        if (json_is_array(at))
            at = name[strspn(name, "0123456789")] == '\0'
                     ? json_array_get(at, strtoul(name, NULL, 10))
                     : NULL;
        else
            at = json_object_get(at, name);
        path += len + (path[len] == '.');
    }
    return at;
}

static const char *text_at(const gpuplan_answer *a, const char *path)
{
    const char *text = json_string_value(value_at(a, path));

    return text ? text : "";
}

/* Of its text, which is then complete. */
static gpuplan_answer *answer_end(gpuplan_answer *a)
{
    while (a->text.len > 0 && a->text.text[a->text.len - 1] == '\n')
        a->text.text[--a->text.len] = '\0';
    json_object_seed(0);
    a->json = json_loadb(a->text.text, a->text.len, 0, NULL);
    if (!a->json) {
        gp_copy(a->error, sizeof(a->error), "not an answer of gpuplan");
    } else if (strcmp(text_at(a, "schema"), "gpuplan.error/1") == 0) {
        struct gp_err err = {0};

        gp_copy(err.where, sizeof(err.where), text_at(a, "where"));
        gp_copy(err.text, sizeof(err.text), text_at(a, "text"));
        gp_copy(err.hint, sizeof(err.hint), text_at(a, "hint"));
        gp_err_line(&err, a->error);
    }
    return a;
}

static gpuplan_answer *answer_new(void)
{
    struct gpuplan_answer *a = gp_calloc(1, sizeof(*a));

    strbuf_init(&a->text);
    return a;
}

PUBLIC gpuplan_answer *gpuplan_read(const char *json)
{
    struct gpuplan_answer *a = answer_new();

    strbuf_add(&a->text, json);
    return answer_end(a);
}

PUBLIC gpuplan_answer *gpuplan_ask(gpuplan *g, const char *request)
{
    struct planner *planner = take_planner(g);
    struct gpuplan_answer *a = answer_new();

    batch_answer(planner, "request", 1, request, strlen(request), false, &a->text);
    put_planner(g, planner);
    return answer_end(a);
}

/* What a catalogue's report says, or the error that it ended in. */
static gpuplan_answer *answer_of(struct record *doc, enum gp_status rc, const struct gp_err *err)
{
    struct gpuplan_answer *a = answer_new();

    if (rc) {
        record_fini(doc);
        record_init(doc);
        report_error(err, doc);
    }
    record_json(doc, &a->text);
    record_fini(doc);
    return answer_end(a);
}

PUBLIC gpuplan_answer *gpuplan_list(gpuplan *g, const char *list)
{
    const struct report_class *class = report_classes;
    struct planner *planner = take_planner(g);
    struct gp_err err = {0};
    struct record doc = {0};

    while (class->word && strcmp(class->word, list) != 0)
        class ++;
    enum gp_status rc =
        class->word
            ? report_list(planner_catalog(planner), class, NULL, 0, &doc, &err)
            : gp_fail(&err, GP_E_USAGE, "list", "gpus, models, engines", "no list '%.60s'", list);
    put_planner(g, planner);
    return answer_of(&doc, rc, &err);
}

PUBLIC gpuplan_answer *gpuplan_show(gpuplan *g, const char *id)
{
    struct planner *planner = take_planner(g);
    struct gp_err err = {0};
    struct record doc;
    enum gp_status rc = report_show(planner, id, &doc, &err);

    put_planner(g, planner);
    return answer_of(&doc, rc, &err);
}

PUBLIC void gpuplan_answer_free(gpuplan_answer *a)
{
    if (!a)
        return;
    json_decref(a->json);
    strbuf_fini(&a->text);
    free(a);
}

PUBLIC const char *gpuplan_json(const gpuplan_answer *a)
{
    return a->text.text;
}

PUBLIC const char *gpuplan_error(const gpuplan_answer *a)
{
    return a->error;
}

PUBLIC const char *gpuplan_verdict(const gpuplan_answer *a)
{
    return text_at(a, "verdict.status");
}

PUBLIC int gpuplan_fits(const gpuplan_answer *a)
{
    const char *verdict = gpuplan_verdict(a);

    return strcmp(verdict, "fits") == 0 || strcmp(verdict, "marginal") == 0;
}

/* Of a quantity that member; a number is its own band. */
static double number_at(const gpuplan_answer *a, const char *path, const char *member)
{
    const json_t *value = value_at(a, path);

    if (json_is_object(value))
        value = json_object_get(value, member);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

PUBLIC double gpuplan_number(const gpuplan_answer *a, const char *path)
{
    return number_at(a, path, "value");
}

PUBLIC double gpuplan_low(const gpuplan_answer *a, const char *path)
{
    return number_at(a, path, "low");
}

PUBLIC double gpuplan_high(const gpuplan_answer *a, const char *path)
{
    return number_at(a, path, "high");
}

PUBLIC const char *gpuplan_text(const gpuplan_answer *a, const char *path)
{
    return text_at(a, path);
}

PUBLIC int gpuplan_has(const gpuplan_answer *a, const char *path)
{
    const json_t *value = value_at(a, path);

    return value && !json_is_null(value);
}

PUBLIC int gpuplan_count(const gpuplan_answer *a, const char *path)
{
    const json_t *value = value_at(a, path);

    return (int)(json_is_array(value) ? json_array_size(value) : json_object_size(value));
}
