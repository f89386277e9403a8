/*
 * lora.h - room for LoRA adapters: two low-rank matrices beside every linear one.
 *
 * Engines that serve adapters set the room aside when they start, for so many slots of
 * the largest rank r, whatever is loaded later. Of a matrix of rows x cols on t GPUs:
 *
 *   cut by its outputs (q, k, v, gate, up)   A: r*cols whole,   B: rows/t * r
 *   cut by its inputs (o, down)              A: r * cols/t,     B: rows*r whole
 *   on every GPU (latents, router)           both whole
 *   routed experts                           the same of each expert that is here
 *
 *   bytes = slots * sum over layers * element
 *
 * vLLM takes them beside every linear layer in the type it computes in; embedding and
 * head, (h + V)*r each, only where the model's class names them, and MXFP4 experts as wide
 * as they are padded: the band's high end.
 * SGLang takes the modules it is told and llama.cpp what the adapter's file has: the low
 * end is attention alone.
 *
 * Example: Llama-3.1-8B, rank 16: q and o 16*8192 each, k and v 16*5120 each, gate, up and
 * down 16*18432 each = 1,310,720 elements a layer: 80 MiB a slot in BF16.
 */
#ifndef GP_PLAN_LORA_H
#define GP_PLAN_LORA_H

#include "plan/layout.h"
#include "plan/request.h"

/* Bytes on one GPU that holds layers [first, end). */
struct quantity lora_bytes(const struct request *request, const struct layout *layout, int first,
                           int end);

#endif
