/* test_path.c - files read, listed, and written whole or not at all. */
#include "base/path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char dir[GP_PATH_MAX];

static const char *in_dir(const char *name)
{
    static char paths[4][GP_PATH_MAX + 64];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static int make_dir(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(dir, sizeof dir, "%s/gpuplan-path-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    char command[GP_PATH_MAX + 64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static void expect_text(const char *path, const char *want)
{
    struct gp_err err = {0};
    char *text = NULL;
    size_t len = 0;

    if (path_read(path, 1000, &text, &len, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    assert_int_equal(len, strlen(want));
    assert_string_equal(text, want);
    free(text);
}

static void test_join(void **state)
{
    char path[8];

    (void)state;
    assert_true(path_join(path, sizeof path, "a", "b"));
    assert_string_equal(path, "a/b");
    assert_true(path_join(path, sizeof path, "/", "b"));
    assert_string_equal(path, "/b");
    assert_true(path_join(path, sizeof path, "", "b"));
    assert_string_equal(path, "b");
    assert_false(path_join(path, sizeof path, "abcd", "efgh"));
}

static void test_data_home(void **state)
{
    char path[GP_PATH_MAX];

    (void)state;
    setenv("XDG_DATA_HOME", "/x", 1);
    assert_true(path_data_home(path, sizeof path, "profiles"));
    assert_string_equal(path, "/x/gpuplan/profiles");
    setenv("XDG_DATA_HOME", "relative", 1);
    setenv("HOME", "/h", 1);
    assert_true(path_data_home(path, sizeof path, "profiles"));
    assert_string_equal(path, "/h/.local/share/gpuplan/profiles");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_false(path_data_home(path, sizeof path, "profiles"));
}

static void test_program_dir(void **state)
{
    char path[GP_PATH_MAX];

    (void)state;
    assert_true(path_program_dir(path, sizeof path));
    assert_true(path_is_dir(path));
    assert_int_equal(path[0], '/');
}

static void test_write_then_read(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(path_write(in_dir("a"), "one", 3, NULL), GP_OK);
    expect_text(in_dir("a"), "one");
    assert_int_equal(chmod(in_dir("a"), 0640), 0);
    assert_int_equal(path_write(in_dir("a"), "second", 6, NULL), GP_OK);
    expect_text(in_dir("a"), "second");
    assert_int_equal(stat(in_dir("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_true(path_is_file(in_dir("a")));
    assert_false(path_is_dir(in_dir("a")));
}

static void test_write_follows_links(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(symlink("target", in_dir("link")), 0);
    assert_int_equal(path_write(in_dir("link"), "new", 3, NULL), GP_OK);
    expect_text(in_dir("target"), "new");
    assert_int_equal(path_write(in_dir("link"), "again", 5, NULL), GP_OK);
    expect_text(in_dir("target"), "again");
    assert_int_equal(lstat(in_dir("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("loop", in_dir("loop")), 0);
    assert_int_equal(path_write(in_dir("loop"), "x", 1, NULL), GP_E_FILE);
}

static void test_write_failures_leave_nothing(void **state)
{
    struct gp_err err = {0};
    char **names = NULL;
    size_t count = 9;

    (void)state;
    assert_int_equal(mkdir(in_dir("sub"), 0755), 0);
    assert_int_equal(path_write(in_dir("sub"), "x", 1, &err), GP_E_FILE);
    assert_string_equal(err.where, in_dir("sub"));
    assert_int_equal(path_write(in_dir("none/x"), "x", 1, &err), GP_E_FILE);
    assert_int_equal(path_list(in_dir("sub"), "", &names, &count, &err), GP_OK);
    assert_int_equal(count, 0);
    path_list_free(names, count);
    assert_int_equal(path_write("/dev/null", "x", 1, &err), GP_OK);
}

static void test_read_refuses(void **state)
{
    struct gp_err err = {0};
    char *text = NULL;
    size_t len = 0;

    (void)state;
    assert_int_equal(path_write(in_dir("ten"), "0123456789", 10, NULL), GP_OK);
    assert_int_equal(path_read(in_dir("ten"), 10, &text, &len, &err), GP_OK);
    free(text);
    text = NULL;
    assert_int_equal(path_read(in_dir("ten"), 9, &text, &len, &err), GP_E_FILE);
    assert_int_equal(path_read(in_dir("nowhere"), 9, &text, &len, &err), GP_E_FILE);
    assert_string_equal(err.where, in_dir("nowhere"));
    assert_int_equal(path_read(dir, 9, &text, &len, &err), GP_E_FILE);
    assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
    assert_int_equal(path_read(in_dir("fifo"), 9, &text, &len, &err), GP_E_FILE);
    assert_string_equal(err.text, "not a regular file");
    assert_null(text);
}

static void test_list(void **state)
{
    static const char *const files[] = {"b.cfg", "a.cfg", ".hidden.cfg", "c.txt"};
    struct gp_err err = {0};
    char **names = NULL;
    size_t count = 0;

    (void)state;
    assert_int_equal(mkdir(in_dir("list"), 0755), 0);
    for (size_t i = 0; i < 4; i++) {
        char path[64];

        snprintf(path, sizeof path, "list/%s", files[i]);
        assert_int_equal(path_write(in_dir(path), "", 0, NULL), GP_OK);
    }
    assert_int_equal(path_list(in_dir("list"), ".cfg", &names, &count, &err), GP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a.cfg");
    assert_string_equal(names[1], "b.cfg");
    path_list_free(names, count);
    assert_int_equal(path_list(in_dir("missing"), ".cfg", &names, &count, &err), GP_OK);
    assert_int_equal(count, 0);
    assert_int_equal(path_list(in_dir("list/a.cfg"), "", &names, &count, &err), GP_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_data_home),
        cmocka_unit_test(test_program_dir),
        cmocka_unit_test(test_write_then_read),
        cmocka_unit_test(test_write_follows_links),
        cmocka_unit_test(test_write_failures_leave_nothing),
        cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_list),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
