/* test_price_import.c - SkyPilot catalogues: what is kept, what is refused, and that
 * the result is a price file. */
#include "catalog/price_import.h"

#include <unistd.h>

#include "base/csv.h"
#include "base/path.h"
#include "base/units.h"
#include "catalog/files.h"
#include "unit.h"

static char fixture[GP_PATH_MAX];

/* The text, imported and read back as a price file. */
static void read_back(const char *cfg, struct instance_list *list)
{
    char path[64] = "/tmp/gpuplan-test-XXXXXX";
    struct gp_err err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, cfg, strlen(cfg)), (ssize_t)strlen(cfg));
    close(fd);
    *list = (struct instance_list){.user = true};
    memset(&err, 0, sizeof err);
    if (profile_read(path, price_file_read, list, NULL, NULL, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    unlink(path);
}

static const struct instance *row(const struct instance_list *list, const char *type)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->instances[i].type, type) == 0)
            return &list->instances[i];
    fail_msg("no row %s", type);
    return NULL;
}

static void test_fixture(void **state)
{
    struct price_import_summary sum;
    struct instance_list list;
    struct strbuf cfg;
    struct gp_err err;

    (void)state;
    strbuf_init(&cfg);
    memset(&err, 0, sizeof err);
    if (price_import(fixture, "north-cloud", "2026-11-21", &cfg, &sum, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    assert_int_equal(sum.rows, 13);
    assert_int_equal(sum.kept, 7);
    assert_int_equal(sum.merged, 2);
    assert_int_equal(sum.no_gpu, 1);
    assert_int_equal(sum.no_price, 1);
    assert_int_equal(sum.unknown, 2);
    assert_int_equal(sum.assumed, 3); /* some-8, old-4, new-4 */
    assert_string_equal(sum.unknown_names, "TPU-v5e, A10");
    read_back(cfg.text, &list);
    assert_int_equal(list.count, 7);
    assert_string_equal(row(&list, "box-1")->provider, "north-cloud");
    assert_string_equal(row(&list, "box-1")->date, "2026-11-21");
    assert_int_equal(row(&list, "box-1")->basis, DATE_OWN);
    assert_string_equal(row(&list, "box-1")->region, "south");
    assert_near(row(&list, "box-1")->on_demand, 0.8, 0);
    assert_near(row(&list, "box-1")->spot, 0.3, 0);
    assert_near(row(&list, "box-1")->ram, 64 * GP_GIB, 0);
    assert_int_equal(row(&list, "box-1")->vcpus, 8);
    assert_string_equal(row(&list, "box-1")->note, "cheapest of 3 offers");
    assert_near(row(&list, "spot-only")->on_demand, 0, 0);
    assert_near(row(&list, "spot-only")->spot, 2.447, 0);
    free(list.instances);
    strbuf_fini(&cfg);
}

static void test_form_factors(void **state)
{
    struct price_import_summary sum;
    struct instance_list list;
    struct strbuf cfg;

    (void)state;
    strbuf_init(&cfg);
    assert_int_equal(price_import(fixture, NULL, "", &cfg, &sum, NULL), GP_OK);
    assert_string_equal(sum.provider, "fixtures"); /* its folder, as for aws/vms.csv */
    read_back(cfg.text, &list);
    assert_string_equal(row(&list, "big-8")->gpu, "h100-pcie");
    assert_false(row(&list, "big-8")->assumed);
    assert_string_equal(row(&list, "big-sxm-8")->gpu, "h100-sxm");
    assert_false(row(&list, "big-sxm-8")->assumed);
    assert_string_equal(row(&list, "some-8")->gpu, "h100-sxm");
    assert_true(row(&list, "some-8")->assumed);
    assert_string_equal(row(&list, "old-4")->gpu, "a100-sxm-40");
    assert_string_equal(row(&list, "new-4")->gpu, "a100-sxm-80");
    assert_int_equal(strlen(row(&list, "new-4")->date), 10); /* the file's */
    assert_int_equal(row(&list, "new-4")->basis, DATE_FILE);
    free(list.instances);
    strbuf_fini(&cfg);
}

static enum gp_status import(const char *text, const char *provider, struct strbuf *cfg,
                             struct price_import_summary *sum, struct gp_err *err)
{
    memset(err, 0, sizeof *err);
    return price_import_text("x.csv", text, strlen(text), provider, "", cfg, sum, err);
}

#define HEADER "InstanceType,AcceleratorName,AcceleratorCount,Price\n"

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where, *says;
    } cases[] = {
        {"", "x.csv:1: InstanceType", "is not in the header"},
        {"InstanceType,AcceleratorName,Price\n", "x.csv:1: AcceleratorCount",
         "is not in the header"},
        {HEADER "a,L4,1,1\nb,L4,1\n", "x.csv:3", "has 3 fields, but the header has 4"},
        {HEADER "a,L4,1,1,9\n", "x.csv:2", "has 5 fields, but the header has 4"},
        {HEADER "a,L4,1,cheap\n", "x.csv:2: Price", "'cheap' is not a number"},
        {HEADER "a,L4,1,-1\n", "x.csv:2: Price", "'-1' is not a number"},
        {HEADER "a,L4,1,nan\n", "x.csv:2: Price", "'nan' is not a number"},
        {HEADER "a,L4,1,0x10\n", "x.csv:2: Price", "'0x10' is not a number"},
        {HEADER "a,L4,1,1e400\n", "x.csv:2: Price", "'1e400' is too large"},
        {HEADER "a,L4,9999,1\n", "x.csv:2: AcceleratorCount", "'9999' is too large"},
        {HEADER ",L4,1,1\n", "x.csv:2: InstanceType", "'' is empty"},
        {HEADER "\"a\nb\",L4,1,1\n", "x.csv:2: InstanceType", NULL},
        {HEADER "\"a\n\n\",L4,1,1\nb,L4,1,x\n", "x.csv:2: InstanceType", NULL},
        {HEADER "a,\"L4\n\",1,1\nb,L4,1,x\n", "x.csv:4: Price", "'x' is not a number"},
        {HEADER "\"a,L4,1,1\n", "x.csv:2", "a quoted field is never closed"},
        {HEADER "\"a\"b,L4,1,1\n", "x.csv:2", "text follows a closing quote"},
        {HEADER "a,TPU,1,1\n", "x.csv", "holds no GPU instance with a price"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct price_import_summary sum;
        struct strbuf cfg;
        struct gp_err err;

        strbuf_init(&cfg);
        assert_int_equal(import(cases[i].text, NULL, &cfg, &sum, &err), GP_E_FILE);
        assert_string_equal(err.where, cases[i].where);
        if (cases[i].says != NULL)
            assert_string_equal(err.text, cases[i].says);
        assert_int_equal(cfg.len, 0);
        strbuf_fini(&cfg);
    }
}

static void test_nul_and_long_fields(void **state)
{
    static const char nul[] = HEADER "a,L4,1,1\0\n";
    struct price_import_summary sum;
    struct strbuf text, cfg;
    struct gp_err err;

    (void)state;
    strbuf_init(&cfg);
    strbuf_init(&text);
    assert_int_equal(price_import_text("x.csv", nul, sizeof nul - 1, NULL, "", &cfg, &sum, &err),
                     GP_E_FILE);
    strbuf_add(&text, HEADER);
    for (int i = 0; i < 64; i++)
        strbuf_add(&text, "x");
    strbuf_add(&text, ",L4,1,1\n");
    assert_int_equal(import(text.text, NULL, &cfg, &sum, &err), GP_E_FILE);
    assert_string_equal(err.where, "x.csv:2: InstanceType");
    for (int i = 0; i < CSV_RECORD_MAX; i++)
        strbuf_add(&text, "x");
    strbuf_clear(&cfg);
    assert_int_equal(price_import_text("x.csv", text.text + text.len - CSV_RECORD_MAX,
                                       CSV_RECORD_MAX, NULL, "", &cfg, &sum, &err),
                     GP_E_FILE);
    strbuf_fini(&text);
    strbuf_fini(&cfg);
}

/* Line ends, order of columns, byte order mark, no end of line at the end. */
static void test_dialects(void **state)
{
    static const char *const texts[] = {
        HEADER "a,L4,1,0.5\n",
        HEADER "a,L4,1,0.5",
        "InstanceType,AcceleratorName,AcceleratorCount,Price\r\na,L4,1,0.5\r\n\r\n",
        "\xEF\xBB\xBFPrice,AcceleratorCount,Extra,AcceleratorName,InstanceType\n"
        "0.5,1.0,\"x,\ny\",l4,a\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct price_import_summary sum;
        struct instance_list list;
        struct strbuf cfg;
        struct gp_err err;

        strbuf_init(&cfg);
        if (import(texts[i], "p", &cfg, &sum, &err) != GP_OK)
            fail_msg("%zu: %s: %s", i, err.where, err.text);
        read_back(cfg.text, &list);
        assert_int_equal(list.count, 1);
        assert_string_equal(list.instances[0].type, "a");
        assert_string_equal(list.instances[0].gpu, "l4");
        assert_near(list.instances[0].on_demand, 0.5, 0);
        free(list.instances);
        strbuf_fini(&cfg);
    }
}

/* Quotes and backslashes of a name cannot break out of the text they stand in. */
static void test_names_are_quoted(void **state)
{
    struct price_import_summary sum;
    struct instance_list list;
    struct strbuf cfg;
    struct gp_err err;

    (void)state;
    strbuf_init(&cfg);
    assert_int_equal(
        import(HEADER "\"a\"\"; on_demand = 9; \\\",L4,1,1\n", "p\"q", &cfg, &sum, &err), GP_OK);
    read_back(cfg.text, &list);
    assert_string_equal(list.instances[0].type, "a\"; on_demand = 9; \\");
    assert_near(list.instances[0].on_demand, 1, 0);
    assert_string_equal(list.instances[0].provider, "pq");
    free(list.instances);
    strbuf_fini(&cfg);
}

static void test_marketplaces(void **state)
{
    struct price_import_summary sum;
    struct instance_list list;
    struct strbuf cfg;
    struct gp_err err;

    (void)state;
    strbuf_init(&cfg);
    assert_int_equal(import(HEADER "a,L4,1,1\n", "vast", &cfg, &sum, &err), GP_OK);
    read_back(cfg.text, &list);
    assert_int_equal(list.instances[0].kind, PRICE_MARKET);
    free(list.instances);
    strbuf_fini(&cfg);
}

static int find_fixture(void **state)
{
    const char *srcdir = getenv("srcdir");

    (void)state;
    snprintf(fixture, sizeof fixture, "%s/tests/fixtures/vms.csv", srcdir != NULL ? srcdir : ".");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixture),      cmocka_unit_test(test_form_factors),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_nul_and_long_fields),
        cmocka_unit_test(test_dialects),     cmocka_unit_test(test_names_are_quoted),
        cmocka_unit_test(test_marketplaces),
    };

    return cmocka_run_group_tests(tests, find_fixture, NULL);
}
