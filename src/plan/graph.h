/*
 * graph.h - the compute buffer that llama.cpp reserves for one graph of n_ubatch tokens.
 *
 * ggml plans the whole graph before it runs and reuses what is dead. Two moments are as
 * large as a buffer: when the attention masks are cast for flash attention, and inside
 * the widest layer. Per token of a batch of c, in bytes:
 *
 *   masks  = 2 * all cells                        FP16 copies, alive to the end
 *   cast   = 4 * all cells + 20 * h               FP32 inputs they are made from
 *   layer  = 4 * widest [+ 4 * full cells, when windows come first: not yet cast]
 *   bytes  = c * (masks + max(cast, layer)), or c*4*h + rows*4*V when that is more
 *            rows: one of each slot, and of each token it drafts
 *
 *   widest, dense      3*ff/tp + 2*h
 *           experts    topk*max(3*mff, mff + 2*h)/tp + 3*shared/tp + 3*h
 *           recurrent  23 * width of the values + 2*h   (chunked DeltaNet; Qwen3.5-9B)
 *
 * Without flash attention nothing is cast, and the scores of all heads are in the layer:
 * masks = 4 * all cells, widest = heads/tp * full cells + 4*h at least.
 *
 * Example: Gemma-4-12B, 8,192 full cells, 4,608 in the windows, c = 512:
 *   512 * (2*12800 + 4*(3*15360 + 2*3840) + 4*8192) = 133.5 MiB; logged: 135.
 */
#ifndef GP_PLAN_GRAPH_H
#define GP_PLAN_GRAPH_H

#include "plan/request.h"

/* cells: of the full cache, of all users of a replica. */
double graph_bytes(const struct request *request, int tp, double batch, double cells, double slots);

/* The same where a row of logits is kept for each token: older builds, and programs on
 * the plain library. */
double graph_bytes_of_rows(const struct request *request, double batch);

/* Cells of a window's cache of its own: all slots and the batch, in steps of 256. */
double graph_window_cells(double window, double slots, double batch, double cells);

#endif
