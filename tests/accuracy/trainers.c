/*
 * trainers.c - scores fine-tuning by trainer against peaks that were reserved or printed.
 *
 *   trainers [FOLDER]   FOLDER/validation/training_recent.csv
 *
 * Nothing here is fitted. PEFT's runs pad to the longest of a batch, 768 at most, and evaluate
 * between; axolotl's figures are rounded and say not which they are; torchtitan's are of 2024-12
 * and 2025-06, the last of them with Float8, which must be refused. Rows of models that the
 * catalogue does not have are not asked. Magistral Small 2507 is the text model alone (the example
 * is axolotl's "think", beside one with vision).
 */
#include "base/units.h"
#include "rows_out.h"
#include "table.h"

#define WORST_MEAN 0.15
#define LEAST_COVER 0.85

static const struct asked {
    const char *model, *id;
} models[] = {
    {"Llama 3.2 3B", "llama-3.2-3b"},
    {"Magistral-Small-2507 (Mistral Small 3.1 24B)", "mistral-small-3-24b"},
    {"MiMo-7B-RL", "mimo-7b"},
    {"Plano-Orchestrator-4B (Qwen3-4B shapes)", "qwen3-4b"},
    {"Llama 3.1 8B", "llama-3.1-8b"},
};

static void ask(struct options *o, enum option_id id, const char *text)
{
    struct gp_err err = {0};

    if (options_text(o, id, option_rows[id].name, text, &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.text);
        exit(3);
    }
}

static void ask_row(struct options *o, const struct table_file *t, const char *id, char gpu[2][48])
{
    const char *method = table_text_of(t, "method"), *software = table_text_of(t, "software");
    const char *notes = table_text_of(t, "notes");
    bool qlora = strncmp(method, "QLoRA", 5) == 0, full = strncmp(method, "Full", 4) == 0;
    bool titan = strncmp(software, "torchtitan", 10) == 0, peft = strncmp(software, "PEFT", 4) == 0;
    double gpus = table_number_of(t, "n_gpus");

    gp_format(gpu[0], sizeof(gpu[0]), "%s:%.0f",
              strcmp(table_text_of(t, "gpu"), "L40S") == 0 ? "l40s" : "h200-sxm", gpus);
    ask(o, OPT_MODEL, id);
    if (strstr(software, "Float8"))
        ask(o, OPT_PRECISION, "fp8");
    ask(o, OPT_GPU, gpu[0]);
    ask(o, OPT_TRAIN, full ? "full" : qlora ? "qlora" : "lora");
    ask(o, OPT_TRAINER, titan ? "torchtitan" : peft ? "transformers" : "axolotl");
    ask(o, OPT_MICRO_BATCH, table_text_of(t, "micro_batch"));
    ask(o, OPT_SEQUENCE, table_text_of(t, "seq_len"));
    ask(o, OPT_RECOMPUTE, titan ? "ops" : peft ? "none" : "full");
    ask(o, OPT_OPTIMIZER, titan ? "adamw" : peft ? "adamw-bf16" : "adamw-8bit");
    if (titan)
        ask(o, OPT_ZERO, "3");
    if (strstr(notes, "cut cross entropy") && !strstr(notes, "no cut cross"))
        ask(o, OPT_LOSS, "fused");
    if (full)
        return;
    const char *rank = strstr(notes, "rank=");
    gp_format(gpu[1], sizeof(gpu[1]), "%d", rank ? atoi(rank + 5) : 16);
    ask(o, OPT_LORA_RANK, gpu[1]);
    ask(o, OPT_LORA_TARGETS, strstr(notes, "targets=q_proj,v_proj") ? "qv" : "linear");
}

int main(int argc, char **argv)
{
    struct table_file t;
    double sum = 0;
    int n = 0, rows = 0, inside = 0;

    if (!table_open(&t, argc, argv, "validation/training_recent.csv"))
        return 77;
    struct planner *p = table_planner();
    printf("%-22.22s %-14s %-22s %8s %8s  %s\n", "GiB", "method", "software", "measured", "planned",
           "band");
    while (table_next(&t)) {
        const struct asked *a = NULL;
        struct options o = {0};
        struct train_answer *answer = gp_calloc(1, sizeof(*answer));
        struct gp_err err = {0};
        char words[2][48];
        double measured = table_number_of(&t, "peak_mem_gb") * GP_GIB;

        rows++;
        for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
            if (strcmp(models[i].model, table_text_of(&t, "model")) == 0)
                a = &models[i];
        if (a) {
            ask_row(&o, &t, a->id, words);
            if (planner_train(p, &o, answer, &err)) {
                if (strstr(err.text, "Float8")) {
                    printf("%-22.22s %-14s %-22.22s refused: %s\n", a->model,
                           table_text_of(&t, "method"), table_text_of(&t, "software"), err.text);
                    free(answer);
                    continue;
                }
                fprintf(stderr, "%s: %s\n", err.where, err.text);
                return 3;
            }
            struct quantity r = answer->memory.reserved;
            bool in = measured >= r.low && measured <= r.high;
            double error = r.value / measured - 1;

            printf("%-22.22s %-14s %-22.22s %8.1f %8.1f  %.1f..%.1f  %+.0f %%%s\n", a->model,
                   table_text_of(&t, "method"), table_text_of(&t, "software"), measured / GP_GIB,
                   r.value / GP_GIB, r.low / GP_GIB, r.high / GP_GIB, 100 * error,
                   in ? "" : "  outside");
            struct request run = answer->resolved.request;

            run.engine = NULL; /* it serves nothing */
            row_out(&run, &(struct row_out){"fine-tuning by trainer", "reserved", NAN, measured,
                                            r.value, r.low, r.high, NAN, ""});
            sum += fabs(error);
            inside += in;
            n++;
        }
        free(answer);
    }
    table_close(&t);
    printf("%d of %d rows asked: mean error %.1f %%, %d in band\n", n, rows, 100 * sum / n, inside);
    planner_free(p);
    return n > 0 && sum / n <= WORST_MEAN && inside >= LEAST_COVER * n ? 0 : 1;
}
