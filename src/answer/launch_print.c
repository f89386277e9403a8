/*
 * launch_print.c - see launch_print.h: text and JSON.
 */
#include "answer/launch_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/record.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/quote.h"
#include "base/texts.h"

static void print_comment(struct strbuf *out, const char *text)
{
    strbuf_add(out, "# ");
    quote_add(out, QUOTE_COMMENT, text);
    strbuf_add(out, "\n");
}

/* ---- notes: what a command alone does not say ---- */

struct notes {
    struct launch_comments list;
    struct texts texts;
};

static void add_note(struct notes *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_note(struct notes *n, const char *fmt, ...)
{
    va_list args;

    if (n->list.count == LAUNCH_NOTES_MAX)
        return;
    va_start(args, fmt);
    n->list.text[n->list.count++] = texts_addv(&n->texts, fmt, args);
    va_end(args);
}

/* The engine's own commands, with the model's id in them. */
static void note_then(const struct launch *l, const char *model, struct notes *n)
{
    struct strbuf text = STRBUF_EMPTY;

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
    if (l->base && strcmp(l->chat, l->values.text[LAUNCH_MODEL]) != 0)
        add_note(n, "%s is a base model, not trained to chat; for chat: -m %s",
                 l->values.text[LAUNCH_MODEL], l->chat);
    else if (l->base)
        add_note(n, "%s is a base model: it completes text and has no chat template",
                 l->values.text[LAUNCH_MODEL]);
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

static void note_hosts(const struct launch *l, const struct launch_target *target, struct notes *n)
{
    bool mpi = strcmp(l->table->hosts, "mpi") == 0;

    if (l->uneven)
        add_note(n, "%d hosts of %d GPUs each: %s divides a replica evenly", l->nodes, l->host_gpus,
                 l->table->name);
    if (l->nodes <= 1 || target->id[0])
        return;
    if (mpi)
        add_note(n, "hosts.txt has %d hosts with %d slots each", l->nodes, l->host_gpus);
    else if (strcmp(l->table->hosts, "rpc") == 0)
        add_note(n,
                 "first, on each other host, HOST1 and so on: rpc-server -H 0.0.0.0 -p 50052 (of "
                 "a build with GGML_RPC, in a network that nobody else reaches)");
    else
        add_note(n, "HOST0 stands for the address of a replica's first host");
    if (launch_flag_of(l->table, l->version, LAUNCH_RAY))
        add_note(n, "first: ray start --head on HOST0, on each other host ray start "
                    "--address=HOST0:6379; then the command of node 0 alone");
}

static void notes_of(const struct answer *a, const struct launch *l,
                     const struct launch_target *target, struct notes *n)
{
    struct plan p = a->plan;
    bool fits = p.verdict == VERDICT_FITS;
    const char *text;

    *n = (struct notes){.list.count = 0};
    p.warnings &= ~(1u << WARNING_SLOTS); /* the command gives the slots */
    for (int i = 0; (text = sentence_reason(&p, i, &n->texts)); i++)
        add_note(n, "%s%s%s", fits ? "" : plan_verdict_words(&p)->sentence, fits ? "" : ": ", text);
    for (int i = 0; (text = sentence_warning(&p, i, &n->texts)); i++)
        add_note(n, "note: %s", text);
    if (!l)
        return;
    note_checkpoints(a, l, n);
    note_hosts(l, target, n);
    if (target->id[0] && l->foreign)
        add_note(n, "the image is for NVIDIA GPUs: replace it by one for %s",
                 a->plan.request.gpu->vendor);
}

/* ---- the processes ---- */

/* How many processes a group is started with: Ray and MPI start the others. */
static int nodes_started(const struct launch *l)
{
    const char *hosts = l->table->hosts;
    bool starts_others = strcmp(hosts, "mpi") == 0 || strcmp(hosts, "rpc") == 0 ||
                         launch_flag_of(l->table, l->version, LAUNCH_RAY);

    return starts_others ? 1 : l->nodes;
}

static int host_of(const struct launch *l, int group, int node)
{
    return group / l->per_host * l->nodes + node;
}

/* ---- text ---- */

void launch_shell_words(const struct launch_command *c, size_t from, const char *indent,
                        struct strbuf *out)
{
    bool first = true;

    for (size_t i = 0; i < c->env.count && from == 0; i++) {
        strbuf_addf(out, "%s=", c->env.at[i].name);
        strbuf_quote(out, c->env.at[i].text);
        strbuf_add(out, " ");
    }
    for (size_t i = from; i < c->argv.count; i++) {
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
    launch_shell_words(&command, 0, "    ", out);
    strbuf_add(out, together ? " &\n" : "\n");
    launch_command_fini(&command);
}

static void print_processes(const struct launch *l, struct strbuf *out)
{
    bool together = l->per_host > 1;

    for (int g = 0; g < l->groups; g++) {
        for (int node = 0; node < nodes_started(l); node++)
            print_process(l, g, node, together, out);
        if (together && ((g + 1) % l->per_host == 0 || g == l->groups - 1))
            strbuf_add(out, "wait\n");
    }
}

/* The plan in a line, and the notes. */
static void comments_of(const struct answer *a, const struct launch *l, struct notes *notes,
                        struct launch_comments *out)
{
    const struct request *q = &a->plan.request;

    out->text[0] = texts_addf(&notes->texts, "%s, %s weights, on %s: %s; %s %s", q->model->name,
                              q->precision.id, sentence_gpus(&a->plan, &notes->texts),
                              sentence_layout(&a->plan.layout, &notes->texts), q->engine->name,
                              l ? l->version_text : q->engine->range);
    out->count = 1;
    for (int i = 0; i < notes->list.count; i++)
        out->text[out->count++] = notes->list.text[i];
}

enum gp_status launch_print(struct catalog *catalog, const struct answer *a, const struct launch *l,
                            const struct launch_target *target, struct strbuf *out,
                            struct gp_err *err)
{
    struct launch_comments comments;
    struct notes notes;
    struct strbuf name = STRBUF_EMPTY;
    enum gp_status rc = GP_OK;

    notes_of(a, l, target, &notes);
    comments_of(a, l, &notes, &comments);
    if (l && target->id[0])
        rc = launch_manifest(catalog, target, a, l, &comments, &name, out, err);
    else
        for (int i = 0; i < comments.count; i++)
            print_comment(out, comments.text[i]);
    if (l && !target->id[0])
        print_processes(l, out);
    texts_fini(&notes.texts);
    strbuf_fini(&name);
    return rc;
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

static enum gp_status record_commands(struct record *doc, struct catalog *catalog,
                                      const struct answer *a, const struct launch *l,
                                      const struct launch_target *target,
                                      const struct launch_comments *comments, struct gp_err *err)
{
    struct launch_place place = {0};
    struct launch_command command;
    struct strbuf manifest = STRBUF_EMPTY, name = STRBUF_EMPTY;
    enum gp_status rc = GP_OK;

    launch_command(l, &place, &command);
    record_argv(doc, &command);
    record_env(doc, &command);
    record_list(doc, "files");
    if (command.file[0])
        record_file(doc, command.file, command.text.text);
    if (target->id[0])
        rc = launch_manifest(catalog, target, a, l, comments, &name, &manifest, err);
    if (!rc && target->id[0])
        record_file(doc, name.text, manifest.text);
    strbuf_fini(&manifest);
    strbuf_fini(&name);
    record_list(doc, "replicas");
    for (const struct launch *role = l; role; role = role->prefill)
        for (int g = 0; g < role->groups; g++)
            for (int node = 0; node < nodes_started(role); node++)
                record_process(doc, role, g, node);
    launch_command_fini(&command);
    return rc;
}

enum gp_status launch_print_json(struct catalog *catalog, const struct answer *a,
                                 const struct launch *l, const struct launch_target *target,
                                 struct strbuf *out, struct gp_err *err)
{
    struct launch_comments comments;
    enum gp_status rc = GP_OK;

    const struct request *q = &a->plan.request;
    struct record doc = {0};
    struct notes notes;

    report_begin(&doc, "gpuplan.launch/1", q->data_date);
    record_text(&doc, "target", target->id[0] ? target->id : q->engine->id);
    record_text(&doc, "engine", q->engine->id);
    record_text(&doc, "version", l ? l->version_text : "");
    record_text(&doc, "model", q->model->id);
    record_text(&doc, "gpu", q->gpu->id);
    record_count(&doc, "gpus", "", a->plan.layout.gpus);
    record_text(&doc, "verdict", verdict_word(a->plan.verdict));
    record_list(&doc, "notes");
    notes_of(a, l, target, &notes);
    comments_of(a, l, &notes, &comments);
    for (int i = 1; i < comments.count; i++)
        record_item(&doc, "notes", comments.text[i]);
    if (l) {
        rc = record_commands(&doc, catalog, a, l, target, &comments, err);
    } else { /* no command starts what does not fit */
        record_list(&doc, "argv");
        record_inside(&doc, "env");
        record_list(&doc, "files");
        record_list(&doc, "replicas");
    }
    texts_fini(&notes.texts);
    record_json(&doc, out);
    record_fini(&doc);
    return rc;
}
