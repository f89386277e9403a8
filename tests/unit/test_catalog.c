/*
 * test_catalog.c - what is found by which name, what is said when nothing is, and how
 * the search path lays a user's files over those of the program.
 */
#include "catalog/catalog.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/units.h"
#include "profiles.h"

static char own[GP_PATH_MAX];   /* the profiles of the source tree */
static char user[GP_PATH_MAX];  /* a folder of this test */
static struct catalog *catalog; /* of `own` alone */

static void put(const char *name, const char *text)
{
    char path[GP_PATH_MAX];
    struct gp_err err;

    assert_true(path_join(path, sizeof path, user, name));
    if (path_write(path, text, strlen(text), &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
}

static void drop(const char *name)
{
    char path[GP_PATH_MAX];

    assert_true(path_join(path, sizeof path, user, name));
    unlink(path);
}

static struct catalog *with_user(void)
{
    const char *const dirs[] = {own, user};

    return catalog_new_path(dirs, 2);
}

/* ---- by id and by alias --------------------------------------------------------- */

static void test_gpu_aliases(void **state)
{
    (void)state;
    assert_string_equal(profile_gpu(catalog, "a100-80")->id, "a100-sxm-80");
    assert_string_equal(profile_gpu(catalog, "4090")->id, "rtx-4090");
    assert_string_equal(profile_gpu(catalog, "H100-SXM")->id, "h100-sxm");
    /* of several the one that people mean: not the laptop's, not one with other memory */
    assert_string_equal(profile_gpu(catalog, "GeForce GTX 1660 Ti")->id, "gtx-1660-ti");
    assert_string_equal(profile_gpu(catalog, "RTX 4090")->id, "rtx-4090");
    assert_string_equal(profile_gpu(catalog, "RTX 4070 Laptop")->id, "rtx-4070-laptop");
    assert_string_equal(profile_gpu(catalog, "H100 SXM")->id, "h100-sxm");
}

/* Chips of one compute capability are of one family, in a file of their own or in a set. */
static void test_families_of_chips(void **state)
{
    const struct gpu *const *list;
    size_t count;
    struct gp_err err;

    (void)state;
    assert_int_equal(catalog_gpus(catalog, &list, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (list[i]->compute_capability > 0 &&
                list[i]->compute_capability == list[j]->compute_capability &&
                strcmp(list[i]->family_id, list[j]->family_id) != 0)
                fail_msg("%s is of %s, %s of %s", list[i]->id, list[i]->family_id, list[j]->id,
                         list[j]->family_id);
}

static void test_unknown_gpu(void **state)
{
    static const struct {
        const char *id, *hint;
    } cases[] = {
        {"h100-smx", "did you mean h100-sxm?"},
        {"zzzzzzzzzz", "--list gpus shows what there is"},
        {"", "--list gpus shows what there is"},
        {"../gpus/h100-sxm", "did you mean h100-sxm?"},
        {"..", "--list gpus shows what there is"},
        {"/etc/passwd", "--list gpus shows what there is"},
    };
    const struct gpu *gpu;
    struct gp_err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(catalog_gpu(catalog, cases[i].id, &gpu, &err), GP_E_USAGE);
        assert_null(gpu);
        if (cases[i].hint != NULL)
            assert_string_equal(err.hint, cases[i].hint);
    }
}

static void test_format_names(void **state)
{
    const struct format *format;
    struct gp_err err;

    (void)state;
    assert_string_equal(profile_format(catalog, "e4m3")->id, "fp8");
    assert_string_equal(profile_format(catalog, "AWQ")->id, "int4-awq");
    assert_string_equal(profile_format(catalog, "gptq")->id, "int4-gptq");
    assert_string_equal(profile_format(catalog, "w4a16")->id, "int4");
    assert_string_equal(profile_format(catalog, "w8a8")->id, "int8");
    assert_string_equal(profile_format(catalog, "nf4-double")->id, "nf4-dq");
    assert_int_equal(catalog_format(catalog, "fp9", &format, &err), GP_E_USAGE);
    assert_null(format);
    assert_string_equal(err.text, "no format 'fp9'");
    assert_string_equal(err.hint, "did you mean fp8?");
}

static void test_engines_refused(void **state)
{
    const struct engine *engine;
    struct gp_err err;

    (void)state;
    assert_int_equal(catalog_engine(catalog, "vllm@new", &engine, &err), GP_E_USAGE);
    assert_string_equal(err.text, "'new' is not a version");
    assert_int_equal(catalog_engine(catalog, "vlm", &engine, &err), GP_E_USAGE);
    assert_string_equal(err.hint, "did you mean vllm?");
}

/* ---- models --------------------------------------------------------------------- */

static void test_models_by_alias(void **state)
{
    const struct model *a, *b, *c;
    struct gp_err err;

    (void)state;
    assert_int_equal(catalog_model(catalog, "llama-3.1-8b", &a, &err), GP_OK);
    assert_true(strstr(catalog_aliases(catalog, "llama-3.1-8b"), "Llama-3.1-8B") != NULL);
    assert_int_equal(catalog_model(catalog, "meta-llama/llama-3.1-8B-instruct", &b, &err), GP_OK);
    assert_int_equal(catalog_model(catalog, "Llama-3.1-8B-Instruct", &c, &err), GP_OK);
    assert_ptr_equal(a, b);
    assert_ptr_equal(a, c);
    assert_int_equal(catalog_model(catalog, "llama-3.1-8c", &a, &err), GP_E_USAGE);
    assert_null(a);
    assert_string_equal(catalog_aliases(catalog, "no-such-model"), "");
}

/* ---- the search path ------------------------------------------------------------ */

static void test_user_changes_one_field(void **state)
{
    struct catalog *both;

    (void)state;
    put("gpus/h100-sxm.cfg", "street_price = 19000;\nstreet_as_of = \"2026-12\";\n");
    both = with_user();
    assert_near(profile_gpu(both, "h100-sxm")->street_price.value, 19000, 0);
    assert_near(profile_gpu(both, "h100-sxm")->bandwidth.value, 3.35e12, 1);
    catalog_free(both);
    drop("gpus/h100-sxm.cfg");
}

static void test_user_adds_a_gpu(void **state)
{
    const char *const *lines;
    struct catalog *both;

    (void)state;
    put("gpus/mine.cfg", "name = \"Mine\"; memory_gb = 8; memory_gib = 8;\n"
                         "bandwidth_gb_s = 100; source = \"me\"; bandwith_gb_s = 2;\n");
    both = with_user();
    assert_near(profile_gpu(both, "mine")->physical.value, 8 * GP_GIB, 0);
    assert_true(gpu_rate_assumed(profile_gpu(both, "mine")));
    assert_int_equal(catalog_warnings(both, &lines), 1);
    assert_true(strstr(lines[0], "mine.cfg:2: bandwith_gb_s: unknown key, did you mean") != NULL);
    assert_int_equal(catalog_warnings(both, &lines), 0); /* said once */
    catalog_free(both);
    drop("gpus/mine.cfg");
}

/* A set: what an item does not say is as outside the list; only what is asked for is judged. */
static void test_sets(void **state)
{
    static const char text[] =
        "vendor = \"nvidia\";\nsource = \"us\";\nbandwidth_gb_s = 100;\n"
        "set = (\n"
        "{\n    id = \"first-card\";\n    name = \"First Card\";\n"
        "    memory_gib = 8;\n    nvml_names = [\"Other Name\"];\n},\n"
        "{\n    id = \"second-card\";\n    name = \"Second Card\";\n"
        "    memory_gib = 4;\n    bandwidth_gb_s = 50;\n    bandwith = 1;\n}\n"
        ");\n";
    struct catalog *all;
    const struct gpu *const *list, *gpu;
    const char *const *lines;
    struct gp_err err;
    size_t count;

    (void)state;
    put("gpus/cards.set.cfg", text);
    put("gpus/rtx-4090.cfg", "note = \"mine\";\n");
    all = with_user();
    gpu = profile_gpu(all, "first-card");
    assert_string_equal(gpu->vendor, "nvidia");
    assert_near(gpu->bandwidth.value, 100e9, 1);
    assert_near(gpu->physical.value, 8 * GP_GIB, 1);
    assert_int_equal(catalog_warnings(all, &lines), 0);
    assert_string_equal(profile_gpu(all, "other name")->id, "first-card");
    assert_near(profile_gpu(all, "second-card")->bandwidth.value, 50e9, 1);
    assert_int_equal(catalog_warnings(all, &lines), 1);
    assert_non_null(strstr(lines[0], "set[1].bandwith: unknown key, did you mean bandwidth_gb_s?"));
    assert_int_equal(catalog_gpu(all, "cards.set", &gpu, &err), GP_E_USAGE);
    /* where none is named nobody weighs them */
    assert_int_equal(catalog_gpus_offered(all, &list, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++)
        assert_false(list[i]->in_set);
    assert_int_equal(catalog_gpus(all, &list, &count, &err), GP_OK);
    assert_true(count > 450);
    catalog_free(all);
    drop("gpus/rtx-4090.cfg");

    put("gpus/cards.set.cfg", "set = (\n{\n    id = \"first-card\";\n},\n{ id = 3; }\n);\n");
    all = with_user();
    assert_int_equal(catalog_gpu(all, "first-card", &gpu, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "gpus/cards.set.cfg:2"));
    catalog_free(all);
    put("gpus/cards.set.cfg", "set = 3;\n# id\nid = \"first-card\";\n");
    all = with_user();
    assert_int_equal(catalog_gpu(all, "first-card", &gpu, &err), GP_E_FILE);
    catalog_free(all);
    drop("gpus/cards.set.cfg");
}

/* One that is named is an error, one that is listed a warning; the rest is used. */
static void test_user_file_is_wrong(void **state)
{
    const struct gpu *const *gpus;
    const char *const *lines;
    const struct gpu *gpu;
    struct catalog *both;
    struct gp_err err;
    size_t count;

    (void)state;
    put("gpus/mine.cfg", "name = \"Mine\";\nmemory_gib = 800000;\n");
    both = with_user();
    assert_int_equal(catalog_gpu(both, "mine", &gpu, &err), GP_E_FILE);
    assert_true(strstr(err.where, "gpus/mine.cfg:2: memory_gib") != NULL);
    assert_string_equal(err.text, "800000 is outside 0.1..65536");
    put("gpus/good.cfg", "name = \"Good\"; memory_gib = 8; bandwidth_gb_s = 100; source = \"me\";");
    put("gpus/h100-sxm.cfg", "bandwidth_gb_s = fast;\n");
    assert_int_equal(catalog_gpus(both, &gpus, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++)
        assert_string_not_equal(gpus[i]->id, "mine");
    assert_near(profile_gpu(both, "good")->physical.value, 8 * GP_GIB, 0);
    assert_near(profile_gpu(both, "h100-sxm")->bandwidth.value, 3.35e12, 1);
    assert_int_equal(catalog_warnings(both, &lines), 2);
    assert_non_null(strstr(lines[0], "gpus/h100-sxm.cfg:1: "));
    assert_non_null(strstr(lines[1], "gpus/mine.cfg:2: memory_gib: 800000 is outside 0.1..65536: "
                                     "not used"));
    catalog_free(both);
    drop("gpus/h100-sxm.cfg");
    drop("gpus/good.cfg");
    /* whatever is missing is said at once */
    both = with_user();
    put("gpus/mine.cfg", "name = \"Mine\";\nbandwith_gb_s = 5;\n");
    assert_int_equal(catalog_gpu(both, "mine", &gpu, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "gpus/mine.cfg: memory_gib, bandwidth_gb_s, source"));
    assert_string_equal(err.text, "are missing");
    assert_string_equal(err.hint, "did you mean bandwidth_gb_s in place of bandwith_gb_s?");
    catalog_free(both);
    drop("gpus/mine.cfg");
}

static const struct instance *row_of(const struct instance *rows, size_t count,
                                     const char *provider, const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].provider, provider) == 0 && strcmp(rows[i].type, type) == 0)
            return &rows[i];
    fail_msg("no %s %s", provider, type);
    return NULL;
}

static void test_user_prices(void **state)
{
    const struct instance *rows, *row;
    struct catalog *both;
    struct gp_err err;
    size_t count;

    (void)state;
    put("prices/mine.cfg", "provider = \"aws\"; region = \"us-east-1\"; date = \"2026-11-21\";\n"
                           "instances = ( { type = \"g4dn.xlarge\"; on_demand = 0.4; },\n"
                           "  { provider = \"us\"; type = \"box\"; gpu = \"t4\"; count = 2;\n"
                           "    on_demand = 0.1; } );\n");
    both = with_user();
    assert_int_equal(catalog_instances(both, &rows, &count, &err), GP_OK);
    assert_int_equal(count, 291);
    row = row_of(rows, count, "aws", "g4dn.xlarge");
    assert_near(row->on_demand, 0.4, 0);
    assert_int_equal(row->vcpus, 4);
    assert_string_equal(row->gpu, "t4");
    assert_string_equal(row->date, "2026-11-21");
    assert_true(row->user);
    assert_true(row_of(rows, count, "us", "box")->user);
    assert_false(row_of(rows, count, "aws", "g4dn.2xlarge")->user);
    catalog_free(both);
    drop("prices/mine.cfg");
}

static void test_user_prices_wrong(void **state)
{
    static const struct {
        const char *text, *where, *says;
    } cases[] = {
        {"instances = ( { type = \"x\"; gpu = \"t4\"; count = 1; on_demand = 1; } );\n",
         "prices/mine.cfg:1: instances[0].provider", "is missing"},
        {"provider = \"p\";\ninstances = ( { type = \"x\"; gpu = \"t4\"; count = 1; } "
         ");\n",
         "prices/mine.cfg:2: instances[0].on_demand", "has no price"},
        {"provider = \"p\"; date = \"yesterday\";\n", "prices/mine.cfg:1: date",
         "\"yesterday\" is not a date"},
        {"provider = \"p\";\ninstances = ( { type = \"x\"; gpu = \"t4\"; count = 0; } "
         ");\n",
         "prices/mine.cfg:2: instances[0].count", "0 is outside 1..1024"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct instance *rows;
        struct catalog *both;
        struct gp_err err;
        size_t count;

        put("prices/mine.cfg", cases[i].text);
        both = with_user();
        assert_int_equal(catalog_instances(both, &rows, &count, &err), GP_E_FILE);
        if (strstr(err.where, cases[i].where) == NULL)
            fail_msg("%s", err.where);
        assert_string_equal(err.text, cases[i].says);
        catalog_free(both);
    }
    drop("prices/mine.cfg");
}

static void test_user_formats_and_engines(void **state)
{
    const struct format *format;
    const struct engine *newest;
    struct catalog *both;
    struct gp_err err;

    (void)state;
    put("formats.cfg", "formats = ( { id = \"fp8\"; row_bytes = 2; },\n"
                       "  { id = \"int3\"; bits = 3; group = 64; group_bytes = 2; } );\n");
    put("engines/vllm.cfg", "fraction = 0.8;\nranges = (\n"
                            "  { from = \"0.33\"; graphs_gib = (2, 1, 3); } );\n");
    both = with_user();
    assert_int_equal(catalog_format(both, "fp8", &format, &err), GP_OK);
    assert_near(format->group_bytes, 2, 0);
    assert_near(format->bits, 8, 0);
    assert_int_equal(catalog_format(both, "int3", &format, &err), GP_OK);
    assert_near(format_bytes(format, 64, 64), 64 * 64 * 3 / 8.0 + 64 * 2, 0);
    newest = profile_engine(both, "vllm");
    assert_string_equal(newest->range, "0.33+");
    assert_true(newest->until == LONG_MAX);
    assert_near(newest->fraction, 0.8, 0);
    assert_near(newest->graphs.value, 2 * GP_GIB, 0);
    assert_near(newest->logit_copies, 3, 0);
    assert_near(profile_engine(both, "vllm@0.19")->fraction, 0.8, 0);
    catalog_free(both);
    drop("formats.cfg");
    drop("engines/vllm.cfg");
}

/* A range starts as the one before it; versions between two ranges are refused. */
static void test_engine_ranges_inherit(void **state)
{
    const struct engine *engine;
    struct catalog *both;
    struct gp_err err;

    (void)state;
    put("engines/tiny.cfg", "name = \"Tiny\"; budget = \"free\"; fraction = 0.5; block = 16;\n"
                            "ranges = ( { until = \"0.7\"; base_gib = 1; forward_base_gib = 1;\n"
                            "  vision_gib = 0; non_torch_1_gib = 1; non_torch_tp_gib = 2;\n"
                            "  non_torch_pp_gib = 1; graphs_gib = 3; graphs_charged_gib = 2;\n"
                            "  max_num_seqs_large = 7; },\n"
                            "  { from = \"0.9\"; until = \"0.9\"; fraction = 0.6; },\n"
                            "  { from = \"1.0\"; graphs_gib = 4; } );\n");
    both = with_user();
    engine = profile_engine(both, "tiny@0.9.3");
    assert_string_equal(engine->range, "0.9");
    assert_int_equal(engine->seqs_large, 7);
    assert_near(engine->graphs.value, 3 * GP_GIB, 0);
    assert_near(engine->graphs_charged.value, 2 * GP_GIB, 0);
    engine = profile_engine(both, "tiny");
    assert_near(engine->fraction, 0.6, 0);
    assert_near(engine->graphs.value, 4 * GP_GIB, 0);
    assert_near(profile_engine(both, "tiny@0.2")->fraction, 0.5, 0);
    assert_int_equal(catalog_engine(both, "tiny@0.8", &engine, &err), GP_E_USAGE);
    assert_null(engine);
    assert_string_equal(err.text, "no figures for Tiny 0.8");
    assert_string_equal(err.hint, "known versions: up to 0.7, 0.9, 1.0+");
    catalog_free(both);
    drop("engines/tiny.cfg");
}

static void test_engine_ranges_overlap(void **state)
{
    const struct engine *engine;
    struct catalog *both;
    struct gp_err err;

    (void)state;
    put("engines/vllm.cfg", "ranges = ( { from = \"0.19\"; until = \"0.20\";\n"
                            "  logit_copies = 3; } );\n");
    both = with_user();
    assert_int_equal(catalog_engine(both, "vllm", &engine, &err), GP_E_FILE);
    assert_true(strstr(err.where, "engines/vllm.cfg:1: ranges[0]") != NULL);
    catalog_free(both);
    drop("engines/vllm.cfg");
}

static void test_folder_that_is_none(void **state)
{
    const char *const dirs[] = {own, "no/such/folder"};
    struct catalog *both = catalog_new_path(dirs, 2);
    const struct gpu *gpu;
    struct gp_err err;

    (void)state;
    assert_int_equal(catalog_gpu(both, "t4", &gpu, &err), GP_E_USAGE);
    assert_string_equal(err.where, "--profiles");
    assert_string_equal(err.text, "no/such/folder is not a folder");
    catalog_free(both);
}

static void test_environment(void **state)
{
    struct catalog *both;

    (void)state;
    put("gpus/mine.cfg", "name = \"Mine\"; memory_gb = 8; memory_gib = 8;\n"
                         "bandwidth_gb_s = 100; source = \"me\";\n");
    setenv("GPUPLAN_PROFILES", own, 1);
    both = catalog_new(user);
    assert_string_equal(profile_gpu(both, "mine")->name, "Mine");
    assert_string_equal(profile_gpu(both, "t4")->name, "Tesla T4");
    catalog_free(both);
    unsetenv("GPUPLAN_PROFILES");
    drop("gpus/mine.cfg");
}

/* ---- the folder of this test ---------------------------------------------------- */

static const char *const folders[] = {"", "gpus", "prices", "engines"};

static int make_folders(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(own, sizeof own, "%.1000s", source_path("profiles"));
    snprintf(user, sizeof user, "%.900s/gpuplan-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(user) == NULL)
        return -1;
    for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
        char path[GP_PATH_MAX];

        if (!path_join(path, sizeof path, user, folders[i]) || mkdir(path, 0700) != 0)
            return -1;
    }
    catalog = open_profiles();
    return 0;
}

static int remove_folders(void **state)
{
    (void)state;
    catalog_free(catalog);
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        char path[GP_PATH_MAX];

        if (path_join(path, sizeof path, user, folders[i]))
            rmdir(path);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu_aliases),
        cmocka_unit_test(test_families_of_chips),
        cmocka_unit_test(test_unknown_gpu),
        cmocka_unit_test(test_format_names),
        cmocka_unit_test(test_engines_refused),
        cmocka_unit_test(test_models_by_alias),
        cmocka_unit_test(test_user_changes_one_field),
        cmocka_unit_test(test_user_adds_a_gpu),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_user_file_is_wrong),
        cmocka_unit_test(test_user_prices),
        cmocka_unit_test(test_user_prices_wrong),
        cmocka_unit_test(test_user_formats_and_engines),
        cmocka_unit_test(test_engine_ranges_inherit),
        cmocka_unit_test(test_engine_ranges_overlap),
        cmocka_unit_test(test_folder_that_is_none),
        cmocka_unit_test(test_environment),
    };

    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
