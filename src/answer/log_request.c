/*
 * log_request.c - see log_request.h.
 */
#include "answer/log_request.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "probe/probe.h"

static void add_note(struct log_request *out, const char *text)
{
    if (out->notes < LOG_NOTES)
        gp_copy(out->note[out->notes++], sizeof(out->note[0]), text);
}

/* ---- version ---- */

/* "0.22.1rc1.dev357+g74b5" -> "0.22.1"; "b4567" stays. */
static void plain_version(const char *text, char *out, size_t size)
{
    size_t n = text[0] == 'b';
    int dots = 0;

    for (; isdigit((unsigned char)text[n]) ||
           (text[n] == '.' && isdigit((unsigned char)text[n + 1]) && dots < 2);
         n++)
        dots += text[n] == '.';
    gp_format(out, size, "%.*s", (int)n, text);
}

/* The engine as --engine takes it, with its version where the catalogue knows a range. */
static void engine_text(struct catalog *catalog, const struct enginelog *log, bool given,
                        struct log_request *out)
{
    const struct engine *engine;
    char version[32], text[200];

    plain_version(log->version, version, sizeof(version));
    gp_format(out->request.engine, sizeof(out->request.engine), "%.20s%s%.20s", log->engine,
              version[0] ? "@" : "", version);
    if (catalog_engine(catalog, out->request.engine, &engine, NULL) == GP_OK && version[0])
        return;
    if (version[0])
        gp_format(text, sizeof(text),
                  "the catalogue has no range for %.20s %.20s: the newest is planned", log->engine,
                  version);
    else
        gp_format(text, sizeof(text),
                  "the log does not state the engine's version: the newest "
                  "is planned; --engine %.20s@VERSION sets it",
                  log->engine);
    gp_copy(out->request.engine, sizeof(out->request.engine), log->engine);
    if (!given)
        add_note(out, text);
}

/* ---- options ---- */

/* What an engine's log calls otherwise than its options do. */
static const struct {
    const char *engine, *name, *option;
} names[] = {
    {"vllm", "max_seq_len", "max_model_len"},
    {"vllm", "model_tag", "model"},
    {"tensorrt-llm", "free_gpu_memory_fraction", "--free_gpu_memory_fraction"},
    {"tensorrt-llm", "tp_size", "tensor_parallel_size"},
};

/* Given, and without weight in memory or speed: not told as left out. */
static const char idle[] =
    "host port api_key served_model_name trust_remote_code tokenizer seed load_format download_dir "
    "tool_call_parser reasoning_parser chat_template enable_auto_tool_choice response_role "
    "distributed_executor_backend headless disable_log_requests disable_log_stats "
    "enable_log_requests uvicorn_log_level middleware allowed_origins root_path ssl_keyfile "
    "revision log_level disable_uvicorn_access_log subparser dispatch_function api_server_count "
    "enable_prefix_caching generation_config model_impl hf_token config_format tokenizer_mode "
    "max_log_len lora_modules enable_chunked_prefill";

static bool is_none(const char *text)
{
    return !text || !text[0] || strcmp(text, "None") == 0 || strcmp(text, "auto") == 0;
}

/* What the engine was told; what it prints of itself may be anything. */
static void read_pair(const struct enginelog *log, const struct enginelog_pair *p,
                      struct launch_reading *r)
{
    struct launch_reading before = *r;
    const char *name = p->name;
    struct gp_err err;

    /* the type of what is computed is the weights' where they are not quantized */
    if (strcmp(name, "dtype") == 0 && !is_none(enginelog_option(log, "quantization")))
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].engine, log->engine) == 0 && strcmp(names[i].name, name) == 0)
            name = names[i].option;
    if (launch_read_pair(r, name, p->value, &err) == GP_OK &&
        r->unknown_count == before.unknown_count)
        return;
    *r = before;
    if (p->chosen && !gp_has_word(idle, " ", name) && !is_none(p->value) &&
        strcmp(p->value, "False") != 0) {
        r->unknown_count++;
        gp_append(r->unknown, sizeof(r->unknown), ", ", "%.40s", name);
    }
}

/* ---- a server that reads one file and cuts one cache into slots ---- */

/* "Q4_K - Medium" -> "q4_k_m", "all F32" -> "fp32". */
static void format_of_file_type(const char *text, char *out, size_t size)
{
    const char *size_word = strstr(text, " - ");
    size_t n = 0;

    if (strcmp(text, "all F32") == 0)
        text = "fp32";
    else if (strcmp(text, "F16") == 0)
        text = "fp16";
    for (; text[n] && text[n] != ' ' && n + 3 < size; n++)
        out[n] = gp_lower(text[n]);
    if (size_word) {
        out[n++] = '_';
        out[n++] = gp_lower(size_word[3]);
    }
    out[n] = '\0';
}

static void take_file(struct catalog *catalog, const struct enginelog *log, struct log_request *out)
{
    struct launch_values *v = &out->reading.values;
    const char *type = enginelog_option(log, "file_type");
    const char *name = enginelog_option(log, "general.name");
    const struct model *model;
    const struct format *format;
    char id[FORMAT_ID_MAX], dashed[LAUNCH_TEXT_MAX];

    const char *slot = enginelog_option(log, "n_ctx_slot");

    if (slot && !v->given[LAUNCH_CONTEXT])
        launch_set_number(v, LAUNCH_CONTEXT,
                          strtod(slot, NULL) *
                              (v->number[LAUNCH_UNIFIED] > 0 ? 1 : v->number[LAUNCH_SEQS]));
    if (path_is_there(v->text[LAUNCH_MODEL]))
        return;
    gp_copy(dashed, sizeof(dashed), name ? name : "");
    for (char *p = dashed; *p; p++)
        *p = *p == ' ' ? '-' : *p;
    if (dashed[0] && catalog_model(catalog, dashed, &model, NULL) == GP_OK)
        launch_set_text(v, LAUNCH_MODEL, dashed);
    if (!type)
        return;
    format_of_file_type(type, id, sizeof(id));
    if (catalog_format(catalog, id, &format, NULL) == GP_OK)
        launch_set_text(v, LAUNCH_QUANTIZATION, id);
}

/* ---- the GPU ---- */

/* llama.cpp's buffers, or the device that vLLM names. */
static bool on_processors(const struct enginelog *log)
{
    const char *device = enginelog_option(log, "device_config");
    int hosts = 0;

    while (hosts < log->devices && enginelog_is_host(log->device[hosts]))
        hosts++;
    return (log->devices > 0 && hosts == log->devices) || (device && strcmp(device, "cpu") == 0);
}

/* ---- what was given ---- */

static void given_wins(const struct options *base, struct log_request *out)
{
    struct options *o = &out->request.options;
    bool layout = false;

    for (int i = 0; i < OPTION_COUNT; i++)
        if (base->value[i].given && i != OPT_GPU)
            o->value[i] = base->value[i];
    for (int i = OPT_TP; i <= OPT_REPLICAS; i++)
        layout = layout || base->value[i].given;
    if (base->model_count > 0)
        memcpy(o->models, base->models, sizeof(o->models));
    o->model_count = base->model_count > 0 ? base->model_count : o->model_count;
    if (base->precision_count > 0)
        memcpy(o->precisions, base->precisions, sizeof(o->precisions));
    o->precision_count = base->precision_count > 0 ? base->precision_count : o->precision_count;
    if (base->gpu_count == 0 || (!layout && !strchr(base->gpus[0], ':')))
        return;
    o->value[OPT_GPU] = base->value[OPT_GPU];
    memcpy(o->gpus, base->gpus, sizeof(o->gpus));
    o->gpu_count = base->gpu_count;
}

enum gp_status log_request(struct catalog *catalog, const struct enginelog *log,
                           const struct options *base, struct log_request *out, struct gp_err *err)
{
    const struct launch_engine *table;
    struct launch_values *v = &out->reading.values;
    struct options known = *base;
    struct gp_err none;
    const struct model *model;
    char version[32], engine[sizeof(out->request.engine)];
    bool slots = false; /* it reads one file and cuts one cache into slots */

    memset(out, 0, sizeof(*out));
    enum gp_status rc = catalog_launch(catalog, log->engine, &table, err);
    if (rc)
        return rc;
    plain_version(log->version, version, sizeof(version));
    long number = version[0] && version[0] != 'b' ? engine_version(version, 0) : 0;
    launch_read_begin(table, number > 0 ? number : 0, &out->reading);
    engine_text(catalog, log, base->value[OPT_ENGINE].given, out);
    for (int i = 0; i < log->pairs; i++)
        read_pair(log, &log->pair[i], &out->reading);
    if (!v->given[LAUNCH_TP] && !v->given[LAUNCH_PP] && log->ranks > 1 && log->devices == 0) {
        launch_set_number(v, LAUNCH_TP, log->ranks);
        add_note(out, "the log does not say the layout: its ranks are taken as tensor parallel");
    }
    for (int i = 0; i < table->flag_count; i++)
        slots |=
            table->flag[i].setting == LAUNCH_CONTEXT && table->flag[i].unit == LAUNCH_PER_CELLS;
    if (slots) {
        out->reading.users = fmax(v->number[LAUNCH_SEQS], 1);
        take_file(catalog, log, out);
    }
    /* a model that was a folder where the log was made is one of the catalogue by its name */
    const char *text = v->text[LAUNCH_MODEL], *name = path_name(text);
    if (text[0] == '/' && !path_is_there(text) &&
        catalog_model(catalog, name, &model, NULL) == GP_OK)
        launch_set_text(v, LAUNCH_MODEL, name);
    /* By its name; a run on processors alone is one on those of this machine. */
    const struct gpu *const *gpus;
    const struct gpu *found = NULL;
    struct device device = {.index = 0};
    size_t count;

    gp_copy(device.name, sizeof(device.name), log->gpu);
    if (log->figure[ENGINELOG_USABLE].ranks > 0)
        device.memory_total = quantity_exact(log->figure[ENGINELOG_USABLE].value);
    if (log->gpu[0] && catalog_gpus(catalog, &gpus, &count, NULL) == GP_OK)
        found = probe_match(&device, gpus, count);
    if (found || on_processors(log))
        gp_copy(out->gpu, sizeof(out->gpu), found ? found->id : "cpu");
    if (on_processors(log) && base->gpu_count > 0 && strcmp(base->gpus[0], out->gpu) != 0)
        add_note(out, "the log is of a server on processors, the plan is of another device");
    if (!v->given[LAUNCH_MODEL])
        add_note(out, "the log does not hold the engine's options: those given here count, else "
                      "defaults");
    if (known.gpu_count == 0 && out->gpu[0])
        options_text(&known, OPT_GPU, "--gpu", out->gpu, &none);
    gp_copy(engine, sizeof(engine), out->request.engine); /* as engine_text() says it */
    rc = launch_request(&out->reading, catalog, &known, 1, &out->request, err);
    gp_copy(out->request.engine, sizeof(out->request.engine), engine);
    if (rc)
        return rc;
    given_wins(base, out);
    /* slots of one cache are planned with a user in each, as the cache is made for them */
    if (out->reading.users >= 1 && !base->value[OPT_USERS].given)
        rc = options_number(&out->request.options, OPT_USERS, "--users", out->reading.users, err);
    return rc;
}
