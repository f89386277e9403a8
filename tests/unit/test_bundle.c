/*
 * test_bundle.c - a bundle of data is somebody else's file: whatever its bytes are, it is refused
 * or is what its manifest says.
 */
#include <string.h>

#include "base/archive.h"
#include "base/sha256.h"
#include "base/str.h"
#include "catalog/bundle.h"
#include "unit.h"

#define BLOCK 512
#define DATA "profiles/data.cfg"

static const char stamp_text[] = "format = 1;\ndate = \"2031-02-03\";\n";

/* One file of an archive, with a right sum of its head. */
static void add(struct strbuf *tar, const char *name, char type, const char *size_field,
                const char *text)
{
    char head[BLOCK] = {0};
    size_t len = strlen(text);
    unsigned sum = 0;

    memcpy(head, name, strlen(name) < 100 ? strlen(name) : 100);
    snprintf(head + 100, 8, "%07o", 0644);
    snprintf(head + 124, 12, "%011o", (unsigned)len);
    if (size_field)
        memcpy(head + 124, size_field, 12);
    memset(head + 148, ' ', 8);
    head[156] = type;
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    strbuf_addn(tar, head, BLOCK);
    strbuf_addn(tar, text, len);
    while (tar->len % BLOCK != 0)
        strbuf_addc(tar, '\0');
}

static void add_line(struct strbuf *manifest, const char *name, const char *text)
{
    char hex[65];

    sha256_hex(text, strlen(text), hex);
    strbuf_addf(manifest, "%s  %s\n", hex, name);
}

/* A bundle of the stamp and one more file. */
static void make(struct strbuf *tar, const char *name, char type, const char *size_field,
                 bool before)
{
    static const char text[] = "name = \"x\";\n";
    struct strbuf manifest;

    strbuf_init(tar);
    strbuf_init(&manifest);
    if (before)
        add_line(&manifest, name, text);
    add_line(&manifest, DATA, stamp_text);
    if (!before)
        add_line(&manifest, name, text);
    add(tar, "MANIFEST", '0', NULL, manifest.text);
    if (before)
        add(tar, name, type, size_field, text);
    add(tar, DATA, '0', NULL, stamp_text);
    if (!before)
        add(tar, name, type, size_field, text);
    for (int i = 0; i < 2 * BLOCK; i++)
        strbuf_addc(tar, '\0');
    strbuf_fini(&manifest);
}

static enum gp_status check(const struct strbuf *tar, struct gp_err *err)
{
    struct data_stamp stamp;
    enum gp_status rc = bundle_check(tar->text, tar->len, &stamp, err);

    if (rc == GP_OK)
        assert_string_equal(stamp.date, "2031-02-03");
    return rc;
}

static void test_good(void **state)
{
    struct strbuf tar;

    (void)state;
    make(&tar, "profiles/gpus/x.cfg", '0', NULL, false);
    assert_int_equal(check(&tar, NULL), GP_OK);
    strbuf_fini(&tar);
}

static void test_strange_names(void **state)
{
    static const struct {
        const char *name;
        bool before;
    } names[] = {
        {"/etc/passwd", true},
        {"../x.cfg", true},
        {"profiles/../../x", false},
        {"profiles/./x", true},
        {"profiles/.x", true},
        {"profiles//x", true},
        {"profiles/x/", false},
        {"profiles/a b", true},
        {"profiles/a\nb", true},
        {"profiles/\xc3\xa4", false},
        {"bin/sh", true},
        {"profiles", true},
        {"profiles.compiled/x", false},
        {"profiles/a.cfg", false /* out of order */},
        {DATA, false /* twice */},
        {"MANIFEST", true},
        {"", true},
        {"profiles/data.cfg/x\\y", false},
        {"~/profiles/x", false},
        {"profiles/$HOME", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct gp_err err = {0};
        struct strbuf tar;

        make(&tar, names[i].name, '0', NULL, names[i].before);
        if (check(&tar, &err) == GP_OK)
            fail_msg("taken: %s", names[i].name);
        assert_true(err.text[0] != '\0');
        strbuf_fini(&tar);
    }
}

static void test_strange_files(void **state)
{
    static const char types[] = "1234567xgLKSVA";
    static const char *const sizes[] = {"77777777777\0", "\x80\0\0\0\0\0\0\0\0\0\0\x0c",
                                        "-0000000014\0", "           \0", "00000000015\0"};
    struct strbuf tar;

    (void)state;
    for (const char *type = types; *type; type++) {
        make(&tar, "profiles/x.cfg", *type, NULL, false);
        assert_int_equal(check(&tar, NULL), GP_E_FILE);
        strbuf_fini(&tar);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        make(&tar, "profiles/x.cfg", '0', sizes[i], false);
        assert_int_equal(check(&tar, NULL), GP_E_FILE);
        strbuf_fini(&tar);
    }
}

/* Cut anywhere before its end, it is refused; with any bit changed, refused or still the same
 * files, as in what pads them. */
static void test_damaged(void **state)
{
    struct strbuf tar;
    struct data_stamp stamp;

    (void)state;
    make(&tar, "profiles/x.cfg", '0', NULL, false);
    for (size_t len = 0; len < tar.len - 2 * BLOCK; len++)
        assert_int_equal(bundle_check(tar.text, len, &stamp, NULL), GP_E_FILE);
    for (size_t bit = 0; bit < 8 * (tar.len - 2 * BLOCK); bit++) {
        tar.text[bit / 8] ^= (char)(1 << bit % 8);
        if (check(&tar, NULL) == GP_OK) {
            struct archive_file file;
            size_t at = 0, files = 0;

            while (archive_next(tar.text, tar.len, &at, &file, NULL) == GP_OK && file.name[0])
                files++;
            assert_int_equal(files, 3);
        }
        tar.text[bit / 8] ^= (char)(1 << bit % 8);
    }
    strbuf_fini(&tar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_strange_names),
        cmocka_unit_test(test_strange_files),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
