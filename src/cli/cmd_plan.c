/*
 * cmd_plan.c - gpuplan --plan: one request, one answer; with --train what fine-tuning takes.
 */
#include <string.h>

#include "answer/curves.h"
#include "answer/print_plan.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/command.h"

/* ---- fine-tuning ---- */

static void train_print_head(const struct train_answer *a, struct strbuf *out)
{
    static const char *const copies[] = {
        [MODULES_EMBED] = ", embedding trained",
        [MODULES_HEAD] = ", head trained",
        [MODULES_BOTH] = ", embedding and head trained",
    };
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    const struct train *t = &m->train;
    int hosts = a->priced.layout.hosts;
    char params[32], trained[32], tokens[32];
    struct texts texts = {0};
    const char *text;

    strbuf_addf(out, "%s (%s parameters, %s trained), %s", q->model->name,
                units_params(params, sizeof(params), m->params),
                units_params(trained, sizeof(trained), m->trainable), train_method_word(t->method));
    if (t->method != TRAIN_FULL)
        strbuf_addf(out, " of rank %d", t->lora_rank);
    strbuf_addf(out, ", %s, recompute %s\n%.0f x %s tokens per GPU",
                train_optimizer_word(t->optimizer), train_recompute_word(t->recompute),
                t->micro_batch, units_tokens(tokens, sizeof(tokens), t->sequence));
    if (t->format)
        strbuf_addf(out, ", base %s", t->format->id);
    if (t->targets != LORA_LINEAR)
        strbuf_addf(out, ", adapters on %s",
                    t->targets == LORA_QV ? "query and value" : "attention alone");
    if (t->trainer)
        strbuf_addf(out, ", %s%s%s%s%s", t->trainer->word, t->trainer->from[0] ? " " : "",
                    t->trainer->from, t->trainer->until[0] ? " to " : "", t->trainer->until);
    if (t->modules != MODULES_NONE)
        strbuf_add(out, copies[t->modules]);
    if (t->eager_attention)
        strbuf_add(out, ", eager attention");
    if (t->offload != OFFLOAD_NONE)
        strbuf_addf(out, ", %s in host memory", train_offload_word(t->offload));
    if (t->step_in_backward)
        strbuf_add(out, ", step in the backward pass");
    if (t->sequence_parallel)
        strbuf_add(out, ", sequence parallel");
    if (t->device_map)
        strbuf_add(out, ", layers in series");
    strbuf_addf(out, "\n\n%s on %d x %s (%s): data parallel %d, ZeRO stage %d",
                verdict_words[m->verdict].shout, t->gpus, q->gpu->name, q->gpu->id,
                m->data_parallel, t->zero_stage);
    if (t->tp > 1 || (t->pp > 1 && !t->device_map))
        strbuf_addf(out, ", TP %d, PP %d", t->tp, t->pp);
    if (t->cp > 1)
        strbuf_addf(out, ", CP %d", t->cp);
    if (a->priced.has_memory)
        strbuf_addf(out, ", %d host%s", hosts, hosts == 1 ? "" : "s");
    strbuf_add(out, "\n");
    for (int i = 0; (text = sentence_train_reason(q, m, i, &texts)); i++)
        strbuf_addf(out, "  %s\n", text);
    if (m->verdict == VERDICT_MARGINAL)
        strbuf_addf(out, "  decided by %s\n", sentence_train_knob(m, &texts));
    for (int i = 0; (text = sentence_train_warning(q, m, i, &texts)); i++)
        strbuf_addf(out, "  warning: %s\n", text);
    texts_fini(&texts);
}

static void train_print_parts(const char *head, enum train_group group,
                              const struct train_memory *m, struct strbuf *out)
{
    const struct table_column columns[] = {{head, TABLE_LEFT},
                                           {"GiB", TABLE_RIGHT},
                                           {"low", TABLE_RIGHT},
                                           {"high", TABLE_RIGHT},
                                           {"origin", TABLE_LEFT}};
    struct table table;

    strbuf_add(out, "\n");
    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < TRAIN_PARTS; i++) {
        const struct quantity *b = train_part_bytes(m, &train_parts[i]);

        if (train_parts[i].group != group || !train_part_is_there(b))
            continue;
        table_cell(&table, train_parts[i].name);
        table_cellf(&table, "%.2f", b->value / GP_GIB);
        table_cellf(&table, "%.2f", b->low / GP_GIB);
        table_cellf(&table, "%.2f", b->high / GP_GIB);
        table_cell(&table, origin_word(b->origin));
    }
    table_text(&table, out);
    table_fini(&table);
}

static void train_print_fixes(const struct train_answer *a, struct strbuf *out)
{
    const struct request *q = &a->resolved.request;
    struct texts texts = {0};
    char hour[32];

    if (a->memory.verdict == VERDICT_FITS)
        return;
    strbuf_add(out, a->fix_count ? "\nwhat would fit (each one was planned)\n"
                                 : "\nno single change makes it fit\n");
    for (int i = 0; i < a->fix_count; i++) {
        const struct train_fix *f = &a->fixes[i];
        bool known = f->per_hour > 0;

        strbuf_addf(out, "    %-30s %+8.2f GiB/GPU  %3d GPU%-2s %9s%s  %s%s\n",
                    sentence_train_options(q, f, &texts), f->gain / GP_GIB, f->gpus,
                    f->gpus == 1 ? "" : "s",
                    known ? units_money(hour, sizeof(hour), f->per_hour) : "-", known ? "/h" : "  ",
                    sentence_train_fix(q, f, &texts),
                    f->verdict == VERDICT_MARGINAL ? " (marginal)" : "");
    }
    texts_fini(&texts);
}

static void train_print(const struct invocation *in, const struct train_answer *a,
                        struct strbuf *out)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    struct term terms[TERMS_MAX];

    if (in->quiet) {
        strbuf_addf(out, "%s: %d x %s, ZeRO %d\n", verdict_word(m->verdict), m->train.gpus,
                    q->gpu->id, m->train.zero_stage);
        return;
    }
    train_print_head(a, out);
    if (m->usable.known) {
        train_print_parts("memory of one GPU", TRAIN_OF_GPU, m, out);
        train_print_parts("as PyTorch prints it", TRAIN_PRINTED, m, out);
        if (train_part_is_there(&m->host))
            train_print_parts("memory of one host", TRAIN_OF_HOST, m, out);
    }
    if (a->priced.has_memory)
        print_cost(&a->priced, out);
    train_print_fixes(a, out);
    if (options_flag(&in->options, OPT_WHY))
        print_why(terms, terms_of_train(q, m, &a->priced, terms), out);
}

/* gpuplan.train/1 in JSON. */
static enum gp_status train_run(struct invocation *in, struct gp_err *err)
{
    struct train_answer a;
    struct record doc = {0};
    enum gp_status rc = planner_train(in->planner, &in->options, &a, err);

    if (rc)
        return rc;
    if (in->format == OUTPUT_JSON) {
        report_train(&a, options_flag(&in->options, OPT_WHY), &doc);
        record_json(&doc, &in->out);
    } else if (in->format != OUTPUT_TEXT) {
        report_train_rows(&a, &doc);
        record_rows(&doc, output_record_as(in->format), &in->out);
    } else {
        train_print(in, &a, &in->out);
    }
    record_fini(&doc);
    in->exit_code = a.memory.verdict == VERDICT_DOES_NOT_FIT ? 1 : 0;
    return GP_OK;
}

/* ---- the command ---- */

/* --verbose: each run of --calibration's files beside what was predicted of it. */
static enum gp_status print_measured(const struct answer *a, struct strbuf *out, struct gp_err *err)
{
    struct measured_rows rows;
    struct table table;
    enum gp_status rc = measured_rows_read(a, &rows, err);

    if (rc || rows.count == 0)
        return rc;
    strbuf_add(out, "\nmeasured against predicted\n");
    measured_rows_table(&rows, &table);
    table_text(&table, out);
    table_fini(&table);
    strbuf_addf(out, "%s\n", rows.words);
    return GP_OK;
}

static enum gp_status plan_run(struct invocation *in, struct gp_err *err)
{
    bool why = options_flag(&in->options, OPT_WHY);
    bool line = in->quiet && in->format == OUTPUT_TEXT;
    struct answer a;

    if (in->options.value[OPT_TRAIN].given)
        return train_run(in, err);
    enum gp_status rc = options_inference(&in->options, "is for --train only", err);
    if (!rc)
        rc = (line ? planner_decide : planner_answer)(in->planner, &in->options, &a, err);
    if (!rc && !in->quiet && in->format != OUTPUT_CSV && in->format != OUTPUT_MARKDOWN)
        rc = planner_betters(in->planner, &a, err);
    if (rc)
        return rc;
    if (in->format == OUTPUT_JSON)
        print_plan_json(&a, &in->options, why, &in->out);
    else if (in->format != OUTPUT_TEXT)
        print_plan_table(&a, in->format, &in->out);
    else if (line)
        print_plan_line(&a, &in->out);
    else
        print_plan(&a, &in->options, why, in->verbose, &in->out);
    if (in->verbose && in->format == OUTPUT_TEXT && !line)
        rc = print_measured(&a, &in->out, err);
    in->exit_code = !reasons_pass(a.plan.reasons);
    return rc;
}

const struct command cmd_plan = {
    .name = "plan",
    .usage = "-m MODEL [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "one request: verdict, memory per GPU, GPU count and layout, cost, fixes",
    .bit = FOR_PLAN,
    .one = ONE_EACH,
    .several = "use --compare for several",
    .wraps = true,
    .run = plan_run,
};
