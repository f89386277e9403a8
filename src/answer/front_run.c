/*
 * front_run.c - see front_run.h.
 */
#include "answer/front_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compare_run.h"
#include "answer/record_plan.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/front.h"
#include "plan/speed/speed.h"

/* ---- the record ---- */

static void load_facts(struct record *r, const struct resolved *first)
{
    const struct request *q = &first->request;
    char price[OPTION_CHOICE_MAX];

    record_text(r, "model", first->model_text);
    record_plan_engine(r, q->engine);
    record_count(r, "context", "tokens", q->context);
    record_count(r, "prompt", "tokens", q->prompt);
    record_count(r, "output", "tokens", q->output);
    record_text(r, "price", option_choice(OPT_PRICE, (int)q->price, price));
    record_plan_market(r, &first->market);
}

/* Between value / low and value * high. */
static struct quantity banded(double value, double low, double high)
{
    return isfinite(value) && value > 0
               ? quantity_band(value, value / low, value * high, ORIGIN_MODEL)
               : quantity_unknown();
}

/* The options of --plan that ask for this very point. */
static void options_fact(const struct front_point *p, struct record *r)
{
    const struct request *q = p->request;
    const struct layout *l = &p->layout;

    record_textf(r, "options",
                 "--gpu %s:%d --precision %s --tp %d --pp %d --ep %d --replicas %d "
                 "--users %.0f",
                 q->gpu->id, l->gpus, q->precision.native ? "native" : q->precision.id, l->tp,
                 l->pp, l->ep, l->replicas, p->users);
}

static void point_facts(const struct front_point *p, struct record *r)
{
    const struct layout *l = &p->layout;
    const struct {
        const char *name;
        int value;
    } degrees[] = {
        {"gpus", l->gpus}, {"tp", l->tp}, {"pp", l->pp}, {"ep", l->ep}, {"replicas", l->replicas}};

    record_text(r, "front",
                p->best_gpu && p->best_money ? "both"
                : p->best_gpu                ? "tokens/GPU"
                                             : "$/M");
    record_text(r, "gpu", p->request->gpu->id);
    record_text(r, "precision", p->request->precision.id);
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
        record_count(r, degrees[i].name, "", degrees[i].value);
        if (i > 0)
            record_detail(r);
    }
    record_count(r, "users", "", p->users);
    record_quantity(r, "user_tokens_per_s", "tokens/s", banded(front_of_user(p), p->high, p->low),
                    1, 1);
    record_title(r, "tokens/s/user");
    record_quantity(r, "gpu_tokens_per_s", "tokens/s", banded(front_of_gpu(p), p->high, p->low), 1,
                    0);
    record_title(r, "tokens/s/GPU");
    record_quantity(r, "per_million_output_tokens", "$", banded(front_million(p), p->low, p->high),
                    1, 2);
    record_title(r, "$/M out");
    record_quantity(r, "ttft", "ms",
                    banded(p->ttft, fmax(SPEED_TTFT_LOW, p->low), fmax(SPEED_TTFT_HIGH, p->high)),
                    1e-3, 0);
    record_title(r, "TTFT ms");
    record_quantity(r, "per_hour", "$/h",
                    p->per_hour > 0 ? quantity_of(p->per_hour, ORIGIN_SHEET) : quantity_unknown(),
                    1, 2);
    record_title(r, "$/h");
    options_fact(p, r);
}

static enum gp_status check_load(const struct options *options, struct gp_err *err)
{
    static const enum option_id given[] = {OPT_USERS, OPT_RATE};

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (options->value[given[i]].given)
            return gp_fail(err, GP_E_USAGE, "--front", "leave --users and --rate",
                           "looks at all numbers of users");
    return GP_OK;
}

enum gp_status report_front(struct planner *planner, const struct options *options,
                            struct record *doc, bool *any, struct gp_err *err)
{
    struct comparison *c;
    struct front front = {0};
    enum gp_status rc = check_load(options, err);

    if (!rc)
        rc = comparison_begin(planner, options, &c, err);
    if (rc)
        return rc;
    size_t total = comparison_total(c);
    struct request *asks = gp_calloc(total, sizeof(*asks));
    for (size_t i = 0; i < total; i++) {
        struct resolved r = comparison_ask(c, i);

        asks[i] = r.request;
        front_add(&front, &asks[i], &r.market);
    }
    record_text(doc, "schema", "gpuplan.front/1");
    load_facts(record_inside(doc, "request"), comparison_load(c));
    record_count(doc, "points", "", (double)front.seen);
    record_list(doc, "rows");
    for (size_t i = 0; i < front.count; i++)
        point_facts(&front.points[i], record_append(doc, "rows"));
    *any = front.count > 0;
    front_fini(&front);
    free(asks);
    comparison_free(c);
    return GP_OK;
}

/* ---- for people ---- */

static void print_head(const struct record *doc, struct strbuf *out)
{
    const struct record *request = &record_find(doc, "request")->records[0];

    strbuf_addf(out, "%s: prompts of %.0f and answers of %.0f tokens, %s, ",
                record_get(request, "model"), record_find(request, "prompt")->number.value,
                record_find(request, "output")->number.value, record_get(request, "engine"));
    record_plan_prices(request, out);
    strbuf_addf(out, "\nthe best of %.0f points: layouts x users\n\n",
                record_find(doc, "points")->number.value);
}

/* ---- fewer rows for people ---- */

#define STEP 0.87 /* of the tokens/s for a user: the next row of the same layout */

static bool same_layout(const struct record *a, const struct record *b)
{
    static const char *const degrees[] = {"gpus", "tp", "pp", "ep"};

    if (strcmp(record_get(a, "gpu"), record_get(b, "gpu")) != 0 ||
        strcmp(record_get(a, "precision"), record_get(b, "precision")) != 0)
        return false;
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        if (record_find(a, degrees[i])->number.value != record_find(b, degrees[i])->number.value)
            return false;
    return true;
}

/* Is a row far enough from the last one shown of its layout? */
static bool tells_more(const struct record *row, const struct record *shown, size_t count)
{
    while (count > 0 && !same_layout(row, &shown[count - 1]))
        count--;
    return count == 0 ||
           record_find(row, "user_tokens_per_s")->number.value <=
               STEP * record_find(&shown[count - 1], "user_tokens_per_s")->number.value;
}

/* Borrows of rows those that a person reads, and the last. Returns how many. */
static size_t thin(const struct fact *rows, struct record *shown)
{
    size_t count = 0;

    for (size_t i = 0; i < rows->record_count; i++)
        if (i + 1 == rows->record_count || tells_more(&rows->records[i], shown, count))
            shown[count++] = rows->records[i];
    return count;
}

static void print_rows(const struct fact *rows, enum output_format format, struct strbuf *out)
{
    struct record *shown = gp_calloc(rows->record_count, sizeof(*shown));
    size_t count = thin(rows, shown);
    bool all = format == OUTPUT_CSV;

    record_table(all ? rows->records : shown, all ? rows->record_count : count, NULL,
                 output_record_as(format), out);
    if (!all && count < rows->record_count)
        strbuf_addf(out, "\n%zu of %zu points; all of them: --format csv or json\n", count,
                    rows->record_count);
    free(shown);
}

void print_front(const struct record *doc, enum output_format format, bool quiet,
                 struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "rows");
    bool people = format != OUTPUT_CSV && !quiet;

    if (format == OUTPUT_JSON) {
        record_json(doc, out);
        return;
    }
    if (people)
        print_head(doc, out);
    if (rows->record_count > 0)
        print_rows(rows, format, out);
    if (people && rows->record_count == 0)
        strbuf_add(out, "nothing fits and reaches the goals\n");
    else if (people)
        strbuf_add(out, "\nfront: nothing is as fast for a user and gives more tokens/s for a "
                        "GPU (tokens/GPU), costs\nless per million output tokens ($/M), or "
                        "neither (both); options: of --plan, which asks for it\n"
                        "~ estimated, - unknown\n");
}
