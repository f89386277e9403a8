/*
 * trainer.c - what a trainer does when nobody tells it, by version (see train.h).
 *
 * That transformers' gradient_accumulation_steps is 1, and that its trainer frees the gradients
 * after each step, was read (4.57.1, training_args.py and trainer.py: model.zero_grad(), which sets
 * them to None). The rest of the rows is recalled, not read in the sources that they name on a day
 * of their own, and the bounds of versions with them: all of it is assumed where no run has shown
 * it. Padded batches of differing lengths leave free blocks behind, a third of what comes and goes;
 * packed ones of one length hardly any.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "plan/train/train.h"

#define PADDED 0.35
#define PACKED 0.10

/* Bytes of an eager loss per logit, low to high. transformers before 4.45 turns all logits into
 * FP32 in the model's forward pass and copies them once more where they are shifted; later in the
 * loss. */
#define IN_MODEL   \
    {              \
        14, 18, 22 \
    }
#define IN_LOSS    \
    {              \
        10, 14, 18 \
    }
#define IN_KERNEL  \
    {              \
        10, 12, 14 \
    }
#define AS_LOSS \
    {           \
        0       \
    } /* what --loss has */

static const struct trainer trainers[] = {
    {"trl", "", "0.11", LOSS_EAGER, false, RECOMPUTE_AUTO, IN_MODEL, PADDED,
     "transformers before 4.45: logits.float() in forward, shift_logits contiguous", true},
    {"trl", "0.12", "", LOSS_EAGER, false, RECOMPUTE_AUTO, IN_LOSS, PADDED,
     "transformers loss_utils.py: ForCausalLMLoss upcasts; trl sft_trainer.py", true},
    {"transformers", "", "4.44", LOSS_EAGER, false, RECOMPUTE_AUTO, IN_MODEL, PADDED,
     "modeling_llama.py: logits.float() in forward, shift_logits contiguous", true},
    {"transformers", "4.45", "", LOSS_EAGER, false, RECOMPUTE_AUTO, IN_LOSS, PADDED,
     "loss_utils.py: ForCausalLMLoss upcasts", true},
    {"llama-factory", "", "", LOSS_EAGER, false, RECOMPUTE_FULL, IN_LOSS, PADDED,
     "model/model_utils/checkpointing.py: on by default; transformers' loss", false},
    {"ms-swift", "", "", LOSS_EAGER, false, RECOMPUTE_FULL, IN_LOSS, PADDED,
     "llm/argument: gradient_checkpointing true; transformers' loss", false},
    {"axolotl", "", "", LOSS_EAGER, false, RECOMPUTE_AUTO, IN_LOSS, PACKED,
     "utils/schemas/config.py: sample_packing in all examples; cut cross entropy: --loss fused",
     false},
    {"torchtune", "", "0.6", LOSS_CHUNKED, false, RECOMPUTE_FULL, AS_LOSS, PADDED,
     "recipes/configs: CEWithChunkedOutputLoss, enable_activation_checkpointing true", false},
    {"torchtune", "0.7", "", LOSS_FUSED, false, RECOMPUTE_FULL, AS_LOSS, PADDED,
     "recipes/configs: LinearCrossEntropyLoss", false},
    {"torchtitan", "", "", LOSS_EAGER, false, RECOMPUTE_OPS, IN_LOSS, PACKED,
     "torchtitan/models/llama3/train_configs: selective, op", false},
    {"litgpt", "", "", LOSS_CHUNKED, false, RECOMPUTE_NONE, AS_LOSS, PADDED,
     "finetune/lora.py: chunked_cross_entropy, lm_head_chunk_size 128", false},
    {"unsloth", "", "", LOSS_FUSED, true, RECOMPUTE_FULL, AS_LOSS, PADDED,
     "models/llama.py: fused cross entropy, use_gradient_checkpointing unsloth", false},
    {"megatron", "", "", LOSS_EAGER, true, RECOMPUTE_AUTO, IN_KERNEL, PACKED,
     "core/tensor_parallel/cross_entropy.py; fused kernels", false},
};
enum { TRAINERS = sizeof(trainers) / sizeof(trainers[0]) };

/* "0.9" before "0.11": by numbers. */
static int compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        char *after_a, *after_b;
        long x = strtol(a, &after_a, 10), y = strtol(b, &after_b, 10);

        if (x != y)
            return x < y ? -1 : 1;
        a = *after_a == '.' ? after_a + 1 : "";
        b = *after_b == '.' ? after_b + 1 : "";
    }
    return 0;
}

/* Is 0.11.4 of "up to 0.11"? Of a bound only as many numbers as it has are compared. */
static bool trainer_covers(const struct trainer *t, const char *version)
{
    char cut[24];
    int dots = 0;

    if (!version[0])
        return !t->until[0];
    if (t->from[0] && compare_versions(version, t->from) < 0)
        return false;
    if (!t->until[0])
        return true;
    gp_copy(cut, sizeof(cut), version);
    for (const char *c = t->until; *c; c++)
        dots += *c == '.';
    for (char *c = cut; *c; c++)
        if (*c == '.' && dots-- == 0)
            *c = '\0';
    return compare_versions(cut, t->until) <= 0;
}

const struct trainer *trainer_find(const char *text)
{
    size_t n = strcspn(text, "@");
    const char *version = text[n] == '@' ? text + n + 1 : "";

    if (text[n] == '@' && (version[0] < '0' || version[0] > '9'))
        return NULL;
    for (int i = 0; i < TRAINERS; i++)
        if (strlen(trainers[i].word) == n && strncasecmp(trainers[i].word, text, n) == 0 &&
            trainer_covers(&trainers[i], version))
            return &trainers[i];
    return NULL;
}

void trainer_words(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < TRAINERS; i++)
        if (i == 0 || strcmp(trainers[i].word, trainers[i - 1].word) != 0)
            gp_append(text, size, ", ", "%s", trainers[i].word);
}
