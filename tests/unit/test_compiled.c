/*
 * test_compiled.c - every shipped profile comes back from its compiled form as it was read; what
 * is damaged, or is not one of them, does not come back at all.
 */
#include "unit.h"

#include <libconfig.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "catalog/compiled.h"
#include "catalog/profile.h"

static void assert_same(const config_setting_t *a, const config_setting_t *b)
{
    int members = config_setting_length(a);

    assert_int_equal(config_setting_type(a), config_setting_type(b));
    assert_int_equal(config_setting_source_line(a), config_setting_source_line(b));
    assert_int_equal(config_setting_length(b), members);
    assert_true((a->name == NULL) == (b->name == NULL));
    if (a->name != NULL)
        assert_string_equal(a->name, b->name);
    switch (config_setting_type(a)) {
    case CONFIG_TYPE_STRING:
        assert_string_equal(config_setting_get_string(a), config_setting_get_string(b));
        break;
    case CONFIG_TYPE_FLOAT:
        assert_true(config_setting_get_float(a) == config_setting_get_float(b));
        break;
    case CONFIG_TYPE_INT64:
        assert_true(config_setting_get_int64(a) == config_setting_get_int64(b));
        break;
    case CONFIG_TYPE_INT:
        assert_int_equal(config_setting_get_int(a), config_setting_get_int(b));
        break;
    case CONFIG_TYPE_BOOL:
        assert_int_equal(config_setting_get_bool(a), config_setting_get_bool(b));
        break;
    default: /* its members */
        break;
    }
    for (int i = 0; i < members; i++) {
        const config_setting_t *item = config_setting_get_elem(b, (unsigned)i);

        assert_true(config_setting_parent(item) == b);
        assert_int_equal(config_setting_index(item), i);
        assert_same(config_setting_get_elem(a, (unsigned)i), item);
    }
}

static void write_file(const char *bytes, size_t len)
{
    FILE *file = fopen("test_compiled.tmp", "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* A file of one text, opened; damage(block) first. */
static struct compiled *one_of(const char *text, long damage, int bit)
{
    struct profile *profile;
    struct compiled_text one;
    struct compiled *compiled;
    struct strbuf bytes;

    assert_int_equal(profile_parse("x.cfg", text, strlen(text), &profile, NULL), GP_OK);
    assert_true(compiled_text(&one, text, strlen(text), profile_top(profile).setting));
    if (damage >= 0)
        one.block.text[(size_t)damage % one.block.len] ^= (char)(1 << bit);
    strbuf_init(&bytes);
    compiled_file(&one, 1, &bytes);
    write_file(bytes.text, bytes.len);
    compiled = compiled_open("test_compiled.tmp");
    unlink("test_compiled.tmp");
    assert_non_null(compiled);
    strbuf_fini(&one.block);
    strbuf_fini(&bytes);
    profile_free(profile);
    return compiled;
}

static const char small[] = "a = 1;\nb = ( { c = \"x\"; }, { c = \"y\"; d = [1.5, 2.5]; } );\n"
                            "e = 5000000000L; f = true; g = { }; h = ();\n";

static void a_text_comes_back(void **state)
{
    struct compiled *compiled = one_of(small, -1, 0);
    config_t config, parsed;
    config_setting_t *root;
    void *tree;

    (void)state;
    config_init(&config);
    config_init(&parsed);
    assert_int_equal(config_read_string(&parsed, small), CONFIG_TRUE);
    root = compiled_find(compiled, small, strlen(small), &config, &tree);
    assert_non_null(root);
    assert_same(config_root_setting(&parsed), root);
    free(tree);
    assert_null(compiled_find(compiled, small, strlen(small) - 1, &config, &tree));
    assert_null(compiled_find(compiled, "a = 2;", 6, &config, &tree));
    assert_null(compiled_find(NULL, small, strlen(small), &config, &tree));
    config_destroy(&config);
    config_destroy(&parsed);
    compiled_free(compiled);
}

/* Any bit of a block, and the hash of the block with it: settings or none, never outside. */
static void what_is_damaged_stays_inside(void **state)
{
    config_t config;

    (void)state;
    config_init(&config);
    for (long at = 0; at < 24 * 13 + 40; at++)
        for (int bit = 0; bit < 8; bit += 3) {
            struct compiled *compiled = one_of(small, at, bit);
            void *tree = NULL;

            if (compiled_find(compiled, small, strlen(small), &config, &tree) != NULL)
                free(tree);
            compiled_free(compiled);
        }
    config_destroy(&config);
}

static void another_file_is_none(void **state)
{
    static const char *const texts[] = {"", "x", "0123456789012345678901234567890123456789"};

    (void)state;
    assert_null(compiled_open("no/such/file"));
    assert_null(compiled_open("."));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(texts[i], strlen(texts[i]));
        assert_null(compiled_open("test_compiled.tmp"));
    }
    unlink("test_compiled.tmp");
}

/* The file that the build wrote: each profile is in it, and equals its text. */
static void every_shipped_profile(void **state)
{
    struct compiled *compiled = compiled_open("profiles.compiled");
    char **folders = NULL, **names = NULL, dir[GP_PATH_MAX], path[GP_PATH_MAX], *text;
    size_t folder_count = 0, count = 0, len, seen = 0;

    (void)state;
    if (compiled == NULL)
        skip();
    assert_int_equal(path_list("profiles", "", &folders, &folder_count, NULL), GP_OK);
    for (size_t f = 0; f < folder_count; f++) {
        assert_true(path_join(dir, sizeof dir, "profiles", folders[f]));
        if (folders[f][0] == '.' || !path_is_dir(dir) ||
            path_list(dir, ".cfg", &names, &count, NULL) != GP_OK)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct profile *parsed;
            config_t config;
            config_setting_t *root;
            void *tree;

            assert_true(path_join(path, sizeof path, dir, names[i]));
            assert_int_equal(path_read(path, PROFILE_MAX_BYTES, &text, &len, NULL), GP_OK);
            assert_int_equal(profile_parse(path, text, len, &parsed, NULL), GP_OK);
            config_init(&config);
            root = compiled_find(compiled, text, len, &config, &tree);
            if (root == NULL)
                fail_msg("%s is not in profiles.compiled", path);
            assert_same(profile_top(parsed).setting, root);
            free(tree);
            config_destroy(&config);
            profile_free(parsed);
            free(text);
            seen++;
        }
        path_list_free(names, count);
    }
    path_list_free(folders, folder_count);
    compiled_free(compiled);
    assert_true(seen > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_comes_back),
        cmocka_unit_test(what_is_damaged_stays_inside),
        cmocka_unit_test(another_file_is_none),
        cmocka_unit_test(every_shipped_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
