/*
 * moe.h - the time of one layer's routed experts.
 *
 *   A = E * (1 - (1 - k/E)^(T^0.95))                 experts that T tokens reach
 *   t = sqrt((F / (ec*P))^2 + (B / (em*BW))^2) + each*A/ep + token*T + fixed
 *   F = 2*m*T*k*h*Ie / n,   B = m*A*h*Ie*w / n * imbalance + 2*T*k*(2h + m*Ie) / n
 *   imbalance = 1 + 0.3*sqrt(ep/A) where experts are spread (EP)
 *
 * m matrices (3 with a gate), n GPUs that share the layer's experts, T the tokens of all
 * of them, w bytes per weight. The exponent: tokens of a batch choose less evenly than
 * at random. Each expert that has tokens costs a while of its own (a block of a grouped
 * product), by format.
 *
 * Where a kernel gives each expert room for a block of tokens, chosen or not, A = E and T
 * grows by that room in B: the memory is gone over, the arithmetic of empty blocks skipped.
 *
 * Example: Qwen3-235B, E 128, k 8, one token: A = 8; 64 tokens: 123.5.
 */
#ifndef GP_PLAN_SPEED_MOE_H
#define GP_PLAN_SPEED_MOE_H

/* Routed experts of one layer, cut for a layout. */
struct moe {
    double experts, active; /* E, k */
    double compute;         /* s of one token's arithmetic */
    double expert;          /* s of reading one expert's weights, over n GPUs */
    double traffic;         /* s of one token's values */
    double each;            /* s per active expert, / ep */
    double token;           /* s per token */
    double fixed;           /* s per layer */
    double ep;
    double pad;   /* tokens' worth of empty rows that are worked on; 0 = none */
    double times; /* such layers in a step */
};

double moe_reached(double experts, double active, double tokens);
double moe_read(const struct moe *moe, double tokens); /* A: with weights that are read */
/* compute: factor on the arithmetic's time. */
double moe_time(const struct moe *moe, double tokens, double compute); /* s */

#endif
