/*
 * test_launch_names.c - whatever a model's folder is called, what --launch prints starts the
 * plan's command on that folder, and nothing else.
 *
 * The property: each script is run by bash, where every program is a stub that writes down its
 * words. They must be the words of launch_command(), among them the folder's path, and the
 * names' own commands (touch PWNED) must not have run. Manifests and files are read back by
 * the rules of YAML and of Ollama's parser. GPUPLAN_LONG=5000: so many names, else 100;
 * GPUPLAN_SEED=N: others.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer/launch_print.h"
#include "base/json.h"

#include "profiles.h"

#define TODAY 20780 /* 2026-11-23 */

static struct planner *planner;
static char work[40];

static void write_text(const char *name, const char *text, size_t len)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static int start(void **state)
{
    char *profiles = realpath(source_path("profiles"), NULL); /* read when they are asked for */
    (void)state;
    planner = planner_new(profiles, TODAY, NULL);
    free(profiles);
    snprintf(work, sizeof(work), "/tmp/gpuplan-names.XXXXXX");
    assert_non_null(mkdtemp(work));
    return chdir(work);
}

static int stop(void **state)
{
    char command[96];
    (void)state;
    planner_free(planner);
    snprintf(command, sizeof(command), "rm -rf %s", work);
    return chdir("/") || system(command);
}

/* ---- names ---- */

static unsigned seed = 34;

static int pick(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16 & 0x7fff) % n;
}

/* A folder's name without a slash. */
static void hostile_name(char *name, size_t size)
{
    static const char *const parts[] = {
        "\nEND\ntouch PWNED\n#",
        "\nEND2\n",
        "END",
        "\n",
        "'",
        "\"",
        "$(touch PWNED)",
        "`touch PWNED`",
        ";touch PWNED;",
        "&&touch PWNED",
        "|touch PWNED",
        "\n---\n",
        ": ",
        " #",
        "- ",
        "{}",
        "[",
        "*",
        "?",
        "~",
        "!",
        "\\",
        "\\n",
        "$",
        "$$",
        "$(HOME)",
        "${HOME}",
        "$'",
        "-",
        "--",
        "=",
        "%s",
        "%n",
        "\t",
        "\r",
        " ",
        "\033[31m",
        "\033]0;x\007",
        "\177",
        "\302\233",
        "\342\200\256",
        "\342\201\246",
        "\342\200\250",
        "\302\240",
        "\303\251",
        "\346\226\207",
        "\360\237\230\200",
        "\363\240\201\201",
        "\357\277\276",
        "\377",

        "<b>",
        "&amp;",
        "@",
        ":",
        "'\n'",
        "EOF\n",
        "\"\"\"",
        "a",
        "model",
        "v1",
        "\001",
        "\\'",
        "'\\''",
    };
    size_t used = 0;
    for (int i = 1 + pick(7); i > 0; i--) {
        const char *part = parts[pick(sizeof(parts) / sizeof(parts[0]))];
        used += (size_t)snprintf(name + used, size - used, "%s", part);
    }
    for (int i = pick(20) == 0 ? 40 + pick(160) : 0; i > 0 && used + 2 < size; i--)
        name[used++] = "x'\n $"[pick(5)];
    name[used] = '\0';
}

/* The path as it is asked for, of a folder that is then there. */
static void hostile_path(char *path, size_t size)
{
    static const char config[] =
        "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", "
        "\"hidden_size\": 256, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, "
        "\"num_key_value_heads\": 4, \"intermediate_size\": 512, \"vocab_size\": 1000, "
        "\"max_position_embeddings\": 4096, \"torch_dtype\": \"bfloat16\"}";
    static const char *const starts[] = {"./", "./", "", "//tmp/../%s/", "%s/"};
    char name[256], file[1200];
    size_t used = (size_t)snprintf(path, size, starts[pick(5)], work);
    for (int deep = pick(8) ? 1 : 3; deep > 0; deep--) {
        hostile_name(name, sizeof(name));
        used += (size_t)snprintf(path + used, size - used, "%s%s", name, deep > 1 ? "/" : "");
        mkdir(path, 0700);
    }
    if (pick(4) == 0)
        used += (size_t)snprintf(path + used, size - used, "/");
    snprintf(file, sizeof(file), "%s%s", path, "/config.json");
    write_text(file, config, sizeof(config) - 1);
}

/* ---- what is printed ---- */

/* A scalar between double quotes, read by YAML's rules; where it ends. */
static const char *yaml_scalar(const char *at, struct strbuf *out)
{
    strbuf_clear(out);
    assert_int_equal(*at++, '"');
    while (*at != '"') {
        uint32_t ch;
        if (*at != '\\') {
            int bytes = gp_utf8(at, &ch);
            assert_true(bytes > 0 && gp_is_clean(ch) && ch != 0xFFFE && ch != 0xFFFF);
            strbuf_addn(out, at, (size_t)bytes);
            at += bytes;
        } else if (at[1] == 'U') {
            char digits[9] = "";
            memcpy(digits, at + 2, 8);
            ch = (uint32_t)strtoul(digits, NULL, 16);
            for (int shift = ch > 0xFFFF  ? 18
                             : ch > 0x7FF ? 12
                             : ch > 0x7F  ? 6
                                          : 0,
                     n = shift;
                 shift >= 0; shift -= 6)
                strbuf_addc(out, (char)(n == 0      ? ch
                                        : shift < n ? 0x80 | (ch >> shift & 0x3F)
                                        : n == 18   ? 0xF0 | ch >> 18
                                        : n == 12   ? 0xE0 | ch >> 12
                                                    : 0xC0 | ch >> 6));
            at += 10;
        } else {
            assert_true(strchr("\\\"n", at[1]) != NULL);
            strbuf_addc(out, at[1] == 'n' ? '\n' : at[1]);
            at += 2;
        }
    }
    return at + 1;
}

/* Words from..to of the command, a scalar on a line each, from `at` on; where they end. */
static const char *check_list(const char *at, const char *start, const struct launch_command *c,
                              size_t from, size_t to)
{
    struct strbuf word, plain;
    strbuf_init(&word);
    strbuf_init(&plain);
    at = strstr(at, start);
    assert_non_null(at);
    at += strlen(start);
    size_t indent = strspn(at, " ");
    for (size_t i = from; i < to; i++) {
        assert_int_equal(strspn(at, " "), indent);
        assert_int_equal(strncmp(at + indent, "- ", 2), 0);
        at = yaml_scalar(at + indent + 2, &word);
        assert_int_equal(*at++, '\n');
        strbuf_clear(&plain); /* as Kubernetes and Compose read "$$" */
        for (const char *p = word.text; *p; p++) {
            assert_true(*p != '$' || p[1] == '$');
            p += *p == '$';
            strbuf_addc(&plain, *p);
        }
        assert_string_equal(plain.text, c->argv.at[i].text);
    }
    strbuf_fini(&word);
    strbuf_fini(&plain);
    return at;
}

static void check_compose(const struct strbuf *text, const struct launch_command *c)
{
    const char *at = check_list(text->text, "\n    entrypoint:\n", c, 0, 1);
    check_list(at - 1, "\n    command:\n", c, 1, c->argv.count);
}

/* The command of a pod. */
static void check_manifest(const struct strbuf *text, const struct launch_command *c)
{
    const char *at;
    struct strbuf word;
    int marks = 0;
    strbuf_init(&word);
    check_list(text->text, "\n        command:\n", c, 0, c->argv.count);
    for (at = text->text; (at = strstr(at, "\n---\n")); at++)
        marks++;
    assert_int_equal(marks, c->file[0] ? 3 : 2);
    at = strstr(text->text, "\ndata:\n  ");
    assert_true((at != NULL) == (c->file[0] != '\0'));
    if (at) {
        at = strstr(yaml_scalar(at + 9, &word), ": ");
        assert_string_equal(word.text, c->file);
        yaml_scalar(at + 2, &word);
        assert_string_equal(word.text, c->text.text);
    }
    strbuf_fini(&word);
}

/* FROM as Ollama's parser reads it: blanks around it are cut, then one pair of quotes. */
static void check_modelfile(const char *text, const char *path)
{
    char from[1200];
    size_t len = strcspn(text, "\n");
    assert_int_equal(strncmp(text, "FROM ", 5), 0);
    snprintf(from, sizeof(from), "%.*s", (int)len - 5, text + 5);
    char *cut = gp_trim(from);
    len = strlen(cut);
    if (cut[0] == '"') {
        assert_true(len >= 2 && cut[len - 1] == '"' && strncmp(cut, "\"\"\"", 3) != 0);
        cut[len - 1] = '\0';
        cut++;
    }
    assert_string_equal(cut, path);
}

/* ---- cases ---- */

static const struct {
    const char *engine, *gpu, *tp, *pp;
    const char *target; /* "": the engine's own command */
} cases[] = {
    {"vllm", "h100-sxm", NULL, NULL, ""},
    {"vllm", "h100-sxm:16", "4", "4", ""},
    {"sglang", "h100-sxm", NULL, NULL, ""},
    {"tensorrt-llm", "h100-sxm", NULL, NULL, ""},
    {"llama.cpp", "h100-sxm", NULL, NULL, ""},
    {"ollama", "h100-sxm", NULL, NULL, ""},
    {"vllm", "h100-sxm", NULL, NULL, "k8s"},
    {"tensorrt-llm", "h100-sxm", NULL, NULL, "k8s"},
    {"ollama", "h100-sxm", NULL, NULL, "k8s"},
    {"vllm", "h100-sxm", NULL, NULL, "slurm"},
    {"vllm", "h100-sxm:16", "4", "4", "slurm"},
    {"tensorrt-llm", "h100-sxm:16", "4", "4", "slurm"},
    {"vllm", "h100-sxm", NULL, NULL, "triton"},
    {"tensorrt-llm", "h100-sxm", NULL, NULL, "triton"},
    {"vllm", "h100-sxm", NULL, NULL, "docker"},
    {"tensorrt-llm", "h100-sxm", NULL, NULL, "docker"},
    {"llama.cpp", "h100-sxm", NULL, NULL, "docker"},
    {"ollama", "h100-sxm", NULL, NULL, "docker"},
    {"sglang", "h100-sxm", NULL, NULL, "compose"},
    {"tensorrt-llm", "h100-sxm", NULL, NULL, "compose"},
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static enum gp_status print_case(size_t i, const char *path, struct launch *l, struct strbuf *out,
                                 struct gp_err *err)
{
    static struct answer a; /* large */
    struct options o = {0};
    enum gp_status rc;
    assert_int_equal(options_text(&o, OPT_MODEL, "", path, err), GP_OK);
    assert_int_equal(options_text(&o, OPT_GPU, "", cases[i].gpu, err), GP_OK);
    assert_int_equal(options_text(&o, OPT_ENGINE, "", cases[i].engine, err), GP_OK);
    if (cases[i].tp)
        assert_int_equal(options_text(&o, OPT_TP, "", cases[i].tp, err) +
                             options_text(&o, OPT_PP, "", cases[i].pp, err),
                         GP_OK);
    rc = planner_answer(planner, &o, &a, err);
    if (rc)
        fail_msg("%s: %s %s", path, err->where, err->text);
    assert_int_equal(a.plan.verdict, VERDICT_FITS);
    rc = launch_make(planner, &o, &a, l, err);
    struct catalog *catalog = planner_catalog(planner);
    struct launch_target target;
    if (!rc)
        assert_int_equal(launch_target_find(catalog, cases[i].target, &target, err), GP_OK);
    if (!rc) {
        assert_string_equal(target.id, cases[i].target);
        rc = launch_print(catalog, &a, l, &target, out, err);
        launch_target_fini(&target);
    }
    return rc;
}

/* What the stubs write: each word, a NUL, and at the end of a command another. */
static void expect_words(const struct launch_command *c, size_t from, struct strbuf *out)
{
    for (size_t i = from; i < c->argv.count; i++)
        strbuf_addn(out, c->argv.at[i].text, strlen(c->argv.at[i].text) + 1);
    strbuf_addn(out, "", 1);
}

static void name_of(char *file, const char *kind, int number)
{
    snprintf(file, 64, "%s/%s.%d", work, kind, number);
}

static int written;
static struct strbuf expected; /* what the stubs are to write */

/* One name in all cases; returns how many it was refused in. */
static int write_cases(const char *path)
{
    int refused = 0;
    char as[1200], file[64];
    snprintf(as, sizeof(as), "%s%s", strchr("-~", path[0]) ? "./" : "", path);
    bool short_enough = strlen(path) + 3 <= LAUNCH_TEXT_MAX;
    for (size_t i = 0; i < CASES; i++) {
        static struct launch both[2], l;
        struct launch_command c;
        const char *target = cases[i].target;
        bool compose = strcmp(target, "compose") == 0, k8s = strcmp(target, "k8s") == 0;
        bool triton = strcmp(target, "triton") == 0;
        bool contained = compose || k8s || strcmp(target, "docker") == 0;
        struct launch_place place = {.anywhere = target[0] != '\0', .container = contained};
        struct gp_err err = {0};
        struct strbuf text, words;
        bool script = !compose && !k8s;
        strbuf_init(&text);
        strbuf_init(&words);
        enum gp_status rc = print_case(i, path, both, &text, &err);

        l = both[0];
        if (rc) {
            bool may = !short_enough || !gp_is_utf8(path) || strcmp(l.table->id, "ollama") == 0;
            if (!may)
                fail_msg("%s: %s", err.where, err.text);
            assert_true(err.hint[0] != '\0');
            refused++;
            strbuf_fini(&text);
            strbuf_fini(&words);
            continue;
        }
        assert_true(short_enough && gp_is_utf8(path));
        assert_true(gp_lines_are_clean(text.text, text.len)); /* nothing is changed when printed */
        assert_string_equal(l.values.text[LAUNCH_MODEL], as);
        assert_false(l.checkpoint);
        if (strcmp(target, "slurm") == 0 && cases[i].tp && strcmp(l.table->hosts, "mpi") != 0) {
            place.node_text = "0";
            place.master = "host0";
            place.any_node = true;
        }
        launch_command(&l, &place, &c);
        if (strcmp(l.table->id, "ollama") == 0)
            check_modelfile(c.text.text, as);
        if (compose) {
            check_compose(&text, &c);
        } else if (k8s) {
            check_manifest(&text, &c);
        } else if (triton) {
            strbuf_addn(&words, "tritonserver\0--model-repository=model_repository\0", 50);
        } else {
            for (int node = 0; node < (target[0] ? 1 : l.nodes); node++) {
                struct launch_command of_node;
                place.node = node;
                launch_command(&l, &place, &of_node);
                expect_words(&of_node, 0, &words);
                launch_command_fini(&of_node);
            }
        }
        if (script) {
            name_of(file, "script", written);
            write_text(file, text.text, text.len);
            strbuf_addf(&expected, "#%d", written);
            strbuf_addn(&expected, words.text, words.len);
            name_of(file, "file", written++);
            if (triton) {
                strbuf_clear(&words);
                launch_config(&l, &words);
                json_t *config = json_loads(words.text, 0, NULL);
                assert_string_equal(json_string_value(json_object_get(config, "model")), as);
                json_decref(config);
                write_text(file, words.text, words.len);
            } else if (c.file[0]) {
                write_text(file, c.text.text, c.text.len);
            }
        }
        launch_command_fini(&c);
        strbuf_fini(&text);
        strbuf_fini(&words);
    }
    return refused;
}

/* Each script in a shell of its own. What all of them ran is in `out`, a mark before each; the
 * file that one wrote is compared here. */
static const char driver[] =
    "mkdir bin empty && for p in cat mkdir touch head bash; do ln -s \"$(type -P $p)\" bin/; done\n"
    "ran() { printf '%s\\0' \"$@\" '' >>\"$OUT\"; }\n"
    "for p in vllm trtllm-serve trtllm-llmapi-launch llama-server ollama mpirun tritonserver "
    "python3\n"
    "do eval \"$p() { ran $p \\\"\\$@\\\"; }\"; export -f $p; done\n"
    "docker() { while [ \"$1\" != --entrypoint ]; do shift; done; set -- \"$2\" \"${@:4}\"; "
    "ran \"$@\"; }\n"
    "srun() { [ \"$1\" = --mpi=pmix ] && shift; \"$@\"; }\n"
    "scontrol() { echo host0; }\n"
    "command_not_found_handle() { ran NOT-FOUND \"$@\"; }\n"
    "export -f ran command_not_found_handle\n"
    "export OUT=$PWD/out SLURM_NODEID=0 SLURM_JOB_NODELIST=host0\n"
    "compare=$(type -P cmp) remove=$(type -P rm) bad=0 PATH=$PWD/bin\n"
    "for ((i = 0; i < COUNT; i++)); do\n"
    "    printf '#%d' $i >>out; made=\n"
    "    (cd empty; . ../script.$i) >run.log 2>&1 </dev/null\n"
    "    for f in empty/* empty/model_repository/*/1/*; do [ -f \"$f\" ] && made=$f; done\n"
    "    if [ -n \"$made\" ] || [ -e file.$i ]; then\n"
    "        $compare file.$i \"$made\" || bad=1\n"
    "        $remove -r empty; mkdir empty\n"
    "    fi\n"
    "    [ ! -s run.log ] || { bad=1; echo \"script $i:\"; cat script.$i run.log; }\n"
    "done\n"
    "exit $bad\n";

/* The whole of a file, which the caller frees. */
static char *read_whole(const char *name, size_t *len)
{
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*len + 1);
    assert_int_equal(fread(text, 1, *len, f), *len);
    fclose(f);
    return text;
}

static void test_names(void **state)
{
    const char *many = getenv("GPUPLAN_LONG"), *from = getenv("GPUPLAN_SEED");
    int names = many ? atoi(many) : 100, refused = 0;
    char path[1000], command[96];
    (void)state;
    seed = from ? (unsigned)atoi(from) : seed;
    strbuf_init(&expected);
    for (int i = 0; i < names; i++) {
        hostile_path(path, sizeof(path));
        refused += write_cases(path);
    }
    print_message("%d names, %d scripts, %d refused\n", names, written, refused);
    write_text("driver", driver, sizeof(driver) - 1);
    snprintf(command, sizeof(command), "COUNT=%d bash driver", written);
    assert_int_equal(system(command), 0);
    size_t len, same = 0;
    char *out = read_whole("out", &len);
    while (same < len && same < expected.len && out[same] == expected.text[same])
        same++;
    if (same < len || same < expected.len)
        fail_msg("expected ...%.200s, ran ...%.200s", expected.text + same, out + same);
    free(out);
    strbuf_fini(&expected);
    assert_true(access("PWNED", F_OK) != 0);
    assert_true(refused < written / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    if (access("/bin/bash", X_OK) != 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, start, stop);
}
