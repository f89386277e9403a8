/*
 * launch_print.c - see launch_print.h: text and JSON.
 */
#include "answer/launch_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/print_plan.h"
#include "answer/record.h"
#include "answer/sentence.h"
#include "base/quote.h"
#include "base/texts.h"

/* What the objects and the job are called. */
static void plain_name(const struct launch *l, char name[64])
{
    const char *model = l->values.text[LAUNCH_MODEL];
    const char *slash = strrchr(model, '/');
    struct strbuf label;

    strbuf_init(&label);
    quote_add(&label, QUOTE_LABEL, slash ? slash + 1 : model);
    gp_copy(name, 64, label.len > 0 ? label.text : "model");
    strbuf_fini(&label);
}

static void print_comment(struct strbuf *out, const char *text)
{
    strbuf_add(out, "# ");
    quote_add(out, QUOTE_COMMENT, text);
    strbuf_add(out, "\n");
}

/* ---- Kubernetes ---- */

/* Kubernetes puts a variable's value for "$(NAME)", and "$" for "$$". */
static void k8s_word(const struct launch_word_at *w, struct strbuf *out)
{
    struct strbuf text;

    strbuf_init(&text);
    for (const char *p = w->text; *p; p++)
        strbuf_addf(&text, "%s%c", *p == '$' && !w->raw ? "$" : "", *p);
    quote_add(out, QUOTE_YAML, text.text);
    strbuf_add(out, "\n");
    strbuf_fini(&text);
}

static void k8s_image(const struct launch *l, struct strbuf *out)
{
    const char *version = strstr(l->image, "{version}");
    struct strbuf image;

    strbuf_init(&image);
    strbuf_addn(&image, l->image, version ? (size_t)(version - l->image) : strlen(l->image));
    if (version)
        quote_add(&image, QUOTE_TAG, l->version_text);
    quote_add(out, QUOTE_YAML, image.text);
    strbuf_fini(&image);
}

/* The pod of one node of a group; node 1 stands for all but the first. */
static void k8s_pod(const struct launch *l, const char *name, int node, const char *in,
                    struct strbuf *out)
{
    struct launch_place place = {.node = node, .anywhere = true};
    struct launch_command c;
    char inner[24];

    if (l->nodes > 1) {
        place.master = "$(LWS_LEADER_ADDRESS)";
        place.node_text = node ? "$(LWS_WORKER_INDEX)" : NULL;
    }
    gp_format(inner, sizeof(inner), "%s  ", in);
    launch_command(l, &place, &c);
    strbuf_addf(out, "%scontainers:\n%s- name: server\n%simage: ", in, in, inner);
    k8s_image(l, out);
    strbuf_addf(out, "\n%scommand:\n", inner);
    for (size_t i = 0; i < c.argv.count; i++) {
        strbuf_addf(out, "%s- ", inner);
        k8s_word(&c.argv.at[i], out);
    }
    for (size_t i = 0; i < c.env.count; i++) {
        strbuf_addf(out, "%s%s%s- name: %s\n%s  value: ", i ? "" : inner, i ? "" : "env:\n", inner,
                    c.env.at[i].name, inner);
        k8s_word(&c.env.at[i], out);
    }
    if (node == 0)
        strbuf_addf(out, "%sports:\n%s- containerPort: %d\n", inner, inner, l->table->port);
    if (l->resource[0])
        strbuf_addf(out, "%sresources:\n%s  limits:\n%s    %s: %d\n", inner, inner, inner,
                    l->resource, l->host_gpus);
    strbuf_addf(out, "%svolumeMounts:\n%s- name: shm\n%s  mountPath: /dev/shm\n", inner, inner,
                inner);
    if (c.file[0])
        strbuf_addf(out, "%s- name: config\n%s  mountPath: /config\n%sworkingDir: /config\n", inner,
                    inner, inner);
    strbuf_addf(out, "%svolumes:\n%s- name: shm\n%s  emptyDir:\n%s    medium: Memory\n", in, in, in,
                in);
    if (c.file[0])
        strbuf_addf(out, "%s- name: config\n%s  configMap:\n%s    name: %s\n", in, in, in, name);
    launch_command_fini(&c);
}

static void write_k8s(const struct launch *l, struct strbuf *out)
{
    struct launch_place place = {.anywhere = true};
    struct launch_command c;
    char name[64];

    plain_name(l, name);
    launch_command(l, &place, &c);
    if (c.file[0]) {
        strbuf_addf(out, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  ", name);
        quote_add(out, QUOTE_YAML, c.file);
        strbuf_add(out, ": ");
        quote_add(out, QUOTE_YAML, c.text.text);
        strbuf_add(out, "\n---\n");
    }
    launch_command_fini(&c);
    if (l->nodes > 1) { /* a group over hosts */
        strbuf_addf(out,
                    "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n"
                    "  name: %s\nspec:\n  replicas: %d\n  leaderWorkerTemplate:\n    size: %d\n"
                    "    leaderTemplate:\n      metadata:\n        labels:\n          app: %s\n"
                    "      spec:\n",
                    name, l->groups, l->nodes, name);
        k8s_pod(l, name, 0, "        ", out);
        strbuf_add(out, "    workerTemplate:\n      spec:\n");
        k8s_pod(l, name, 1, "        ", out);
    } else {
        strbuf_addf(out,
                    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %s\nspec:\n"
                    "  replicas: %d\n  selector:\n    matchLabels:\n      app: %s\n"
                    "  template:\n    metadata:\n      labels:\n        app: %s\n    spec:\n",
                    name, l->groups, name, name);
        k8s_pod(l, name, 0, "      ", out);
    }
    strbuf_addf(out,
                "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: %s\nspec:\n"
                "  selector:\n    app: %s\n  ports:\n  - port: %d\n",
                name, name, l->table->port);
}

/* ---- Slurm ---- */

static void write_slurm(const struct launch *l, struct strbuf *out)
{
    bool mpi = strcmp(l->table->hosts, "mpi") == 0 && l->nodes > 1;
    struct launch_place place = {.anywhere = true};
    struct launch_command c;
    struct strbuf words;
    char port[64], name[64];

    gp_format(port, sizeof(port), "$((%d + ${SLURM_ARRAY_TASK_ID:-0}))", l->table->port);
    place.port = port;
    if (l->nodes > 1 && !mpi) {
        place.node_text = "$SLURM_NODEID";
        place.master = "$MASTER";
        place.any_node = true;
    }
    plain_name(l, name);
    strbuf_addf(out, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=%d\n",
                name, l->nodes, mpi ? l->host_gpus : 1);
    if (l->resource[0])
        strbuf_addf(out, "#SBATCH --gres=gpu:%d\n", l->host_gpus);
    else
        strbuf_add(out, "#SBATCH --exclusive\n"); /* all processors, as planned */
    if (l->groups > 1)
        strbuf_addf(out, "#SBATCH --array=0-%d\n", l->groups - 1);
    launch_command(l, &place, &c);
    if (c.file[0])
        quote_file(out, c.file, c.text.text);
    strbuf_init(&words);
    launch_shell_words(&c, "    ", &words);
    if (l->nodes > 1 && !mpi) {
        /* The same line on each node, which puts its own number in: one word of bash -c. */
        const struct launch_flag *headless = launch_flag_of(l->table, l->version, LAUNCH_HEADLESS);

        strbuf_add(out, "MASTER=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | "
                        "head -n 1)\nexport MASTER\nsrun bash -c '");
        for (const char *p = words.text; *p; p++)
            strbuf_add(out, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
        if (headless)
            strbuf_addf(out, " \\\n    $([ \"$SLURM_NODEID\" -eq 0 ] || echo %s)", headless->flag);
        strbuf_add(out, "'\n");
    } else
        strbuf_addf(out, "%s%s\n", mpi ? "srun --mpi=pmix " : "", words.text);
    strbuf_fini(&words);
    launch_command_fini(&c);
}

/* ---- Triton ---- */

/* A server for each replica: instances of one would share its GPUs. */
static void triton_servers(const struct launch *l, struct strbuf *out)
{
    for (int g = 0; g < l->per_host; g++) {
        int first = g * l->host_gpus, port = 8000 + 10 * g;

        if (l->per_host > 1 && l->visible) {
            strbuf_addf(out, "%s=", l->visible);
            for (int i = 0; i < l->host_gpus; i++)
                strbuf_addf(out, "%s%d", i ? "," : "", first + i);
            strbuf_add(out, " ");
        }
        strbuf_add(out, "tritonserver --model-repository=model_repository");
        if (l->per_host > 1)
            strbuf_addf(out, " \\\n    --http-port=%d --grpc-port=%d --metrics-port=%d &", port,
                        port + 1, port + 2);
        strbuf_add(out, "\n");
    }
    if (l->per_host > 1)
        strbuf_add(out, "wait\n");
}

static void write_triton(const struct launch *l, struct strbuf *out)
{
    static const char pbtxt[] = "backend: \"%s\"\ninstance_group [\n  {\n    count: 1\n"
                                "    kind: KIND_MODEL\n  }\n]\n";
    bool python = strcmp(l->table->triton, "python") == 0;
    struct strbuf config;
    char name[64], path[160], text[160];

    plain_name(l, name);
    strbuf_init(&config);
    launch_config(l, &config);
    if (python)
        strbuf_addf(out, "# model.py: that of tensorrtllm_backend's LLM API example, beside "
                         "model.yaml\n");
    gp_format(path, sizeof(path), "model_repository/%s/config.pbtxt", name);
    gp_format(text, sizeof(text), pbtxt, l->table->triton);
    strbuf_addf(out, "mkdir -p model_repository/%s/1\n", name);
    quote_file(out, path, text);
    gp_format(path, sizeof(path), "model_repository/%s/1/model.%s", name,
              python ? "yaml" : "json"); /* JSON is YAML */
    quote_file(out, path, config.text);
    triton_servers(l, out);
    strbuf_fini(&config);
}

/* The file that target takes, without comments about the plan. */
static void launch_manifest(const struct launch *l, enum launch_target target, struct strbuf *out)
{
    if (target == TARGET_K8S)
        write_k8s(l, out);
    else if (target == TARGET_SLURM)
        write_slurm(l, out);
    else if (target == TARGET_TRITON)
        write_triton(l, out);
}

static const char *const target_words[] = {
    [TARGET_ENGINE] = "engine",
    [TARGET_K8S] = "k8s",
    [TARGET_SLURM] = "slurm",
    [TARGET_TRITON] = "triton",
};

enum launch_target launch_target_find(const char *word)
{
    for (int i = TARGET_K8S; i <= TARGET_TRITON; i++)
        if (strcmp(word, target_words[i]) == 0)
            return (enum launch_target)i;
    return TARGET_ENGINE;
}

/* "--engine tensorrt-llm or vllm": those whose table names a backend of Triton. */
static void triton_engines(struct catalog *catalog, char *hint, size_t size)
{
    const struct engine *engines;
    size_t count;
    const char *last = "";

    gp_copy(hint, size, "");
    if (catalog_engines(catalog, &engines, &count, NULL) != GP_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct launch_engine *table;

        if (strcmp(engines[i].id, last) == 0)
            continue;
        last = engines[i].id;
        if (catalog_launch(catalog, last, &table, NULL) == GP_OK && table->triton[0])
            gp_append(hint, size, " or ", "%s%s", hint[0] ? "" : "--engine ", last);
    }
}

enum gp_status launch_target_check(struct catalog *catalog, const struct launch *l,
                                   enum launch_target target, struct gp_err *err)
{
    char engines[128];

    if (target == TARGET_TRITON && !l->table->triton[0]) {
        triton_engines(catalog, engines, sizeof(engines));
        return gp_fail(err, GP_E_USAGE, "--launch", engines, "Triton has no backend for %s",
                       l->table->name);
    }
    if (target == TARGET_TRITON && l->nodes > 1)
        return gp_fail(err, GP_E_USAGE, "--launch", "--launch slurm, or k8s",
                       "a replica of %d GPUs spans hosts, and Triton is started on one host",
                       l->gpus);
    if (target == TARGET_SLURM && l->table->on_demand)
        return gp_fail(err, GP_E_USAGE, "--launch", "--launch k8s, or the engine's id",
                       "%s loads a model when a request asks for it: it cannot be a batch job",
                       l->table->name);
    return GP_OK;
}

/* ---- notes: what a command alone does not say ---- */

#define NOTES_MAX 12
struct notes {
    const char *text[NOTES_MAX];
    int count;
    struct texts texts;
};

static void add_note(struct notes *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_note(struct notes *n, const char *fmt, ...)
{
    va_list args;

    if (n->count == NOTES_MAX)
        return;
    va_start(args, fmt);
    n->text[n->count++] = texts_addv(&n->texts, fmt, args);
    va_end(args);
}

/* The engine's own commands, with the model's id in them. */
static void note_then(const struct launch *l, const char *model, struct notes *n)
{
    struct strbuf text;

    strbuf_init(&text);
    for (const char *p = l->table->then; *p; p++)
        if (strncmp(p, "{model}", 7) == 0) {
            strbuf_add(&text, model);
            p += 6;
        } else {
            strbuf_addf(&text, "%c", *p);
        }
    add_note(n, "when it runs: %s", text.text);
    strbuf_fini(&text);
}

static void note_checkpoints(const struct answer *a, const struct launch *l, struct notes *n)
{
    const struct request *q = &a->plan.request;

    if (l->checkpoint)
        add_note(n, "%s stands for a checkpoint of %s in %s", l->values.text[LAUNCH_MODEL],
                 q->model->name, q->precision.id);
    if (l->draft_file)
        add_note(n, "%s stands for a checkpoint of the draft", l->values.text[LAUNCH_DRAFT]);
    if (q->lora_slots > 0) {
        const struct launch_flag *f = launch_flag_of(l->table, l->version, LAUNCH_LORA_SLOTS);

        if (f && f->form == LAUNCH_AS_FILES)
            add_note(n, "adapter-N.gguf stand for adapters of rank %d", q->lora_rank);
        else if (l->table->lora_names[0])
            add_note(n, "the adapters themselves are named by %s NAME=PATH", l->table->lora_names);
    }
    if (l->headroom)
        add_note(n, "%s has no option that leaves a headroom free", l->table->name);
    if (l->table->then[0])
        note_then(l, q->model->id, n);
}

static void note_hosts(const struct launch *l, enum launch_target target, struct notes *n)
{
    bool mpi = strcmp(l->table->hosts, "mpi") == 0;

    if (l->uneven)
        add_note(n, "%d hosts of %d GPUs each: %s divides a replica evenly", l->nodes, l->host_gpus,
                 l->table->name);
    if (l->nodes <= 1 || target != TARGET_ENGINE)
        return;
    if (mpi)
        add_note(n, "hosts.txt has %d hosts with %d slots each", l->nodes, l->host_gpus);
    else
        add_note(n, "HOST0 stands for the address of a replica's first host");
    if (launch_flag_of(l->table, l->version, LAUNCH_RAY))
        add_note(n, "first: ray start --head on HOST0, on each other host ray start "
                    "--address=HOST0:6379; then the command of node 0 alone");
}

static void notes_of(const struct answer *a, const struct launch *l, enum launch_target target,
                     struct notes *n)
{
    struct plan p = a->plan;
    bool fits = p.verdict == VERDICT_FITS;
    const char *text;

    *n = (struct notes){.count = 0};
    p.warnings &= ~(1u << WARNING_SLOTS); /* the command gives the slots */
    for (int i = 0; (text = sentence_reason(&p, i, &n->texts)); i++)
        add_note(n, "%s%s%s", fits ? "" : verdict_words_for(p.verdict, p.limit)->sentence,
                 fits ? "" : ": ", text);
    for (int i = 0; (text = sentence_warning(&p, i, &n->texts)); i++)
        add_note(n, "note: %s", text);
    if (!l)
        return;
    note_checkpoints(a, l, n);
    note_hosts(l, target, n);
    if (target == TARGET_K8S && l->foreign)
        add_note(n, "the image is for NVIDIA GPUs: replace it by one for %s",
                 a->plan.request.gpu->vendor);
}

/* ---- the processes ---- */

/* How many processes a group is started with: Ray and MPI start the others. */
static int nodes_started(const struct launch *l)
{
    bool starts_others =
        strcmp(l->table->hosts, "mpi") == 0 || launch_flag_of(l->table, l->version, LAUNCH_RAY);

    return starts_others ? 1 : l->nodes;
}

static int host_of(const struct launch *l, int group, int node)
{
    return group / l->per_host * l->nodes + node;
}

/* ---- text ---- */

void launch_shell_words(const struct launch_command *c, const char *indent, struct strbuf *out)
{
    bool first = true;

    for (size_t i = 0; i < c->env.count; i++) {
        strbuf_addf(out, "%s=", c->env.at[i].name);
        strbuf_quote(out, c->env.at[i].text);
        strbuf_add(out, " ");
    }
    for (size_t i = 0; i < c->argv.count; i++) {
        const struct launch_word_at *w = &c->argv.at[i];
        bool option = w->text[0] == '-' && strlen(w->text) > 1 && i > 0 &&
                      strcmp(w->text, "-m") != 0 && strcmp(w->text, "-n") != 0;

        if (!first)
            strbuf_add(out, option ? " \\\n" : " ");
        if (!first && option)
            strbuf_add(out, indent);
        if (w->raw)
            strbuf_addf(out, "\"%s\"", w->text);
        else
            strbuf_quote(out, w->text);
        first = false;
    }
}

static void print_process(const struct launch *l, int group, int node, bool together,
                          struct strbuf *out)
{
    struct launch_place place = {.group = group, .node = node};
    struct launch_command command;

    launch_command(l, &place, &command);
    if (command.file[0] && group == 0 && node == 0)
        quote_file(out, command.file, command.text.text);
    if (l->groups * l->nodes > 1)
        strbuf_addf(out, "# %s %d of %d, host %d\n", l->ways > 1 ? "group" : "replica", group + 1,
                    l->groups, host_of(l, group, node));
    launch_shell_words(&command, "    ", out);
    strbuf_add(out, together ? " &\n" : "\n");
    launch_command_fini(&command);
}

void launch_print(const struct answer *a, const struct launch *l, enum launch_target target,
                  struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    struct notes notes;
    struct strbuf head;

    notes_of(a, l, target, &notes);
    strbuf_init(&head);
    strbuf_addf(&head, "%s, %s weights, on %d x %s: %s; %s %s", q->model->name, q->precision.id,
                a->plan.layout.gpus, q->gpu->id, sentence_layout(&a->plan.layout, &notes.texts),
                q->engine->name, l ? l->version_text : q->engine->range);
    strbuf_add(out, l && target == TARGET_SLURM ? "#!/bin/bash\n" : "");
    print_comment(out, head.text);
    strbuf_fini(&head);
    for (int i = 0; i < notes.count; i++)
        print_comment(out, notes.text[i]);
    texts_fini(&notes.texts);
    if (!l)
        return;
    if (target == TARGET_ENGINE) {
        bool together = l->per_host > 1;

        for (int g = 0; g < l->groups; g++) {
            for (int node = 0; node < nodes_started(l); node++)
                print_process(l, g, node, together, out);
            if (together && ((g + 1) % l->per_host == 0 || g == l->groups - 1))
                strbuf_add(out, "wait\n");
        }
    } else {
        launch_manifest(l, target, out);
    }
}

/* ---- JSON ---- */

static void record_argv(struct record *r, const struct launch_command *c)
{
    record_list(r, "argv");
    for (size_t i = 0; i < c->argv.count; i++)
        record_item(r, "argv", c->argv.at[i].text);
}

/* Names of variables are the table's, which outlives the record. */
static void record_env(struct record *r, const struct launch_command *c)
{
    struct record *env = record_inside(r, "env");

    for (size_t i = 0; i < c->env.count; i++)
        record_text(env, c->env.at[i].name, c->env.at[i].text);
}

static void record_process(struct record *doc, const struct launch *l, int group, int node)
{
    struct launch_place place = {.group = group, .node = node};
    struct launch_command command;
    struct record *r = record_append(doc, "replicas");

    launch_command(l, &place, &command);
    record_count(r, "group", "", group);
    record_count(r, "host", "", host_of(l, group, node));
    record_count(r, "node", "", node);
    record_count(r, "gpus", "", l->host_gpus);
    record_count(r, "first_gpu", "", group % l->per_host * l->host_gpus);
    record_count(r, "port", "", l->table->port + group % l->per_host);
    record_argv(r, &command);
    record_env(r, &command);
    launch_command_fini(&command);
}

static void record_file(struct record *doc, const char *name, const char *text)
{
    struct record *file = record_append(doc, "files");

    record_text(file, "name", name);
    record_text(file, "text", text);
}

static void record_commands(struct record *doc, const struct launch *l, enum launch_target target)
{
    static const char *const names[] = {"", "manifest.yaml", "job.sh", "model_repository.sh"};
    struct launch_place place = {0};
    struct launch_command command;
    struct strbuf manifest;

    launch_command(l, &place, &command);
    record_argv(doc, &command);
    record_env(doc, &command);
    record_list(doc, "files");
    if (command.file[0])
        record_file(doc, command.file, command.text.text);
    strbuf_init(&manifest);
    if (target != TARGET_ENGINE) {
        launch_manifest(l, target, &manifest);
        record_file(doc, names[target], manifest.text);
    }
    strbuf_fini(&manifest);
    record_list(doc, "replicas");
    for (int g = 0; g < l->groups; g++)
        for (int node = 0; node < nodes_started(l); node++)
            record_process(doc, l, g, node);
    launch_command_fini(&command);
}

void launch_print_json(const struct answer *a, const struct launch *l, enum launch_target target,
                       struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    struct record doc;
    struct notes notes;

    record_init(&doc);
    record_text(&doc, "schema", "gpuplan.launch/1");
    record_text(&doc, "target", target == TARGET_ENGINE ? q->engine->id : target_words[target]);
    record_text(&doc, "engine", q->engine->id);
    record_text(&doc, "version", l ? l->version_text : "");
    record_text(&doc, "model", q->model->id);
    record_text(&doc, "gpu", q->gpu->id);
    record_count(&doc, "gpus", "", a->plan.layout.gpus);
    record_text(&doc, "verdict", verdict_word(a->plan.verdict));
    record_list(&doc, "notes");
    notes_of(a, l, target, &notes);
    for (int i = 0; i < notes.count; i++)
        record_item(&doc, "notes", notes.text[i]);
    texts_fini(&notes.texts);
    if (l) {
        record_commands(&doc, l, target);
    } else { /* no command starts what does not fit */
        record_list(&doc, "argv");
        record_inside(&doc, "env");
        record_list(&doc, "files");
        record_list(&doc, "replicas");
    }
    record_json(&doc, out);
    record_fini(&doc);
}
