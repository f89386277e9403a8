/*
 * speed_labs.c - see speed_labs.h.
 */
#include "speed_labs.h"

#include "measure/result/shared.h"
#include "plan/load.h"
#include "plan/speed/calib.h"

#define LABS_LEAST 2 /* others than the one left out */

static enum kernel row_kernel(const struct row *r)
{
    return kernel_of(r->request.precision.by_role[ROLE_ATTN_OUT], r->request.gpu,
                     r->request.engine->gguf);
}

/* A share tells of the products of a dense model, in the formats that a library multiplies. */
static bool tells(const struct row *r)
{
    return !r->moe && !r->load.mixed && r->phase != PHASE_PROMPT && row_kernel(r) <= KERNEL_INT8;
}

static bool alike(const struct row *a, const struct row *b)
{
    return strcmp(a->lab, b->lab) == 0 && strcmp(a->gpu, b->gpu) == 0 &&
           row_kernel(a) == row_kernel(b);
}

/* What the rows like rows->row[first] say: its GPU's shares of the kernel, as a lab's. */
static struct shared_device device_of(const struct rows *rows, int first)
{
    const struct row *of = &rows->row[first];
    enum kernel kernel = row_kernel(of);
    struct shared_device d = {.month = "2026-01"};
    double sum = 0;
    int count = 0;
    bool is_alike;

    for (int i = first; i < rows->count; i++) {
        struct row_answer a;

        if (!tells(&rows->row[i]) || !alike(of, &rows->row[i]) || !row_predict(&rows->row[i], &a))
            continue;
        sum += log(rows->row[i].time / a.time);
        count++;
    }
    struct product_share share = family_product(of->request.gpu->family, kernel, &is_alike);
    double less = exp(sum / count);
    gp_copy(d.lab, sizeof(d.lab), of->lab);
    gp_copy(d.gpu, sizeof(d.gpu), of->gpu);
    d.kernel[kernel] =
        (struct shared_kernel){.compute = fmin(fmax(share.compute / less, .05), 1.05),
                               .memory = fmin(fmax(share.memory / less, .05), 1.05),
                               .points = 3};
    return d;
}

static bool is_first(const struct rows *rows, int row)
{
    for (int i = 0; i < row; i++)
        if (tells(&rows->row[i]) && alike(&rows->row[i], &rows->row[row]))
            return false;
    return true;
}

static struct plan_summary summary_of(const struct row *r)
{
    struct row_answer a;

    if (!row_predict(r, &a))
        return (struct plan_summary){.error = NAN};
    return (struct plan_summary){a.time / r->time - 1, a.low, a.high, 1, a.doubts};
}

/* The row as a plan that the merged results correct answers it. */
static bool corrected(const struct row *row, struct shared *others, struct catalog *catalog,
                      struct plan_summary *out)
{
    static struct shared_sum sum;
    static struct calib calib;
    static struct gpu gpu;
    static struct family family;
    const struct gpu *known;
    struct row r = *row;

    if (catalog_gpu(catalog, row->gpu, &known, NULL))
        return false;
    enum calib_from from = shared_sums(others, catalog, known, NULL, &sum);
    if (from == CALIB_NONE || sum.labs < LABS_LEAST)
        return false;
    shared_calib(&sum, from, r.request.gpu, &calib);
    calib_fit(&calib, r.request.gpu, r.request.gpu, &gpu, &family);
    gpu.family = &family;
    r.request.gpu = &gpu;
    struct load load = load_sum(&r.request);
    step_load_sum(&r.request, &load, &r.load);
    *out = summary_of(&r);
    return true;
}

void labs_merge(struct rows *rows, int first, struct plan_summary *before,
                struct plan_summary *after)
{
    static struct shared_device device[SHARED_DEVICES];

    for (int i = 0; i < rows->count; i++) {
        struct row *r = &rows->row[i];
        struct shared others = {.device = device};

        if (strcmp(r->lab, rows->row[first].lab) != 0 || !tells(r))
            continue;
        for (int j = 0; j < rows->count && others.count < SHARED_DEVICES; j++)
            if (tells(&rows->row[j]) && strcmp(rows->row[j].lab, r->lab) != 0 &&
                row_kernel(&rows->row[j]) == row_kernel(r) && is_first(rows, j))
                device[others.count++] = device_of(rows, j);
        if (corrected(r, &others, planner_catalog(rows->planner), &after[i]))
            before[i] = summary_of(r);
    }
}

int labs_check(const struct rows *rows, const struct plan_summary *before,
               const struct plan_summary *after)
{
    static const group_fn groups[] = {group_all, group_gpu, group_lab};
    static const char *const steady = "so many users"; /* at a rate the band goes by the estimate */
    struct score was = score_of(rows, before, group_load, steady);
    struct score is = score_of(rows, after, group_load, steady);
    struct score all = score_of(rows, after, group_all, NULL);

    if (was.rows == 0)
        return 0;
    score_print("each lab left out, of which two others have rows of its GPU", rows, before, groups,
                3);
    score_print("the same by the others' rows, merged as results", rows, after, groups, 3);
    if (all.inside >= .9 && is.inside >= .9 && is.width < was.width + 1e-6)
        return 0;
    printf("FAIL: merged results: %.0f %% inside, %.0f %% of so many users, x%.2f; without x%.2f\n",
           100 * all.inside, 100 * is.inside, is.width, was.width);
    return 1;
}

void labs_three(struct rows *rows, const struct plan_summary *outcome, struct labs_tally *tally)
{
    static struct shared_device device[3];
    struct plan_summary *was = gp_calloc(rows->count, sizeof(*was));
    struct plan_summary *is = gp_calloc(rows->count, sizeof(*is));

    for (int i = 0; i < rows->count; i++) {
        const struct row *r = &rows->row[i];
        struct shared three = {.device = device, .count = 3};
        struct plan_summary *o = &is[i];
        enum kernel k = row_kernel(r);
        bool is_alike;

        was[i].error = is[i].error = NAN;
        if (!tells(r) || isnan(outcome[i].error) || !(outcome[i].doubts >> DOUBT_FAMILY & 1))
            continue;
        struct product_share share = family_product(r->request.gpu->family, k, &is_alike);
        for (int lab = 0; lab < 3; lab++) {
            double off = exp(.01 * (lab - 1));

            device[lab] = (struct shared_device){.month = "2026-01"};
            gp_format(device[lab].lab, sizeof(device[lab].lab), "%d", lab);
            gp_copy(device[lab].gpu, sizeof(device[lab].gpu), r->gpu);
            device[lab].kernel[k] =
                (struct shared_kernel){share.compute * off, share.memory * off, .points = 3};
        }
        if (!corrected(r, &three, planner_catalog(rows->planner), o))
            continue;
        was[i] = outcome[i];
        o->error = was[i].error;
        o->weight = was[i].weight = 1;
        tally->rows++;
        tally->before += score_in_band(&was[i]);
        tally->after += score_in_band(o);
        tally->wide += log(was[i].low * was[i].high);
        tally->narrow += log(o->low * o->high);
    }
    static const group_fn groups[] = {group_all, group_gpu};
    if (score_of(rows, was, group_all, NULL).rows > 0) {
        score_print("left out, the generation's band", rows, was, groups, 2);
        score_print("three labs' instead", rows, is, groups, 2);
    }
    free(is);
    free(was);
}

int labs_check_three(const struct labs_tally *t)
{
    if (t->rows == 0)
        return 0;
    double was = exp(t->wide / t->rows), is = exp(t->narrow / t->rows);

    printf("\nthree labs: %d rows left out, in band %.0f %% -> %.0f %%, x%.2f -> x%.2f\n", t->rows,
           100 * t->before / t->rows, 100 * t->after / t->rows, was, is);
    if (t->after >= .9 * t->rows && is < was)
        return 0;
    printf("FAIL: three labs: fewer than 90 %% inside, or no narrower\n");
    return 1;
}
