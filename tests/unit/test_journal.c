/* test_journal.c - journals cut at every byte, spoilt, foreign, locked, on a full disk. */
#include "measure/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

#include "unit.h"

static char folder[] = "/tmp/gpuplan-journal-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.part", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static json_t *fingerprint(const char *name, double max_time)
{
    struct method_settings settings = method_preset(PRESET_NORMAL);
    json_t *hello = json_pack("{s:s, s:s, s:s}", "t", "hello", "engine", "cpu", "version", "1.0");
    json_t *device =
        json_pack("{s:s, s:i, s:s, s:f, s:{s:i, s:i}}", "t", "device", "index", 0, "name", name,
                  "free", 12345.5, "more", "cuda_driver", 12090, "load", 7);
    const json_t *devices[] = {device};
    json_t *made;

    settings.max_time = max_time;
    made = journal_fingerprint(&settings, "00ff00ff00ff00ff", hello, devices, 1);
    json_decref(hello);
    json_decref(device);
    return made;
}

static json_t *result(int n)
{
    char id[32];

    snprintf(id, sizeof id, "gemm/fp32/%d", n);
    return json_pack("{s:s, s:i, s:s, s:s, s:f}", "t", "point", "index", n, "id", id, "state",
                     "error", "median", 0.001 * (n + 1));
}

static void add(struct journal *journal, int n)
{
    json_t *point = result(n);
    struct gp_err err;

    assert_int_equal(journal_add_point(journal, 0, 0, point, &err), GP_OK);
    json_decref(point);
}

/* A journal of `count` results; its text. */
static char *written(int count, size_t *len)
{
    json_t *print = fingerprint("a CPU", 1);
    struct journal *journal;
    struct gp_err err;
    char *text = calloc(1, 65536);
    FILE *file;

    assert_int_equal(journal_create(path, print, NULL, &journal, &err), GP_OK);
    for (int i = 0; i < count; i++)
        add(journal, i);
    assert_int_equal(journal_records(journal), count);
    journal_close(journal, false);
    json_decref(print);
    file = fopen(path, "rb");
    *len = fread(text, 1, 65535, file);
    fclose(file);
    return text;
}

static void write_file(const char *text, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
}

/* Records of that device and point id, whatever variant and pass. */
static int journal_count(const struct journal_read *read, int device, const char *id)
{
    int count = 0;
    size_t i;
    json_t *record;

    json_array_foreach(read->records, i, record)
    {
        if (json_integer_value(json_object_get(record, "device")) == device &&
            strcmp(json_string_value(json_object_get(record, "id")), id) == 0)
            count++;
    }
    return count;
}

static void test_fingerprint(void **state)
{
    json_t *a = fingerprint("a CPU", 1), *devices = json_object_get(a, "devices");
    const json_t *device = json_array_get(devices, 0);

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(a, "method_version")), METHOD_VERSION);
    assert_string_equal(json_string_value(json_object_get(device, "engine")), "cpu");
    assert_string_equal(json_string_value(json_object_get(device, "name")), "a CPU");
    assert_int_equal(json_integer_value(json_object_get(device, "cuda_driver")), 12090);
    assert_null(json_object_get(device, "free")); /* changes from run to run */
    assert_null(json_object_get(device, "load"));
    json_decref(a);
}

static void test_round(void **state)
{
    json_t *print = fingerprint("a CPU", 1);
    struct journal_read read;
    struct journal *journal;
    struct gp_err err;
    size_t len;

    (void)state;
    free(written(3, &len));
    assert_int_equal(journal_create(path, print, NULL, &journal, &err), GP_E_FILE);
    assert_non_null(strstr(err.text, "earlier run"));
    assert_non_null(strstr(err.hint, "--resume"));
    assert_int_equal(journal_resume(path, print, NULL, &read, &journal, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 3);
    assert_int_equal(journal_count(&read, 0, "gemm/fp32/1"), 1);
    assert_int_equal(journal_count(&read, 1, "gemm/fp32/1"), 0);
    assert_int_equal(journal_count(&read, 0, "gemm/fp32/7"), 0);
    journal_read_fini(&read);
    add(journal, 3);
    assert_int_equal(journal_records(journal), 4);
    journal_close(journal, false);
    assert_int_equal(journal_load(path, print, &read, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 4);
    assert_int_equal(read.skipped, 0);
    journal_read_fini(&read);
    json_decref(print);
    unlink(path);
}

static int lines_in(const char *text, size_t len)
{
    int n = 0;

    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* Killed at any byte: everything before it counts, and the run goes on from there. */
static void test_cut_at_every_byte(void **state)
{
    json_t *print = fingerprint("a CPU", 1);
    size_t len;
    char *text = written(3, &len);

    (void)state;
    for (size_t cut = 0; cut <= len; cut++) {
        struct journal_read read;
        struct journal *journal;
        struct gp_err err;
        int lines = lines_in(text, cut), whole = lines > 0 ? lines - 1 : 0;

        if (cut > 0 && cut < len && text[cut] == '\n' && lines > 0)
            whole++; /* only its newline is missing */
        write_file(text, cut);
        assert_int_equal(journal_resume(path, print, NULL, &read, &journal, &err), GP_OK);
        assert_int_equal(json_array_size(read.records), whole);
        assert_int_equal(read.skipped, 0);
        journal_read_fini(&read);
        for (int i = whole; i < 4; i++)
            add(journal, i);
        journal_close(journal, false);
        assert_int_equal(journal_load(path, print, &read, &err), GP_OK);
        assert_int_equal(json_array_size(read.records), 4);
        assert_int_equal(read.skipped, 0);
        assert_non_null(read.header);
        journal_read_fini(&read);
    }
    free(text);
    json_decref(print);
    unlink(path);
}

/* Any byte spoilt costs the line it is in, at most (or the header, which is refused). */
static void test_spoilt(void **state)
{
    json_t *print = fingerprint("a CPU", 1);
    size_t len, head;
    char *text = written(3, &len);

    (void)state;
    head = strcspn(text, "\n") + 1;
    for (size_t i = head; i < len; i++) {
        struct journal_read read;
        struct gp_err err;
        char kept = text[i];

        text[i] = '\0';
        assert_int_equal(journal_parse("run.part", text, len, print, &read, &err), GP_OK);
        assert_true(json_array_size(read.records) + (size_t)read.skipped + (read.torn ? 1 : 0) >=
                    2);
        assert_true(json_array_size(read.records) >= (kept == '\n' ? 1 : 2));
        if (read.warning_count > 0)
            assert_memory_equal(read.warning[0], "run.part:", 9);
        journal_read_fini(&read);
        text[i] = kept;
    }
    free(text);
    json_decref(print);
    unlink(path);
}

static void test_warning_names_the_line(void **state)
{
    static const char bad[] = "{\"schema\": \"gpuplan.journal/2\", \"fingerprint\": {}}\n"
                              "{\"device\": 0, \"id\": \"a\", \"state\": \"oom\"}\n"
                              "{\"device\": 0, \"id\"\n"
                              "{\"device\": 0, \"id\": 7}\n"
                              "{\"device\": 0, \"id\": \"c\", \"state\": \"ok\"}\n"
                              "{\"device\": 0, \"id\": \"b\", \"state\": \"oom\"}\n";
    struct journal_read read;
    struct gp_err err;

    (void)state;
    assert_int_equal(journal_parse("x.part", bad, sizeof bad - 1, NULL, &read, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 2);
    assert_int_equal(read.skipped, 3);
    assert_memory_equal(read.warning[0], "x.part:3: not valid JSON", 24);
    assert_memory_equal(read.warning[1], "x.part:4: id is not text", 24);
    /* no result file could hold it: it is measured again */
    assert_memory_equal(read.warning[2], "x.part:5: time_s is missing", 27);
    journal_read_fini(&read);
}

static void refused(const json_t *print, const char *words)
{
    struct journal_read read;
    struct journal *journal;
    struct gp_err err;

    assert_int_equal(journal_resume(path, print, NULL, &read, &journal, &err), GP_E_FILE);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" lacks \"%s\"", err.text, words);
    journal_read_fini(&read);
}

static void test_another_run(void **state)
{
    json_t *other = fingerprint("another CPU", 1), *time = fingerprint("a CPU", 0.3);
    size_t len, now_len;
    char *text = written(2, &len);
    struct stat st;

    (void)state;
    refused(other, "devices[0].name was \"a CPU\" and is now \"another CPU\"");
    refused(time, "settings.max_time was 1 and is now 0.3");
    assert_int_equal(stat(path, &st), 0); /* untouched */
    now_len = (size_t)st.st_size;
    assert_int_equal(now_len, len);
    json_decref(other);
    json_decref(time);
    free(text);
    unlink(path);
}

/* The records of an older gpuplan have another form. */
static void test_older_journal(void **state)
{
    static const char old[] = "{\"schema\": \"gpuplan.journal/1\", \"fingerprint\": {}}\n"
                              "{\"device\": 0, \"point\": {\"id\": \"a\", \"state\": \"oom\"}}\n";
    struct journal_read read;
    struct gp_err err;

    (void)state;
    assert_int_equal(journal_parse("x.part", old, sizeof old - 1, NULL, &read, &err), GP_E_FILE);
    assert_non_null(strstr(err.text, "of another version of gpuplan (gpuplan.journal/1"));
    journal_read_fini(&read);
}

/* A file that is no journal is never written to. */
static void test_not_a_journal(void **state)
{
    static const char *const texts[] = {"my thesis, one line",
                                        "my thesis\nin lines\n",
                                        "{\"schema\": 3}\n",
                                        "\n",
                                        "{}",
                                        "{\"schema\": \"gpuplan.bench/1\", \"fingerprint\": {}}\n"};
    json_t *print = fingerprint("a CPU", 1);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char now[128] = "";
        FILE *file;

        write_file(texts[i], strlen(texts[i]));
        refused(print, "not a journal");
        file = fopen(path, "rb");
        assert_int_equal(fread(now, 1, sizeof now - 1, file), strlen(texts[i]));
        fclose(file);
        assert_string_equal(now, texts[i]);
    }
    json_decref(print);
    unlink(path);
}

static void test_resume_of_nothing_starts(void **state)
{
    json_t *print = fingerprint("a CPU", 1);
    struct journal_read read;
    struct journal *journal, *second;
    struct gp_err err;

    (void)state;
    assert_int_equal(journal_resume(path, print, NULL, &read, &journal, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 0);
    journal_read_fini(&read);
    assert_int_equal(journal_resume(path, print, NULL, &read, &second, &err), GP_E_FILE);
    assert_non_null(strstr(err.text, "another run is writing"));
    journal_read_fini(&read);
    journal_close(journal, true);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(journal_create("/nowhere/x.part", print, NULL, &journal, &err), GP_E_FILE);
    assert_non_null(strstr(err.text, "No such file"));
    json_decref(print);
}

/* A limit on the file's size stands in for a full disk: the write comes back short. */
static void test_full_disk(void **state)
{
    json_t *print = fingerprint("a CPU", 1), *point = result(2);
    struct rlimit before, small;
    struct journal_read read;
    struct journal *journal;
    struct gp_err err;
    struct stat st;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(journal_create(path, print, NULL, &journal, &err), GP_OK);
    add(journal, 0);
    add(journal, 1);
    stat(path, &st);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = (rlim_t)st.st_size + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(journal_add_point(journal, 0, 0, point, &err), GP_E_FILE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(err.text, "the 2 results before this one are safe"));
    assert_string_equal(err.where, path);
    assert_int_equal(journal_load(path, print, &read, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 2);
    assert_false(read.torn); /* what was written of the third was taken back */
    journal_read_fini(&read);
    add(journal, 2); /* there is room again */
    journal_close(journal, false);
    assert_int_equal(journal_load(path, print, &read, &err), GP_OK);
    assert_int_equal(json_array_size(read.records), 3);
    journal_read_fini(&read);
    json_decref(print);
    json_decref(point);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_spoilt),
        cmocka_unit_test(test_warning_names_the_line),
        cmocka_unit_test(test_another_run),
        cmocka_unit_test(test_not_a_journal),
        cmocka_unit_test(test_older_journal),
        cmocka_unit_test(test_resume_of_nothing_starts),
        cmocka_unit_test(test_full_disk),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
