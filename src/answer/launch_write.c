/*
 * launch_write.c - the writing half of launch.h: values as the options of an engine.
 */
#include "answer/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

#define MASTER "HOST0" /* stands for the first host's address */

/* ---- rows of the table ---- */

static bool flag_holds(long version, long from, long until)
{
    return version >= from && version <= until;
}

const struct launch_flag *launch_flag_of(const struct launch_engine *table, long version,
                                         enum launch_setting setting)
{
    for (int i = 0; i < table->flag_count; i++)
        if (table->flag[i].setting == setting && table->flag[i].form != LAUNCH_AS_READ &&
            flag_holds(version, table->flag[i].from, table->flag[i].until))
            return &table->flag[i];
    return NULL;
}

const char *launch_word_of(const struct launch_engine *table, long version,
                           enum launch_setting setting, const char *format)
{
    for (int i = 0; i < table->word_count; i++) {
        const struct launch_word *w = &table->word[i];

        if (w->setting == setting && !w->read && flag_holds(version, w->from, w->until) &&
            strcmp(w->value, format) == 0)
            return w->word;
    }
    return NULL;
}

/* ---- lists ---- */

static void list_add(struct launch_list *list, const char *name, const char *text, bool raw)
{
    list->at = gp_grow(list->at, &list->cap, list->count + 1, sizeof(*list->at));
    list->at[list->count++] =
        (struct launch_word_at){.name = name, .text = gp_strdup(text), .raw = raw};
}

static void list_fini(struct launch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].text);
    free(list->at);
}

void launch_command_fini(struct launch_command *command)
{
    list_fini(&command->argv);
    list_fini(&command->env);
    strbuf_fini(&command->text);
}

/* ---- one value ---- */

/* What is being written, and for which part of a group. */
struct writing {
    const struct launch *launch;
    const struct launch_place *place;
    struct launch_values values; /* with those of the place */
    struct launch_command *out;
};

static double flag_number(const struct writing *w, const struct launch_flag *f)
{
    double value = w->values.number[f->setting];

    if (f->unit == LAUNCH_PER_GROUP)
        value *= w->launch->ways;
    if (f->form == LAUNCH_AS_LEAST)
        value = fmax(value, f->least);
    return fmax(value + f->add, f->add < 0 ? 1 : value);
}

static void value_text(const struct writing *w, const struct launch_flag *f,
                       char text[LAUNCH_TEXT_MAX])
{
    const char *given = w->values.text[f->setting];
    const char *word = launch_word_of(w->launch->table, w->launch->version, f->setting, given);

    if (f->constant[0])
        gp_copy(text, LAUNCH_TEXT_MAX, f->constant);
    else if (launch_setting_is_text(f->setting))
        gp_format(text, LAUNCH_TEXT_MAX, "%s%s%s", f->prefix, word ? word : given, f->suffix);
    else if (f->form == LAUNCH_AS_COUNT)
        gp_format(text, LAUNCH_TEXT_MAX, "%.0f", fmax(rint(flag_number(w, f)), 1));
    else
        gp_format(text, LAUNCH_TEXT_MAX, "%.*g", f->setting == LAUNCH_SHARE ? 6 : 12,
                  flag_number(w, f));
}

/* Only what is known where it runs is an expression. */
static bool is_raw(const struct writing *w, enum launch_setting s)
{
    const struct launch_place *p = w->place;

    return (s == LAUNCH_NODE_RANK && p->node_text) || (s == LAUNCH_DP_START && p->node_text) ||
           ((s == LAUNCH_MASTER || s == LAUNCH_DP_ADDRESS) && p->master) ||
           (s == LAUNCH_PORT && p->port);
}

static json_t *value_json(const struct writing *w, const struct launch_flag *f)
{
    char text[LAUNCH_TEXT_MAX];

    value_text(w, f, text);
    return f->constant[0] || launch_setting_is_text(f->setting)
               ? gp_json_text(text)
               : gp_json_number(strtod(text, NULL));
}

static bool flag_applies(const struct writing *w, const struct launch_flag *f)
{
    return w->values.given[f->setting] && f->form != LAUNCH_AS_READ &&
           flag_holds(w->launch->version, f->from, f->until) &&
           (f->form != LAUNCH_AS_LEAST || w->values.number[f->setting] > f->least);
}

/* All members of one option's JSON. */
static json_t *object_of(const struct writing *w, const char *flag)
{
    const struct launch_engine *t = w->launch->table;
    json_t *object = json_object();

    for (int i = 0; i < t->flag_count; i++)
        if (t->flag[i].form == LAUNCH_AS_JSON && flag_applies(w, &t->flag[i]) &&
            strcmp(t->flag[i].flag, flag) == 0)
            json_object_set_new(object, t->flag[i].key, value_json(w, &t->flag[i]));
    return object;
}

/* ---- one row ---- */

static void write_json(struct writing *w, const struct launch_flag *f)
{
    json_t *object = object_of(w, f->flag);
    const struct launch_list *argv = &w->out->argv;
    struct strbuf text;
    bool there = false; /* by another member of it */

    strbuf_init(&text);
    gp_json_write(object, false, &text);
    for (size_t i = 0; i < argv->count; i++)
        there |= !argv->at[i].name && strcmp(argv->at[i].text, f->flag) == 0;
    if (!there) {
        list_add(&w->out->argv, NULL, f->flag, false);
        list_add(&w->out->argv, NULL, text.text, false);
    }
    strbuf_fini(&text);
    json_decref(object);
}

/* "kv_cache_config.dtype" below its parent, which the row before it may have opened. */
static void write_yaml(struct writing *w, const struct launch_flag *f, const char *text)
{
    const char *dot = strchr(f->flag, '.');
    char parent[56];

    if (!dot) {
        strbuf_addf(&w->out->text, "%s: %s\n", f->flag, text);
        return;
    }
    gp_format(parent, sizeof(parent), "%.*s:\n", (int)(dot - f->flag), f->flag);
    if (!strstr(w->out->text.text, parent))
        strbuf_add(&w->out->text, parent);
    strbuf_addf(&w->out->text, "  %s: %s\n", dot + 1, text);
}

static void write_row(struct writing *w, const struct launch_flag *f)
{
    char text[LAUNCH_TEXT_MAX];
    bool from = strcmp(f->flag, "FROM") == 0;

    value_text(w, f, text);
    switch (f->form) {
    case LAUNCH_AS_SWITCH:
        list_add(&w->out->argv, NULL, f->flag, false);
        break;
    case LAUNCH_AS_FIRST:
        list_add(&w->out->argv, NULL, text, false);
        break;
    case LAUNCH_AS_FILES:
        for (int i = 1; i <= (int)w->values.number[f->setting]; i++) {
            gp_format(text, sizeof(text), "./adapter-%d.gguf", i);
            list_add(&w->out->argv, NULL, f->flag, false);
            list_add(&w->out->argv, NULL, text, false);
        }
        break;
    case LAUNCH_AS_JSON:
        write_json(w, f);
        break;
    case LAUNCH_AS_ENV:
        list_add(&w->out->env, f->flag, text, is_raw(w, f->setting));
        break;
    case LAUNCH_AS_YAML:
        write_yaml(w, f, text);
        break;
    case LAUNCH_AS_MODELFILE:
        strbuf_addf(&w->out->text, "%s%s %s\n", from ? "" : "PARAMETER ", f->flag, text);
        break;
    default:
        list_add(&w->out->argv, NULL, f->flag, false);
        list_add(&w->out->argv, NULL, text, is_raw(w, f->setting));
    }
}

/* ---- where it runs ---- */

static void set_place_text(struct writing *w, enum launch_setting s, const char *text, int number)
{
    char digits[16];

    gp_format(digits, sizeof(digits), "%d", number);
    launch_set_text(&w->values, s, text ? text : digits);
}

/* Copies of the attention on one host each: the engine's processes on the others are told
 * where they begin. Else one copy is cut over the hosts. */
static void set_nodes(struct writing *w)
{
    const struct launch *l = w->launch;
    const struct launch_place *p = w->place;
    const char *master = p->master ? p->master : MASTER;
    bool parts = l->ways > 1 && l->ways % l->nodes == 0 &&
                 launch_flag_of(l->table, l->version, LAUNCH_DP_LOCAL);
    char start[64];

    if (l->nodes <= 1)
        return;
    launch_set_number(&w->values, LAUNCH_GPUS_PER_NODE, l->host_gpus);
    if (p->node > 0 && !p->any_node)
        launch_set_number(&w->values, LAUNCH_HEADLESS, 1);
    if (parts) {
        gp_format(start, sizeof(start), "$((%s * %d))", p->node_text ? p->node_text : "",
                  l->ways / l->nodes);
        launch_set_number(&w->values, LAUNCH_DP_LOCAL, l->ways / l->nodes);
        set_place_text(w, LAUNCH_DP_START, p->node_text ? start : NULL,
                       p->node * (l->ways / l->nodes));
        launch_set_text(&w->values, LAUNCH_DP_ADDRESS, master);
        return;
    }
    launch_set_number(&w->values, LAUNCH_NODES, l->nodes);
    launch_set_number(&w->values, LAUNCH_RAY, 1);
    set_place_text(w, LAUNCH_NODE_RANK, p->node_text, p->node);
    launch_set_text(&w->values, LAUNCH_MASTER, master);
}

static void writing_begin(struct writing *w, const struct launch *launch,
                          const struct launch_place *place, struct launch_command *out)
{
    memset(out, 0, sizeof(*out));
    strbuf_init(&out->text);
    w->launch = launch;
    w->place = place;
    w->values = launch->values;
    w->out = out;
    set_place_text(w, LAUNCH_PORT, place->port,
                   launch->table->port + place->group % launch->per_host);
    set_nodes(w);
}

void launch_command(const struct launch *launch, const struct launch_place *place,
                    struct launch_command *out)
{
    const struct launch_engine *t = launch->table;
    int first = place->group % launch->per_host * launch->host_gpus;
    bool spread = launch->nodes > 1;
    struct writing w;
    char text[LAUNCH_TEXT_MAX] = "";

    writing_begin(&w, launch, place, out);
    /* which GPUs of its host the group may see */
    if (!place->anywhere && launch->visible && (launch->per_host > 1 || t->all_gpus)) {
        for (int i = 0; i < launch->host_gpus; i++)
            gp_append(text, sizeof(text), ",", "%d", first + i);
        list_add(&out->env, launch->visible, text, false);
    }
    /* mpirun starts a process for each GPU of the group */
    if (spread && strcmp(t->hosts, "mpi") == 0 && !place->anywhere) {
        gp_format(text, sizeof(text), "%d", launch->gpus);
        const char *const words[] = {"mpirun", "-n", text, "--hostfile", "hosts.txt"};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            list_add(&out->argv, NULL, words[i], false);
    }
    if (spread && t->ranks[0])
        list_add(&out->argv, NULL, t->ranks, false);
    for (const char *word = t->command; *word;) {
        size_t len = strcspn(word, "|");

        gp_format(text, sizeof(text), "%.*s", (int)len, word);
        list_add(&out->argv, NULL, text, false);
        word += len + (word[len] == '|');
    }
    for (int i = 0; i < t->flag_count; i++)
        if (flag_applies(&w, &t->flag[i]))
            write_row(&w, &t->flag[i]);
    if (out->text.len > 0)
        gp_copy(out->file, sizeof(out->file),
                launch->values.given[LAUNCH_CONFIG] ? launch->values.text[LAUNCH_CONFIG]
                                                    : "Modelfile");
}

/* ---- the engine's own configuration ---- */

void launch_config(const struct launch *launch, struct strbuf *out)
{
    const struct launch_engine *t = launch->table;
    const struct launch_place place = {.anywhere = true};
    struct launch_command unused;
    struct writing w;
    json_t *config = json_object();

    writing_begin(&w, launch, &place, &unused);
    for (int i = 0; i < t->flag_count; i++) {
        const struct launch_flag *f = &t->flag[i];
        const char *dot = strchr(f->name, '.');
        char parent[56];
        json_t *to = config;

        /* what a server that embeds the engine sets itself, or has in another file */
        if (!flag_applies(&w, f) || f->setting == LAUNCH_PORT || f->setting == LAUNCH_CONFIG ||
            f->setting == LAUNCH_HEADLESS || f->form == LAUNCH_AS_LEAST)
            continue;
        if (dot) {
            gp_format(parent, sizeof(parent), "%.*s", (int)(dot - f->name), f->name);
            if (!json_object_get(config, parent))
                json_object_set_new(config, parent, json_object());
            to = json_object_get(config, parent);
        }
        json_object_set_new(to, dot ? dot + 1 : f->name,
                            f->form == LAUNCH_AS_SWITCH ? json_true()
                            : f->form == LAUNCH_AS_JSON ? object_of(&w, f->flag)
                                                        : value_json(&w, f));
    }
    gp_json_write(config, true, out);
    json_decref(config);
    launch_command_fini(&unused);
}
