/*
 * method.c - the decisions before and around a measurement: how many copies of the
 * operands, how many launches a sample, in which order, whether two passes agree, and
 * what the clocks' event bits mean.
 *
 * Worked number: a last cache of 50 MiB and a weight of 32 MiB need ceil(100/32) = 4
 * copies; at 12 us an operation, 5 ms are 417 launches, rounded up to 420 = 4*105, so
 * that every sample walks each copy equally often.
 */
#include "measure/point/method.h"

#include <math.h>
#include <string.h>

#define LAUNCHES_MIN 16
#define LAUNCHES_MAX 512 /* nodes of one graph; also copies, so that one fits */
#define DRIFT 0.03
#define SUM_WARMUP 20       /* launches */
#define SUM_SAMPLE 0.05     /* s */
#define SUM_SAMPLES 20.0    /* so long that max_time has room for */
#define SUM_RUNS 64         /* of 512: sums of 2 us last 50 ms, too */
#define THROTTLE_SHARE 0.02 /* of the readings, and longer than ... */
#define THROTTLE_TIME 0.1   /* ... so many s */
#define THROTTLE_LEAST 3    /* readings that say something */

const char *const method_presets[PRESET_COUNT] = {"quick", "normal", "thorough"};

const char *const method_fills[FILL_COUNT] = {"uniform", "normal", "zeros"};

const char *const method_checks[CHECK_COUNT] = {"sample", "none", "full"};

const struct method_number method_numbers[METHOD_NUMBER_COUNT] = {
#define X(field, normal, name, low, high, option, scale) \
    {name, offsetof(struct method_settings, field), low, high, option, scale},
    METHOD_NUMBERS(X)
#undef X
};

double *method_number(struct method_settings *settings, int i)
{
    return (double *)(void *)((char *)settings + method_numbers[i].offset);
}

struct method_settings method_preset(enum preset preset)
{
    struct method_settings s = {
#define X(field, normal, ...) .field = normal,
        METHOD_NUMBERS(X)
#undef X
            .seed = 0x5eed,
    };

    if (preset == PRESET_QUICK) {
        s.max_time = 0.3;
        s.device_warmup_max = 10;
    } else if (preset == PRESET_THOROUGH) {
        s.max_time = 3;
    }
    return s;
}

struct method_settings method_of_sums(const struct method_settings *settings)
{
    struct method_settings s = *settings;
    double room = fmin(s.max_time / SUM_SAMPLES, SUM_SAMPLE);

    s.sample_time = fmax(s.sample_time, room);
    s.warmup_launches = SUM_WARMUP;
    s.sample_runs = SUM_RUNS;
    return s;
}

int method_rotation(double cache_bytes, double copy_bytes, double max_bytes, bool *cold)
{
    *cold = false;
    if (!(copy_bytes > 0))
        return 1;
    double want = fmax(ceil(2 * fmax(cache_bytes, 0) / copy_bytes), 2);
    double limit = fmin(floor(max_bytes / copy_bytes), LAUNCHES_MAX);
    want = fmax(fmin(want, limit), 1);
    /* One copy larger than twice the cache has pushed its own start out by its end. */
    *cold = want * copy_bytes >= 2 * cache_bytes && (want >= 2 || cache_bytes > 0);
    return (int)want;
}

int method_launches(double each, double sample_time, double longest, int rotation)
{
    int turn = rotation < 1 ? 1 : rotation;
    int most = turn >= LAUNCHES_MAX ? turn : LAUNCHES_MAX / turn * turn;
    double least = ceil((double)LAUNCHES_MIN / turn);

    if (!(each > 0))
        return most;
    double turns = fmax(ceil(sample_time / each / turn), 1);
    if (least * turn * each <= longest)
        turns = fmax(turns, least);
    return turns * turn >= most ? most : (int)turns * turn;
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void method_order(uint64_t seed, int n, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(next_random(&seed) % (uint64_t)(i + 1)), kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
}

bool method_drift(double first, double second)
{
    return fabs(first - second) > DRIFT * fmin(first, second);
}

/* NVML's nvmlClocksEventReason bits. The rest (idle, application clocks, sync boost,
 * display) are somebody's wish, no trouble. */
enum {
    BIT_POWER_CAP = 0x4,
    BITS_THERMAL = 0x20 | 0x40, /* software, hardware */
    BITS_HW = 0x8 | 0x80        /* slowdown, power brake */
};

static int count_bits(const uint64_t *bits, int n, uint64_t mask)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += (bits[i] & mask) != 0;
    return count;
}

enum throttle method_throttle_now(uint64_t bits)
{
    return bits & BITS_THERMAL    ? THROTTLE_THERMAL
           : bits & BITS_HW       ? THROTTLE_HW
           : bits & BIT_POWER_CAP ? THROTTLE_POWER_CAP
                                  : THROTTLE_NONE;
}

static bool is_lasting(int count, int n, double every)
{
    return count * every > THROTTLE_TIME && count > THROTTLE_SHARE * n;
}

enum throttle method_throttle(const uint64_t *bits, int n, double every)
{
    if (n < THROTTLE_LEAST)
        return THROTTLE_UNKNOWN;
    if (is_lasting(count_bits(bits, n, BITS_THERMAL), n, every))
        return THROTTLE_THERMAL;
    if (is_lasting(count_bits(bits, n, BITS_HW), n, every))
        return THROTTLE_HW;
    return count_bits(bits, n, BIT_POWER_CAP) ? THROTTLE_POWER_CAP : THROTTLE_NONE;
}

const char *throttle_word(enum throttle throttle)
{
    static const char *const words[] = {
        [THROTTLE_NONE] = "none",       [THROTTLE_POWER_CAP] = "power_cap",
        [THROTTLE_THERMAL] = "thermal", [THROTTLE_HW] = "hw",
        [THROTTLE_UNKNOWN] = "unknown",
    };

    return (unsigned)throttle < sizeof words / sizeof words[0] ? words[throttle] : "?";
}
