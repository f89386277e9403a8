/*
 * launch_target.c - launch_print.h's targets: a launch as the values that a template takes.
 */
#include "answer/launch_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "base/template.h"
#include "base/units.h"

#define TEMPLATE_BYTES ((size_t)1 << 18)
#define LOADED_PER_S 1e8 /* bytes: a download; a disk is faster */
#define START_MINUTES 10 /* besides: compiling, graphs */

enum gp_status launch_target_find(struct catalog *catalog, const char *word,
                                  struct launch_target *out, struct gp_err *err)
{
    size_t len;

    memset(out, 0, sizeof(*out));
    if (!catalog_template(catalog, word, out->path, sizeof(out->path)))
        return GP_OK;
    gp_copy(out->id, sizeof(out->id), word);
    return path_read(out->path, TEMPLATE_BYTES, &out->text, &len, err);
}

/* A template that has a place for those that only work prompts off. */
static bool has_roles(const struct launch_target *target)
{
    return target->text && strstr(target->text, "{{#prefill}}");
}

enum gp_status launch_target_splits(struct catalog *catalog, const struct launch_target *target,
                                    struct gp_err *err)
{
    char **names, hint[160] = "--launch";

    if (has_roles(target))
        return GP_OK;
    size_t count = catalog_names(catalog, "launch", ".tmpl", &names);
    for (size_t i = 0; i < count; i++) {
        struct launch_target other;

        if (launch_target_find(catalog, names[i], &other, NULL) == GP_OK && has_roles(&other))
            gp_append(hint, sizeof(hint), hint[8] ? ", " : " ", "%s", names[i]);
        launch_target_fini(&other);
    }
    path_list_free(names, count);
    return gp_fail(err, GP_E_USAGE, "--launch", hint,
                   "replicas for prefill and for decode have to be told how they find each other");
}

void launch_target_fini(struct launch_target *target)
{
    free(target->text);
}

/* ---- values ---- */

static void set_text(json_t *to, const char *key, const char *text)
{
    json_object_set_new(to, key, gp_json_text(text));
}

static void set_number(json_t *to, const char *key, double number)
{
    json_object_set_new(to, key, gp_json_number(number));
}

static void set_flag(json_t *to, const char *key, bool flag)
{
    json_object_set_new(to, key, json_boolean(flag));
}

/* From the word `from` on. */
static void set_words(json_t *to, const char *key, const struct launch_list *list, size_t from)
{
    json_t *words = json_array();

    for (size_t i = from; i < list->count; i++) {
        json_t *word = json_object();

        set_text(word, "name", list->at[i].name ? list->at[i].name : "");
        set_text(word, "text", list->at[i].text);
        set_flag(word, "raw", list->at[i].raw);
        json_array_append_new(words, word);
    }
    json_object_set_new(to, key, words);
}

/* What writes a file, without the end of its last line. */
static void set_writing(json_t *to, const char *key, const char *name, const char *text)
{
    struct strbuf script = STRBUF_EMPTY;

    quote_file(&script, name, text);
    if (script.len > 0 && script.text[script.len - 1] == '\n')
        script.text[--script.len] = '\0';
    set_text(to, key, script.text);
    strbuf_fini(&script);
}

/* "vllm or tensorrt-llm": those whose table names a backend of Triton. */
static void set_triton_engines(struct catalog *catalog, json_t *to)
{
    char **names, text[160] = "";
    size_t count = catalog_names(catalog, "launch", ".cfg", &names);

    for (size_t i = 0; i < count; i++) {
        const struct launch_engine *table;

        if (catalog_launch(catalog, names[i], &table, NULL) == GP_OK && table->triton[0])
            gp_append(text, sizeof(text), text[0] ? " or " : "", "%s", names[i]);
    }
    path_list_free(names, count);
    set_text(to, "triton_engines", text);
}

/* ---- parts ---- */

/* Names as NVIDIA's GPU feature discovery makes labels of them. */
static void set_products(const struct gpu *gpu, json_t *to)
{
    json_t *all = json_array();
    char list[512] = "";

    for (const char *name = gpu->nvml_names; *name && strcmp(gpu->vendor, "nvidia") == 0;) {
        size_t len = strcspn(name, "|");
        char one[160];

        gp_format(one, sizeof(one), "%.*s", (int)len, name);
        for (char *p = one; *p; p++)
            *p = *p == ' ' ? '-' : *p;
        json_array_append_new(all, gp_json_text(one));
        gp_append(list, sizeof(list), list[0] ? ", " : "", "\"%s\"", one);
        name += len + (name[len] == '|');
    }
    json_object_set_new(to, "products", all);
    set_text(to, "products_list", list);
}

static void set_image(const struct launch *l, json_t *to)
{
    const char *version = strstr(l->image, "{version}");
    char docker[256];
    struct strbuf image = STRBUF_EMPTY;

    strbuf_addn(&image, l->image, version ? (size_t)(version - l->image) : strlen(l->image));
    if (version)
        quote_add(&image, QUOTE_TAG, l->version_text);
    set_text(to, "image", image.text);
    set_text(to, "docker_image",
             (gp_format(docker, sizeof(docker), "docker:%s", image.text), docker));
    strbuf_fini(&image);
}

/* A block of the template, such as {{<port}}, whose one line stands for what is only known where
 * the command runs; NULL: there is none. */
static const char *block_line(const struct launch_target *target, const char *block,
                              const json_t *context, struct strbuf *out)
{
    strbuf_clear(out);
    if (template_block(target->path, target->text, block, context, out, NULL) != GP_OK)
        return NULL;
    out->text[strcspn(out->text, "\n")] = '\0';
    return out->text[0] ? out->text : NULL;
}

/* The containers of a group on several hosts: the first one's, and that of all others. */
static void set_pods(const struct launch *l, const struct launch_target *target, bool split,
                     json_t *to)
{
    json_t *pods = json_array();
    struct strbuf port = STRBUF_EMPTY;
    char usual[16];

    const char *own = block_line(target, "pod_port", to, &port);
    set_text(to, "pod_port",
             own ? own : (gp_format(usual, sizeof(usual), "%d", l->table->port), usual));

    for (int node = 0; node < (l->nodes > 1 ? 2 : 1); node++) {
        struct launch_place place = {.node = node, .anywhere = true, .container = true};
        struct launch_command c;
        json_t *pod = json_object();

        place.port = own;
        if (l->nodes > 1) {
            place.master = "$(LWS_LEADER_ADDRESS)";
            place.node_text = node ? "$(LWS_WORKER_INDEX)" : NULL;
        }
        launch_command(l, &place, &c);
        set_flag(pod, "first", node == 0);
        set_words(pod, "argv", &c.argv, 0);
        set_words(pod, "env", &c.env, 0);
        set_flag(pod, "has_env", c.env.count > 0 || l->hub);
        set_flag(pod, "some_env", c.env.count > 0 || split);
        json_array_append_new(pods, pod);
        launch_command_fini(&c);
    }
    json_object_set_new(to, "pods", pods);
    strbuf_fini(&port);
}

/* A container or server for each group, as if it stood on one host. */
static void set_servers(const struct launch *l, const char *name, bool devices_told, json_t *to)
{
    json_t *servers = json_array();

    for (int g = 0; g < l->groups && l->nodes == 1; g++) {
        struct launch_place place = {.group = g, .anywhere = true, .container = true};
        int at = g % l->per_host, first = at * l->host_gpus;
        char devices[256] = "", list[512] = "", text[80];
        json_t *server = json_object();
        struct launch_command c;
        struct strbuf words = STRBUF_EMPTY;

        launch_command(l, &place, &c);
        for (int i = first; i < first + l->host_gpus; i++) {
            gp_append(devices, sizeof(devices), devices[0] ? "," : "", "%d", i);
            gp_append(list, sizeof(list), list[0] ? ", " : "", "\"%d\"", i);
        }
        gp_format(text, sizeof(text), l->groups > 1 ? "%s-%d" : "%s", name, g);
        set_text(server, "container", text);
        set_number(server, "number", g + 1);
        set_text(server, "host", (gp_format(text, sizeof(text), "%d", g / l->per_host), text));
        set_flag(server, "on_first_host", g < l->per_host);
        set_text(server, "devices", devices);
        set_text(server, "device_list", list);
        set_number(server, "host_port", l->table->port + at);
        set_number(server, "http_port", 8000 + 10 * at);
        set_number(server, "grpc_port", 8001 + 10 * at);
        set_number(server, "metrics_port", 8002 + 10 * at);
        set_text(server, "entry", c.argv.count ? c.argv.at[0].text : "");
        launch_shell_words(&c, 1, "    ", &words);
        set_text(server, "words", words.text);
        set_words(server, "rest", &c.argv, 1);
        set_words(server, "env", &c.env, 0);
        set_flag(server, "has_variables", c.env.count > 0 || l->hub || devices_told);
        json_array_append_new(servers, server);
        strbuf_fini(&words);
        launch_command_fini(&c);
    }
    json_object_set_new(to, "servers", servers);
}

/* The one line of a batch job, which runs on each node. */
static void set_job(const struct launch *l, const struct launch_target *target, json_t *to)
{
    bool mpi = strcmp(l->table->hosts, "mpi") == 0 && l->nodes > 1;
    struct launch_place place = {.anywhere = true};
    struct launch_command c;
    struct strbuf words = STRBUF_EMPTY, port = STRBUF_EMPTY, node = STRBUF_EMPTY,
                  master = STRBUF_EMPTY;

    place.container = block_line(target, "job_in_image", to, &port) != NULL;
    place.port = block_line(target, "port", to, &port);
    if (l->nodes > 1 && !mpi) {
        place.node_text = block_line(target, "node", to, &node);
        place.master = block_line(target, "master", to, &master);
        place.any_node = place.node_text != NULL;
    }
    launch_command(l, &place, &c);
    launch_shell_words(&c, 0, "    ", &words);
    set_text(to, "job_words", words.text);
    set_flag(to, "mpi", mpi);
    const struct launch_flag *headless = launch_flag_of(l->table, l->version, LAUNCH_HEADLESS);
    set_text(to, "headless", headless ? headless->flag : "");
    strbuf_fini(&words);
    launch_command_fini(&c);
    strbuf_fini(&port);
    strbuf_fini(&node);
    strbuf_fini(&master);
}

/* What an operator that starts the engine itself is told: words, and the same in one line; those
 * of the target's own, a line each in its block more_options, are last. */
static void set_options(const struct launch *l, const struct launch_target *target, json_t *to)
{
    struct launch_place place = {.anywhere = true, .container = true, .only_options = true};
    struct launch_command c;
    struct strbuf line = STRBUF_EMPTY, more = STRBUF_EMPTY;
    char *rest;

    launch_command(l, &place, &c);
    set_words(to, "options", &c.argv, 0);
    json_t *words = json_object_get(to, "options");
    template_block(target->path, target->text, "more_options", to, &more, NULL);
    for (char *word = strtok_r(more.text, "\n", &rest); word && more.len > 0;
         word = strtok_r(NULL, "\n", &rest)) {
        json_t *one = json_object();

        set_text(one, "text", word);
        json_array_append_new(words, one);
    }
    for (size_t i = 0; i < json_array_size(words); i++) {
        strbuf_add(&line, i ? " " : "");
        strbuf_quote(&line, json_string_value(json_object_get(json_array_get(words, i), "text")));
    }
    set_text(to, "options_line", line.text);
    set_words(to, "options_env", &c.env, 0);
    set_flag(to, "has_options_env", c.env.count > 0);
    strbuf_fini(&line);
    strbuf_fini(&more);
    launch_command_fini(&c);
}

/* What the target calls the GPU, by the lines "ID NAME" of its block gpu_names. */
static void set_gpu_name(const struct launch_target *target, const struct gpu *gpu, json_t *to)
{
    struct strbuf lines = STRBUF_EMPTY;
    char *rest, name[64] = "";
    size_t len = strlen(gpu->id);

    template_block(target->path, target->text, "gpu_names", to, &lines, NULL);
    for (char *line = strtok_r(lines.text, "\n", &rest); line && lines.len > 0;
         line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, gpu->id, len) == 0 && line[len] == ' ')
            gp_copy(name, sizeof(name), line + len + 1);
    set_text(to, "gpu_name", name);
    strbuf_fini(&lines);
}

/* The engine's own file, and where models are. */
static void set_files(const struct launch *l, json_t *to)
{
    struct launch_place place = {.anywhere = true, .container = true};
    const struct launch_engine *t = l->table;
    const char *model = l->values.text[LAUNCH_MODEL];
    struct launch_command c;
    char text[LAUNCH_TEXT_MAX + 8];
    bool cached = l->hub || t->on_demand;

    launch_command(l, &place, &c);
    set_text(to, "file_name", c.file);
    set_text(to, "file_text", c.text.text);
    set_text(to, "file_path", (gp_format(text, sizeof(text), "/models/%s", c.file), text));
    if (c.file[0])
        set_writing(to, "file_write", c.file, c.text.text);
    set_flag(to, "hub", l->hub);
    set_text(to, "local", l->hub ? "" : model);
    set_text(to, "absolute", !l->hub && model[0] == '/' ? model : "");
    set_flag(to, "in_work", c.file[0] || (!l->hub && model[0] != '/'));
    set_text(to, "cache", cached ? t->cache : "");
    set_text(to, "cache_host", t->cache_host);
    set_flag(to, "has_volumes", cached || !l->hub);
    launch_command_fini(&c);
}

static void set_triton(struct catalog *catalog, const struct launch *l, const char *name,
                       json_t *to)
{
    static const char pbtxt[] = "backend: \"%s\"\ninstance_group [\n  {\n    count: 1\n"
                                "    kind: KIND_MODEL\n  }\n]\n";
    bool python = strcmp(l->table->triton, "python") == 0;
    struct strbuf config = STRBUF_EMPTY;
    char path[160], text[160];

    set_text(to, "triton", l->table->triton);
    set_triton_engines(catalog, to);
    if (!l->table->triton[0])
        return;
    launch_config(l, &config);
    set_flag(to, "python", python);
    gp_format(path, sizeof(path), "model_repository/%s/config.pbtxt", name);
    gp_format(text, sizeof(text), pbtxt, l->table->triton);
    set_writing(to, "config_write", path, text);
    gp_format(path, sizeof(path), "model_repository/%s/1/model.%s", name,
              python ? "yaml" : "json"); /* JSON is YAML */
    set_writing(to, "model_write", path, config.text);
    strbuf_fini(&config);
}

/* What the objects, containers and the job are called. */
static void model_label(const struct launch *l, char name[64])
{
    const char *model = l->values.text[LAUNCH_MODEL];
    const char *slash = strrchr(model, '/');
    struct strbuf label = STRBUF_EMPTY;

    quote_add(&label, QUOTE_LABEL, slash ? slash + 1 : model);
    gp_copy(name, 64, label.len > 0 ? label.text : "model");
    strbuf_fini(&label);
}

/* part: of the replicas that only work prompts off. */
static json_t *context_of(struct catalog *catalog, const struct launch_target *target,
                          const struct answer *a, const struct launch *l, bool part,
                          const struct launch_comments *comments)
{
    const struct gpu *gpu = a->plan.request.gpu;
    double bytes = fmax(a->plan.memory.file_bytes, 0);
    double minutes = ceil(bytes / LOADED_PER_S / 60) + START_MINUTES;
    json_t *to = json_object(), *lines = json_array();
    char name[64], is_engine[64], uri[LAUNCH_TEXT_MAX + 8];

    model_label(l, name);
    for (int i = 0; i < comments->count; i++)
        json_array_append_new(lines, gp_json_text(comments->text[i]));
    json_object_set_new(to, "comments", lines);
    set_text(to, "name", name);
    set_text(to, "engine_name", l->table->name);
    set_text(to, "engine_version", l->version_text);
    set_flag(to, (gp_format(is_engine, sizeof(is_engine), "is_%s", l->table->id), is_engine), true);
    set_text(to, "model", l->values.text[LAUNCH_MODEL]);
    set_text(to, "model_uri",
             (gp_format(uri, sizeof(uri), "hf://%s", l->values.text[LAUNCH_MODEL]), uri));
    set_text(to, "gpu_id", gpu->id);
    set_text(to, "resource", l->resource);
    set_text(to, "visible", l->visible ? l->visible : "");
    set_text(to, "health", l->table->health[0] ? l->table->health : "/");
    set_flag(to, "split", part || l->prefill);
    set_flag(to, "for_prefill", part);
    set_number(to, "port", l->table->port);
    set_number(to, "groups", l->groups);
    set_number(to, "last_group", l->groups - 1);
    set_number(to, "nodes", l->nodes);
    set_number(to, "gpus", l->gpus);
    set_number(to, "tp", fmax(l->values.number[LAUNCH_TP], 1));
    set_number(to, "pp", fmax(l->values.number[LAUNCH_PP], 1));
    set_number(to, "dp", l->ways);
    set_number(to, "dp_local", fmax(l->ways / l->nodes, 1));
    set_flag(to, "attention_dp", l->ways > 1);
    set_flag(to, "expert_parallel", l->values.number[LAUNCH_EP] > 0);
    set_number(to, "host_gpus", l->host_gpus);
    set_number(to, "weights_gib", fmax(ceil(bytes / GP_GIB), 1));
    set_number(to, "volume_gib", ceil(bytes / GP_GIB * 1.25) + 10);
    set_number(to, "start_minutes", minutes);
    set_number(to, "start_attempts", minutes * 6); /* one in 10 s */
    set_number(to, "start_seconds", minutes * 60);
    set_number(to, "disk_gib", ceil(bytes / GP_GIB * 1.25) + 60); /* image and system */
    set_flag(to, "many", l->groups > 1);
    set_flag(to, "hosts", l->nodes > 1);
    set_flag(to, "spans", l->nodes > 1 || (l->prefill && l->prefill->nodes > 1));
    set_flag(to, "shared", l->groups * l->nodes > 1);
    set_flag(to, "crowded", l->per_host > 1);
    set_flag(to, "spread", l->groups > l->per_host);
    set_flag(to, "on_demand", l->table->on_demand);
    set_flag(to, "mig", strchr(gpu->id, '/') != NULL);
    for (size_t i = 0; i < 3; i++) {
        static const char *const vendors[] = {"nvidia", "amd", "intel"};

        set_flag(to, vendors[i], !gpu->host && strcmp(gpu->vendor, vendors[i]) == 0);
    }
    set_image(l, to);
    set_products(gpu, to);
    set_files(l, to);
    set_pods(l, target, part || l->prefill, to);
    set_servers(l, name, !gpu->host && strcmp(gpu->vendor, "nvidia") != 0, to);
    set_options(l, target, to);
    set_job(l, target, to);
    set_gpu_name(target, gpu, to);
    set_triton(catalog, l, name, to);
    if (l->prefill)
        json_object_set_new(to, "prefill",
                            context_of(catalog, target, a, l->prefill, true, comments));
    return to;
}

/* ---- the manifest ---- */

/* Text, then hint, a line each; nothing: the target takes it. */
static enum gp_status check_refused(const struct launch_target *target, const json_t *context,
                                    struct gp_err *err)
{
    struct strbuf text = STRBUF_EMPTY;

    enum gp_status rc = template_block(target->path, target->text, "refuse", context, &text, err);
    if (!rc && text.len > 0) {
        char *line = text.text, *hint = strchr(line, '\n');

        if (hint) {
            *hint++ = '\0';
            hint[strcspn(hint, "\n")] = '\0';
        }
        rc = gp_fail(err, GP_E_USAGE, "--launch", hint ? hint : "", "%s", line);
    }
    strbuf_fini(&text);
    return rc;
}

enum gp_status launch_manifest(struct catalog *catalog, const struct launch_target *target,
                               const struct answer *answer, const struct launch *l,
                               const struct launch_comments *comments, struct strbuf *name,
                               struct strbuf *out, struct gp_err *err)
{
    if (strcmp(l->table->hosts, "rpc") == 0 && l->nodes > 1)
        return gp_fail(err, GP_E_USAGE, "--launch", "--launch the engine: its command, and theirs",
                       "%s joins hosts by servers of their own, which no %s starts here",
                       l->table->name, target->id);
    json_t *context = context_of(catalog, target, answer, l, false, comments);
    enum gp_status rc = check_refused(target, context, err);

    if (!rc)
        rc = template_block(target->path, target->text, "file", context, name, err);
    if (!rc)
        rc = template_render(target->path, target->text, context, out, err);
    while (name->len > 0 && name->text[name->len - 1] == '\n')
        name->text[--name->len] = '\0';
    json_decref(context);
    return rc;
}

void launch_targets(struct catalog *catalog, struct strbuf *out)
{
    static const struct {
        const char *suffix, *before;
    } kinds[] = {{".cfg", "an engine: "}, {".tmpl", "; or "}};

    for (int k = 0; k < 2; k++) {
        char **names;
        size_t count = catalog_names(catalog, "launch", kinds[k].suffix, &names);

        for (size_t i = 0; i < count; i++)
            strbuf_addf(out, "%s%s", i ? ", " : kinds[k].before, names[i]);
        path_list_free(names, count);
    }
}
