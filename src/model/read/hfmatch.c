/*
 * hfmatch.c - does an entry of a quantiser's list name a module?
 *
 * Entries are module paths, parts of paths ("self_attn", "lm_head"), shell globs
 * ("model.layers.*.mlp.gate*") and, after "re:", regular expressions. All come from an
 * untrusted file, so expressions are not handed to a library that a pattern can send round
 * for hours: one is compiled into at most PROGRAM_MAX instructions, and all its threads
 * advance together over the path, each at most once a character. The cost is then at most
 * instructions x characters, and *budget counts it down.
 *
 * Example: "re:.*mlp\.(gate|up)_proj$" matches "model.layers.3.mlp.up_proj".
 *
 * Of expressions it knows what Python's re has without captures: literals, ., classes and
 * sets, groups with alternatives, look-ahead, *, +, ?, {m,n}, lazy or not, anchors and \b.
 * Look-behind and back-references make the pattern match nothing. Matching begins at the
 * start of the path and may end before its end, as re.match does.
 */
#include "model/read/hfconfig.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX 1024
#define NESTING_MAX 24
#define PATTERN_MAX 1024
#define MODULE_MAX 256
#define REPEAT_MAX 64

enum op {
    OP_CHAR,
    OP_ANY,
    OP_SET,
    OP_CLASS,
    OP_SPLIT,
    OP_JUMP,
    OP_BEGIN,
    OP_END,
    OP_WORD,
    OP_LOOK,
    OP_MATCH
};

struct inst {
    uint8_t op;
    bool negate;
    char c;
    uint16_t x, y; /* SPLIT, JUMP: where to; SET: from and to in the pattern; LOOK: after it */
};

struct program {
    const char *text;
    struct inst inst[PROGRAM_MAX];
    int count, depth, work;
    bool broken; /* too long, or what is not known here */
};

/* ---- from text to program ---- */

/* Where the set that begins at p ends, after its ']'; a ']' that stands first is a member. */
static const char *set_end(const char *p, const char *end)
{
    p += p + 1 < end && p[1] == '^' ? 2 : 1;
    for (const char *first = p; p < end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == ']' && p > first)
            return p + 1;
    }
    return NULL;
}

/* The end of the atom at p, before its repetition; NULL: it has none. */
static const char *atom_end(const char *p, const char *end)
{
    int depth = 0;

    if (*p == '\\')
        return p + 2 <= end ? p + 2 : NULL;
    if (*p == '[')
        return set_end(p, end);
    if (*p != '(')
        return p + 1;
    while (p < end) {
        if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
        p = *p == '\\' || *p == '[' ? atom_end(p, end) : p + 1;
        if (p == NULL)
            return NULL;
    }
    return NULL;
}

/* The '|' that ends the alternative at p; end where it is the last. */
static const char *next_bar(const char *p, const char *end)
{
    while (p < end && *p != '|') {
        p = atom_end(p, end);
        if (p == NULL)
            return end;
    }
    return p;
}

static int program_emit(struct program *prog, struct inst inst)
{
    if (prog->count >= PROGRAM_MAX) {
        prog->broken = true;
        return PROGRAM_MAX - 1;
    }
    prog->inst[prog->count] = inst;
    return prog->count++;
}

static void compile_either(struct program *prog, const char *p, const char *end);

static void compile_group(struct program *prog, const char *p, const char *end)
{
    bool look = false, negate = false;

    if (p < end && *p == '?') {
        const char *colon = memchr(p, p + 1 < end && p[1] == 'P' ? '>' : ':', (size_t)(end - p));

        look = p + 1 < end && (p[1] == '=' || p[1] == '!');
        negate = look && p[1] == '!';
        if (!look && strspn(p + 1, "aiLmsux") == (size_t)(end - p - 1))
            return; /* (?i) */
        if (!look && (colon == NULL || p[1] == '<' || (p[1] == 'P' && p[2] != '<'))) {
            prog->broken = true;
            return;
        }
        p = look ? p + 2 : colon + 1;
    }
    int at = look ? program_emit(prog, (struct inst){.op = OP_LOOK, .negate = negate}) : -1;
    compile_either(prog, p, end);
    if (look) {
        program_emit(prog, (struct inst){.op = OP_MATCH});
        prog->inst[at].x = (uint16_t)prog->count;
    }
}

static void compile_atom(struct program *prog, const char *p, const char *end)
{
    struct inst one = {.op = OP_CHAR, .c = *p};

    if (++prog->work > 4 * PROGRAM_MAX) /* "(){64}" repeats nothing, 64 times at each level */
        prog->broken = true;
    if (prog->broken)
        return;
    if (*p == '(') {
        compile_group(prog, p + 1, end - 1);
        return;
    }
    if (*p == '[') {
        one.op = OP_SET;
        one.negate = p[1] == '^';
        one.x = (uint16_t)(p + 1 + one.negate - prog->text);
        one.y = (uint16_t)(end - 1 - prog->text);
    } else if (*p == '\\') {
        one.c = p[1];
        if (strchr("dDwWsS", p[1]) != NULL)
            one.op = OP_CLASS;
        else if (p[1] == 'b' || p[1] == 'B')
            one.op = OP_WORD, one.negate = p[1] == 'B';
        else if (p[1] == 'A' || p[1] == 'Z' || p[1] == 'z')
            one.op = p[1] == 'A' ? OP_BEGIN : OP_END;
        else if (p[1] >= '1' && p[1] <= '9')
            prog->broken = true;
    } else if (strchr("*+?{", *p) != NULL) {
        prog->broken = true; /* a repetition of nothing */
    } else if (*p == '.' || *p == '^' || *p == '$') {
        one.op = *p == '.' ? OP_ANY : *p == '^' ? OP_BEGIN : OP_END;
    }
    program_emit(prog, one);
}

/* Reads *, +, ?, {m}, {m,}, {,n}, {m,n} at *p and goes past it; most -1: no end. */
static void read_repeat(const char **p, const char *end, int *least, int *most)
{
    const char *at = *p;
    char *next;

    *least = *most = 1;
    if (at >= end)
        return;
    if (*at == '*' || *at == '+' || *at == '?') {
        *least = *at == '+';
        *most = *at == '?' ? 1 : -1;
        at++;
    } else if (*at == '{' && at + 1 < end && strchr("0123456789,", at[1]) != NULL) {
        *least = (int)strtol(at + 1, &next, 10);
        *most = *least;
        if (*next == ',') {
            const char *from = next + 1;

            *most = (int)strtol(from, &next, 10);
            *most = next == from ? -1 : *most;
        }
        if (*next != '}' || next >= end)
            return;
        at = next + 1;
    } else {
        return;
    }
    *p = at < end && (*at == '?' || *at == '+') ? at + 1 : at;
}

static void compile_one(struct program *prog, const char *p, const char *end)
{
    while (p < end && !prog->broken) {
        const char *after = atom_end(p, end), *rest = after;
        int least, most, optional[REPEAT_MAX];

        if (after == NULL) {
            prog->broken = true;
            return;
        }
        read_repeat(&rest, end, &least, &most);
        if (least > REPEAT_MAX || most > REPEAT_MAX || (most >= 0 && most < least)) {
            prog->broken = true;
            return;
        }
        for (int i = 0; i < least; i++)
            compile_atom(prog, p, after);
        if (most < 0) {
            int loop = program_emit(prog, (struct inst){.op = OP_SPLIT});

            prog->inst[loop].x = (uint16_t)prog->count;
            compile_atom(prog, p, after);
            program_emit(prog, (struct inst){.op = OP_JUMP, .x = (uint16_t)loop});
            prog->inst[loop].y = (uint16_t)prog->count;
        }
        for (int i = 0; i < most - least; i++) {
            optional[i] = program_emit(prog, (struct inst){.op = OP_SPLIT});
            prog->inst[optional[i]].x = (uint16_t)prog->count;
            compile_atom(prog, p, after);
        }
        for (int i = 0; i < most - least; i++)
            prog->inst[optional[i]].y = (uint16_t)prog->count;
        p = rest;
    }
}

static void compile_either(struct program *prog, const char *p, const char *end)
{
    const char *bar = next_bar(p, end);

    if (++prog->depth > NESTING_MAX)
        prog->broken = true;
    if (bar < end && !prog->broken) {
        int split = program_emit(prog, (struct inst){.op = OP_SPLIT}), jump;

        prog->inst[split].x = (uint16_t)prog->count;
        compile_one(prog, p, bar);
        jump = program_emit(prog, (struct inst){.op = OP_JUMP});
        prog->inst[split].y = (uint16_t)prog->count;
        prog->depth--; /* alternatives stand side by side, but are compiled one in another */
        compile_either(prog, bar + 1, end);
        prog->depth++;
        prog->inst[jump].x = (uint16_t)prog->count;
    } else if (!prog->broken) {
        compile_one(prog, p, end);
    }
    prog->depth--;
}

/* ---- a program over a path ---- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_class(char class, char c)
{
    char kind = class | 0x20;
    bool in = kind == 'd'   ? c >= '0' && c <= '9'
              : kind == 'w' ? is_word(c)
                            : c == ' ' || (c >= '\t' && c <= '\r');

    return in == (kind == class);
}

static bool in_set(const char *p, const char *end, char c)
{
    bool found = false;

    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end) {
            p++;
            found |= strchr("dDwWsS", *p) != NULL ? in_class(*p, c) : c == *p;
        } else if (p + 2 < end && p[1] == '-') {
            found |= c >= p[0] && c <= p[2];
            p += 2;
        } else {
            found |= *p == c;
        }
    }
    return found;
}

static bool inst_takes(const struct program *prog, const struct inst *i, char c)
{
    switch (i->op) {
    case OP_CHAR:
        return i->c == c;
    case OP_ANY:
        return true;
    case OP_CLASS:
        return in_class(i->c, c);
    default:
        return in_set(prog->text + i->x, prog->text + i->y, c) != i->negate;
    }
}

struct threads {
    uint16_t at[PROGRAM_MAX];
    bool seen[PROGRAM_MAX];
    int count;
    bool matched;
};

static bool program_run(const struct program *prog, int from, const char *text, const char *s,
                        int depth, long *budget);

/* Follows what takes no character; each instruction is entered once a character. */
static void threads_add(const struct program *prog, struct threads *list, int pc, const char *text,
                        const char *s, int depth, long *budget)
{
    const struct inst *i = &prog->inst[pc];

    if (pc >= prog->count || list->seen[pc] || --*budget <= 0)
        return;
    list->seen[pc] = true;
    switch (i->op) {
    case OP_MATCH:
        list->matched = true;
        return;
    case OP_SPLIT:
        threads_add(prog, list, i->x, text, s, depth, budget);
        threads_add(prog, list, i->y, text, s, depth, budget);
        return;
    case OP_JUMP:
        threads_add(prog, list, i->x, text, s, depth, budget);
        return;
    case OP_BEGIN:
    case OP_END:
        if (i->op == OP_BEGIN ? s == text : *s == '\0')
            threads_add(prog, list, pc + 1, text, s, depth, budget);
        return;
    case OP_WORD:
        if (((s > text && is_word(s[-1])) != is_word(*s)) != i->negate)
            threads_add(prog, list, pc + 1, text, s, depth, budget);
        return;
    case OP_LOOK:
        if (program_run(prog, pc + 1, text, s, depth + 1, budget) != i->negate)
            threads_add(prog, list, i->x, text, s, depth, budget);
        return;
    default:
        list->at[list->count++] = (uint16_t)pc;
    }
}

static bool program_run(const struct program *prog, int from, const char *text, const char *s,
                        int depth, long *budget)
{
    struct threads list[2];
    int now = 0;

    if (depth > 3)
        return false;
    list[0].count = 0;
    list[0].matched = false;
    memset(list[0].seen, 0, (size_t)prog->count);
    threads_add(prog, &list[0], from, text, s, depth, budget);
    for (; *budget > 0 && !list[now].matched && list[now].count > 0 && *s != '\0'; s++) {
        struct threads *next = &list[1 - now];

        next->count = 0;
        next->matched = false;
        memset(next->seen, 0, (size_t)prog->count);
        for (int t = 0; t < list[now].count; t++)
            if (inst_takes(prog, &prog->inst[list[now].at[t]], *s))
                threads_add(prog, next, list[now].at[t] + 1, text, s + 1, depth, budget);
        now = 1 - now;
    }
    return list[now].matched;
}

static bool match_expression(const char *pattern, const char *module, long *budget)
{
    struct program prog = {.text = pattern};

    compile_either(&prog, pattern, pattern + strlen(pattern));
    program_emit(&prog, (struct inst){.op = OP_MATCH});
    *budget -= prog.count;
    return !prog.broken && program_run(&prog, 0, module, module, 0, budget);
}

/* ---- globs: * and ? ---- */

static bool match_glob(const char *p, const char *s, long *budget)
{
    const char *star = NULL, *back = s;

    while (*s != '\0') {
        if (--*budget <= 0)
            return false;
        if (*p == '*') {
            star = p++;
            back = s;
        } else if (*p == '?' || *p == *s) {
            p++;
            s++;
        } else if (star != NULL) {
            p = star + 1;
            s = ++back;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

/* A glob names a module or one of the modules it lies in. */
static bool glob_path(const char *pattern, const char *module, long *budget)
{
    char path[MODULE_MAX];
    char *dot;

    if (strlen(module) >= sizeof path)
        return false;
    strcpy(path, module);
    do {
        if (match_glob(pattern, path, budget))
            return true;
        dot = strrchr(path, '.');
        if (dot != NULL)
            *dot = '\0';
    } while (dot != NULL);
    return false;
}

bool hfmatch(const char *pattern, const char *module, long *budget)
{
    size_t len = strlen(pattern);

    if (*budget <= 0 || len >= PATTERN_MAX)
        return false;
    if (strncmp(pattern, "re:", 3) == 0)
        return match_expression(pattern + 3, module, budget);
    if (strpbrk(pattern, "*?") != NULL)
        return glob_path(pattern, module, budget);
    --*budget;
    /* a run of whole components of the path */
    while (len > 0 && pattern[len - 1] == '.')
        len--;
    for (const char *at = module; len > 0 && *at != '\0'; at++)
        if ((at == module || at[-1] == '.') && strncmp(at, pattern, len) == 0 &&
            (at[len] == '\0' || at[len] == '.'))
            return true;
    return false;
}
