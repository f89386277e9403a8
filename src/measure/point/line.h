/*
 * line.h - the words that an engine's lines, journals and result files share.
 *
 *   kind    of a line that an engine writes
 *   state   of one point: only "ok" has a figure
 *   status  of a run, in an engine's last line and in a result file
 *   flags   of a point: what a reader should know, and whether its figure is unfit for use;
 *           a flag that this version does not know counts as if it were
 *
 * src/measure/point/protocol.h says which lines there are; field.h, how their fields are read.
 */
#ifndef GP_MEASURE_POINT_LINE_H
#define GP_MEASURE_POINT_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum line_kind { /* of an engine's line, its "t" */
                 LINE_HELLO,
                 LINE_DEVICE,
                 LINE_READY,
                 LINE_START,
                 LINE_SENSORS,
                 LINE_POINT,
                 LINE_LOG,
                 LINE_ERROR,
                 LINE_DONE,
                 LINE_KINDS
};
extern const char *const line_kind_words[LINE_KINDS];

enum point_state {
    POINT_OK,
    POINT_UNSUPPORTED,
    POINT_OOM,
    POINT_ERROR,
    POINT_SKIPPED,
    POINT_STATES
};
extern const char *const point_state_words[POINT_STATES];

enum run_status { RUN_COMPLETE, RUN_INTERRUPTED, RUN_FAILED, RUN_STATUSES };
extern const char *const run_status_words[RUN_STATUSES];

/* Place of the word in a list of `count`, or up to a NULL; -1 = none of them, or no word (NULL). */
int line_word(const char *const *words, int count, const char *word);

struct flag_row {
    const char *word;   /* "drift" */
    bool disturbs;      /* the figure is unfit for use */
    const char *advice; /* why, and what helps, in the summary; NULL = nothing to do */
};
enum { FLAG_ROWS = 21 };
extern const struct flag_row flag_rows[FLAG_ROWS];

bool line_flag_disturbs(const char *flag);

#endif
