/*
 * diagnose.c - see diagnose.h.
 *
 * Thresholds: the best kernels of the MAMF study reach 51 to 87 % of the sheet's product rate
 * (A100 87, H100 80, MI300X 51), reads 85 to 94 % of its bandwidth; a card below them is slow
 * for a reason.
 */
#include "plan/diagnose.h"

#include <math.h>

struct diagnose_facts diagnose_nothing(void)
{
    struct diagnose_facts f = {
        .read = NAN,
        .read_share = NAN,
        .product = NAN,
        .product_share = NAN,
        .upload = NAN,
        .throttled = {NAN, NAN, NAN},
        .clock = NAN,
        .clock_max = NAN,
        .power = NAN,
        .power_limit = NAN,
        .power_sheet = NAN,
        .temperature = NAN,
        .link_gen = -1,
        .link_gen_max = -1,
        .link_width = -1,
        .link_width_max = -1,
        .ecc = -1,
        .ecc_errors = NAN,
        .peers = -1,
        .peers_lost = -1,
        .processes = -1,
        .others = NAN,
    };

    return f;
}

double diagnose_link(int gen, int width)
{
    if (gen < 1 || gen > 8 || width < 1 || width > 32)
        return NAN;
    return gen < 3 ? gen * 0.25e9 * width : 8e9 * 128 / 130 / 8 * pow(2, gen - 3) * width;
}

/* ---- causes: comparisons with NAN are false ---- */

static bool is_shared(const struct diagnose_facts *f)
{
    return f->processes > 0 || f->others > DIAGNOSE_OTHERS;
}

static bool is_wrong(const struct diagnose_facts *f)
{
    return f->wrong > 0 && !is_shared(f);
}

static bool is_unconfirmed(const struct diagnose_facts *f)
{
    return f->wrong > 0 && is_shared(f);
}

static bool is_explained(const struct diagnose_facts *f)
{
    return f->explained > 0;
}

static bool has_ecc_errors(const struct diagnose_facts *f)
{
    return f->ecc_errors > 0;
}

static bool is_braked(const struct diagnose_facts *f)
{
    return f->throttled[DIAGNOSE_BY_HARDWARE] > DIAGNOSE_OFTEN;
}

static bool is_hot(const struct diagnose_facts *f)
{
    return f->throttled[DIAGNOSE_BY_HEAT] > DIAGNOSE_OFTEN;
}

/* A board at its own limit under full load is as its sheet says; below the sheet's it is not. */
static bool is_capped(const struct diagnose_facts *f)
{
    return f->power_limit < 0.95 * f->power_sheet;
}

static bool saves_power(const struct diagnose_facts *f)
{
    return f->saves_power;
}

static bool is_clocked_low(const struct diagnose_facts *f)
{
    return f->clock < 0.7 * f->clock_max && !(f->throttled[DIAGNOSE_BY_POWER] > DIAGNOSE_OFTEN) &&
           !is_hot(f) && !is_braked(f);
}

static bool is_narrow(const struct diagnose_facts *f)
{
    return f->link_width > 0 && f->link_width < f->link_width_max;
}

static bool is_old_link(const struct diagnose_facts *f)
{
    return f->link_gen > 0 && f->link_gen < f->link_gen_max && f->upload > 0;
}

static bool lacks_peers(const struct diagnose_facts *f)
{
    return f->peers_lost > 0;
}

static bool copies_slowly(const struct diagnose_facts *f)
{
    return f->upload < DIAGNOSE_UPLOAD * diagnose_link(f->link_gen, f->link_width);
}

static bool reads_slowly(const struct diagnose_facts *f)
{
    return f->read_share < DIAGNOSE_READ;
}

static bool multiplies_slowly(const struct diagnose_facts *f)
{
    return f->product_share < DIAGNOSE_PRODUCT;
}

static const struct {
    const char *word;
    enum diagnose_status status;
} words[] = {
#define X(NAME, word, status) {word, DIAGNOSE_##status},
    DIAGNOSE_CAUSES(X)
#undef X
};

static bool (*const holds[])(const struct diagnose_facts *) = {
    [DIAGNOSE_WRONG_RESULTS] = is_wrong,     [DIAGNOSE_ECC_ERRORS] = has_ecc_errors,
    [DIAGNOSE_HARDWARE] = is_braked,         [DIAGNOSE_SHARED] = is_shared,
    [DIAGNOSE_UNCONFIRMED] = is_unconfirmed, [DIAGNOSE_HEAT] = is_hot,
    [DIAGNOSE_POWER_CAP] = is_capped,        [DIAGNOSE_GOVERNOR] = saves_power,
    [DIAGNOSE_CLOCK] = is_clocked_low,       [DIAGNOSE_LINK_WIDTH] = is_narrow,
    [DIAGNOSE_LINK_GEN] = is_old_link,       [DIAGNOSE_PEER] = lacks_peers,
    [DIAGNOSE_LINK] = copies_slowly,         [DIAGNOSE_MEMORY] = reads_slowly,
    [DIAGNOSE_PRODUCTS] = multiplies_slowly, [DIAGNOSE_EXPLAINED] = is_explained,
};

struct diagnosis diagnose(const struct diagnose_facts *f)
{
    struct diagnosis out = {.status = f->good > 0 ? DIAGNOSE_HEALTHY : DIAGNOSE_UNKNOWN};

    for (int i = 0; i < DIAGNOSE_CAUSE_COUNT; i++)
        if (holds[i](f))
            out.cause[out.count++] = (enum diagnose_cause)i;
    if (out.count > 0)
        out.status = words[out.cause[0]].status;
    return out;
}

const char *diagnose_cause_word(enum diagnose_cause cause)
{
    return words[cause].word;
}

enum diagnose_status diagnose_cause_status(enum diagnose_cause cause)
{
    return words[cause].status;
}

const char *diagnose_status_word(enum diagnose_status status)
{
    static const char *const text[] = {"healthy", "unknown", "slow", "broken"};

    return text[status];
}
