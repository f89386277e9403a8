/*
 * attention.h - the time of attention proper: reads of the cache, and scores of a prompt.
 *
 *   decode   sqrt((bytes*(1 + a/(n*k)) / (ekv*BW))^2 + (F / (emla*P))^2)
 *   prefill  F / (efa*P),  F = 2*nh*(dqk + dv)*q*(c + q/2)
 *
 * Without flash attention a prompt's scores pass through memory as well, nh*q*(c + q/2) of
 * some bytes each.
 *
 * n sequences, k KV heads of a GPU: where a generation's table shows it, a kernel that splits
 * the cache of few of them over all multiprocessors does not keep memory as busy (a 0.72 on
 * Blackwell: one sequence and head are read at 1/1.72 of the rate).
 *
 * Bytes: of each sequence its s cached tokens, a window at most; of a sparse layer the
 * 2,048 it selects and the index keys of all; of a recurrent layer its state, read and
 * written. MLA's latents are on every TP rank, and its decode has arithmetic that counts:
 * F = 2*nh*(2*kvl + rope)*s. P is the 16-bit rate.
 *
 * Example: Llama-3.1-70B on 4 H100, 64 sequences of 4,096 tokens: 64 * 4096 * 2 heads *
 * 256 * 2 B * 80 layers = 21.5 GB: 7.8 ms at 0.82 of 3.35 TB/s.
 */
#ifndef GP_PLAN_SPEED_ATTENTION_H
#define GP_PLAN_SPEED_ATTENTION_H

#include "model/format.h"
#include "model/model.h"
#include "plan/request.h"

#define SPARSE_TOKENS 2048 /* that an indexer selects (DeepSeek-V3.2, GLM-5) */

/* The layers of one kind on one GPU; bytes and FLOP of one sequence. */
struct attention {
    double times;    /* layers */
    double bytes;    /* per cached token */
    double reach;    /* tokens it reads at most; 0 = all */
    double split;    /* a/k: sequences whose reads are added, however many there are */
    double index;    /* bytes of index key per cached token, all of them */
    double state;    /* bytes read and written per step */
    double mla;      /* FLOP per cached token in decoding */
    double heads;    /* on this GPU */
    double scores;   /* FLOP per pair of tokens in a prompt */
    double indexing; /* FLOP per pair, of the indexer */
};

/* index: bytes of index key per token (step_load). */
struct attention attention_of(const struct request *request, const struct layer_kind *kind,
                              double index, int tp, double layers);

/* Bytes, and FLOP into *flops, of one sequence of s cached tokens in one step. */
double attention_decode(const struct attention *attention, double s, double *flops);
/* FLOP of q new tokens behind c cached ones; and their scores, of all heads. */
double attention_prefill(const struct attention *attention, double q, double c);
double attention_scores(const struct attention *attention, double q, double c);

#endif
