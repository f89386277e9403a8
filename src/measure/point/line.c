/* line.c - see line.h. */
#include "measure/point/line.h"

#include <string.h>

const char *const line_kind_words[LINE_KINDS] = {
    [LINE_HELLO] = "hello", [LINE_DEVICE] = "device",   [LINE_READY] = "ready",
    [LINE_START] = "start", [LINE_SENSORS] = "sensors", [LINE_POINT] = "point",
    [LINE_LOG] = "log",     [LINE_ERROR] = "error",     [LINE_DONE] = "done",
};

const char *const point_state_words[POINT_STATES] = {
    [POINT_OK] = "ok",       [POINT_UNSUPPORTED] = "unsupported", [POINT_OOM] = "oom",
    [POINT_ERROR] = "error", [POINT_SKIPPED] = "skipped",
};

const char *const run_status_words[RUN_STATUSES] = {
    [RUN_COMPLETE] = "complete",
    [RUN_INTERRUPTED] = "interrupted",
    [RUN_FAILED] = "failed",
};

int line_word(const char *const *words, int count, const char *word)
{
    for (int i = 0; word && i < count && words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

/* In the order in which the summary names them. */
const struct flag_row flag_rows[FLAG_ROWS] = {
    {"contended", true, "other programs ran: close them and measure again"},
    {"shared", true, "another process computed on the device: measure it alone"},
    {"throttled", true, "too hot, or slowed by the hardware: look at its cooling"},
    {"low_clock", true, "the clock fell: look at cooling and power limit"},
    {"unconverged", true, "the times vary too much: a longer preset, a quieter machine"},
    {"drift", true, "the passes differ: something changed between them"},
    {"zeros", true, "operands of zeros draw less power: no figure to compare"},
    {"not-cold", true, "too few copies to keep the last cache out: more memory, larger shapes"},
    {"environment", true, "a variable changes what the library does: unset it (see env)"},
    {"wrong", true, "results differ from what they must be; the notes say which: measure again"},
    {"failed_once", true, "one pass came to nothing, its reason says how: measure again"},
    {"power_cap", false, NULL},    /* the power limit slows large products */
    {"no_sensors", false, NULL},   /* too short for a class of throttling */
    {"launch_bound", false, NULL}, /* launching took longer than the work */
    {"emulated", false, "the device has no such arithmetic, the library makes it of another"},
    {"saturates", false,
     "7-bit operands, because the library's sums of 8-bit ones saturate without VNNI"},
    {"padded", false, NULL},            /* the product was enlarged */
    {"extrapolated", false, NULL},      /* some layers stand for all */
    {"no_graph", false, NULL},          /* launched one by one */
    {"page-cache", false, NULL},        /* the file came from memory */
    {"reduced_precision", false, NULL}, /* parts were added in the output's type */
};

bool line_flag_disturbs(const char *flag)
{
    for (int i = 0; i < FLAG_ROWS; i++)
        if (strcmp(flag, flag_rows[i].word) == 0)
            return flag_rows[i].disturbs;
    return true;
}
