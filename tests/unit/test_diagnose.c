/*
 * test_diagnose.c - the verdict from facts of made-up devices: each cause by the fact that
 * tells it, in the order in which one is the verdict; and what is not known holds nothing.
 */

#include <math.h>
#include <string.h>

#include "answer/diagnose_print.h"
#include "plan/diagnose.h"
#include "unit.h"

/* A made-up card that does what its sheet says. */
static struct diagnose_facts healthy(void)
{
    struct diagnose_facts f = diagnose_nothing();

    f.good = 10;
    f.read = 3.0e12;
    f.read_share = 0.9;
    f.product = 700e12;
    f.product_share = 0.75;
    f.upload = 50e9;
    f.throttled[DIAGNOSE_BY_POWER] = f.throttled[DIAGNOSE_BY_HEAT] = 0;
    f.throttled[DIAGNOSE_BY_HARDWARE] = 0;
    f.clock = 1.7e9;
    f.clock_max = 1.98e9;
    f.power_limit = f.power_sheet = 700;
    f.link_gen = f.link_gen_max = 5;
    f.link_width = f.link_width_max = 16;
    f.ecc_errors = 0;
    f.peers_lost = 0;
    f.processes = 0;
    return f;
}

static void must_be(const struct diagnose_facts *f, const char *word, enum diagnose_status status)
{
    struct diagnosis d = diagnose(f);

    assert_int_equal(d.status, status);
    assert_true(d.count > 0);
    assert_string_equal(diagnose_cause_word(d.cause[0]), word);
}

static void test_healthy(void **state)
{
    struct diagnose_facts f = healthy();

    (void)state;
    assert_int_equal(diagnose(&f).status, DIAGNOSE_HEALTHY);
    assert_int_equal(diagnose(&f).count, 0);
    f.throttled[DIAGNOSE_BY_POWER] = 1; /* at its own limit, with the sheet's watts */
    assert_int_equal(diagnose(&f).count, 0);
}

static void test_unknown(void **state)
{
    struct diagnose_facts f = diagnose_nothing();

    (void)state;
    assert_int_equal(diagnose(&f).status, DIAGNOSE_UNKNOWN);
    assert_int_equal(diagnose(&f).count, 0);
    f.good = 1;
    assert_int_equal(diagnose(&f).status, DIAGNOSE_HEALTHY);
}

#define CASE(change, word, status)            \
    do {                                      \
        struct diagnose_facts f = healthy();  \
        change;                               \
        must_be(&f, word, DIAGNOSE_##status); \
    } while (0)

static void test_causes(void **state)
{
    (void)state;
    CASE(f.wrong = 1, "wrong-results", BROKEN);
    CASE(f.ecc_errors = 2, "ecc-errors", BROKEN);
    CASE(f.throttled[DIAGNOSE_BY_HARDWARE] = 0.5, "hardware-slowdown", BROKEN);
    CASE(f.explained = 1, "explained-results", UNKNOWN);
    CASE(f.processes = 1, "shared", SLOW);
    CASE(f.others = 0.5, "shared", SLOW);
    CASE(f.throttled[DIAGNOSE_BY_HEAT] = 0.3, "heat", SLOW);
    CASE(f.power_limit = 400, "power-cap", SLOW);
    CASE(f.saves_power = true, "governor", SLOW);
    CASE(f.clock = 1.2e9, "clock", SLOW);
    CASE(f.link_width = 4, "link-width", SLOW);
    CASE(f.link_gen = 3, "link-generation", SLOW);
    CASE(f.peers_lost = 3, "no-peer-access", SLOW);
    CASE(f.upload = 12e9, "link", SLOW);
    CASE(f.read_share = 0.6, "memory", SLOW);
    CASE(f.product_share = 0.3, "products", SLOW);
}

/* Wrong results condemn a device only where nobody else used it, and never where the library or the
 * operands are known to be their cause. */
static void test_wrong(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        struct diagnose_facts f = healthy();
        bool busy = i & 3;

        f.processes = i & 1;
        f.others = i & 2 ? 0.9 : NAN;
        f.explained = i & 4 ? 1 : 0;
        f.wrong = i & 8 ? 1 : 0;
        assert_int_equal(diagnose(&f).status == DIAGNOSE_BROKEN, f.wrong && !busy);
        assert_true(f.wrong + f.explained == 0 || diagnose(&f).count > busy);
    }
}

/* A low clock that something throttles is told by what throttles it. */
static void test_order(void **state)
{
    struct diagnose_facts f = healthy();
    struct diagnosis d;

    (void)state;
    f.clock = 0.9e9;
    f.throttled[DIAGNOSE_BY_HEAT] = 0.8;
    f.read_share = 0.5;
    d = diagnose(&f);
    assert_int_equal(d.count, 2);
    assert_string_equal(diagnose_cause_word(d.cause[0]), "heat");
    assert_string_equal(diagnose_cause_word(d.cause[1]), "memory");
}

static void test_link(void **state)
{
    (void)state;
    assert_true(fabs(diagnose_link(4, 16) / 31.5e9 - 1) < 0.01);
    assert_true(fabs(diagnose_link(5, 8) / 31.5e9 - 1) < 0.01);
    assert_true(fabs(diagnose_link(2, 4) / 2e9 - 1) < 0.01);
    assert_true(isnan(diagnose_link(-1, 16)));
    assert_true(isnan(diagnose_link(4, 0)));
}

/* Every cause has its sentence and its cure, without a hole left. */
static void test_words(void **state)
{
    struct strbuf out;
    struct record doc;
    struct diagnose_facts f = healthy();

    (void)state;
    f.wrong = 1;
    f.explained = 2;
    f.ecc_errors = 1;
    f.processes = 2;
    f.power_limit = 400;
    f.saves_power = true;
    strcpy(f.governor, "powersave");
    f.link_width = 4;
    f.peers_lost = 1;
    f.upload = 1e9;
    f.read_share = f.product_share = 0.1;
    for (int i = 0; i < DIAGNOSE_THROTTLES; i++)
        f.throttled[i] = 0.5;
    record_init(&doc);
    strbuf_init(&out);
    record_list(&doc, "devices");
    diagnose_record(&f, "made-up card", "", record_append(&doc, "devices"));
    diagnose_text(&doc, &out);
    assert_non_null(strstr(out.text, "broken: made-up card: its memory has 1 error that could"));
    assert_non_null(strstr(out.text, "also: its link has 4 lanes of 16"));
    assert_non_null(strstr(out.text, "also: its power limit is 400 W, its data sheet says 700"));
    assert_non_null(
        strstr(out.text, "also: 1 product has a wrong result, in one run beside other"));
    assert_non_null(strstr(out.text, "also: 2 other programs compute on it"));
    assert_non_null(strstr(out.text, "cure: nvidia-smi -pl 700 raises it"));
    assert_null(strchr(out.text, '{'));
    assert_null(strstr(out.text, "nan"));
    assert_null(strstr(out.text, "-1"));
    assert_non_null(strstr(out.text, "no reading here of: power, temperature"));
    strbuf_fini(&out);
    record_fini(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_healthy), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_causes),  cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_link),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
