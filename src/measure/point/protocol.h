/*
 * protocol.h - the lines that gpuplan and an engine exchange: one JSON object per line.
 *
 * To the engine (standard input):
 *   {"protocol":1,"do":"settings", ... struct method_settings ..., "device":0,
 *    "progress_s":0.5}
 *   {"do":"point","index":7,"point":{...}}      as often as there are points, in the
 *                                               order in which they are to be run
 *   {"do":"run"}                                nothing more comes; start
 *   {"do":"run","wait":true}, {"do":"go"}       warm up, say "ready", wait for "go": so
 *                                               several devices begin at one moment
 *   later, at any time: {"do":"stop"}           stop after this point
 *   End of input or SIGTERM: stop now (after the sample that runs).
 *
 * From the engine (standard output), each with "t":
 *   hello     {"t":"hello","protocol":1,"engine":"cpu","version":"...","software":{...}}
 *   device    {"t":"device",...struct bench_device...}
 *   ready     {"t":"ready"}                                warm, waits for "go"
 *   start     {"t":"start","index":7}                      before each point
 *   sensors   {"t":"sensors","temp_c":61,"power_w":688,...} while one runs
 *   point     {"t":"point","index":7,"id":"...","state":"ok","reason":null,"variant":"",
 *              "params":{...},"algo":{...},"time_s":{...stats, "samples":[...]},
 *              "rate":{"ops_per_s":..,"bytes_per_s":..},"sensors":{...},
 *              "check":{...},"flags":[...]}
 *   log       {"t":"log","level":"warning","code":"busy","text":"..."}
 *   error     {"t":"error","code":"device","text":"...","hint":"..."}  then the end
 *   done      {"t":"done","status":"complete"|"interrupted"|"failed"}
 *
 * `engine --devices` prints hello, one device line each, done. `engine --version`.
 * Exit codes: 0 done, 2 usage or a plan that is wrong, 4 no usable device or library,
 * 70 internal, 130/143 by signal.
 *
 * Both sides treat the other's lines as untrusted: at most PROTOCOL_LINE bytes, strict
 * JSON, every number range-checked, unknown "t" and fields ignored.
 */
#ifndef GP_MEASURE_POINT_PROTOCOL_H
#define GP_MEASURE_POINT_PROTOCOL_H

#include <jansson.h>

#include "measure/point/method.h"

#define PROTOCOL_VERSION 1
#define PROTOCOL_LINE (1 << 20) /* bytes of one line at most */

json_t *protocol_settings(const struct method_settings *settings, int device);
enum gp_status protocol_read_settings(const json_t *json, const char *where,
                                      struct method_settings *out, int *device, struct gp_err *err);

/* The variables whose names begin so, up to a NULL: they change what a library does. */
json_t *protocol_environment(const char *const *prefixes);

#endif
