/*
 * files.c - predicted checkpoint sizes against published file sizes.
 *
 *   files [FOLDER]   reads FOLDER/facts/gguf_sizes.csv
 *
 * Nothing here is fitted. Rows whose format is no plain one (dynamic mixes, parts of a
 * pipeline) are listed as not scored, and so are the two torchvision files, whose "MB"
 * are 2^20 bytes on the page they come from.
 */
#include "table.h"

struct alias {
    const char *listed, *id;
};

static const struct alias aliases[] = {
    {"safetensors bf16", "bf16"},
    {"safetensors f32", "fp32"},
    {"F32", "fp32"},
};

static const char *format_of(const char *listed)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(aliases[i].listed, listed) == 0)
            return aliases[i].id;
    return listed;
}

static bool predict(struct planner *planner, const char *model, const char *format, double *bytes)
{
    struct options options = {0};
    struct resolved r;
    options_text(&options, OPT_MODEL, "model", model, NULL);
    options_text(&options, OPT_PRECISION, "precision", format, NULL);
    options_text(&options, OPT_GPU, "gpu", "h100-sxm", NULL);
    if (planner_resolve(planner, &options, NULL, NULL, NULL, &r, NULL))
        return false;
    *bytes = weights_file_bytes(&r.request);
    return true;
}

int main(int argc, char **argv)
{
    struct table_file rows = {0};
    double sum = 0, worst = 0, bytes;
    int scored = 0, skipped = 0;
    if (!table_open(&rows, argc, argv, "facts/gguf_sizes.csv"))
        return 77;
    struct planner *planner = table_planner();
    while (table_next(&rows)) {
        const char *model = table_text_of(&rows, "model_id");
        const char *listed = table_text_of(&rows, "format");
        double published = table_number_of(&rows, "bytes");
        if (isnan(published) || !predict(planner, model, format_of(listed), &bytes)) {
            printf("# not scored: %s %s\n", model, listed);
            skipped++;
            continue;
        }
        double error = 100 * (bytes / published - 1);
        printf("%-22s %-16s %15.0f %+7.2f %%\n", model, listed, published, error);
        sum += fabs(error);
        worst = fmax(worst, fabs(error));
        scored++;
    }
    printf("%d files: mean absolute error %.2f %%, worst %.2f %%; %d rows not scored\n", scored,
           sum / scored, worst, skipped);
    planner_free(planner);
    table_close(&rows);
    return scored > 0 && sum / scored <= 0.5 ? 0 : 1;
}
