/*
 * startup.h - how the engine itself would stop, in its own words.
 *
 * Before it serves, an engine makes checks in an order of its own: lengths and slots first, then
 * types and layouts, then free memory, the weights, what is left for KV, one request of full
 * length, blocks of state, room for graphs. A plan that fails some of them names the first that
 * fails at the estimate's value, else the first that may, with the message that this version
 * prints, its figures filled in, so that it can be found in a log. What only makes users wait (more
 * users than slots, or than the pool holds at once) stops nothing.
 *
 * Example: Qwen3.5-27B on one H100, vLLM 0.33, 1,024 slots:
 *   ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (337). ...
 */
#ifndef GP_ANSWER_STARTUP_H
#define GP_ANSWER_STARTUP_H

#include "base/texts.h"
#include "plan/plan.h"

struct startup {
    const char *check;             /* "one-request"; NULL: it starts, or its checks are not known */
    bool certain;                  /* false: within the estimate's band */
    const struct startup_row *row; /* of the table of checks */
    bool at_end;                   /* only one end of the estimate's band stops */
};

struct startup startup_check(const struct plan *plan);
/* What the engine prints then. */
const char *startup_message(const struct plan *plan, const struct startup *startup,
                            struct texts *texts);

/* The check whose message a log's line is; NULL: none that is known. sized: the pool was
 * already made when it came, so that memory ran out behind it. */
const char *startup_of_message(const char *engine, const char *line, bool sized);
/* What cures a start that such a check stopped, in words. */
const char *startup_cure(const char *check);

/* Are the start-up checks of this engine's version known? */
bool startup_known(const struct engine *engine);

#endif
