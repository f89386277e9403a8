/*
 * completion.c - completion scripts for bash, zsh and fish from the command and option
 * tables.
 *
 * Names and choices are written into the script; ids come from the program itself
 * (gpuplan --list CLASS --quiet), so that the user's own profiles complete as well.
 *
 * bash splits words at = : and @, where the program does not: the script takes the line
 * apart itself and gives back only what follows the last of them.
 */
#include "cli/command.h"

#include <string.h>

#include "measure/point/test.h"

/* The class whose ids an option takes, and what it takes beside them. */
static const struct {
    const char *class, *more;
} ids[OPTION_COUNT] = {[OPT_MODEL] = {"models", ""},
                       [OPT_PRECISION] = {"formats", ""},
                       [OPT_KV_PRECISION] = {"formats", " auto"},
                       [OPT_GPU] = {"gpus", " all local cpu"},
                       [OPT_ENGINE] = {"engines", ""}};

/* What is no command, but stands where one does. */
static const struct {
    const char *name, *brief;
} others[] = {{"help", "list the commands and options"},
              {"version", "print the version"},
              {"completion", "print a completion script for bash, zsh or fish"}};
#define OTHERS (sizeof(others) / sizeof(others[0]))

static const char *const shell_words = "bash zsh fish";
static const char *const test_words = /* of --bench */
#define TEST(ID, word, ...) #word " "
#include "measure/point/test_rows.h"
#undef TEST
    "all quick";
static const char *const list_words = "models gpus engines instances formats servers families";

static void add_choices(const char *choices, struct strbuf *out)
{
    for (; *choices; choices++)
        strbuf_addn(out, *choices == '|' ? " " : choices, 1);
}

/* Text inside '...' of a shell. */
static void add_quoted(const char *text, struct strbuf *out)
{
    for (; *text; text++)
        if (*text == '\'')
            strbuf_add(out, "'\\''");
        else
            strbuf_addn(out, text, 1);
}

static void option_names(unsigned bit, struct strbuf *out)
{
    const char *blank = "";

    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].commands & bit) {
            strbuf_addf(out, "%s--%s", blank, option_rows[i].name);
            blank = " ";
        }
}

static void command_names(struct strbuf *out)
{
    for (int i = 0; commands[i]; i++)
        strbuf_addf(out, "--%s ", commands[i]->name);
    for (size_t i = 0; i < OTHERS; i++)
        strbuf_addf(out, "%s--%s", i ? " " : "", others[i].name);
}

/* ---- bash ---- */

static void bash_option(int id, struct strbuf *out)
{
    const struct option_row *row = &option_rows[id];
    const char *class = ids[id].class;

    if (row->type == OPTION_FLAG || (!row->choices && !class))
        return;
    strbuf_add(out, "    ");
    if (row->key)
        strbuf_addf(out, "-%c|", row->key);
    strbuf_addf(out, "--%s) words=\"", row->name);
    if (class)
        strbuf_addf(out, "$(_gpuplan_ids %s)%s", class, ids[id].more);
    else
        add_choices(row->choices, out);
    strbuf_add(out, "\" ;;\n");
}

/* Every option that takes a value and has no words of its own: numbers and files. */
static void bash_plain(struct strbuf *out)
{
    const char *bar = "    ";

    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];

        if (row->type == OPTION_FLAG || row->choices || ids[i].class)
            continue;
        strbuf_addf(out, "%s--%s", bar, row->name);
        if (row->key)
            strbuf_addf(out, "|-%c", row->key);
        bar = "|";
    }
    strbuf_add(out, ") return ;;\n");
}

static void bash_commands(struct strbuf *out)
{
    for (int i = 0; commands[i]; i++) {
        strbuf_addf(out, "    %s) words=\"", commands[i]->name);
        option_names(commands[i]->bit, out);
        strbuf_add(out, "\" ;;\n");
    }
}

static const char bash_head[] =
    "# bash completion for gpuplan; written by: gpuplan --completion bash\n"
    "_gpuplan_ids() {\n"
    "    \"$_gpuplan_program\" --list \"$1\" --quiet 2>/dev/null | grep -v ' '\n"
    "}\n\n"
    "# What may stand in place of $3, after the word $2, for the command $1.\n"
    "_gpuplan_words() {\n"
    "    local words=\n"
    "    case $2 in\n";

static const char bash_tail[] =
    "_gpuplan() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur before prev keep command\n"
    "    local -a given\n"
    "    COMPREPLY=()\n"
    "    cur=${line##*[$' \\t=']}\n"
    "    before=${line%\"$cur\"}\n"
    "    read -ra given <<<\"$before\"\n"
    "    local _gpuplan_program=${given[0]/#\\~/$HOME}\n"
    "    prev=${given[-1]%=} command=${given[1]-}\n"
    "    keep=${cur%\"${cur##*[:@]}\"}\n"
    "    ((${#given[@]} > 1)) || prev=\n"
    "    mapfile -t COMPREPLY < <(_gpuplan_words \"${command##*-}\" \"$prev\" "
    "\"$cur\")\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$keep\"}\")\n"
    "}\n"
    "complete -o default -F _gpuplan gpuplan\n";

static void bash(struct strbuf *out)
{
    strbuf_add(out, bash_head);
    for (int i = 0; i < OPTION_COUNT; i++)
        bash_option(i, out);
    bash_plain(out);
    strbuf_addf(out, "    --bench|bench) [[ $3 == -* ]] || words='%s' ;;\n", test_words);
    strbuf_addf(out, "    --list|list) words=\"%s devices\" ;;\n", list_words);
    strbuf_addf(out,
                "    --show|show) words=\"$(for class in %s; do _gpuplan_ids $class; "
                "done)\" ;;\n",
                list_words);
    strbuf_addf(out, "    --completion) words='%s' ;;\n    '') words='", shell_words);
    command_names(out);
    strbuf_add(out, "' ;;\n    esac\n    [[ $words ]] || case $1 in\n");
    bash_commands(out);
    strbuf_add(out, "    esac\n    compgen -W \"$words\" -- \"$3\"\n}\n\n");
    strbuf_add(out, bash_tail);
}

/* ---- zsh ---- */

/* The action of _arguments after "--name[help]:argument:". */
static void zsh_action(int id, struct strbuf *out)
{
    const struct option_row *row = &option_rows[id];
    const char *class = ids[id].class;

    if (row->choices) {
        strbuf_add(out, "(");
        add_choices(row->choices, out);
        strbuf_add(out, ")");
    } else if (class) {
        strbuf_addf(out, " _gpuplan_ids %s --%s", class, ids[id].more);
    } else if (row->type == OPTION_PATH) {
        strbuf_add(out, "_files");
    }
}

/* Inside a spec, [ ] and : must be escaped. */
static void zsh_text(const char *text, struct strbuf *out)
{
    char one[3] = {0};

    for (; *text; text++) {
        bool special = strchr("[]:\\", *text) != NULL;

        one[0] = special ? '\\' : *text;
        one[1] = special ? *text : '\0';
        add_quoted(one, out);
    }
}

static void zsh_described(const char *name, const char *brief, struct strbuf *out)
{
    strbuf_addf(out, "        '--%s:", name);
    zsh_text(brief, out);
    strbuf_add(out, "'\n");
}

static void zsh_spec(int id, const char *name, struct strbuf *out)
{
    const struct option_row *row = &option_rows[id];

    strbuf_addf(out, "        '%s%s%s[", row->many ? "*" : "", name,
                row->type == OPTION_FLAG ? ""
                : name[1] == '-'         ? "="
                                         : "+");
    zsh_text(row->help, out);
    strbuf_add(out, "]");
    if (row->type != OPTION_FLAG) {
        strbuf_add(out, ":");
        zsh_text(row->argument, out);
        strbuf_add(out, ":");
        zsh_action(id, out);
    }
    strbuf_add(out, "'\n");
}

static void zsh_command(const struct command *c, struct strbuf *out)
{
    char name[64];

    strbuf_addf(out, "    %s) specs=(\n", c->name);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!(option_rows[i].commands & c->bit))
            continue;
        gp_format(name, sizeof(name), "--%s", option_rows[i].name);
        zsh_spec(i, name, out);
        gp_format(name, sizeof(name), "-%c", option_rows[i].key);
        if (option_rows[i].key)
            zsh_spec(i, name, out);
    }
    if (c == &cmd_list)
        strbuf_addf(out, "        '1:class:(%s devices)'\n        '*:filter:'\n", list_words);
    else if (c == &cmd_bench)
        strbuf_addf(out, "        '1:test:(%s)'\n", test_words);
    else if (c == &cmd_show)
        strbuf_addf(out, "        '1:id: _gpuplan_ids %s'\n", list_words);
    else
        strbuf_add(out, "        '*:file:_files'\n");
    strbuf_add(out, "        ) ;;\n");
}

static const char zsh_head[] =
    "#compdef gpuplan\n"
    "# zsh completion for gpuplan; written by: gpuplan --completion zsh\n"
    "# The ids of each class, then the words after --.\n"
    "_gpuplan_ids() {\n"
    "    local -a ids\n"
    "    while [[ ${1---} != -- ]]; do\n"
    "        ids+=(${(f)\"$($_gpuplan_program --list $1 --quiet 2>/dev/null)\"})\n"
    "        shift\n"
    "    done\n"
    "    ids+=(\"${@:2}\")\n"
    "    compadd -a ids || _files\n"
    "}\n\n"
    "_gpuplan() {\n"
    "    local _gpuplan_program=${~words[1]}\n"
    "    local -a specs commands\n"
    "    commands=(\n";

static void zsh(struct strbuf *out)
{
    strbuf_add(out, zsh_head);
    for (int i = 0; commands[i]; i++)
        zsh_described(commands[i]->name, commands[i]->brief, out);
    for (size_t i = 0; i < OTHERS; i++)
        zsh_described(others[i].name, others[i].brief, out);
    strbuf_add(out, "    )\n"
                    "    if ((CURRENT == 2)); then\n"
                    "        _describe -o command commands\n"
                    "        return\n"
                    "    fi\n"
                    "    case ${words[2]##-#} in\n");
    for (int i = 0; commands[i]; i++)
        zsh_command(commands[i], out);
    strbuf_addf(out, "    completion) compadd %s; return ;;\n", shell_words);
    strbuf_add(out, "    *) return 1 ;;\n"
                    "    esac\n"
                    "    shift words\n"
                    "    ((CURRENT--))\n"
                    "    _arguments -S $specs\n"
                    "}\n\n"
                    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                    "    _gpuplan \"$@\"\n"
                    "else\n"
                    "    compdef _gpuplan gpuplan\n"
                    "fi\n");
}

/* ---- fish ---- */

/* Text inside '...' of fish, where a backslash escapes. */
static void fish_quoted(const char *text, struct strbuf *out)
{
    for (; *text; text++)
        strbuf_addf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
}

/* The commands that take an option, as a condition. */
static void fish_condition(unsigned bits, struct strbuf *out)
{
    strbuf_add(out, "complete -c gpuplan -n '__gpuplan_after");
    for (int i = 0; commands[i]; i++)
        if (commands[i]->bit & bits)
            strbuf_addf(out, " %s", commands[i]->name);
    strbuf_add(out, "'");
}

static void fish_option(int id, struct strbuf *out)
{
    const struct option_row *row = &option_rows[id];
    const char *class = ids[id].class;

    fish_condition(row->commands, out);
    strbuf_addf(out, " -l %s", row->name);
    if (row->key)
        strbuf_addf(out, " -s %c", row->key);
    if (row->type == OPTION_PATH)
        strbuf_add(out, " -r -F");
    else if (row->type != OPTION_FLAG)
        strbuf_add(out, id == OPT_MODEL ? " -r -F" : " -x");
    if (class) {
        strbuf_addf(out, " -a '(__gpuplan_ids %s)%s'", class, ids[id].more);
    } else if (row->choices) {
        strbuf_add(out, " -a '");
        add_choices(row->choices, out);
        strbuf_add(out, "'");
    }
    strbuf_add(out, " -d '");
    fish_quoted(row->help, out);
    strbuf_add(out, "'\n");
}

static void fish_command(const char *name, const char *brief, struct strbuf *out)
{
    strbuf_addf(out, "complete -c gpuplan -n __gpuplan_first -l %s -d '", name);
    fish_quoted(brief, out);
    strbuf_add(out, "'\n");
}

static const char fish_head[] =
    "# fish completion for gpuplan; written by: gpuplan --completion fish\n"
    "function __gpuplan_ids\n"
    "    set -l words (commandline -opc)\n"
    "    for class in $argv\n"
    "        eval $words[1] --list $class --quiet 2>/dev/null | string match -rv ' '\n"
    "    end\n"
    "end\n\n"
    "# Nothing stands before this word.\n"
    "function __gpuplan_first\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n\n"
    "# The command is one of these, with or without dashes.\n"
    "function __gpuplan_after\n"
    "    set -l words (commandline -opc)\n"
    "    set -q words[2]; and contains -- (string replace -r '^-+' '' -- $words[2]) "
    "$argv\n"
    "end\n\n";

static void fish(struct strbuf *out)
{
    strbuf_add(out, fish_head);
    for (int i = 0; commands[i]; i++)
        fish_command(commands[i]->name, commands[i]->brief, out);
    for (size_t i = 0; i < OTHERS; i++)
        fish_command(others[i].name, others[i].brief, out);
    for (int i = 0; i < OPTION_COUNT; i++)
        fish_option(i, out);
    strbuf_addf(out,
                "complete -c gpuplan -n '__gpuplan_after completion' -f -a '%s'\n"
                "complete -c gpuplan -n '__gpuplan_after bench' -f -a '%s'\n"
                "complete -c gpuplan -n '__gpuplan_after list' -f -a '%s devices'\n"
                "complete -c gpuplan -n '__gpuplan_after show' -f -a "
                "'(__gpuplan_ids %s)'\n",
                shell_words, test_words, list_words, list_words);
}

enum gp_status command_completion(const char *shell, struct strbuf *out, struct gp_err *err)
{
    static const struct {
        const char *name;
        void (*write)(struct strbuf *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(out);
            return GP_OK;
        }
    return gp_fail(err, GP_E_USAGE, "--completion", "bash, zsh or fish",
                   "no completion for '%.40s'", shell);
}
