/*
 * session_notes.h - remarks that the result of a session keeps, and a queue of texts
 * that are still to be delivered to its user, one per step.
 */
#ifndef GP_MEASURE_SESSION_NOTES_H
#define GP_MEASURE_SESSION_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/session_facts.h"

#define NOTES_MAX 64   /* remarks of one session */
#define NOTES_WAIT 16  /* texts that wait; the oldest goes when there are more */
#define NOTES_TEXT 800 /* bytes of one that is delivered */

struct session_notes {
    struct session_remark {
        const char *code; /* "busy": for programs, as text is for people */
        char text[SESSION_NOTE];
    } * remark;
    size_t cap;
    int count;
    int kept;                /* of them, those that another plan does not drop */
    char *queue[NOTES_WAIT]; /* malloc'ed */
    int queued;
};

void notes_fini(struct session_notes *notes);

/* A remark for the result; gpuplan-bench(1) lists the codes. */
void notes_add(struct session_notes *notes, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, and queued. */
void notes_add_said(struct session_notes *notes, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void notes_say(struct session_notes *notes, const char *text);
/* Takes the next text off the queue. */
bool notes_next(struct session_notes *notes, char *text, size_t size);

#endif
