/*
 * answer_lines.h - what a plan's answer says, line by line, for whoever shows it.
 *
 * --plan's text, the Plan and Compare screens and plain mode ask for the lines of one
 * kind and set them out in their own way: a column, a panel's rows, a sentence. The
 * words, the figures and their rounding stand here alone; JSON, CSV and Markdown carry
 * the same figures from the same structs (report.h).
 *
 *   LINE_COST of Llama-3.1-8B on an H100   name "on demand", amount "$2.29",
 *                                          month "$1,672", text "1 x verda
 *                                          1H100.80S.32V, 1 GPU (undated)"
 */
#ifndef GP_ANSWER_ANSWER_LINES_H
#define GP_ANSWER_ANSWER_LINES_H

#include <stdbool.h>

#include "answer/planner.h"
#include "base/texts.h"

enum line_kind {
    LINE_HEADLINE,  /* the decision, a row each: name "price", text within HEADLINE_COLS */
    LINE_MODEL,     /* "Llama 3.1 8B (8.03 B parameters), fp8 weights, bf16 KV cache" */
    LINE_LOAD,      /* "16 users of 1,280 tokens, each up to 8,192, vLLM 0.21+" */
    LINE_GPU_FROM,  /* who chose the GPU, when the request named none */
    LINE_LAYOUT,    /* "TP 2, 1 host" */
    LINE_HOLDS,     /* "holds 173 such requests, 27 of full length; all 16 at full length: ..." */
    LINE_GOALS,     /* how the goals of speed stand; the counts beside: likely, sure, near */
    LINE_RUNNER_UP, /* "TP 2 x PP 2"; amount: $/h; note: why it lost */
    LINE_READ,      /* what names were read as */
    LINE_REASON,
    LINE_STARTUP, /* "vLLM would stop: ValueError: ..." (startup.h) */
    LINE_WARNING,
    LINE_STAGE,  /* which pipeline stage the memory is of */
    LINE_POOL,   /* amount: GiB; note: its band; text: what it holds */
    LINE_LOGGED, /* "logged", "not used": of a server's log */
    LINE_RULE,   /* the rule of thumb and the weights counted */
    LINE_SPEED,  /* name: TPOT, ...; amount, note: its band; text: what it means */
    LINE_COST,   /* offer by offer, break-even, why a price is missing */
    LINE_FIX,    /* name: the option; text: the change; amount: what it costs */
    LINE_SOURCE, /* name: what the source is of */
    LINE_DATES,  /* all sources in one line, by date or confidence */
    LINE_KIND_COUNT
};

/* A headline has at most so many rows, the text of each so many columns: with its name 80. */
#define HEADLINE_ROWS 5
#define HEADLINE_COLS 69

struct answer_line {
    const char *name;   /* "on demand", "gpu"; "" where the kind is the name */
    const char *option; /* of a fix: "--gpu l40s:4"; else "" */
    const char *text;
    const char *amount, *month; /* "$2.29" an hour, "61.34 GiB"; "" = none */
    const char *note;           /* to be warned of, or set in brackets; "" = none */
    bool wanted;                /* of a cost: the price class that was asked for */
};

#define ANSWER_LINES_MAX (PLAN_MAX_FIXES + 12) /* those of the speed are the most */

struct answer_lines {
    const struct plan *plan;     /* borrowed */
    const struct answer *answer; /* borrowed */
    int count;
    struct answer_line list[ANSWER_LINES_MAX];
    struct texts texts; /* theirs */
};

/* The lines of one kind, to be freed; returns how many. answer: the plan's, NULL when there is
 * only a plan (a row of --compare): then the kinds that tell of the request or of fixes have no
 * lines. */
int answer_lines(const struct plan *plan, const struct answer *answer, enum line_kind kind,
                 struct answer_lines *out);
void answer_lines_fini(struct answer_lines *lines);

/* "context 12,240 tokens": the field that was solved for, and its value. */
const char *answer_solved(const struct answer *answer, struct texts *texts);

/* How a rent is said, wherever it is. */
struct rent_words {
    const char *hour, *month; /* "$2.29", "$1,672" */
    const char *offer;        /* "1 x verda 1H100.80S.32V" */
    const char *date;         /* "2026-07-20", "by 2026-11", "undated" */
    const char *note;         /* "" = nothing to know besides */
};
void rent_words(const struct plan *plan, const struct rent *rent, struct texts *texts,
                struct rent_words *out);

#endif
