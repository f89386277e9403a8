/*
 * action.h - what a key can do: the one table of actions.
 *
 * One row gives the enum, the name that `:` takes and completes, the keys, the screens
 * where it holds, the word in the key bar and the line of help. Dispatch, bar, help,
 * completion and the man page's list of keys all come from here, so none can be out of
 * date; a test sees that no key means two things on one screen.
 *
 * An action of a screen wins over one that holds everywhere.
 */
#ifndef GP_TUI_ACTION_H
#define GP_TUI_ACTION_H

#include <stddef.h>

#include "base/str.h"

/* X(id, word, name, key, help): the screens in the order of their tabs. A screen is
 * screen_<word> (screen.h); settings and `:` know it by the word, people by the name;
 * its key and help are those of the action screen-<word>. */
#define SCREENS(X)                                                                         \
    X(PLAN, plan, "Plan", "1 M-1", "Plan: one request, one answer")                        \
    X(COMPARE, compare, "Compare", "2 M-2", "Compare: GPUs x precisions")                  \
    X(CURVES, curves, "Curves", "3 M-3", "Curves: speed, cost, memory")                    \
    X(BENCH, bench, "Bench", "4 M-4", "Bench: measure this machine")                       \
    X(POOL, pool, "Pool", "5 M-5", "Pool: a mix of models over a day; lists the examples") \
    X(REPLAY, replay, "Replay", "6 M-6", "Replay: the plan's requests over time")

#define X(id, ...) SCREEN_##id,
enum screen_id { SCREENS(X) SCREEN_COUNT };
#undef X
extern const char *const screen_names[SCREEN_COUNT];

#define X(id, ...) ON_##id = 1 << SCREEN_##id,
enum { SCREENS(X) ON_ALL = (1 << SCREEN_COUNT) - 1 }; /* bits: where an action holds */
#undef X

/* X(id, name, keys (blanks between), screens, rank in the bar: 0 = not in it, the lower
 *   the longer it stays; word in the bar, help) */
#define ACTIONS_FIRST(X)                                    \
    X(HELP, "help", "? F1", ON_ALL, 1, "help", "this help") \
    X(QUIT, "quit", "q F10", ON_ALL, 1, "quit", "close, then quit")
/* ... then a screen-<word> for each screen, then the others. */
#define ACTIONS(X)                                                                                 \
    X(UP, "up", "Up k", ON_ALL, 0, "", "up")                                                       \
    X(DOWN, "down", "Down j", ON_ALL, 0, "", "down")                                               \
    X(LEFT, "left", "Left h", ON_ALL, 0, "", "previous value, left")                               \
    X(RIGHT, "right", "Right l", ON_ALL, 0, "", "next value, right")                               \
    X(PAGE_UP, "page-up", "PgUp", ON_ALL, 0, "", "a page up")                                      \
    X(PAGE_DOWN, "page-down", "PgDn", ON_ALL, 0, "", "a page down")                                \
    X(FIRST, "first", "g Home", ON_ALL, 0, "", "to the first")                                     \
    X(LAST, "last", "G End", ON_ALL, 0, "", "to the last")                                         \
    X(PANEL, "next-panel", "Tab", ON_ALL, 0, "", "next panel")                                     \
    X(PANEL_BACK, "previous-panel", "S-Tab", ON_ALL, 0, "", "previous panel")                      \
    X(BACK, "back", "Esc", ON_ALL, 0, "", "back one step; never quits")                            \
    X(PROMPT, "prompt", ":", ON_ALL, 0, "", "command line: actions and options")                   \
    X(UNDO, "undo", "u", ON_ALL, 3, "undo", "undo the last change of the plan")                    \
    X(REDO, "redo", "U", ON_ALL, 0, "", "redo it")                                                 \
    X(EXPORT, "export", "e", ON_ALL, 5, "export", "write what is shown to a file")                 \
    X(COMMAND, "show-command", "c", ON_ALL, 0, "",                                                 \
      "the command that prints the same, shown and copied")                                        \
    X(THEME, "theme", "T", ON_ALL, 0, "", "next colors")                                           \
    X(CHARSET, "charset", "B", ON_ALL, 0, "", "curves in braille, blocks or ASCII")                \
    X(MOUSE, "mouse", "M", ON_ALL, 0, "", "mouse on or off (Shift selects text)")                  \
    X(SETTINGS, "save-settings", "", ON_ALL, 0, "",                                                \
      "remember colors, glyphs, mouse and screen for the next start")                              \
    X(REDRAW, "redraw", "C-l", ON_ALL, 0, "", "redraw the screen")                                 \
    X(SUSPEND, "suspend", "C-z", ON_ALL, 0, "", "suspend to the shell; fg resumes")                \
    X(QUIT_NOW, "quit!", "Q", ON_ALL, 0, "", "quit without asking")                                \
    X(EDIT, "edit", "Enter", ON_PLAN | ON_POOL | ON_REPLAY, 2, "edit",                             \
      "change the field, or choose from a list; on Pool: what a workload asks")                    \
    X(MORE, "more", "+ =", ON_PLAN | ON_POOL, 0, "",                                               \
      "number: a step up; on Pool: 10 % more demand")                                              \
    X(LESS, "less", "-", ON_PLAN | ON_POOL, 0, "",                                                 \
      "number: a step down; on Pool: 10 % less demand")                                            \
    X(FIND, "find", "/ F3", ON_PLAN, 4, "find", "find a field by its name")                        \
    X(APPLY, "apply", "a", ON_PLAN | ON_COMPARE | ON_POOL | ON_REPLAY, 3, "apply",                 \
      "apply a change; on Compare: take this row into the plan; on Replay: the rate")              \
    X(SOLVE, "solve", "s", ON_PLAN, 3, "solve", "the best value of this field that still fits")    \
    X(WHY, "why", "y", ON_PLAN | ON_COMPARE, 4, "why",                                             \
      "every number's equation, inputs and source")                                                \
    X(PIN, "pin", "p", ON_PLAN, 6, "pin", "keep this plan to see the difference to it")            \
    X(RESET, "reset", "r", ON_PLAN | ON_REPLAY, 7, "reset",                                        \
      "the field's default; again: of all; on Replay: as the plan is")                             \
    X(OVER_TIME, "over-time", "t", ON_PLAN, 4, "replay",                                           \
      "the plan's requests through the engine's scheduler, on Replay")                             \
    X(SAVE, "save", "w", ON_PLAN | ON_COMPARE | ON_CURVES, 6, "save",                              \
      "save the plan's fields (--batch reads them)")                                               \
    X(LOAD, "load", "o", ON_PLAN, 0, "", "open a saved plan")                                      \
    X(USE, "use", "Enter", ON_COMPARE, 2, "use in plan",                                           \
      "open the row; again: take it into the plan")                                                \
    X(SORT, "sort", "s F6", ON_COMPARE, 3, "sort", "sort by the next column")                      \
    X(REVERSE, "reverse", "S", ON_COMPARE, 0, "", "reverse the order")                             \
    X(FILTER, "filter", "/ f F4", ON_COMPARE, 3, "filter",                                         \
      "only rows with these words, as they are typed")                                             \
    X(PRECISIONS, "precisions", "p", ON_COMPARE, 5, "precisions", "which precisions are compared") \
    X(SIZES, "sizes", "m", ON_COMPARE, 3, "sizes",                                                 \
      "model sizes by formats on the plan's GPU: memory in all, GPUs, $/h")                        \
    X(OTHER_GPU, "other-gpu", "o", ON_COMPARE, 4, "other GPU", "sizes: the table of another GPU")  \
    X(SIDES, "side-by-side", "v", ON_COMPARE, 5, "side by side",                                   \
      "marked rows as columns; without marks the plan and this row")                               \
    X(MARK, "mark", "Space", ON_COMPARE, 4, "mark",                                                \
      "mark a row; marked rows come first, and are what is exported")                              \
    X(CURVE_THROUGHPUT, "curve-throughput", "p", ON_CURVES, 2, "throughput",                       \
      "output tokens per second against users, and where they saturate")                           \
    X(CURVE_LATENCY, "curve-latency", "t", ON_CURVES, 2, "latency",                                \
      "TPOT and TTFT against users, and what was measured")                                        \
    X(CURVE_COST, "curve-cost", "$", ON_CURVES, 2, "cost",                                         \
      "dollars per million tokens against users")                                                  \
    X(CURVE_MEMORY, "curve-memory", "m", ON_CURVES, 2, "memory",                                   \
      "memory by part against context; again: against users")                                      \
    X(CURVE_ROOFLINE, "curve-roofline", "r", ON_CURVES, 2, "roofline",                             \
      "the plan's products under the roof of its GPU; with a result file, measured ones")          \
    X(CURVE_NEXT, "next-curve", "v ]", ON_CURVES, 0, "", "next curve")                             \
    X(CURVE_BACK, "previous-curve", "V [", ON_CURVES, 0, "", "previous curve")                     \
    X(ALONE, "alone", "Enter", ON_CURVES, 5, "alone",                                              \
      "wide terminals: one curve alone, again: all of them")                                       \
    X(SERIES, "series", "Space", ON_CURVES, 5, "series", "the series that the cursor reads")       \
    X(ZOOM_IN, "zoom-in", "+ =", ON_CURVES, 5, "zoom", "closer")                                   \
    X(ZOOM_OUT, "zoom-out", "-", ON_CURVES, 0, "", "further away")                                 \
    X(MEASURED, "measured", "o", ON_CURVES, 4, "open result", "draw the points of a result file")  \
    X(OPEN, "open", "Enter", ON_BENCH, 2, "change",                                                \
      "start, or change what is in focus; then: read it whole")                                    \
    X(START, "start", "F5", ON_BENCH, 3, "start", "measure what is chosen")                        \
    X(TOGGLE, "toggle", "Space", ON_BENCH, 3, "choose", "take a test or device, or leave it out")  \
    X(STOP, "stop", "x", ON_BENCH | ON_POOL, 3, "stop",                                            \
      "stop after the point; on Pool: keep the plans found so far")                                \
    X(STOP_NOW, "stop-now", "X", ON_BENCH, 4, "stop now", "stop now; what is measured is kept")    \
    X(DEVICES, "devices", "d", ON_BENCH, 4, "devices", "monitor of the devices here")              \
    X(OPTIONS, "options", "o", ON_BENCH, 4, "options",                                             \
      "the options that are rarely needed: force, rel-ci, fill")                                   \
    X(AGAIN, "again", "r", ON_BENCH, 5, "again", "back to choosing, for another run")              \
    X(CONFIRM, "confirm", "p", ON_BENCH, 6, "confirm",                                             \
      "the plan confirmed here: predicted beside measured")                                        \
    X(DIAGNOSE, "diagnose", "y", ON_BENCH, 7, "why slow",                                          \
      "why is a device slow? measures, then one verdict with its evidence")                        \
    X(DROP, "drop", "D", ON_BENCH, 0, "",                                                          \
      "forget what was measured of the planned GPU; asks first")                                   \
    X(RUNG, "rung", "v", ON_POOL, 2, "next way to own", "the next way to own the GPUs")            \
    X(PROPOSE, "propose", "p", ON_POOL, 2, "propose",                                              \
      "the cheapest change that serves the unmet demand")                                          \
    X(WHAT_IF, "what-if", "i", ON_POOL, 3, "what if",                                              \
      "lose a chassis, more demand, other GPUs; again: the GPUs' places")                          \
    X(RATE_MORE, "more-rate", "+ =", ON_REPLAY, 2, "rate", "10 % more requests per second")        \
    X(RATE_LESS, "less-rate", "-", ON_REPLAY, 0, "", "10 % fewer requests per second")             \
    X(REPLICAS_MORE, "more-replicas", "]", ON_REPLAY, 2, "replicas", "one replica more")           \
    X(REPLICAS_LESS, "fewer-replicas", "[", ON_REPLAY, 0, "", "one replica less")                  \
    X(REPLAY_GOALS, "goals-at", "t", ON_REPLAY, 2, "goals",                                        \
      "goals at the 95th and 99th percentile")                                                     \
    X(ARRIVALS, "arrivals-of", "o", ON_REPLAY, 2, "arrivals",                                      \
      "how requests come: Poisson, bursts, a day of requests, a trace")                            \
    X(MOST_RATE, "most-rate", "m", ON_REPLAY, 3, "most",                                           \
      "the largest rate that keeps the goals, or that is served")                                  \
    X(SEED, "next-seed", "s", ON_REPLAY, 4, "seed", "other arrivals and lengths of the same kind") \
    X(SAVE_RESULT, "save-result", "w", ON_BENCH, 5, "save", "save the result under a name")

#define X(id, ...) ACT_##id,
#define S(id, ...) ACT_SCREEN_##id,
enum action { ACT_NONE, ACTIONS_FIRST(X) SCREENS(S) ACTIONS(X) ACT_COUNT };
#undef S
#undef X
#define ACT_SCREENS (ACT_QUIT + 1) /* that of the first screen */

struct action_row {
    const char *name, *keys;
    unsigned screens;
    int rank;
    const char *word, *help;
};
extern const struct action_row action_rows[ACT_COUNT];

/* What this key asks for on that screen; ACT_NONE. */
enum action action_of_key(int key, enum screen_id screen);
/* By name, ACT_NONE when there is none. */
enum action action_find(const char *name);
/* Its first key's name, "" when it has none. */
const char *action_key(enum action action, char *text, size_t size);

/* The word of an action in the key bar as things stand; NULL: not in it now. */
typedef const char *(*action_word)(const void *ctx, enum action action);

/* The key bar of a screen in at most cols columns: "Enter:edit  a:apply ...", and, from
 * the right and never left out, "?:help  q:quit". word may be NULL: the table's. */
void action_bar(enum screen_id screen, int cols, action_word word, const void *ctx,
                struct strbuf *left, struct strbuf *right);
/* The help of a screen in columns, keys and what they do, a heading before each part. */
void action_help(enum screen_id screen, struct strbuf *out);

#endif
