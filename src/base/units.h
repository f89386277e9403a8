/*
 * units.h - the one place that turns numbers into text with a unit, and back.
 *
 * Inside gpuplan everything is SI: bytes, seconds, FLOP/s, watts, dollars. Memory is
 * shown in GiB (2^30), bandwidth and rates in decimal units (GB/s, TFLOPS). No
 * other code divides by 1024.
 */
#ifndef GP_BASE_UNITS_H
#define GP_BASE_UNITS_H

#include "base/err.h"

#include <stddef.h>

#define GP_KIB 1024.0
#define GP_MIB (1024.0 * 1024.0)
#define GP_GIB (1024.0 * 1024.0 * 1024.0)
#define GP_KWH 3.6e6 /* J */

/* Each writes into text[size] and returns text, so that it can stand in a printf. */
char *units_gib(char *text, size_t size, double bytes);     /* "79.65 GiB" */
char *units_bytes(char *text, size_t size, double bytes);   /* "160 KiB", "2.5 GiB" */
char *units_memory(char *text, size_t size, double bytes);  /* "0.489 GiB", "2.52 MiB" */
char *units_tokens(char *text, size_t size, double tokens); /* "476,016" */
/* An hour of a day of 24 ("19:00"), or of a week of 168 from Monday on ("Wed 19:00"). */
char *units_hour(char *text, size_t size, int hours, int hour);
const char *units_weekday(int day);                                 /* 0: "Mon" */
char *units_params(char *text, size_t size, double params);         /* "70.55 B" */
char *units_money(char *text, size_t size, double dollars);         /* "$2.99", "$12,480" */
char *units_watts(char *text, size_t size, double watts);           /* "540 W", "2.21 kW" */
char *units_bandwidth(char *text, size_t size, double bytes_per_s); /* "3.35 TB/s" */

/* A number without a unit, to `digits` significant ones (before the point all of them):
 * "0.25", "1048576", never "1.04858e+06". Below 1e-4 and from 1e15 on as %g writes it. */
char *units_plain(char *text, size_t size, double value, int digits);
#define UNITS_PLAIN(value, digits) units_plain((char[32]){""}, 32, value, digits)

/* The same of the others: a text that lives to the end of the block. */
#define UNITS_GIB(bytes) units_gib((char[32]){""}, 32, bytes)
#define UNITS_TOKENS(tokens) units_tokens((char[32]){""}, 32, tokens)
#define UNITS_PARAMS(params) units_params((char[32]){""}, 32, params)
#define UNITS_MONEY(dollars) units_money((char[32]){""}, 32, dollars)
#define UNITS_WATTS(watts) units_watts((char[32]){""}, 32, watts)

/* The time of one operation to `digits` significant ones: "594.9 us", "4.78 ms", "2 s". */
char *units_seconds(char *text, size_t size, double seconds, int digits);

/* "2GiB", "512 MiB", "80GB", "1.5G" (G alone = GiB) to bytes. where names the option. */
enum gp_status units_parse_bytes(const char *text, const char *where, double *bytes,
                                 struct gp_err *err);

/* "8192", "8k" (8192), "128k" (131072), "1M" (1048576) to a token count >= 1.
 * A k is 1024 because that is what model cards mean by it. */
enum gp_status units_parse_tokens(const char *text, const char *where, double *tokens,
                                  struct gp_err *err);

/* "70B", "0.5b", "405e9", "1.1T" to a parameter count. */
enum gp_status units_parse_params(const char *text, const char *where, double *params,
                                  struct gp_err *err);

/* "0.9", "90%". */
enum gp_status units_parse_share(const char *text, const char *where, double *value,
                                 struct gp_err *err);

/* "500", "500ms", "1.5s" in the unit, ms or s, that a bare number has. */
enum gp_status units_parse_time(const char *text, const char *where, const char *unit,
                                double *value, struct gp_err *err);

/* A finite decimal number with nothing after it. */
enum gp_status units_parse_number(const char *text, const char *where, double *value,
                                  struct gp_err *err);

#endif
