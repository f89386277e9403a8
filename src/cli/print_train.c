/*
 * print_train.c - see print_train.h.
 */
#include "cli/print_train.h"

#include <string.h>

#include "core/train.h"
#include "output/answer_lines.h"
#include "output/print_why.h"
#include "output/report_train.h"
#include "output/sentence.h"
#include "util/table.h"
#include "util/units.h"

static enum gp_status ask_train(const struct options *options, struct train *t,
                                struct gp_err *err)
{
    int optimizer, recompute;
    *t = train_defaults((enum train_method)train_method_parse(
        options_word(options, OPT_TRAIN, "full")));
    optimizer = train_optimizer_parse(
        options_word(options, OPT_OPTIMIZER, train_optimizer_word(t->optimizer)));
    recompute = train_recompute_parse(
        options_word(options, OPT_RECOMPUTE, train_recompute_word(t->recompute)));
    if (optimizer < 0)
        return gp_fail(err, GP_E_USAGE, "--optimizer",
                       "adamw, adamw-bf16, adamw-8bit, sgd", "unknown optimizer '%s'",
                       options_word(options, OPT_OPTIMIZER, ""));
    t->optimizer = (enum train_optimizer)optimizer;
    t->recompute = (enum recompute)recompute;
    if (options->value[OPT_ZERO].given)
        t->zero_stage = (int)options->value[OPT_ZERO].number;
    t->sequence = options_or(options, OPT_SEQUENCE, t->sequence);
    t->micro_batch = options_or(options, OPT_MICRO_BATCH, t->micro_batch);
    t->lora_rank = (int)options_or(options, OPT_LORA_RANK, t->lora_rank);
    t->fused_kernels = options_flag(options, OPT_FUSED);
    t->loss = (enum train_loss)train_loss_parse(options_word(
        options, OPT_LOSS,
        train_loss_word(t->fused_kernels ? LOSS_FUSED : LOSS_EAGER)));
    t->tp = (int)options_or(options, OPT_TP, 0);
    t->pp = (int)options_or(options, OPT_PP, 0);
    return GP_OK;
}

/* ---- text ---- */

static void print_head(const struct request *q, const struct train_memory *m,
                       struct strbuf *out)
{
    const struct train *t = &m->train;
    char params[32], trained[32], tokens[32], text[SENTENCE_MAX];
    strbuf_addf(out, "%s (%s parameters, %s trained), %s", q->model->name,
                units_params(params, sizeof(params), m->params),
                units_params(trained, sizeof(trained), m->trainable),
                train_method_word(t->method));
    if (t->method != TRAIN_FULL)
        strbuf_addf(out, " of rank %d", t->lora_rank);
    strbuf_addf(out, ", %s, recompute %s\n%.0f x %s tokens per GPU\n",
                train_optimizer_word(t->optimizer), train_recompute_word(t->recompute),
                t->micro_batch, units_tokens(tokens, sizeof(tokens), t->sequence));
    strbuf_addf(out, "\n%s on %d x %s (%s): data parallel %d, ZeRO stage %d",
                verdict_shout(m->verdict), t->gpus, q->gpu->name, q->gpu->id,
                m->data_parallel, t->zero_stage);
    if (t->tp > 1 || t->pp > 1)
        strbuf_addf(out, ", TP %d, PP %d", t->tp, t->pp);
    strbuf_add(out, "\n");
    for (int i = 0; sentence_train_reason(q, m, i, text); i++)
        strbuf_addf(out, "  %s\n", text);
    if (m->verdict == VERDICT_MARGINAL)
        strbuf_addf(out, "  decided by %s\n", sentence_train_knob(m, text));
    for (int i = 0; sentence_train_warning(q, m, i, text); i++)
        strbuf_addf(out, "  warning: %s\n", text);
}

/* A part that this run has. */
static bool has_part(const struct quantity *bytes)
{
    return bytes->known && (bytes->value != 0 || bytes->high != 0);
}

static void print_parts(const char *head, const struct train_part *parts, int count,
                        const struct train_memory *m, struct strbuf *out)
{
    const struct table_column columns[] = {{head, TABLE_LEFT},
                                           {"GiB", TABLE_RIGHT},
                                           {"low", TABLE_RIGHT},
                                           {"high", TABLE_RIGHT},
                                           {"origin", TABLE_LEFT}};
    struct table table;
    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < count; i++) {
        const struct quantity *b = train_part_bytes(m, &parts[i]);
        if (!has_part(b))
            continue;
        table_cell(&table, parts[i].name);
        table_cellf(&table, "%.2f", b->value / GP_GIB);
        table_cellf(&table, "%.2f", b->low / GP_GIB);
        table_cellf(&table, "%.2f", b->high / GP_GIB);
        table_cell(&table, origin_word(b->origin));
    }
    table_text(&table, out);
    table_fini(&table);
}

/* As CSV or Markdown, in the columns of an inference plan. */
static void print_rows(const struct request *q, const struct train_memory *m,
                       enum output_format format, struct strbuf *out)
{
    struct record r;
    char reason[SENTENCE_MAX] = "";
    sentence_train_reason(q, m, 0, reason);
    record_init(&r);
    record_text(&r, "verdict", verdict_word(m->verdict));
    record_note(&r, reason);
    record_text(&r, "GPU", q->gpu->id);
    record_note(&r, q->gpu->name);
    record_quantity(&r, "GPUs", "", quantity_exact(m->train.gpus), 1, 0);
    for (int i = 0; i < TRAIN_PARTS; i++) {
        const struct quantity *b = train_part_bytes(m, &train_parts[i]);
        if (has_part(b))
            record_quantity(&r, train_parts[i].name, "GiB", *b, GP_GIB, 4);
    }
    for (int i = 0; i < TRAIN_PRINTED; i++)
        record_quantity(&r, train_printed[i].name, "GiB",
                        *train_part_bytes(m, &train_printed[i]), GP_GIB, 4);
    record_rows(&r, output_record_as(format), out);
    record_fini(&r);
}

static void print_fixes(const struct request *q, const struct train_memory *m,
                        const struct train_fix *fixes, int count, struct strbuf *out)
{
    char options[SENTENCE_MAX], what[SENTENCE_MAX];
    if (m->verdict == VERDICT_FITS)
        return;
    strbuf_add(out, count ? "\nwhat would fit (each one was planned)\n"
                          : "\nno single change makes it fit\n");
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "    %-28s %+8.2f GiB/GPU  %3d GPUs  %s%s\n",
                    sentence_train_options(q, &fixes[i], options),
                    fixes[i].gain / GP_GIB, fixes[i].gpus,
                    sentence_train_fix(q, &fixes[i], what),
                    fixes[i].verdict == VERDICT_MARGINAL ? " (marginal)" : "");
}

static void print_text(const struct invocation *in, const struct request *q,
                       const struct train_memory *m, const struct train_fix *fixes,
                       int count, struct strbuf *out)
{
    struct term terms[TERMS_MAX];
    if (in->quiet) {
        strbuf_addf(out, "%s: %d x %s, ZeRO %d\n", verdict_word(m->verdict),
                    m->train.gpus, q->gpu->id, m->train.zero_stage);
        return;
    }
    print_head(q, m, out);
    if (m->usable.known) {
        strbuf_add(out, "\n");
        print_parts("memory of one GPU", train_parts, TRAIN_PARTS, m, out);
        strbuf_add(out, "\n");
        print_parts("as PyTorch prints it", train_printed, TRAIN_PRINTED, m, out);
    }
    print_fixes(q, m, fixes, count, out);
    if (options_flag(&in->options, OPT_WHY))
        print_why(terms, terms_of_train(q, m, terms), out);
}

enum gp_status train_run(struct invocation *in, struct gp_err *err)
{
    struct resolved r;
    struct train train;
    struct train_memory memory;
    struct train_fix fixes[TRAIN_MAX_FIXES];
    enum gp_status rc = ask_train(&in->options, &train, err);
    if (!rc)
        rc = planner_resolve(in->planner, &in->options, NULL, NULL, NULL, &r, err);
    if (!rc && !r.request.gpu)
        rc =
            gp_fail(err, GP_E_USAGE, "--gpu", "such as -g h100-sxm or -g h100-sxm:8",
                    "--train needs a GPU by name");
    if (!rc && (r.request.host_layers > 0 || r.request.host_experts > 0 ||
                    r.request.host_bytes > 0))
        rc = gp_fail(err, GP_E_USAGE, "--train", "",
                         "is planned with all weights on the GPUs");
    if (rc)
        return rc;
    train.gpus = r.request.gpu_count;
    train_estimate(&r.request, &train, &memory);
    int count =
        memory.verdict == VERDICT_FITS ? 0 : train_fixes(&r.request, &memory, fixes);
    if (in->format == OUTPUT_JSON) {
        struct record doc;
        record_init(&doc);
        report_train(&r.request, &memory, fixes, count,
                     options_flag(&in->options, OPT_WHY), &doc);
        record_json(&doc, &in->out);
        record_fini(&doc);
    } else if (in->format != OUTPUT_TEXT) {
        print_rows(&r.request, &memory, in->format, &in->out);
    } else {
        print_text(in, &r.request, &memory, fixes, count, &in->out);
    }
    in->exit_code = memory.verdict == VERDICT_DOES_NOT_FIT ? 1 : 0;
    return GP_OK;
}
