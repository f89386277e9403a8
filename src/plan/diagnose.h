/*
 * diagnose.h - why is this device slow? A verdict from facts, and nothing else.
 *
 * A table of causes is asked in order: what is broken, what others do, what holds the device
 * back, then figures below the sheet that no cause explains. The first that holds is the
 * verdict; the others are said as well. A fact that is not known holds nothing. A wrong result
 * condemns a device that nobody else uses, and only where the library is not known to be its cause.
 *
 * Example: a card in a slot of 4 lanes of 16 that copies 6 GB/s: "link-width", slow.
 */
#ifndef GP_PLAN_DIAGNOSE_H
#define GP_PLAN_DIAGNOSE_H

#include <stdbool.h>

enum diagnose_throttle { /* share of the readings while it worked */
                         DIAGNOSE_BY_POWER,
                         DIAGNOSE_BY_HEAT,
                         DIAGNOSE_BY_HARDWARE, /* a power brake or an overheating board */
                         DIAGNOSE_THROTTLES
};

/* NAN, and -1 of a count, stand for not known. */
struct diagnose_facts {
    bool host;            /* processors, not a GPU */
    int good, wrong;      /* points measured; of all, with wrong results */
    int explained;        /* wrong too, for a reason that says nothing of the device */
    double read;          /* bytes/s of memory, the best */
    double read_share;    /* of what the sheet allows */
    double product;       /* operations/s, the best */
    double product_share; /* of what the sheet allows */
    double upload;        /* bytes/s from pinned host memory */
    double throttled[DIAGNOSE_THROTTLES];
    double clock, clock_max;                                /* Hz, mean under load */
    double power, power_limit, power_sheet;                 /* W */
    double temperature;                                     /* degrees C, the highest */
    int link_gen, link_gen_max, link_width, link_width_max; /* PCIe, the best under load */
    int ecc;                                                /* 1 on, 0 off */
    double ecc_errors;                                      /* that could not be corrected */
    int peers, peers_lost; /* other GPUs; of them without direct access */
    int processes;         /* of others on the GPU, before */
    double others;         /* 0..1 of the processors that others use, the most */
    bool saves_power;      /* the governor keeps clocks low */
    char governor[32];     /* "" = not known */
};

enum diagnose_status { DIAGNOSE_HEALTHY, DIAGNOSE_UNKNOWN, DIAGNOSE_SLOW, DIAGNOSE_BROKEN };

/* X(NAME, its word, status) in the order in which one is the verdict. */
#define DIAGNOSE_CAUSES(X)                         \
    X(WRONG_RESULTS, "wrong-results", BROKEN)      \
    X(ECC_ERRORS, "ecc-errors", BROKEN)            \
    X(HARDWARE, "hardware-slowdown", BROKEN)       \
    X(SHARED, "shared", SLOW)                      \
    X(UNCONFIRMED, "unconfirmed-results", UNKNOWN) \
    X(HEAT, "heat", SLOW)                          \
    X(POWER_CAP, "power-cap", SLOW)                \
    X(GOVERNOR, "governor", SLOW)                  \
    X(CLOCK, "clock", SLOW)                        \
    X(LINK_WIDTH, "link-width", SLOW)              \
    X(LINK_GEN, "link-generation", SLOW)           \
    X(PEER, "no-peer-access", SLOW)                \
    X(LINK, "link", SLOW)                          \
    X(MEMORY, "memory", SLOW)                      \
    X(PRODUCTS, "products", SLOW)                  \
    X(EXPLAINED, "explained-results", UNKNOWN)

enum diagnose_cause {
#define X(NAME, word, status) DIAGNOSE_##NAME,
    DIAGNOSE_CAUSES(X)
#undef X
        DIAGNOSE_CAUSE_COUNT
};

struct diagnosis {
    enum diagnose_status status;
    int count;
    enum diagnose_cause cause[DIAGNOSE_CAUSE_COUNT]; /* the verdict first */
};

/* What is expected, where it is not on the sheet: */
#define DIAGNOSE_READ 0.70    /* least share of the sheet's bandwidth that a read reaches */
#define DIAGNOSE_PRODUCT 0.45 /* of its rate that a product does; the best kernels 0.5..0.87 */
#define DIAGNOSE_UPLOAD 0.50  /* of the link's rate, as it is now */
#define DIAGNOSE_OFTEN 0.10   /* of the readings: it is throttled */
#define DIAGNOSE_OTHERS 0.25  /* of the processors, that others use */

/* No fact known: everything NAN, -1 or false. */
struct diagnose_facts diagnose_nothing(void);
struct diagnosis diagnose(const struct diagnose_facts *facts);
/* bytes/s that PCIe of a generation and width carries one way: 2.5 GT/s x 8/10 per lane of 1,
 * doubled for 2, then 8 GT/s x 128/130 doubled from 3 on. NAN where one is not known. */
double diagnose_link(int gen, int width);
const char *diagnose_cause_word(enum diagnose_cause cause);
enum diagnose_status diagnose_cause_status(enum diagnose_cause cause);
const char *diagnose_status_word(enum diagnose_status status);

#endif
