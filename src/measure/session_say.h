/*
 * session_say.h - what a run came to, in the words that the command, the screen and plain
 * mode share. It sees no more of a session than they do.
 */
#ifndef GP_MEASURE_SESSION_SAY_H
#define GP_MEASURE_SESSION_SAY_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/session.h"

char *session_say_time(char *text, size_t size, double seconds); /* "1 min 16 s" */

/* "25 points on 2 devices, 2 passes, about 1 min 16 s with warm-up and rests, at most 456
 * MiB at once on each device" */
char *session_say_plan(const struct session *session, char *text, size_t size);

/* Its engine found others at work there and measured nothing. */
bool session_is_busy(const struct session_device *device);
bool session_some_busy(const struct session *session);

/* What a run came to, as a sentence, and as a word or two for a corner: "complete",
 * "4 of 6 good", "interrupted". */
char *session_outcome(const struct session *session, char *text, size_t size);
char *session_outcome_word(const struct session *session, char *text, size_t size);

/* "devices 0, 2 lost: ...": that device, and the later ones with the same reason. False:
 * it is not lost, or was named with one before it. */
bool session_say_lost(const struct session *session, int place, char *text, size_t size);

#endif
