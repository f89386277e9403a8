/*
 * test_launch.c - commands of engines, written and read back.
 *
 * The property: whatever a plan asks for, the command that --launch prints, read again, is
 * a request whose plan has the same memory. Each option that is printed must be one of the
 * engine's parser in that version: tests/fixtures/launch/ has what the parsers of the
 * published wheels and sources take, drawn out of them without the table of profiles/.
 */
#include "answer/launch_print.h"
#include "base/units.h"

#include "profiles.h"

#define TODAY 20780 /* 2026-11-23 */

static struct planner *planner;

static int start(void **state)
{
    (void)state;
    planner = planner_new(source_path("profiles"), TODAY, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    planner_free(planner);
    return 0;
}

/* ---- options ---- */

static void option(struct options *o, enum option_id id, const char *text)
{
    struct gp_err err = {0};
    if (options_text(o, id, option_rows[id].name, text, &err))
        fail_msg("%s %s: %s", option_rows[id].name, text, err.text);
}

/* "model llama-3.1-8b; users 4" */
static struct options options_of(char *text)
{
    struct options o = {0};
    for (char *part = strtok(text, ";"); part; part = strtok(NULL, ";")) {
        char *name = gp_trim(part);
        char *value = name + strcspn(name, " ");
        if (*value)
            *value++ = '\0';
        int id = option_find(name);
        assert_true(id >= 0);
        option(&o, (enum option_id)id, value);
    }
    return o;
}

/* ---- the parsers of the engines ---- */

/* Does the engine's own parser have the option in that version, 0.19 being its last patch?
 * version 0: in any. */
static bool parser_has(const char *engine, long version, const char *flag)
{
    char path[96], line[256];
    bool found = false;
    if (version > 0 && version % 10000 == 0)
        version += ENGINE_LAST_PATCH;
    snprintf(path, sizeof(path), "tests/fixtures/launch/%s.flags", engine);
    FILE *f = fopen(source_path(path), "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof(line), f)) {
        char *first = strtok(line, " \n"), *last = strtok(NULL, " \n"), *word;
        if (!first || first[0] == '#')
            continue;
        bool in = version <= 0 || (version >= engine_version(first, 0) &&
                                   version / 10000 <= engine_version(last, 0) / 10000);
        while (in && !found && (word = strtok(NULL, " \n")))
            found = strcmp(word, flag) == 0;
    }
    fclose(f);
    return found;
}

static void check_flag(const struct launch *l, const char *flag)
{
    if (!parser_has(l->table->id, l->version, flag))
        fail_msg("%s %s has no option %s", l->table->id, l->version_text, flag);
}

/* Commands of their own (mpirun -n, python3 -m) and the shell's are not the engine's. */
static void check_flags(const struct launch *l, const struct launch_command *c)
{
    bool engine = false;
    for (size_t i = 0; i < c->argv.count; i++) {
        const char *word = c->argv.at[i].text;
        bool number = word[0] == '-' && word[1] >= '0' && word[1] <= '9';
        if (engine && word[0] == '-' && !number)
            check_flag(l, word);
        engine = engine || strcmp(word, "sglang.launch_server") == 0 ||
                 strcmp(word, "serve") == 0 || strcmp(word, "trtllm-serve") == 0 ||
                 strcmp(word, "llama-server") == 0;
    }
    for (size_t i = 0; i < c->env.count; i++)
        if (strncmp(c->env.at[i].name, "OLLAMA_", 7) == 0)
            check_flag(l, c->env.at[i].name);
}

/* Every row of every table, in the first and the last version that it is said to have. */
static void test_tables_against_parsers(void **state)
{
    static const char *const engines[] = {"vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama"};
    (void)state;
    for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
        const struct launch_engine *t;
        struct gp_err err;
        assert_int_equal(catalog_launch(planner_catalog(planner), engines[e], &t, &err), GP_OK);
        bool released = e < 2;
        for (int i = 0; i < t->flag_count; i++) {
            const struct launch_flag *f = &t->flag[i];
            long low = f->from  ? f->from
                       : e == 0 ? engine_version("0.11.0", 0)
                                : engine_version("0.5.5", 0);
            long high = e == 0 ? engine_version("0.33.0", 0) : engine_version("0.5.23", 0);
            if (f->form == LAUNCH_AS_FIRST)
                continue;
            high = f->until < high ? low : high;
            if (!parser_has(t->id, released ? low : 0, f->flag) ||
                !parser_has(t->id, released ? high : 0, f->flag))
                fail_msg("%s: %s is not in its parser", t->id, f->flag);
        }
    }
}

/* An option that only later versions have is not there for earlier ones. */
static void test_versions(void **state)
{
    const struct launch_engine *t;
    struct gp_err err;
    (void)state;
    assert_int_equal(catalog_launch(planner_catalog(planner), "vllm", &t, &err), GP_OK);
    assert_null(launch_flag_of(t, engine_version("0.12", 0), LAUNCH_KV_OFFLOAD));
    assert_non_null(launch_flag_of(t, engine_version("0.13", 0), LAUNCH_KV_OFFLOAD));
    assert_non_null(launch_flag_of(t, engine_version("0.12", 0), LAUNCH_RAY));
    assert_null(launch_flag_of(t, engine_version("0.13", 0), LAUNCH_RAY));
    assert_int_equal(catalog_launch(planner_catalog(planner), "sglang", &t, &err), GP_OK);
    assert_string_equal(launch_flag_of(t, engine_version("0.5.9", 0), LAUNCH_DP)->flag,
                        "--dp-size");
    assert_string_equal(launch_flag_of(t, engine_version("0.5.23", 0), LAUNCH_DP)->flag,
                        "--attn-dp-size");
}

/* ---- written and read back ---- */

static void same(const char *what, struct quantity a, struct quantity b, const char *command)
{
    double least = 1e-5 * fabs(a.value) + 65536;
    if (fabs(a.value - b.value) > least)
        fail_msg("%s: %.6f GiB planned, %.6f read back from\n%s", what, a.value / GP_GIB,
                 b.value / GP_GIB, command);
}

static void same_memory(const struct answer *a, const struct answer *b, const char *command)
{
    const struct memory *x = &a->plan.memory, *y = &b->plan.memory;
    const struct layout *k = &a->plan.layout, *l = &b->plan.layout;
    bool by_users = a->plan.request.engine->seqs_small == 0 && k->replicas > 1;
    if (k->tp != l->tp || k->pp != l->pp || k->ep != l->ep || k->replicas != l->replicas)
        fail_msg("layout %d %d %d %d, read back %d %d %d %d from\n%s", k->tp, k->pp, k->ep,
                 k->replicas, l->tp, l->pp, l->ep, l->replicas, command);
    if (a->plan.request.headroom > 0 && k->pp > 1 && a->plan.request.engine->budget == BUDGET_FREE)
        return; /* one share cannot be the headroom of every stage: it is that of one */
    same("weights", x->weights, y->weights, command);
    same("non-torch", x->non_torch, y->non_torch, command);
    same("KV needed", x->kv_needed, y->kv_needed, command);
    same("host", x->host, y->host, command);
    if (by_users) { /* the plan sums a row of logits for the slots of all replicas */
        assert_true(y->activation.value <= x->activation.value);
        return;
    }
    same("activation", x->activation, y->activation, command);
    same("graphs", x->graphs, y->graphs, command);
    same("KV reserved", x->kv_reserved, y->kv_reserved, command);
    same("KV pool", x->kv_pool, y->kv_pool, command);
}

/* The row of an option or of a variable; NULL: there is none. */
static const struct launch_flag *row_of(const struct launch_engine *t, const char *flag)
{
    for (int i = 0; i < t->flag_count; i++)
        if (strcmp(t->flag[i].flag, flag) == 0)
            return &t->flag[i];
    return NULL;
}

static int pieces(const char *text, char between)
{
    int n = text[0] != '\0';
    for (; *text; text++)
        n += *text == between;
    return n;
}

/* What stands before the options, and the variables; GPUs without an option that counts them are
 * those that are seen. */
static size_t read_head(const struct launch *l, const struct launch_command *c,
                        struct launch_reading *r, struct gp_err *err)
{
    const struct launch_engine *t = l->table;
    bool mpi = strcmp(c->argv.at[0].text, "mpirun") == 0;
    size_t first = (mpi ? 5 : 0) + (size_t)pieces(t->command, '|');
    for (size_t i = 0; i < c->env.count; i++)
        if (l->visible && strcmp(c->env.at[i].name, l->visible) == 0) {
            if (!launch_flag_of(t, l->version, LAUNCH_TP) &&
                !launch_flag_of(t, l->version, LAUNCH_SPLIT))
                launch_set_number(&r->values, LAUNCH_PP, pieces(c->env.at[i].text, ','));
        } else {
            assert_int_equal(launch_read_pair(r, c->env.at[i].name, c->env.at[i].text, err), GP_OK);
        }
    return first + (t->ranks[0] && strcmp(c->argv.at[mpi ? 5 : 0].text, t->ranks) == 0);
}

/* YAML of TensorRT-LLM, or Ollama's Modelfile: what is written there. */
static enum gp_status read_file_line(struct launch_reading *r, char *line, char parent[64],
                                     struct gp_err *err)
{
    char name[128], *text = gp_trim(line), *value = strstr(text, ": ");
    size_t from = strncmp(text, "PARAMETER ", 10) == 0 ? 10 : 0;
    if (from || strncmp(text, "FROM ", 5) == 0)
        value = strchr(text + from, ' ');
    if (!value) {
        snprintf(parent, 64, "%.*s", (int)strcspn(text, ":"), text);
        return GP_OK;
    }
    snprintf(name, sizeof(name), "%s%s%.*s", line[0] == ' ' ? parent : "",
             line[0] == ' ' ? "." : "", (int)(value - text - (long)from), text + from);
    return launch_read_pair(r, name, gp_trim(value + 1 + (*value == ':')), err);
}

/* The command and its file as values: each option by its own row. */
static enum gp_status read_back(const struct launch *l, const struct launch_command *c,
                                struct launch_reading *r, struct gp_err *err)
{
    char *file = strdup(c->text.text), *rest = file, *line, parent[64] = "";
    enum gp_status rc = GP_OK;
    for (size_t i = read_head(l, c, r, err); i < c->argv.count && !rc; i++) {
        const char *word = c->argv.at[i].text;
        const struct launch_flag *row = row_of(l->table, word);
        bool value = row && row->form != LAUNCH_AS_SWITCH;
        rc = word[0] == '-' ? launch_read_pair(r, word, value ? c->argv.at[++i].text : NULL, err)
                            : launch_read_pair(r, "model", word, err);
    }
    while (!rc && (line = strsep(&rest, "\n")))
        rc = read_file_line(r, line, parent, err);
    free(file);
    return rc;
}

/* 0: does not fit, or cannot be told. */
static int round_trip(const struct options *o)
{
    static struct answer a, b; /* large */
    struct launch both[2], l;
    struct launch_place place = {0};
    struct launch_command c;
    struct launch_reading r;
    static struct launch_request again;
    struct gp_err err = {0};
    struct strbuf text;

    if (planner_answer(planner, o, &a, &err) || a.plan.verdict == VERDICT_DOES_NOT_FIT)
        return 0;
    if (launch_make(planner, o, &a, both, &err)) { /* what is planned to draft, it can start */
        assert_null(strstr(err.text, "draft"));
        assert_null(strstr(err.text, "ngram"));
        return 0;
    }
    l = both[0];
    launch_command(&l, &place, &c);
    check_flags(&l, &c);
    strbuf_init(&text);
    launch_shell_words(&c, 0, "    ", &text);
    launch_read_begin(l.table, l.version, &r);
    r.users = ceil(a.plan.memory.users);
    if (read_back(&l, &c, &r, &err) ||
        launch_request(&r, planner_catalog(planner), o, l.groups, &again, &err) ||
        planner_answer(planner, &again.options, &b, &err))
        fail_msg("%s: %s\n%s", err.where, err.text, text.text);
    if (r.unknown_count > 0)
        fail_msg("unknown: %s\n%s", r.unknown, text.text);
    strbuf_add(&text, c.text.text);
    same_memory(&a, &b, text.text);
    strbuf_fini(&text);
    launch_command_fini(&c);
    return 1;
}

static unsigned seed = 14;

static int pick(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16 & 0x7fff) % n;
}

static const char *one_of(const char *list, char *word, size_t size)
{
    int n = 1;
    for (const char *p = list; *p; p++)
        n += *p == ' ';
    for (int i = pick(n); i > 0; i--)
        list = strchr(list, ' ') + 1;
    snprintf(word, size, "%.*s", (int)strcspn(list, " "), list);
    return word;
}

static void add(char *text, size_t size, int chance, const char *name, const char *choices)
{
    char word[64];
    one_of(choices, word, sizeof(word));
    if (pick(100) < chance)
        gp_append(text, size, "; ", "%s %s", name, word);
}

static void random_request(const char *engine, char *text, size_t size)
{
    bool gguf = strstr(engine, "llama.cpp") || strstr(engine, "ollama");
    bool ollama = strstr(engine, "ollama");
    bool vllm = strstr(engine, "vllm"), sglang = strstr(engine, "sglang");
    text[0] = '\0';
    add(text, size, 100, "model",
        "llama-3.1-8b llama-3.1-70b qwen3-30b-a3b deepseek-v3 gemma-3-27b qwen3-8b "
        "mixtral-8x7b deepseek-v2-lite-16b qwen3-0.6b 13B");
    add(text, size, 60, "precision",
        gguf ? "q4_k_m q8_0 q6_k fp16" : "fp8 int4-awq bf16 fp16 int8 nvfp4");
    gp_append(text, size, "; ", "engine %s", engine);
    add(text, size, 100, "gpu",
        "h100-sxm h200-sxm:8 b200:8 a100-80:4 l40s:2 rtx-4090 h100-sxm:16 mi300x:8 h100-sxm:2");
    add(text, size, ollama ? 100 : 80, "context", "2048 8192 32768 5000");
    add(text, size, 80, "users", "1 3 8 40 200");
    add(text, size, ollama ? 100 : 20, "tp", ollama ? "1" : "1 2 4 8");
    add(text, size, 15, "pp", "1 2 4");
    add(text, size, 15, "ep", "2 4 8 16");
    add(text, size, 15, "replicas", "1 2 4");
    add(text, size, 25, "max-num-seqs", "16 64 256 500");
    add(text, size, 25, "max-batched-tokens", "1024 4096 16384");
    add(text, size, 25, "memory-utilization", "0.5 0.8 0.933");
    add(text, size, 20, "headroom", "0.05 0.2");
    add(text, size, 25, "kv-precision", gguf ? "fp16 ggml-q8_0 q4_0" : "fp8 bf16");
    add(text, size, 15, "prefix-hit", "0.5");
    if (gguf) {
        add(text, size, 15, "gpu-layers", "10 20 33");
        add(text, size, 10, "n-cpu-moe", "4");
        add(text, size, 10, "no-kv-offload", "");
    }
    if (vllm)
        add(text, size, 15, "cpu-offload-gb", "2 7.5");
    if (vllm || sglang)
        add(text, size, 15, "kv-offload-gb", "8 100");
    add(text, size, 15, "lora", "2:16 4:32");
    add(text, size, 15, "draft",
        "mtp qwen3-0.6b llama-3.2-1b eagle3 eagle3:org/head dflash:org/head ngram");
    add(text, size, 10, "language-model-only", "");
}

static void test_round_trips(void **state)
{
    static const char *const engines[] = {
        "vllm",   "vllm@0.11",    "vllm@0.18",     "vllm@0.22",    "vllm@0.27", "vllm@0.30",
        "sglang", "sglang@0.5.9", "sglang@0.5.15", "tensorrt-llm", "llama.cpp", "ollama"};
    (void)state;
    for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
        int seen = 0;
        for (int i = 0; i < 150; i++) {
            char text[512];
            random_request(engines[e], text, sizeof(text));
            struct options o = options_of(text);
            seen += round_trip(&o);
        }
        print_message("%s: %d commands read back\n", engines[e], seen);
        assert_true(seen >= 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_against_parsers),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
