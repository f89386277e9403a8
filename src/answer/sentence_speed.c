/*
 * sentence_speed.c - what the codes of a speed estimate say, in words; see sentence.h.
 */
#include "answer/sentence.h"

#include "base/units.h"
#include "plan/better.h"

static const char *const gap_words[SPEED_GAPS] = {
    [SPEED_KNOWN] = "",
    [SPEED_NO_FAMILY] = "no constants of the {architecture} generation",
    [SPEED_NO_RATE] = "the data sheet of {gpu} gives no bandwidth or no rate of this type",
    [SPEED_NO_ENGINE] = "no constants of {engine}",
    [SPEED_NO_TOKENS] = "this model does not decode tokens",
    [SPEED_NO_LAYOUT] = "the plan does not fit",
    [SPEED_NO_LINK] = "the link between {gpu} GPUs is not known",
    [SPEED_ON_HOST] = "weights in host memory are read at its pace, which is not known",
};

const char *sentence_speed_gap(const struct plan *p, struct texts *t)
{
    const struct request *q = &p->request;
    const struct sentence_value values[] = {
        {"architecture", SAY_TEXT, .text = q->gpu->architecture},
        {"gpu", SAY_TEXT, .text = q->gpu->id},
        {"engine", SAY_TEXT, .text = q->engine ? q->engine->name : ""},
        {.name = NULL},
    };

    return sentence_fill(gap_words[p->speed.gap], values, t);
}

const char *sentence_saturation(enum saturation saturation)
{
    static const char *const words[SATURATES_COUNT] = {
        [SATURATES_PREFILL] = "the work of prompts",
        [SATURATES_RUNNING] = "the engine's slots",
        [SATURATES_POOL] = "the KV pool",
        [SATURATES_DECODE] = "decode steps",
        [SATURATES_TRANSFER] = "the link that moves KV",
    };

    return words[saturation];
}

const char *sentence_speed_bound(enum speed_bound bound)
{
    static const char *const words[SPEED_BY_COUNT] = {
        [SPEED_BY_WEIGHTS] = "memory bandwidth: reading the weights",
        [SPEED_BY_COMPUTE] = "arithmetic of the products",
        [SPEED_BY_EXPERTS] = "the routed experts",
        [SPEED_BY_KV] = "memory bandwidth: reading the KV cache",
        [SPEED_BY_LINK] = "all-reduces between the GPUs",
        [SPEED_BY_LAUNCH] = "launches and the engine's own time",
        [SPEED_BY_PREFILL] = "prompts of the other users",
        [SPEED_BY_DRAFT] = "drafting tokens",
    };

    return words[bound];
}

static const char *const doubt_words[DOUBT_COUNT] = {
    [DOUBT_DENSE] = "dense model",
    [DOUBT_EXPERTS] = "mixture of experts",
    [DOUBT_MIXED] = "MLA or recurrent layers",
    [DOUBT_BUILD] = "engine's build and host unknown",
    [DOUBT_FAMILY] = "few measurements of this GPU generation",
    [DOUBT_KERNEL] = "another kernel's figures stand in",
    [DOUBT_INT4_EXPERTS] = "4-bit experts: kernels differ",
    [DOUBT_PCIE] = "GPUs linked by PCIe",
    [DOUBT_MANY] = "more than 128 users at once",
    [DOUBT_DRAFT] = "speculative decoding",
    [DOUBT_POINT] = "corrected by one point of the server",
    [DOUBT_POINTS_2] = "corrected by two points of the server",
    [DOUBT_POINTS_3] = "corrected by three or more points of the server",
    [DOUBT_MANY_EXPERTS] = "more than 128 users of experts or recurrent layers",
    [DOUBT_ATTENTION_DP] = "attention data parallel",
    [DOUBT_NETWORK] = "network between hosts unknown",
    [DOUBT_BANDWIDTH] = "memory bandwidth",
    [DOUBT_MEASURED] = "device measured",
};

const char *sentence_speed_doubts(const struct plan *p, struct texts *t)
{
    const char *text = "";
    double low, high;

    for (int i = 0; i < DOUBT_COUNT; i++) {
        if (!(p->speed.doubts >> i & 1))
            continue;
        speed_doubt((enum doubt)i, p->request.gpu, &low, &high);
        text = texts_addf(t, "%s%s%s (/%.2f..x%.2f)", text, text[0] ? ", " : "", doubt_words[i],
                          low, high);
    }
    return text;
}

/* Of the GPU itself: what its own measurements take away. */
#define OF_DEVICE (1u << DOUBT_FAMILY | 1u << DOUBT_BANDWIDTH)

const char *sentence_speed_narrower(const struct plan *p, struct texts *t)
{
    int widest = -1;
    double low, high, most = 1;

    for (int i = 0; i < DOUBT_COUNT; i++) {
        speed_doubt((enum doubt)i, p->request.gpu, &low, &high);
        if ((p->speed.doubts >> i & 1) && low * high > most) {
            most = low * high;
            widest = i;
        }
    }
    if (widest < 0 || widest == DOUBT_POINTS_3)
        return "";
    if (1u << widest & OF_DEVICE)
        return texts_addf(t, "--confirm on this GPU; widest now: %s", doubt_words[widest]);
    speed_doubt(DOUBT_POINTS_3, p->request.gpu, &low, &high);
    if (low * high >= p->speed.factor_low * p->speed.factor_high)
        return "";
    return texts_addf(t,
                      "three runs of the server's benchmark, --calibration FILE: "
                      "/%.2f..x%.2f, not /%.2f..x%.2f; widest now: %s",
                      low, high, p->speed.factor_low, p->speed.factor_high, doubt_words[widest]);
}

/* "TPOT, mixtures of experts on vLLM: 254 rows, median error 12 %, in band 91 %" */
const char *sentence_speed_hit(const struct plan *p, const struct hit *h, struct texts *t)
{
#define X(NAME, word, words) [HIT_##NAME] = words,
    static const char *const kinds[HIT_KIND_COUNT] = {HIT_KINDS(X)};
    static const char *const phases[HIT_PHASE_COUNT] = {HIT_PHASES(X)};
#undef X
    const struct request *q = &p->request;

    if (!h)
        return "no measured row of this kind";
    return texts_addf(t, "%s, %s on %s: %d rows%s, median error %.0f %%, in band %.0f %%",
                      phases[h->phase], kinds[h->kind], q->engine->name, h->rows,
                      engine_lists(h->families, q->gpu->family->id) ? "" : " of other GPUs",
                      100 * h->median, 100 * h->inside);
}

/* ---- what would be better ---- */

/* " (-51 %)" */
static const char *changed_by(double now, double then, struct texts *t)
{
    return now > 0 && then > 0 ? texts_addf(t, " (%+.0f %%)", (now / then - 1) * 100) : "";
}

const char *sentence_better(const struct plan *p, const struct fix *f, struct texts *t)
{
    double million = better_per_million(f);
    struct quantity own = plan_token_price(p);
    const char *money = "", *hour = "";

    if (million > 0)
        money = texts_addf(t, "%s per million%s, ", UNITS_MONEY(million),
                           changed_by(million, own.known ? own.value : 0, t));
    if (f->per_hour > 0)
        hour = texts_addf(t, ", %s/h", UNITS_MONEY(f->per_hour));
    return texts_addf(t, "%s: %sTPOT %.1f ms%s%s", sentence_fix(f, t), money, f->tpot * 1e3,
                      changed_by(f->tpot, p->speed.tpot.value, t), hour);
}
