/*
 * launch_read.c - the reading half of launch.h: the options of an engine as values, and
 * values as a request. Logs are anybody's.
 */
#include "answer/launch.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "catalog/engine.h"
#include "plan/draft.h"

#define SLOTS_LEAST 4 /* of one cache for all, where no number is given: llama-server */

void launch_read_begin(const struct launch_engine *table, long version, struct launch_reading *out)
{
    memset(out, 0, sizeof(*out));
    out->table = table;
    out->version = version;
}

/* ---- one value ---- */

void launch_set_text(struct launch_values *v, enum launch_setting setting, const char *text)
{
    v->given[setting] = true;
    gp_copy(v->text[setting], LAUNCH_TEXT_MAX, text);
}

void launch_set_number(struct launch_values *v, enum launch_setting setting, double number)
{
    v->given[setting] = true;
    v->number[setting] = number;
}

static bool holds_version(const struct launch_reading *r, long from, long until)
{
    return r->version >= from && r->version <= until;
}

/* "8192", "8k" = 8000, "8K" = 8192, as vLLM and SGLang take it. */
static bool read_number(const char *text, double *number)
{
    static const struct {
        char letter;
        double factor;
    } units[] = {{'k', 1e3}, {'K', 1024}, {'m', 1e6}, {'M', 1048576}};
    char *end;

    if (!isdigit((unsigned char)text[0]) && text[0] != '.' && text[0] != '-')
        return false;
    *number = strtod(text, &end);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && end > text && *end; i++)
        if (*end == units[i].letter && !end[1]) {
            *number *= units[i].factor;
            return isfinite(*number);
        }
    return end > text && !*end && isfinite(*number);
}

/* Does another row tell the value itself, so that this one only goes with it? */
static bool goes_along(const struct launch_reading *r, const struct launch_flag *f)
{
    for (int i = 0; i < r->table->flag_count; i++) {
        const struct launch_flag *o = &r->table->flag[i];

        if (o->setting == f->setting && o != f && !o->constant[0] && o->form != LAUNCH_AS_SWITCH &&
            holds_version(r, o->from, o->until))
            return true;
    }
    return false;
}

static void note_unknown(struct launch_reading *r, const char *name)
{
    char safe[64];

    gp_copy(safe, sizeof(safe), name);
    gp_sanitize(safe);
    gp_append(r->unknown, sizeof(r->unknown), ", ", "%s", safe);
    r->unknown_count++;
}

/* The value of an option whose words are formats, as the format; NULL: it is none of them. */
static const char *read_format(const struct launch_reading *r, enum launch_setting s,
                               const char *word)
{
    const char *as_it_is = word;

    for (int i = 0; i < r->table->word_count; i++) {
        const struct launch_word *w = &r->table->word[i];

        if (w->setting != s)
            continue;
        if (holds_version(r, w->from, w->until) && strcmp(w->word, word) == 0)
            return w->value;
        as_it_is = NULL;
    }
    return as_it_is;
}

static enum gp_status take_value(struct launch_reading *r, const struct launch_flag *f,
                                 const char *value, struct gp_err *err)
{
    struct launch_values *values = &r->values;
    bool text = launch_setting_is_text(f->setting);
    double number;

    if (f->form == LAUNCH_AS_LEAST)
        return GP_OK;
    if (f->form == LAUNCH_AS_FILES) {
        number = values->number[f->setting] + 1;
        for (const char *p = value; *p; p++)
            number += *p == ',';
        launch_set_number(values, f->setting, number);
        return GP_OK;
    }
    if (f->form == LAUNCH_AS_SWITCH) {
        bool off = gp_casecmp(value, "false") == 0 || gp_casecmp(value, "off") == 0 ||
                   strcmp(value, "0") == 0;

        if (!goes_along(r, f) && strcmp(value, "None") != 0)
            launch_set_number(values, f->setting, !off);
        return GP_OK;
    }
    if (f->constant[0]) {
        if (!text && gp_casecmp(value, f->constant) == 0 && !goes_along(r, f))
            launch_set_number(values, f->setting, 1);
        return GP_OK;
    }
    if (!value[0] || gp_has_word("None null auto all", " ", value))
        return GP_OK; /* some other option decides */
    if (text) {
        const char *format = read_format(r, f->setting, value);

        if (!format)
            note_unknown(r, value);
        else if (strlen(format) >= LAUNCH_TEXT_MAX)
            return gp_fail(err, GP_E_FILE, f->flag, "", "is longer than %d bytes",
                           LAUNCH_TEXT_MAX - 1);
        else
            launch_set_text(values, f->setting, format);
        return GP_OK;
    }
    if (!read_number(value, &number))
        return gp_fail(err, GP_E_FILE, f->flag, "", "'%.40s' is not a number", value);
    launch_set_number(values, f->setting, number - f->add);
    return GP_OK;
}

/* ---- rows ---- */

/* "--max-model-len", "max_model_len": dashes and underscores are the same behind those that
 * begin an option. */
static bool same_flag(const char *a, const char *b, size_t len)
{
    size_t i = 0;

    for (; i < len && a[i] && b[i]; i++)
        if ((a[i] == '_' && i > 1 ? '-' : a[i]) != (b[i] == '_' && i > 1 ? '-' : b[i]))
            return false;
    return i == len && !a[i];
}

static bool is_spelled(const struct launch_flag *f, const char *name)
{
    const char *also = f->also;

    if (same_flag(name, f->flag, strlen(f->flag)) || strcmp(name, f->name) == 0)
        return true;
    while (*also) {
        size_t len = strcspn(also, "|");

        if (same_flag(name, also, len))
            return true;
        also += len + (also[len] == '|');
    }
    return false;
}

/* Of an option that this version has not got any more, or not yet, as well: a command of
 * whatever age is read. */
static const struct launch_flag *next_row(const struct launch_reading *r, const char *name, int *at)
{
    for (; *at < r->table->flag_count; (*at)++)
        if (is_spelled(&r->table->flag[*at], name))
            return &r->table->flag[(*at)++];
    return NULL;
}

static enum gp_status take_json(struct launch_reading *r, const struct launch_flag *f,
                                const char *value, struct gp_err *err)
{
    json_t *object = NULL;
    struct gp_err own;
    enum gp_status rc = gp_json_parse(f->flag, value, strlen(value), &object, &own);

    if (rc || !json_is_object(object)) {
        json_decref(object);
        return gp_fail(err, GP_E_FILE, f->flag, "{\"num_speculative_tokens\": 3}",
                       "is not a JSON object");
    }
    for (int i = 0; i < r->table->flag_count && !rc; i++) {
        const struct launch_flag *row = &r->table->flag[i];
        json_t *member = json_object_get(object, row->key);
        char digits[40];

        if (row->form != LAUNCH_AS_JSON || strcmp(row->flag, f->flag) != 0 || !member)
            continue;
        gp_format(digits, sizeof(digits), "%.15g", json_number_value(member));
        rc = take_value(r, row, json_is_string(member) ? json_string_value(member) : digits, err);
    }
    json_decref(object);
    return rc;
}

enum gp_status launch_read_pair(struct launch_reading *r, const char *name, const char *value,
                                struct gp_err *err)
{
    const struct launch_flag *f;
    enum gp_status rc = GP_OK;
    int at = 0;
    bool known = false;

    value = value ? value : "";
    while (!rc && (f = next_row(r, name, &at))) {
        if (f->form == LAUNCH_AS_JSON && !known)
            rc = take_json(r, f, value, err);
        else if (f->form != LAUNCH_AS_JSON)
            rc = take_value(r, f, value, err);
        known = true;
    }
    if (!known && strncmp(name, "--no-", 5) == 0) {
        char positive[64];

        gp_format(positive, sizeof(positive), "--%s", name + 5);
        at = 0;
        f = next_row(r, positive, &at);
        known = f && f->form == LAUNCH_AS_SWITCH;
        if (known)
            launch_set_number(&r->values, f->setting, 0);
    }
    if (!known)
        note_unknown(r, name);
    return rc;
}

/* ---- a request ---- */

static int list_length(const char *text)
{
    int n = text[0] != '\0';

    for (; *text; text++)
        n += *text == ',' || *text == '/';
    return n;
}

static bool is_given(const struct launch_reading *r, enum launch_setting s)
{
    return r->values.given[s];
}

static double number_or(const struct launch_reading *r, enum launch_setting s, double other)
{
    return is_given(r, s) && r->values.number[s] > 0 ? r->values.number[s] : other;
}

/* "./llama-3.1-8b-q4_k_m.gguf" -> the model and the format; a path that is there, and a
 * repository, stay as they are. */
static void split_model(struct catalog *catalog, const char *text, char *model, char *format)
{
    const struct format *found;
    const char *name = path_name(text);
    char base[LAUNCH_TEXT_MAX];
    size_t len = strlen(name);

    format[0] = '\0';
    gp_copy(model, LAUNCH_TEXT_MAX, text);
    if (path_is_there(text) || strncmp(text, "./", 2) != 0 || strchr(text + 2, '/'))
        return;
    if (len > 5 && strcmp(name + len - 5, ".gguf") == 0)
        len -= 5;
    gp_format(base, sizeof(base), "%.*s", (int)len, name);
    for (char *dash = base; (dash = strchr(dash, '-')); dash++)
        if (catalog_format(catalog, dash + 1, &found, NULL) == GP_OK) {
            *dash = '\0';
            gp_copy(model, LAUNCH_TEXT_MAX, base);
            gp_copy(format, FORMAT_ID_MAX, dash + 1);
            return;
        }
}

/* TP and PP of one replica, and the replicas of a group. */
struct degrees {
    double tp, pp, dp, ep;
};

static struct degrees degrees_of(const struct launch_reading *r)
{
    const struct launch_flag *tp = NULL, *ep = NULL;
    struct degrees d = {number_or(r, LAUNCH_TP, 1), number_or(r, LAUNCH_PP, 1),
                        number_or(r, LAUNCH_DP, 1), number_or(r, LAUNCH_EP, 1)};

    if (is_given(r, LAUNCH_SPLIT)) {
        int parts = list_length(r->values.text[LAUNCH_SPLIT]);
        bool layers = strcmp(r->values.text[LAUNCH_SPLIT_MODE], "tensor") != 0 &&
                      strcmp(r->values.text[LAUNCH_SPLIT_MODE], "row") != 0;

        d.tp = layers ? 1 : parts;
        d.pp = layers ? parts : 1;
    }
    if (is_given(r, LAUNCH_DP) && r->table->dp_tp > 0)
        d.dp = d.tp / r->table->dp_tp;
    for (int i = 0; i < r->table->flag_count; i++) {
        if (r->table->flag[i].setting == LAUNCH_TP)
            tp = &r->table->flag[i];
        if (r->table->flag[i].setting == LAUNCH_EP)
            ep = &r->table->flag[i];
    }
    if (tp && tp->unit == LAUNCH_PER_GROUP && d.dp > 1)
        d.tp = fmax(floor(d.tp / d.dp), 1);
    if (ep && ep->unit == LAUNCH_PER_ALL && number_or(r, LAUNCH_EP, 0) > 0)
        d.ep = d.tp * d.dp;
    return d;
}

/* A number that counts something of the whole group, or of all slots, for one. */
static double per_one(const struct launch_reading *r, enum launch_setting s, double dp)
{
    double value = r->values.number[s];
    double seqs = number_or(r, LAUNCH_SEQS, SLOTS_LEAST);
    bool unified = number_or(r, LAUNCH_UNIFIED, 0) > 0 || !is_given(r, LAUNCH_SEQS);

    for (int i = 0; i < r->table->flag_count; i++) {
        const struct launch_flag *f = &r->table->flag[i];

        if (f->setting != s || !holds_version(r, f->from, f->until))
            continue;
        if (f->unit == LAUNCH_PER_GROUP)
            return fmax(floor(value / dp), 1);
        if (f->unit == LAUNCH_PER_CELLS)
            return fmax(floor(value / (unified ? fmax(r->users, 1) : seqs)), 1);
    }
    return value;
}

static enum gp_status set_number(struct launch_request *out, enum option_id id, double value,
                                 struct gp_err *err)
{
    char where[48];

    gp_format(where, sizeof(where), "--%s", option_rows[id].name);
    return options_number(&out->options, id, where, value, err);
}

static enum gp_status set_text(struct launch_request *out, enum option_id id, const char *text,
                               struct gp_err *err)
{
    char where[48];

    gp_format(where, sizeof(where), "--%s", option_rows[id].name);
    return options_text(&out->options, id, where, text, err);
}

/* The option's word for it: a model is named alone, heads behind their kind. */
static void draft_asked(const char *kind, struct launch_request *out)
{
    char head[sizeof(out->draft)];

    if (strcmp(kind, draft_facts[DRAFT_MODEL].word) == 0)
        return;
    gp_copy(head, sizeof(head), out->draft);
    gp_format(out->draft, sizeof(out->draft), "%s%s%s", kind, head[0] ? ":" : "", head);
}

static enum gp_status request_model(const struct launch_reading *r, struct catalog *catalog,
                                    struct launch_request *out, struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    enum launch_setting from =
        is_given(r, LAUNCH_QUANTIZATION) ? LAUNCH_QUANTIZATION : LAUNCH_DTYPE;
    char unused[FORMAT_ID_MAX];

    if (is_given(r, LAUNCH_MODEL)) {
        split_model(catalog, r->values.text[LAUNCH_MODEL], out->model, out->precision);
        rc = set_text(out, OPT_MODEL, out->model, err);
    }
    if (!out->precision[0] && is_given(r, from))
        gp_copy(out->precision, sizeof(out->precision), r->values.text[from]);
    if (!rc && out->precision[0])
        rc = set_text(out, OPT_PRECISION, out->precision, err);
    gp_copy(out->kv, sizeof(out->kv), r->values.text[LAUNCH_KV]);
    if (!rc && is_given(r, LAUNCH_KV))
        rc = set_text(out, OPT_KV_PRECISION, out->kv, err);
    split_model(catalog, r->values.text[LAUNCH_DRAFT], out->draft, unused);
    if (is_given(r, LAUNCH_DRAFT_KIND))
        draft_asked(r->values.text[LAUNCH_DRAFT_KIND], out);
    return !rc && out->draft[0] ? set_text(out, OPT_DRAFT, out->draft, err) : rc;
}

/* What is a number of one replica: the engine's knobs, the layout of `groups` such commands. */
static enum gp_status request_numbers(const struct launch_reading *r, int groups, const char *gpu,
                                      struct launch_request *out, struct gp_err *err)
{
    static const struct {
        enum launch_setting setting;
        enum option_id option;
    } knobs[] = {
        {LAUNCH_CONTEXT, OPT_CONTEXT},
        {LAUNCH_SEQS, OPT_MAX_NUM_SEQS},
        {LAUNCH_TOKENS, OPT_MAX_BATCHED_TOKENS},
        {LAUNCH_SHARE, OPT_MEMORY_UTILIZATION},
        {LAUNCH_CPU_MOE, OPT_N_CPU_MOE},
        {LAUNCH_CPU_OFFLOAD, OPT_CPU_OFFLOAD_GB},
        {LAUNCH_KV_OFFLOAD, OPT_KV_OFFLOAD_GB},
        {LAUNCH_DRAFT_TOKENS, OPT_SPECULATIVE_TOKENS},
        {LAUNCH_NGRAM_TOKENS, OPT_SPECULATIVE_TOKENS},
    };
    struct degrees d = degrees_of(r);
    double copies = d.dp * (groups > 0 ? groups : 1);
    const struct {
        enum option_id option;
        double value;
    } layout[] = {{OPT_TP, d.tp}, {OPT_PP, d.pp}, {OPT_EP, d.ep}, {OPT_REPLICAS, copies}};
    enum gp_status rc = GP_OK;

    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]) && !rc; i++)
        if (number_or(r, knobs[i].setting, 0) > 0)
            rc = set_number(out, knobs[i].option, per_one(r, knobs[i].setting, d.dp), err);
    if (!rc && is_given(r, LAUNCH_GPU_LAYERS))
        rc = set_number(out, OPT_GPU_LAYERS, r->values.number[LAUNCH_GPU_LAYERS], err);
    if (is_given(r, LAUNCH_SHARE))
        out->options.value[OPT_HEADROOM].given = false; /* it is in the share */
    for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]) && !rc; i++)
        rc = set_number(out, layout[i].option, layout[i].value, err);
    gp_format(out->gpu, sizeof(out->gpu), "%.*s:%.0f", (int)fmin(strcspn(gpu, ":"), 120), gpu,
              d.tp * d.pp * copies);
    return !rc && gpu[0] ? set_text(out, OPT_GPU, out->gpu, err) : rc;
}

enum gp_status launch_request(const struct launch_reading *r, struct catalog *catalog,
                              const struct options *base, int groups, struct launch_request *out,
                              struct gp_err *err)
{
    static const char decided[] = /* by the command, or its engine's default */
        "engine model precision kv-precision context tp pp ep dp replicas max-num-seqs "
        "max-batched-tokens memory-utilization enforce-eager gpu-layers n-cpu-moe cpu-offload-gb "
        "kv-offload-gb scheduling-policy "
        "no-kv-offload draft speculative-tokens lora language-model-only";
    const char *asked = strchr(options_word(base, OPT_LORA, ""), ':');
    long minor = r->version / 10000;

    memset(out, 0, sizeof(*out));
    out->options = *base;
    out->options.running = true;
    for (int id = 0; id < OPTION_COUNT; id++)
        if (gp_has_word(decided, " ", option_rows[id].name))
            out->options.value[id] = (struct option_value){0};
    out->options.model_count = out->options.precision_count = out->options.gpu_count = 0;
    gp_copy(out->engine, sizeof(out->engine), r->table->id);
    if (r->version > 0)
        gp_format(out->engine, sizeof(out->engine), "%s@%ld.%ld.%ld", r->table->id, minor / 10000,
                  minor % 10000, r->version % 10000);
    enum gp_status rc = set_text(out, OPT_ENGINE, out->engine, err);
    if (!rc)
        rc = request_model(r, catalog, out, err);
    if (!rc)
        rc = request_numbers(r, groups, base->gpu_count > 0 ? base->gpus[0] : "", out, err);
    if (!rc && number_or(r, LAUNCH_LORA_SLOTS, 0) > 0) {
        /* the rank of adapters that are given as files is the base's */
        double rank = number_or(r, LAUNCH_LORA_RANK, asked ? strtod(asked + 1, NULL) : 16);

        gp_format(out->lora, sizeof(out->lora), "%.0f:%.0f",
                  fmin(r->values.number[LAUNCH_LORA_SLOTS], 1e6), fmin(rank, 1e6));
        rc = set_text(out, OPT_LORA, out->lora, err);
    }
    if (!rc && number_or(r, LAUNCH_EAGER, 0) > 0)
        rc = set_text(out, OPT_ENFORCE_EAGER, "", err);
    if (!rc && number_or(r, LAUNCH_PRIORITY, 0) > 0)
        rc = set_text(out, OPT_SCHEDULING_POLICY,
                      number_or(r, LAUNCH_LOW_FIRST, 0) > 0 ? "low-first" : "priority", err);
    if (!rc && number_or(r, LAUNCH_NO_KV, 0) > 0)
        rc = set_text(out, OPT_NO_KV_OFFLOAD, "", err);
    if (!rc && number_or(r, LAUNCH_TEXT_ONLY, 0) > 0)
        rc = set_text(out, OPT_LANGUAGE_MODEL_ONLY, "", err);
    return rc;
}
