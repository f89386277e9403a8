/*
 * session_drive.h - a session driven to its end by a caller that only waits for it, and
 * the signals that stop it: the first after the point, the second at once.
 *
 *     session_signals_catch(numbers, 3);
 *     session_drive(session, take_event, ctx);   // until take_event says that it is over
 *     session_signals_release();
 */
#ifndef GP_MEASURE_SESSION_DRIVE_H
#define GP_MEASURE_SESSION_DRIVE_H

#include <stdbool.h>

#include "measure/session.h"

/* Counts these signals from 0 on, but one that is ignored (nohup) stays ignored. Writing
 * goes on where one interrupts it. */
void session_signals_catch(const int *numbers, int count);
void session_signals_release(void); /* as it was before; nothing when none is caught */
/* How many came, and the last of them. */
int session_signals(int *last);

/* Delivers event after event; false: there is nothing more to wait for. */
typedef bool session_take(void *ctx, const struct session_event *event);
void session_drive(struct session *session, session_take *take, void *ctx);

#endif
