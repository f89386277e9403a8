/*
 * completion.c - completion for bash, zsh and fish: one list of words, three short scripts.
 *
 * A script hands the line to `gpuplan --complete WORD...`, whose last word is the one that is being
 * typed, maybe "". It prints what may stand in its place, one a line: the word, a tab, what it is,
 * and for an option that takes a value a tab and its argument. A line ":files" says that a file
 * may stand there, too. What is known of commands, options and ids is thus known in one place, with
 * the user's own profiles.
 */
#include "cli/command.h"

#include <string.h>

#include "measure/point/test.h"

/* What is no command, but stands where one does. */
static const struct {
    const char *name, *brief;
} others[] = {{"help", "list the commands and options"},
              {"version", "print the version"},
              {"completion", "print a completion script for bash, zsh or fish"}};

static const char *const shell_words = "bash|zsh|fish";
static const char *const test_words = /* of --bench */
#define TEST(ID, word, ...) #word "|"
#include "measure/point/test_rows.h"
#undef TEST
    "all|quick";
static const char *const class_words =
    "models|gpus|engines|instances|formats|servers|families|shapes|pools";

struct completion {
    const char *before; /* what stands before the words in the same argument: "--price=" */
    const char *typed;  /* of the word */
    struct strbuf *out;
};

static void offer_word(const struct completion *c, const char *word, size_t len, const char *brief,
                       const char *argument)
{
    size_t typed = strlen(c->typed);

    if (typed > len || strncmp(word, c->typed, typed) != 0 || memchr(word, ' ', len))
        return;
    strbuf_addf(c->out, "%s%.*s\t%s", c->before, (int)len, word, brief);
    strbuf_addf(c->out, "%s%s\n", argument ? "\t" : "", argument ? argument : "");
}

static void offer_words(const struct completion *c, const char *words, const char *between)
{
    for (size_t n; *words; words += n + (words[n] != '\0')) {
        n = strcspn(words, between);
        if (n > 0)
            offer_word(c, words, n, "", NULL);
    }
}

/* The ids of the classes, as --list gives them. */
static void offer_ids(const struct completion *c, const char *classes)
{
    struct planner *planner = planner_new(NULL, 0, NULL);
    char class[24];

    for (size_t n; *classes; classes += n + (classes[n] != '\0')) {
        struct invocation list = {
            .command = &cmd_list, .args = {class}, .arg_count = 1, .quiet = true};
        struct gp_err err;

        n = strcspn(classes, "|");
        gp_format(class, sizeof(class), "%.*s", (int)n, classes);
        list.planner = planner;
        strbuf_init(&list.out);
        if (cmd_list.run(&list, &err) == GP_OK)
            offer_words(c, list.out.text, "\n");
        strbuf_fini(&list.out);
    }
    planner_free(planner);
}

static void offer_value(const struct completion *c, int id)
{
    static const struct {
        const char *class, *more;
    } ids[OPTION_COUNT] = {[OPT_MODEL] = {"models", ""},
                           [OPT_PRECISION] = {"formats", ""},
                           [OPT_KV_PRECISION] = {"formats", "auto"},
                           [OPT_GPU] = {"gpus", "all|local|cpu"},
                           [OPT_ENGINE] = {"engines", ""}};

    if (option_rows[id].choices)
        offer_words(c, option_rows[id].choices, "|");
    if (ids[id].class) {
        offer_ids(c, ids[id].class);
        offer_words(c, ids[id].more, "|");
    }
    if (option_rows[id].type == OPTION_PATH || id == OPT_MODEL)
        strbuf_add(c->out, ":files\n");
}

static void offer_options(const struct completion *c, const struct command *command)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        const char *argument = row->type == OPTION_FLAG ? NULL : row->argument;
        char name[64];

        if (!(row->commands & command->bit))
            continue;
        gp_format(name, sizeof(name), "--%s", row->name);
        offer_word(c, name, strlen(name), row->help, argument);
        gp_format(name, sizeof(name), "-%c", row->key);
        if (row->key && !c->typed[1])
            offer_word(c, name, 2, row->help, NULL);
    }
}

void command_complete(int argc, char **argv, struct strbuf *out)
{
    const char *word = argc > 0 ? argv[argc - 1] : "";
    const char *previous = argc > 2 && argv[argc - 2][0] == '-' ? argv[argc - 2] : "";
    struct completion c = {.before = "", .typed = word, .out = out};
    const struct command *command = argc > 1 ? command_find(argv[0]) : NULL;
    int before = strchr(previous, '=') ? -1 : option_find_word(previous), own = -1;
    size_t glued = 0; /* bytes of the option before a value in one word: --price=spot, -fjson */
    char start[64];

    if (strncmp(word, "--", 2) == 0 && strchr(word, '=')) {
        own = option_find_word(word);
        glued = strcspn(word, "=") + 1;
    } else if (word[0] == '-' && word[1] && word[1] != '-' && word[2]) {
        own = option_find((char[]){word[1], '\0'});
        glued = 2;
    }
    if (argc < 2) {
        char name[64];

        for (int i = 0; commands[i]; i++) {
            gp_format(name, sizeof(name), "--%s", commands[i]->name);
            offer_word(&c, name, strlen(name), commands[i]->brief, NULL);
        }
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            gp_format(name, sizeof(name), "--%s", others[i].name);
            offer_word(&c, name, strlen(name), others[i].brief, NULL);
        }
    } else if (strcmp(argv[0] + strspn(argv[0], "-"), "completion") == 0) {
        offer_words(&c, shell_words, "|");
    } else if (!command) {
        return;
    } else if (before >= 0 && option_rows[before].type != OPTION_FLAG) {
        offer_value(&c, before);
    } else if (own >= 0) {
        c.typed = word + glued;
        gp_format(start, sizeof(start), "%.*s", (int)glued, word);
        c.before = start;
        offer_value(&c, own);
    } else if (word[0] == '-') {
        offer_options(&c, command);
    } else if (command == &cmd_bench) {
        offer_words(&c, test_words, "|");
    } else if (command == &cmd_list) {
        offer_words(&c, class_words, "|");
        offer_words(&c, "devices", "|");
    } else if (command == &cmd_show) {
        offer_ids(&c, class_words);
    } else {
        strbuf_add(out, ":files\n");
    }
}

/* ---- scripts ---- */

/* bash splits words at = : and @, where the program does not: the script takes the line apart
 * itself and gives back only what follows the last of them. */
static const char bash_script[] =
    "# bash completion for gpuplan; written by: gpuplan --completion bash\n"
    "_gpuplan() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur keep\n"
    "    local -a given\n"
    "    cur=${line##*[$' \\t']}\n"
    "    read -ra given <<<\"${line%\"$cur\"}\"\n"
    "    keep=${cur%\"${cur##*[=:@]}\"}\n"
    "    mapfile -t COMPREPLY < <(\"${given[0]/#\\~/$HOME}\" --complete \"${given[@]:1}\" \"$cur\" "
    "\\\n"
    "        2>/dev/null | grep -v '^:' | cut -f 1)\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$keep\"}\")\n"
    "}\n"
    "complete -o default -F _gpuplan gpuplan\n";

static const char zsh_script[] =
    "#compdef gpuplan\n"
    "# zsh completion for gpuplan; written by: gpuplan --completion zsh\n"
    "_gpuplan() {\n"
    "    local line files\n"
    "    local -a part plain valued\n"
    "    for line in ${(f)\"$(${~words[1]} --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"}; "
    "do\n"
    "        part=(\"${(@ps:\\t:)line}\")\n"
    "        if [[ $line == :files ]]; then\n"
    "            files=1\n"
    "        elif (($#part > 2)); then\n"
    "            valued+=(\"${part[1]//:/\\\\:}:$part[2]\")\n"
    "        else\n"
    "            plain+=(\"${part[1]//:/\\\\:}${part[2]:+:$part[2]}\")\n"
    "        fi\n"
    "    done\n"
    "    (($#valued)) && _describe -o option valued -S = -q\n"
    "    (($#plain)) && _describe word plain\n"
    "    ((files)) && _files\n"
    "    return 0\n"
    "}\n\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
    "    _gpuplan \"$@\"\n"
    "else\n"
    "    compdef _gpuplan gpuplan\n"
    "fi\n";

static const char fish_script[] =
    "# fish completion for gpuplan; written by: gpuplan --completion fish\n"
    "function __gpuplan_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l typed (commandline -ct)\n"
    "    for line in (eval $words[1] --complete (string escape -- $words[2..-1] \"$typed\") "
    "2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path \"$typed\"\n"
    "        else\n"
    "            string split -f 1,2 \\t -- $line | string join \\t\n"
    "        end\n"
    "    end\n"
    "end\n\n"
    "complete -c gpuplan -f -a '(__gpuplan_complete)'\n";

enum gp_status command_completion(const char *shell, struct strbuf *out, struct gp_err *err)
{
    const char *script = strcmp(shell, "bash") == 0   ? bash_script
                         : strcmp(shell, "zsh") == 0  ? zsh_script
                         : strcmp(shell, "fish") == 0 ? fish_script
                                                      : NULL;

    if (!script)
        return gp_fail(err, GP_E_USAGE, "--completion", "bash, zsh or fish",
                       "no completion for '%.40s'", shell);
    strbuf_add(out, script);
    return GP_OK;
}
