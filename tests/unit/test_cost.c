/* test_cost.c - dates, instances that host a layout, what wins, owning, break-even. */
#include "base/clock.h"
#include "plan/cost.h"

#include <time.h>

#include "sample.h"

/* ---- dates ---- */

static void test_dates(void **state)
{
    static const struct {
        const char *text;
        long days;
    } cases[] = {
        {"1970-01-01", 0},     {"1970-12-31", 364},   {"1972-03-01", 790}, {"2000-02-29", 11016},
        {"2000-03-01", 11017}, {"2026-07-20", 20654}, {"2026-07", 20635},  {"", -1},
        {"soon", -1},          {"1969-12-31", -1},    {"2026-13-01", -1},  {"2026-00-10", -1},
        {"2026-01-32", -1},    {"2026-01-00", -1},    {"2026-02-30", -1},  {"2025-02-29", -1},
        {"2026-04-31", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (date_days(cases[i].text) != cases[i].days)
            fail_msg("'%s' is %ld, not %ld", cases[i].text, date_days(cases[i].text),
                     cases[i].days);
}

/* Every day of 180 years, against the C library. */
static void test_every_day(void **state)
{
    (void)state;
    for (long day = 0; day < 180 * 365; day++) {
        time_t seconds = (time_t)day * 86400;
        struct tm tm;
        char text[16];
        gmtime_r(&seconds, &tm);
        strftime(text, sizeof(text), "%Y-%m-%d", &tm);
        assert_int_equal(date_days(text), day);
    }
}

/* ---- instances ---- */

static void test_instances(void **state)
{
    static const struct {
        int tp, pp, replicas, count, want;
    } cases[] = {
        {1, 1, 1, 1, 1}, {1, 1, 1, 8, 1}, {2, 1, 1, 1, 0}, {8, 1, 1, 8, 1},
        {8, 1, 1, 4, 0}, {4, 1, 3, 8, 2}, {2, 1, 3, 4, 2}, {4, 2, 1, 4, 2},
        {2, 4, 1, 4, 2}, {3, 3, 1, 8, 2}, {8, 2, 2, 8, 4}, {5, 1, 2, 8, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct layout l = sample_layout(cases[i].tp, cases[i].pp, 1, cases[i].replicas);
        assert_int_equal(cost_instances(&l, cases[i].count, 64), cases[i].want);
    }
}

/* That many instances hold every GPU, and no TP group is cut. */
static void test_instances_host(void **state)
{
    (void)state;
    for (int tp = 1; tp <= 8; tp++)
        for (int pp = 1; pp <= 5; pp++)
            for (int replicas = 1; replicas <= 5; replicas++)
                for (int count = 1; count <= 16; count++) {
                    struct layout l = sample_layout(tp, pp, 1, replicas);
                    int n = cost_instances(&l, count, 64);
                    if (count < tp) {
                        assert_int_equal(n, 0);
                        continue;
                    }
                    assert_true(n * (count / tp) >= pp * replicas);
                    assert_true(n * count >= l.gpus);
                    assert_true(n <= pp * replicas);
                }
}

/* Nor where prompts are worked off in a TP of their own. */
static void test_instances_sides(void **state)
{
    (void)state;
    for (int bits = 0; bits < 1 << 12; bits++) {
        int tp = 1 << (bits & 3), side = 1 << (bits >> 2 & 3), pp = 1 + (bits >> 4 & 3);
        int prefill = 1 + (bits >> 6 & 1), decode = 1 + (bits >> 7 & 1);
        int count = 1 + (bits >> 8 & 15);
        struct layout l = sample_layout(tp, pp, 1, prefill + decode);
        l.prefill = prefill;
        l.prefill_tp = side;
        l.gpus = layout_gpus(&l);
        int n = cost_instances(&l, count, 64);
        if (count < tp || count < side)
            assert_int_equal(n, 0);
        else
            assert_true(n * count >= l.gpus && n <= pp * (prefill + decode));
    }
}

/* ---- a small market ---- */

static const struct instance rows[] = {
    {.provider = "a",
     .type = "one",
     .gpu = "h100-sxm",
     .gpu_count = 1,
     .on_demand = 4.0,
     .spot = 2.0,
     .date = "2026-07-20",
     .source = "list a"},
    {.provider = "b",
     .type = "eight",
     .gpu = "h100-sxm",
     .gpu_count = 8,
     .on_demand = 24.0,
     .date = "2024-01-01",
     .source = "list b"},
    {.provider = "v",
     .type = "host",
     .gpu = "h100-sxm",
     .gpu_count = 8,
     .on_demand = 8.0,
     .date = "2026-07-20",
     .kind = PRICE_MARKET,
     .source = "market v"},
    {.provider = "c",
     .type = "pcie",
     .gpu = "h100-pcie",
     .gpu_count = 8,
     .on_demand = 1.0,
     .date = "2026-07-20",
     .source = "list c"},
};

static const struct server servers[] = {
    {.id = "hgx",
     .name = "HGX H100",
     .kind = "fixed",
     .gpus = 8,
     .gpu_ids = "h200-sxm|h100-sxm",
     .max_gpus_one_host = 8,
     .power = 10200,
     .price_low = 310000,
     .price_high = 317000,
     .price_as_of = "2026-05",
     .source = "list"},
    {.id = "pool",
     .name = "Composable",
     .kind = "composable",
     .gpu_ids = "h100-sxm",
     .max_gpus_one_host = 32},
};

static const struct ownership ownership = {.electricity = 0.09,
                                           .pue = 1.5,
                                           .hosting = 184,
                                           .years = 4,
                                           .years_low = 3,
                                           .years_high = 6,
                                           .server_share = 0.3,
                                           .source = "survey",
                                           .date = "2026-11"};

static struct market sample_market(void)
{
    return (struct market){.instances = rows,
                           .instance_count = 4,
                           .servers = servers,
                           .server_count = 2,
                           .ownership = &ownership,
                           .today = date_days("2026-11-21")};
}

static struct cost estimate(struct request *q, struct layout l, struct market market)
{
    struct prices prices;
    struct cost c;
    prices_init(q, &market, &prices);
    cost_estimate(&prices, &l, &c);
    prices_fini(&prices);
    return c;
}

static void test_whole_instances(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct cost c = estimate(q, sample_layout(1, 1, 1, 1), sample_market());

    (void)state;
    assert_string_equal(c.on_demand.instance->provider, "a");
    assert_near(c.per_hour, 4, 0);
    assert_near(c.per_month, 4 * 730, 0);
    assert_int_equal(c.on_demand.age_days, 124);
    assert_false(c.on_demand.ahead);
    /* a TP group does not fit in single-GPU instances: three GPUs pay for eight */
    c = estimate(q, sample_layout(3, 1, 1, 1), sample_market());
    assert_string_equal(c.on_demand.instance->provider, "b");
    assert_int_equal(c.on_demand.gpus_paid, 8);
    assert_near(c.per_hour, 24, 0);
    /* eight replicas: 8 x $4 against 1 x $24 */
    c = estimate(q, sample_layout(1, 1, 1, 8), sample_market());
    assert_near(c.per_hour, 24, 0);
    /* a replica that one host holds is rented in one; spread only where none holds it */
    q->host_gpus = 8;
    c = estimate(q, sample_layout(1, 2, 1, 1), sample_market());
    assert_int_equal(c.on_demand.instances, 1);
    assert_false(c.on_demand.apart);
    assert_near(c.per_hour, 24, 0);
    c = estimate(q, sample_layout(8, 2, 1, 1), sample_market());
    assert_int_equal(c.on_demand.instances, 2);
    assert_int_equal(c.machines, 2);
    assert_true(c.on_demand.apart);
    assert_near(c.per_hour, 48, 0);
}

/* $8/h for eight is a floor, not an offer: it is there, and wins only if asked for. */
static void test_market_never_wins(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct cost c = estimate(q, sample_layout(8, 1, 1, 1), sample_market());

    (void)state;
    assert_near(c.per_hour, 24, 0);
    assert_true(c.market.known);
    assert_near(c.market.per_hour, 8, 0);
    q->price = WANT_MARKET;
    assert_near(estimate(q, sample_layout(8, 1, 1, 1), sample_market()).per_hour, 8, 0);
    q->price = WANT_SPOT;
    assert_near(estimate(q, sample_layout(1, 1, 1, 1), sample_market()).per_hour, 2, 0);
    struct cost none = estimate(q, sample_layout(8, 1, 1, 1), sample_market());
    assert_near(none.per_hour, 0, 0);
    assert_int_equal(none.note, COST_NOTE_NO_OFFER);
}

static void test_user_prices_win(void **state)
{
    struct instance mine[2] = {rows[0], rows[0]};
    struct market market = sample_market();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    mine[1].user = true;
    mine[1].on_demand = 9.0;
    market.instances = mine;
    market.instance_count = 2;
    assert_near(estimate(q, sample_layout(1, 1, 1, 1), market).per_hour, 9, 0);
    mine[1].user = false; /* equal prices: stated before assumed */
    mine[1].on_demand = 4.0;
    mine[0].assumed = true;
    assert_ptr_equal(estimate(q, sample_layout(1, 1, 1, 1), market).on_demand.instance, &mine[1]);
}

static void test_old_price(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct market market = sample_market();

    (void)state;
    struct cost c = estimate(q, sample_layout(8, 1, 1, 1), market);
    assert_int_equal(c.on_demand.age_days, 1055);
    assert_int_equal(c.note, COST_NOTE_OLD);
    c = estimate(q, sample_layout(1, 1, 1, 1), market);
    assert_int_equal(c.note, COST_NOTE_NONE);
    market.today = 0; /* nobody told the date */
    assert_int_equal(estimate(q, sample_layout(1, 1, 1, 1), market).on_demand.age_days, -1);
}

static void test_narrowed_market(void **state)
{
    static const struct {
        const char *providers, *region;
        bool dated, takes;
    } cases[] = {
        {"", "", false, true},        {"aws,gcp", "", false, true}, {"GCP", "", false, true},
        {"aws,gc", "", false, false}, {"gcp2", "", false, false},   {"", "CENTRAL", false, true},
        {"", "eu", false, false},     {"gcp", "us-", false, true},  {"aws", "us-", false, false},
        {"", "", true, false},
    };
    struct instance in = {
        .provider = "gcp", .region = "us-central1", .date = "2026-11-21", .basis = DATE_READ};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct market m = {.dated = cases[i].dated};

        snprintf(m.providers, sizeof(m.providers), "%s", cases[i].providers);
        snprintf(m.region, sizeof(m.region), "%s", cases[i].region);
        if (market_takes(&m, &in) != cases[i].takes)
            fail_msg("'%s' '%s' %d", m.providers, m.region, m.dated);
        assert_int_equal(market_is_narrowed(&m), i > 0);
    }
    in.basis = DATE_FILE;
    assert_false(cost_dated(&in));
    in.basis = DATE_OWN;
    assert_true(cost_dated(&in));
}

/* An offer that the request does not take is as if nobody made it. */
static void test_narrowed_away(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct market market = sample_market();

    (void)state;
    strcpy(market.providers, "nobody");
    struct cost c = estimate(q, sample_layout(1, 1, 1, 1), market);
    assert_false(c.on_demand.known || c.spot.known || c.market.known);
    assert_int_equal(c.note, COST_NOTE_NARROWED);
    assert_near(c.buy.break_even_hours, 0, 0);
    assert_false(cost_weighed(&c)->known);
}

static void test_slice_is_its_gpu(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct gpu slice;
    struct market market = sample_market();
    bool assumed;

    (void)state;
    assert_int_equal(gpu_slice_of(&s.gpu, "3g.40gb", &slice, NULL), GP_OK);
    q->gpu = &slice;
    assert_near(estimate(q, sample_layout(1, 1, 1, 1), market).per_hour, 4, 0);
    assert_int_equal(cost_host_gpus(&slice, &market, &assumed), 1);
}

static void test_host_gpus(void **state)
{
    struct market market = sample_market();
    struct gpu g = sample_h100();
    bool assumed;

    (void)state;
    assert_int_equal(cost_host_gpus(&g, &market, &assumed), 8); /* not composable 32 */
    assert_false(assumed);
    snprintf(g.id, sizeof(g.id), "h100"); /* a prefix is no match */
    assert_int_equal(cost_host_gpus(&g, &market, &assumed), 8);
    assert_true(assumed);
    snprintf(g.id, sizeof(g.id), "h200-sxm");
    assert_int_equal(cost_host_gpus(&g, &market, &assumed), 8);
    assert_false(assumed);
    snprintf(g.interconnect, sizeof(g.interconnect), "none"); /* one with its computer */
    assert_int_equal(cost_host_gpus(&g, &market, &assumed), 1);
}

/* ---- owning ---- */

static void test_buy_server(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct cost c = estimate(q, sample_layout(8, 1, 1, 1), sample_market());
    double kw = 10.2, running = kw * 1.5 * 0.09 + kw * 184 * 12 / 8760;

    (void)state;
    assert_true(c.buy.known && c.buy.server);
    assert_near(c.buy.capital.value, 313500, 1e-6);
    assert_near(c.buy.capital.low, 310000, 1e-6);
    assert_near(c.buy.capital.high, 317000, 1e-6);
    assert_near(c.buy.running.value, running, 1e-9);
    assert_near(c.buy.per_hour.value, 313500.0 / (4 * 8760) + running, 1e-9);
    assert_near(313500.0 / (4 * 8760), 8.95, 0.005); /* cost.h's example */
    assert_near(c.buy.per_hour.low, 310000.0 / (6 * 8760) + running, 1e-9);
    assert_near(c.buy.per_hour.high, 317000.0 / (3 * 8760) + running, 1e-9);
    assert_near(c.buy.per_month.value, c.buy.per_hour.value * 730, 1e-6);
    q->price = WANT_BUY;
    c = estimate(q, sample_layout(8, 1, 1, 1), sample_market());
    assert_near(c.per_hour, c.buy.per_hour.value, 0);
}

/* A whole server is no fair price for one GPU of it. */
static void test_buy_gpu(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct cost c = estimate(q, sample_layout(1, 1, 1, 1), sample_market());

    (void)state;
    assert_true(c.buy.known && !c.buy.server && c.buy.host_assumed);
    assert_near(c.buy.capital.value, 27500 * 1.3, 1e-6);
    assert_int_equal(c.buy.capital.origin, ORIGIN_ASSUMED);
    s.gpu.street_price = s.gpu.launch_price = quantity_unknown();
    q->price = WANT_BUY;
    c = estimate(q, sample_layout(1, 1, 1, 1), sample_market());
    assert_false(c.buy.known);
    assert_int_equal(c.note, COST_NOTE_NO_PURCHASE);
}

/* After that many hours the rent paid equals the capital and the running of it. */
static void test_break_even(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct market market = sample_market();
    struct cost c = estimate(q, sample_layout(8, 1, 1, 1), market);
    double hours = c.buy.break_even_hours;

    (void)state;
    assert_true(hours > 0);
    assert_near(hours * 24, c.buy.capital.value + hours * c.buy.running.value, 1e-3);
    market.electricity = 100; /* running costs more than the rent: never */
    assert_near(estimate(q, sample_layout(8, 1, 1, 1), market).buy.break_even_hours, 0, 0);
}

/* Half the hours: half the rent and half the energy, the whole of the hosting. */
static void test_hours(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct market market = sample_market();
    struct cost full = estimate(q, sample_layout(8, 1, 1, 1), market), half;

    (void)state;
    market.hours = 365;
    half = estimate(q, sample_layout(8, 1, 1, 1), market);
    assert_near(half.per_month, full.per_month / 2, 1e-9);
    assert_near(full.buy.running.value - half.buy.running.value, 10.2 * 1.5 * 0.09 / 2, 1e-9);
}

static void test_no_market(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct market nowhere = {0};
    struct cost c = estimate(q, sample_layout(1, 1, 1, 1), nowhere);

    (void)state;
    assert_false(c.on_demand.known || c.spot.known || c.market.known || c.buy.known);
    assert_near(c.per_hour, 0, 0);
    assert_int_equal(c.note, COST_NOTE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_instances_host),
        cmocka_unit_test(test_instances_sides),
        cmocka_unit_test(test_whole_instances),
        cmocka_unit_test(test_market_never_wins),
        cmocka_unit_test(test_user_prices_win),
        cmocka_unit_test(test_old_price),
        cmocka_unit_test(test_narrowed_market),
        cmocka_unit_test(test_narrowed_away),
        cmocka_unit_test(test_slice_is_its_gpu),
        cmocka_unit_test(test_host_gpus),
        cmocka_unit_test(test_buy_server),
        cmocka_unit_test(test_buy_gpu),
        cmocka_unit_test(test_break_even),
        cmocka_unit_test(test_hours),
        cmocka_unit_test(test_no_market),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
