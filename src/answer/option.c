/*
 * option.c - see option.h.
 */
#include "answer/option.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/suggest.h"
#include "base/units.h"
#include "catalog/names.h"
#include "plan/plan.h"

#define PLAN_INT(member)                              \
    {                                                 \
        PLANNED_INT, offsetof(struct plan, member), 1 \
    }
#define PLAN_DOUBLE(member)                              \
    {                                                    \
        PLANNED_DOUBLE, offsetof(struct plan, member), 1 \
    }
#define PLAN_MS(member)                                    \
    {                                                      \
        PLANNED_DOUBLE, offsetof(struct plan, member), 1e3 \
    }
#define PLAN_MEMORY(member)                                     \
    {                                                           \
        PLANNED_MEMORY, offsetof(struct plan, memory.member), 1 \
    }

#define FLAG .type = OPTION_FLAG, .fallback = "off"
#define WORD(is, these) .type = OPTION_WORD, .argument = is, .choices = these
#define TOKENS .type = OPTION_TOKENS, .argument = "TOKENS", .unit = "tokens"
#define COUNTED .type = OPTION_COUNTED, .argument = "N"

#define R FOR_REQUEST
#define P (FOR_PLAN | FOR_REPORT)
#define M FOR_BENCH /* measuring */
#define C (FOR_BENCH | FOR_CONFIRM)

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, ...) [OPT_##id] = {__VA_ARGS__},
#include "answer/option_rows.h"
#undef OPTION
};

int option_find(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *a = name, *b = option_rows[i].name;

        for (; *a && (*a == '_' ? '-' : *a) == *b; a++)
            b++;
        if ((!*a && !*b) || (name[0] && !name[1] && name[0] == option_rows[i].key))
            return i;
    }
    return -1;
}

int option_split(const char *word, char *name, size_t size, const char **value)
{
    size_t dashes = strspn(word, "-"), n;

    /* "-tp 2", "-model X": whole names with one dash, as some engines take them */
    n = strcspn(word, "=");
    if (dashes == 1 && n > 2 && gp_format(name, size, "%.*s", (int)n - 1, word + 1) &&
        option_find(name) >= 0) {
        *value = word[n] ? word + n + 1 : NULL;
        return option_find(name);
    }
    if (dashes == 1 && word[1]) {
        gp_format(name, size, "%.2s", word);
        *value = word[2] ? word + 2 + (word[2] == '=') : NULL;
    } else {
        *value = word[n] ? word + n + 1 : NULL;
        if (!gp_format(name, size, "%.*s", (int)n, word))
            return -1;
    }
    return option_find(name + (dashes < 2 ? dashes : 2));
}

int option_find_word(const char *word)
{
    char name[64];
    const char *value;

    return option_split(word + (word[0] == '-' && option_find(word + 1) >= 0), name, sizeof(name),
                        &value);
}

/* ---- setting ---- */

static enum gp_status options_add(const char **list, int *count, const char *where,
                                  const char *text, struct gp_err *err)
{
    if (*count >= OPTIONS_MAX_MANY)
        return gp_fail(err, GP_E_USAGE, where, "split the request", "given more than %d times",
                       OPTIONS_MAX_MANY);
    list[(*count)++] = text;
    return GP_OK;
}

/* The place of the text among "text|json|csv"; -1 when it is none of them. */
static int option_place(const char *choices, const char *text)
{
    size_t n = strlen(text);

    for (int place = 0; choices[0]; place++) {
        size_t len = strcspn(choices, "|");

        if (len == n && strncmp(choices, text, n) == 0)
            return place;
        choices += len + (choices[len] == '|');
    }
    return -1;
}

bool option_has_choice(enum option_id id, const char *word)
{
    return option_place(option_rows[id].choices, word) >= 0;
}

static enum gp_status option_parse(const struct option_row *row, const char *where,
                                   const char *text, double *value, struct gp_err *err)
{
    switch (row->type) {
    case OPTION_TOKENS:
        return units_parse_tokens(text, where, value, err);
    case OPTION_BYTES:
        return units_parse_bytes(text, where, value, err);
    default:
        if (row->high == 1)
            return units_parse_share(text, where, value, err);
        return gp_has_word("ms|s", "|", row->unit)
                   ? units_parse_time(text, where, row->unit, value, err)
                   : units_parse_number(text, where, value, err);
    }
}

enum gp_status options_twice(const char *where, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, where, "keep one of them", "is given twice");
}

enum gp_status options_number(struct options *options, enum option_id id, const char *where,
                              double value, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    double scale = row->type == OPTION_BYTES ? GP_GIB : 1;

    if (id == OPT_OUT && options->value[OPT_OUTPUT].given)
        return options_twice(where, err);
    if (id == OPT_OUT)
        return options_number(options, OPT_OUTPUT, where, value, err);
    if (row->type < OPTION_COUNTED || row->type == OPTION_PATH)
        return gp_fail(err, GP_E_USAGE, where, "put it in quotes", "must be text");
    if (!isfinite(value) || value < row->low || value > row->high)
        return gp_fail(err, GP_E_USAGE, where, row->help, "%s is outside %s..%s%s%s",
                       UNITS_PLAIN(value / scale, 6), UNITS_PLAIN(row->low / scale, 6),
                       UNITS_PLAIN(row->high / scale, 6), row->unit[0] ? " " : "", row->unit);
    if ((row->type == OPTION_COUNTED || row->type == OPTION_TOKENS) && value != floor(value))
        return gp_fail(err, GP_E_USAGE, where, row->help, "%s is not a whole number",
                       UNITS_PLAIN(value, 6));
    options->value[id] = (struct option_value){.given = true, .number = value};
    return GP_OK;
}

/* What is chosen where nothing is given can be asked for by this word. */
static bool option_takes_auto(const struct option_row *row)
{
    return strcmp(row->fallback, "auto") == 0 || strncmp(row->fallback, "the engine's", 12) == 0;
}

enum gp_status options_text(struct options *options, enum option_id id, const char *where,
                            const char *text, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    enum gp_status rc = GP_OK;
    double value = 0;

    if (id == OPT_OUT && units_parse_tokens(text, where, &value, NULL) == GP_OK)
        return options_number(options, OPT_OUT, where, value, err);
    if (row->type >= OPTION_COUNTED && row->type != OPTION_PATH) {
        if (strcmp(text, "auto") == 0 && option_takes_auto(row)) {
            options->value[id] = (struct option_value){.given = true, .text = text};
            return GP_OK;
        }
        rc = option_parse(row, where, text, &value, err);
        if (!rc)
            rc = options_number(options, id, where, value, err);
        if (!rc)
            options->value[id].text = text;
        return rc;
    }
    if (row->type == OPTION_WORD)
        rc = option_place(row->choices, text) >= 0
                 ? GP_OK
                 : gp_fail(err, GP_E_USAGE, where, row->choices, "'%s' is not one of the choices",
                           text);
    else if (row->type != OPTION_FLAG && text[0] == '\0')
        rc = gp_fail(err, GP_E_USAGE, where, row->argument, "is empty");
    if (!rc && id == OPT_MODEL)
        rc = options_add(options->models, &options->model_count, where, text, err);
    if (!rc && id == OPT_PRECISION)
        rc = options_add(options->precisions, &options->precision_count, where, text, err);
    if (!rc && id == OPT_GPU)
        rc = options_add(options->gpus, &options->gpu_count, where, text, err);
    if (!rc)
        options->value[id] = (struct option_value){.given = true, .text = text};
    return rc;
}

enum gp_status options_inference(const struct options *options, const char *why, struct gp_err *err)
{
    char where[80];

    for (int id = OPT_TRAIN; id <= OPT_FUSED; id++)
        if (options->value[id].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[id].name);
            return gp_fail(err, GP_E_USAGE, where, "gpuplan --plan --train METHOD", "%s", why);
        }
    return GP_OK;
}

bool option_means_default(enum option_id id, const char *text)
{
    const struct option_row *row = &option_rows[id];
    bool number = row->fallback[0] >= '0' && row->fallback[0] <= '9';

    if (!text[0])
        return true;
    if (id == OPT_MODEL) /* a model may have any name */
        return false;
    return strcmp(text, "auto") == 0 || (!number && strcmp(text, row->fallback) == 0) ||
           (id == OPT_PRECISION && strcmp(text, "native") == 0);
}

bool options_flag(const struct options *options, enum option_id id)
{
    return options->value[id].given;
}

double options_or(const struct options *options, enum option_id id, double fallback)
{
    const struct option_value *v = &options->value[id];

    return v->given && v->number > 0 ? v->number : fallback;
}

int options_choice(const struct options *options, enum option_id id)
{
    const struct option_row *row = &option_rows[id];

    return option_place(row->choices, options_word(options, id, row->fallback));
}

const char *option_choice(enum option_id id, int place, char word[OPTION_CHOICE_MAX])
{
    const char *choices = option_rows[id].choices;

    if (place < 0)
        choices = "none";
    for (int i = 0; i < place; i++)
        choices += strcspn(choices, "|") + 1;
    gp_format(word, OPTION_CHOICE_MAX, "%.*s", (int)strcspn(choices, "|"), choices);
    return word;
}

const char *options_word(const struct options *options, enum option_id id, const char *fallback)
{
    return options->value[id].given && options->value[id].text ? options->value[id].text : fallback;
}

/* ---- the command line of a request ---- */

/* Does `changes` give this option? */
static bool option_is_changed(const char *changes, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = strstr(changes, "--"); p; p = strstr(p + 2, "--"))
        if (strncmp(p + 2, name, n) == 0 && (p[2 + n] == ' ' || p[2 + n] == '\0'))
            return true;
    return false;
}

void options_command(const struct options *options, const char *command, const char *changes,
                     struct strbuf *out)
{
    strbuf_addf(out, "gpuplan --%s", command);
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_rows[id];
        const struct option_value *v = &options->value[id];
        const char *text = id == OPT_MODEL && options->model_count > 0 ? options->models[0]
                           : id == OPT_PRECISION && options->precision_count > 0
                               ? options->precisions[0]
                           : id == OPT_GPU && options->gpu_count > 0 ? options->gpus[0]
                                                                     : v->text;
        /* of a question; not of how it is printed, nor of what was solved for */
        bool asks = id == OPT_PROFILES || ((row->commands & FOR_COMPARE) &&
                                           (row->commands & FOR_TABLE) && id < OPT_TRAIN);

        if (!asks || !v->given || option_is_changed(changes, row->name))
            continue;
        if (row->key)
            strbuf_addf(out, " -%c", row->key);
        else
            strbuf_addf(out, " --%s", row->name);
        if (row->type == OPTION_FLAG)
            continue;
        strbuf_add(out, " ");
        if (text)
            strbuf_quote(out, text);
        else
            strbuf_addf(out, "%.15g", v->number);
    }
    if (changes[0])
        strbuf_addf(out, " %s", changes);
}

/* Flags of vLLM, SGLang, TensorRT-LLM, llama.cpp and benchmark tools, without what suggest() finds
 * by itself, and without dashes. A word with two senses here stands twice. */
static const char *const spellings[OPTION_COUNT] = {
    [OPT_CONTEXT] = "ctx nctx ctxsize maxmodellen maxlen maxseqlen seqlen",
    [OPT_SEQUENCE] = "maxseqlen maxseqlength seqlen",
    [OPT_PROMPT] = "isl input inputlen inputtokens randominputlen",
    [OPT_OUTPUT] = "osl outputlen randomoutputlen maxtokens maxnewtokens npredict",
    [OPT_RATE] = "qps rps requestrate requestspersecond",
    [OPT_USERS] = "concurrency maxconcurrency requests batchsize",
    [OPT_TP] = "tensorparallel tensorparallelsize",
    [OPT_PP] = "pipelineparallel pipelineparallelsize",
    [OPT_EP] = "expertparallel expertparallelsize enableexpertparallel",
    [OPT_REPLICAS] = "dp dpsize dataparallel dataparallelsize instances",
    [OPT_GPU] = "gpus numgpus gpucount ngpu gputype accelerator",
    [OPT_PRECISION] = "dtype quant quantization weights",
    [OPT_TYPE] = "dtype",
    [OPT_KV_PRECISION] = "kvcachedtype kvcachetype kvdtype cachetypek cachetypev",
    [OPT_MEMORY_UTILIZATION] =
        "gpumemoryutilization gpuutil memfractionstatic freegpumemoryfraction",
    [OPT_MAX_BATCHED_TOKENS] = "maxnumbatchedtokens maxnumtokens chunkedprefillsize ubatchsize",
    [OPT_ENFORCE_EAGER] = "eager disablecudagraph nocudagraph",
    [OPT_MAX_NUM_SEQS] = "maxbatchsize maxrunningrequests parallel",
    [OPT_GPU_LAYERS] = "ngl ngpulayers",
    [OPT_N_CPU_MOE] = "ncmoe cpumoe",
    [OPT_CPU_OFFLOAD_GB] = "cpuoffload",
    [OPT_HOST_MEMORY] = "ram hostbandwidth",
    [OPT_HOST_THREADS] = "threads",
    [OPT_KV_OFFLOAD_GB] = "kvoffloadingsize swapspace hicachesize",
    [OPT_NO_KV_OFFLOAD] = "nkvo",
    [OPT_DRAFT] = "draftmodel modeldraft md speculativemodel speculativedraftmodelpath mtp",
    [OPT_SPECULATIVE_TOKENS] = "numspeculativetokens speculativenumdrafttokens draftmax",
    [OPT_LORA] = "maxloras enablelora maxlorasperbatch maxlorarank",
    [OPT_ENGINE] = "framework runtime",
    [OPT_MODEL] = "modelpath hfrepo checkpoint",
    [OPT_PRUNE] = "sparsity",
    [OPT_MICRO_BATCH] = "perdevicetrainbatchsize",
    [OPT_RECOMPUTE] = "gradientcheckpointing",
    [OPT_LORA_RANK] = "lorar",
    [OPT_FORMAT] = "json csv markdown",
    [OPT_OUT] = "file",
    [OPT_WHY] = "explain",
};

bool spelling_option(const char *text, const char *dashes, const char *const *names, size_t count,
                     char *hint, size_t size)
{
    char word[64], plain[64], as[8];
    size_t len = 0;

    hint[0] = '\0';
    text += strspn(text, "-");
    if (!gp_format(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text))
        return false;
    for (const char *c = word; *c; c++)
        if (*c != '-' && *c != '_')
            plain[len++] = gp_lower(*c);
    plain[len] = '\0';
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_rows[id];
        bool argument = dashes[0] && row->argument; /* on a command line */
        size_t at = 0;

        if (!spellings[id] || !gp_has_word(spellings[id], " ", plain))
            continue;
        while (at < count && strcmp(names[at], row->name) != 0)
            at++;
        if (at < count)
            gp_append(hint, size, " or ", "%s%s%s%s%s", hint[0] ? "" : "did you mean ", dashes,
                      row->name, argument ? " " : "", argument ? row->argument : "");
    }
    if (hint[0])
        return gp_append(hint, size, "", "?");
    gp_format(as, sizeof(as), "%s*", dashes);
    return suggest(word, names, count, as, hint, size);
}

/* "H200 8x", "HGX H100 8x80GB", "H200 8-GPU": cuts the count out of plain; false: it has none. */
static bool count_behind(char *plain, int *many)
{
    for (char *at = plain; (at = strpbrk(at, " -")) != NULL;) {
        int gpus = 0, times = 0;
        char *end = ++at;

        if (!isdigit((unsigned char)*at))
            continue;
        if (sscanf(at, "%3d%*1[ -]%*1[Gg]%*1[Pp]%*1[Uu]%n", many, &gpus) == 1 && gpus > 0)
            end = at + gpus + strspn(at + gpus, "sS");
        else if (sscanf(at, "%3d %*1[xX*]%n", many, &times) == 1 && times > 0)
            end = at + times;
        if (end == at || *many < 1 ||
            (*end && (times == 0 || !isdigit((unsigned char)*end) || strlen(end) < 3 ||
                      strcasecmp(end + strlen(end) - 2, "gb") != 0)))
            continue;
        memmove(at, end, strlen(end) + 1);
        if (!*at)
            at[-1] = '\0';
        gp_trim(plain);
        return plain[0];
    }
    return false;
}

/* "server with 4x L40S": the name behind a count; NULL: there is none, as behind "Ventus 3X". */
static const char *count_inside(const char *text, int *many)
{
    for (const char *at = text; (at = strchr(at, ' ')) != NULL;) {
        int used = 0;

        if (!isdigit((unsigned char)*++at) || sscanf(at, "%2d%*1[xX*] %n", many, &used) != 1 ||
            used == 0 || at[used - 1] != ' ' || *many < 1)
            continue;
        at += used;
        return isalpha((unsigned char)*at) || strspn(at, "0123456789") == 4 ? at : NULL;
    }
    return NULL;
}

bool spelling_count(const char *text, char *name, size_t size, int *count)
{
    char plain[128];
    int used = 0, many = 0; /* *count stays where the text is none of these */
    size_t n;

    if (!gp_copy(plain, sizeof(plain), text))
        return false;
    const char *one = name_counted(text, &many);
    if (one) {
        *count = *one ? many : *count;
        return *one && gp_copy(name, size, one);
    }
    for (char *sign; (sign = strstr(plain, "\xC3\x97"));) /* the multiplication sign */
        memcpy(sign, "* ", 2);
    if (sscanf(plain, "%3d-%*1[gG]%*1[pP]%*1[uU] %n", &many, &used) == 1 && used > 0 && many > 0) {
        *count = many;
        return gp_copy(name, size, plain + used);
    }
    if (isdigit((unsigned char)plain[0]) && sscanf(plain, "%5d %*1[xX*] %n", &many, &used) == 1 &&
        used > 0 && plain[used] && many < 1000) {
        *count = many > 0 ? many : *count;
        return many > 0 && gp_copy(name, size, plain + used);
    }
    /* "8 H100s"; "H100 (x8)", "H100 (8)" */
    if (sscanf(plain, "%3d %n", &many, &used) == 1 && used > 1 && plain[used - 1] == ' ' &&
        many > 0) {
        *count = many;
        return gp_copy(name, size, plain + used);
    }
    char *open = strrchr(plain, '('), end = ' ';
    if (open &&
        (sscanf(open, "(%*1[xX*]%3d%c", &many, &end) == 2 ||
         sscanf(open, "(%3d%*1[xX*]%c", &many, &end) == 2 ||
         sscanf(open, "(%3d%c", &many, &end) == 2) &&
        end == ')' && many > 0) {
        *open = '\0';
        gp_trim(plain);
        *count = many;
        return gp_copy(name, size, plain);
    }
    if (count_behind(plain, &many)) {
        *count = many;
        return gp_copy(name, size, plain);
    }
    const char *inside = count_inside(plain, &many);
    if (inside) {
        *count = many;
        return gp_copy(name, size, inside);
    }
    for (n = strlen(plain); n > 0 && isdigit((unsigned char)plain[n - 1]);)
        n--;
    if (!plain[n] || strlen(plain + n) > 5)
        return false;
    many = atoi(plain + n);
    plain[n] = '\0';
    gp_trim(plain);
    n = strlen(plain);
    if (n < 2 || !strchr("xX*", plain[n - 1]) ||
        (isalpha((unsigned char)plain[n - 2]) && !strchr("xXsS*", plain[n - 2]))) /* M3 Max 128 */
        return false;
    plain[n - 1] = '\0';
    gp_trim(plain);
    *count = many > 0 ? many : *count;
    return many > 0 && gp_copy(name, size, plain);
}
