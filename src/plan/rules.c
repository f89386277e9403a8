/*
 * rules.c - see rules.h.
 */
#include "plan/rules.h"

const struct engine_rules *engine_rules(enum budget budget)
{
    static const struct engine_rules none;
    static const struct engine_rules *const rules[] = {
        [BUDGET_UTILIZATION] = &vllm_rules,
        [BUDGET_FREE] = &none,
        [BUDGET_STATIC] = &sglang_rules,
        [BUDGET_ASKED] = &llamacpp_rules,
    };

    return rules[budget];
}
