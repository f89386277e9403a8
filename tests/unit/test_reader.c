/*
 * test_reader.c - from a path to a model: folders, shards, split files, and folders
 * that try to lead somewhere else.
 */
#include "model/read/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "hostile.h"

static char folder[256]; /* a fresh one per test */

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/gpuplan-reader-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    char command[512];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

static const char *in(const char *name)
{
    static char path[2][512];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void write_file(const char *name, const char *text, size_t len)
{
    FILE *file = fopen(in(name), "wb"); /* bytes; path_write() writes text */

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
}

static void copy(const char *fixture, const char *name)
{
    size_t len;
    char *text = fixture_text(fixture, &len);

    write_file(name, text, len);
    free(text);
}

static struct model read_path(const char *path)
{
    struct model model;
    struct gp_err err = {0};

    if (checkpoint_read(path, &model, &err) != GP_OK)
        fail_msg("%s: %s (%s)", err.where, err.text, err.hint);
    return model;
}

static void refused(const char *path, const char *where, const char *what)
{
    struct model model;
    struct gp_err err = {0};

    if (checkpoint_read(path, &model, &err) == GP_OK)
        fail_msg("accepted: %s", path);
    assert_int_equal(err.code, GP_E_FILE);
    if (!strstr(err.where, where) || !strstr(err.text, what))
        fail_msg("refused with: %s: %s", err.where, err.text);
}

static double loaded(const struct model *m)
{
    double sum = 0;

    for (int k = 0; k <= m->kind_count; k++)
        for (int r = 0; r < ROLE_COUNT; r++)
            sum += m->bytes.by_role[k][r];
    return sum;
}

/* ---- what is a path -------------------------------------------------------------- */

static void test_is_path(void **state)
{
    (void)state;
    assert_true(checkpoint_is_path("./x"));
    assert_true(checkpoint_is_path("/no/such/thing"));
    assert_true(checkpoint_is_path(folder));
    assert_false(checkpoint_is_path("llama-3.1-70b"));
    assert_false(checkpoint_is_path("70B"));
    assert_false(checkpoint_is_path(""));
    refused("/no/such/thing", "/no/such/thing", "no such file");
}

/* ---- safetensors ----------------------------------------------------------------- */

static void test_single(void **state)
{
    struct model m = read_path(fixture_path("hf-llama"));

    (void)state;
    assert_string_equal(m.id, "hf-llama");
    assert_true(m.bytes.known);
    /* every tensor is FP16 and follows from the shape */
    assert_near(loaded(&m), 2 * model_params(&m), 0);
    assert_near(m.bytes.by_role[0][ROLE_MLP], 2 * 3 * 24 * 16 * 2, 0);
    assert_near(m.bytes.by_role[1][ROLE_HEAD], 32 * 16 * 2, 0);
    assert_string_equal(m.native[ROLE_MLP], "fp16");
    m = read_path(fixture_path("hf-llama/model.safetensors"));
    assert_near(loaded(&m), 2 * model_params(&m), 0);
    m = read_path(fixture_path("hf-llama/config.json"));
    assert_near(loaded(&m), 2 * model_params(&m), 0);
    assert_string_equal(m.id, "hf-llama");
    m = read_path(fixture_path("hf-llama/."));
    assert_string_equal(m.id, "hf-llama");
}

static void test_sharded(void **state)
{
    struct model m = read_path(fixture_path("hf-moe"));
    int moe = m.layer[1];

    (void)state;
    assert_true(m.tied);
    assert_near(loaded(&m), 2 * model_params(&m), 0);
    assert_near(m.bytes.by_role[moe][ROLE_EXPERT], 4 * 3 * 8 * 16 * 2, 0);
    assert_near(m.bytes.by_role[moe][ROLE_ROUTER], 4 * 16 * 2, 0);
    assert_near(m.bytes.by_role[m.layer[0]][ROLE_MLP], 3 * 24 * 16 * 2, 0);
    assert_near(m.bytes.file_bytes, 6272 + 7008, 0);
    m = read_path(fixture_path("hf-moe/model.safetensors.index.json"));
    assert_near(loaded(&m), 2 * model_params(&m), 0);
}

static void test_incomplete(void **state)
{
    (void)state;
    refused(folder, folder, "neither config.json nor");
    copy("hf-moe/model-00001-of-00002.safetensors", "model-00001-of-00002.safetensors");
    refused(folder, folder, "config.json is missing");
    copy("hf-moe/config.json", "config.json");
    refused(folder, folder, "but no model.safetensors.index.json");
    copy("hf-moe/model.safetensors.index.json", "model.safetensors.index.json");
    refused(folder, "model-00002-of-00002.safetensors", "is missing");
    /* one shard named alone is half a model */
    refused(in("model-00001-of-00002.safetensors"), folder, "layer 1 of 2 has no tensor");
    /* another model's tensors */
    copy("hf-llama/model.safetensors", "model-00002-of-00002.safetensors");
    refused(folder, folder, "is in two files");
    copy("hf-moe/model-00002-of-00002.safetensors", "model-00002-of-00002.safetensors");
    assert_true(read_path(folder).bytes.known);
    write_file("model-00002-of-00002.safetensors", "\x02", 1);
    refused(folder, "model-00002-of-00002.safetensors", "has only 1 bytes");
}

static void test_config_only(void **state)
{
    struct model m;

    (void)state;
    copy("config/llama-3.1-8b.json", "config.json");
    m = read_path(folder);
    assert_false(m.bytes.known);
    assert_near(model_params(&m), 8030261248.0, 0);
    m = read_path(fixture_path("config/deepseek-v3.json"));
    assert_near(model_params(&m), 671026419200.0, 0);
    assert_string_equal(m.id, "deepseek-v3");
    write_file("notes.txt", "x", 1);
    refused(in("notes.txt"), "notes.txt", "not a model file");
}

static void test_side_file(void **state)
{
    static const char side[] = "{\"quantization\":{\"quant_algo\":\"NVFP4\","
                               "\"exclude_modules\":[\"lm_head\"]}}";
    struct model m;

    (void)state;
    copy("config/qwen3-8b.json", "config.json");
    write_file("hf_quant_config.json", side, sizeof side - 1);
    m = read_path(folder);
    assert_string_equal(m.native[ROLE_MLP], "nvfp4");
    assert_string_equal(m.native[ROLE_HEAD], "bf16");
    write_file("hf_quant_config.json", "{", 1);
    refused(folder, "hf_quant_config.json", "line");
}

/* ---- out of the folder ----------------------------------------------------------- */

static void test_links(void **state)
{
    char outside[512];

    (void)state;
    assert_int_equal(mkdir(in("m"), 0700), 0);
    copy("hf-llama/model.safetensors", "secret");
    copy("hf-llama/config.json", "m/config.json");
    snprintf(outside, sizeof outside, "%s", in("secret"));
    assert_int_equal(symlink(outside, in("m/model.safetensors")), 0);
    refused(in("m"), "model.safetensors", "leads out of the folder");
    unlink(in("m/model.safetensors"));
    copy("hf-llama/model.safetensors", "m/inside");
    assert_int_equal(symlink("inside", in("m/model.safetensors")), 0);
    assert_true(read_path(in("m")).bytes.known);
    unlink(in("m/config.json"));
    assert_int_equal(symlink("/dev/zero", in("m/config.json")), 0);
    refused(in("m"), "config.json", "leads out of the folder");
    unlink(in("m/config.json"));
    assert_int_equal(symlink("nowhere", in("m/config.json")), 0);
    refused(in("m"), "config.json", "link that is broken");
    unlink(in("m/config.json"));
    assert_int_equal(mkfifo(in("m/config.json"), 0600), 0); /* must not wait for it */
    refused(in("m"), "config.json", "not a regular file");
}

/* The Hugging Face cache: snapshots/<revision>/x -> ../../blobs/<hash>. */
static void test_cache(void **state)
{
    struct model m;

    (void)state;
    assert_int_equal(mkdir(in("models--some--Tiny"), 0700), 0);
    assert_int_equal(mkdir(in("models--some--Tiny/blobs"), 0700), 0);
    assert_int_equal(mkdir(in("models--some--Tiny/snapshots"), 0700), 0);
    assert_int_equal(mkdir(in("models--some--Tiny/snapshots/abc"), 0700), 0);
    copy("hf-llama/config.json", "models--some--Tiny/blobs/1");
    copy("hf-llama/model.safetensors", "models--some--Tiny/blobs/2");
    assert_int_equal(symlink("../../blobs/1", in("models--some--Tiny/snapshots/abc/config.json")),
                     0);
    assert_int_equal(
        symlink("../../blobs/2", in("models--some--Tiny/snapshots/abc/model.safetensors")), 0);
    m = read_path(in("models--some--Tiny/snapshots/abc"));
    assert_true(m.bytes.known);
    assert_string_equal(m.id, "some/Tiny");
    unlink(in("models--some--Tiny/snapshots/abc/model.safetensors"));
    copy("hf-llama/model.safetensors", "models--some--Tiny/outside");
    assert_int_equal(
        symlink("../../outside", in("models--some--Tiny/snapshots/abc/model.safetensors")), 0);
    refused(in("models--some--Tiny/snapshots/abc"), "model.safetensors", "leads out");
}

static void test_hostile_index(void **state)
{
    static const char up[] = "{\"weight_map\":{\"a\":\"../x.safetensors\"}}";

    (void)state;
    copy("hf-llama/config.json", "config.json");
    write_file("model.safetensors.index.json", up, sizeof up - 1);
    refused(folder, "index.json", "leads out of the folder");
}

/* ---- GGUF ------------------------------------------------------------------------ */

static void test_split(void **state)
{
    struct model m = read_path(fixture_path("gguf/llama-split-00001-of-00003.gguf"));
    struct model last = read_path(fixture_path("gguf/llama-split-00003-of-00003.gguf"));

    (void)state;
    assert_int_equal(m.layer_count, 2);
    assert_near(loaded(&m), loaded(&last), 0);
    assert_near(m.bytes.by_role[0][ROLE_MLP], 2 * 3 * 32 * 34, 0);
    assert_near(m.bytes.file_bytes, 18464, 0);
    copy("gguf/llama-split-00001-of-00003.gguf", "x-00001-of-00003.gguf");
    copy("gguf/llama-split-00002-of-00003.gguf", "x-00002-of-00003.gguf");
    refused(folder, "x-00003-of-00003.gguf", "is missing");
    copy("gguf/llama-split-00002-of-00003.gguf", "x-00003-of-00003.gguf");
    refused(folder, "x-00003-of-00003.gguf", "says it is part 2 of 3");
    copy("gguf/llama-split-00003-of-00003.gguf", "x-00003-of-00003.gguf");
    last = read_path(folder);
    assert_near(loaded(&m), loaded(&last), 0);
    copy("gguf/llama-split-00001-of-00003.gguf", "alone.gguf");
    refused(in("alone.gguf"), "alone.gguf", "part 1 of 3");
    refused(folder, folder, "several GGUF models");
}

static void test_gguf_folder(void **state)
{
    struct model m;

    (void)state;
    copy("gguf/gpt-oss.gguf", "gpt-oss.gguf");
    copy("gguf/llama-q8_0.gguf", "mmproj-vision.gguf"); /* no model of its own */
    copy("config/gpt-oss-20b.json", "config.json");     /* as many folders have */
    m = read_path(folder);
    assert_true(m.bytes.known);
    assert_int_equal(m.layer_count, 2);
    m = read_path(in("gpt-oss.gguf"));
    assert_string_equal(m.id, "gpt-oss");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_is_path),    TEST(test_single),      TEST(test_sharded),
        TEST(test_incomplete), TEST(test_config_only), TEST(test_side_file),
        TEST(test_links),      TEST(test_cache),       TEST(test_hostile_index),
        TEST(test_split),      TEST(test_gguf_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
