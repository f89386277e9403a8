/* test_point.c - ids, arithmetic, and points that travel as JSON. */
#include "measure/point/point.h"

#include "base/json.h"
#include "unit.h"

static const struct point samples[] = {
    {.test = TEST_GEMM,
     .type = TYPE_BF16,
     .m = 4096,
     .n = 8,
     .k = 4096,
     .tp = 1,
     .cache = CACHE_WEIGHTS_COLD},
    {.test = TEST_BATCH,
     .type = TYPE_FP8,
     .m = 28672,
     .n = 64,
     .k = 4096,
     .tp = 2,
     .layer = "gate_up",
     .model = "llama-3.1-8b",
     .cache = CACHE_WEIGHTS_COLD},
    {.test = TEST_MEMORY, .kind = KIND_COPY, .bytes = 268435456, .tp = 1},
    {.test = TEST_TRANSFER, .kind = KIND_STORAGE, .bytes = 1e9, .path = "/data/f", .tp = 1},
    {.test = TEST_DECODE,
     .type = TYPE_BF16,
     .n = 4,
     .tp = 1,
     .layers = 8,
     .heads = 32,
     .kv_heads = 8,
     .head_dim = 128,
     .hidden = 4096,
     .ff = 14336,
     .vocab = 128256,
     .context = 4096,
     .model = "llama-3.1-8b"},
    {.test = TEST_TRANSFER, .kind = KIND_PEER, .from = 3, .to = 0, .bytes = 1024, .tp = 1},
    {.test = TEST_TRANSFER, .kind = KIND_PEER_BOTH, .from = 0, .to = 3, .bytes = 1024, .tp = 1},
    {.test = TEST_TRANSFER, .kind = KIND_H2D_ALL, .bytes = 1024, .tp = 1, .devices = 0xd},
    {.test = TEST_FIT, .bytes = 7e10, .model = "x", .tp = 4},
    {.test = TEST_ALLREDUCE,
     .type = TYPE_FP32,
     .kind = KIND_GRAPH,
     .bytes = 1024,
     .devices = 1ull << 63 | 0x4f,
     .tp = 1},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void test_ids(void **state)
{
    static const char *const want[SAMPLES] = {
        "gemm/bf16/4096x8x4096/weights-cold",
        "batch/llama-3.1-8b/gate_up/tp2/fp8/28672x64x4096/weights-cold",
        "memory/copy/268435456",
        NULL,
        "decode/llama-3.1-8b/tp1/w-bf16/h-bf16/kv-bf16/b4/ctx4096/8x32x8x128/"
        "4096x14336x128256",
        "transfer/peer/3-0/1024",
        "transfer/peer-both/0-3/1024",
        "transfer/h2d-all/0,2-3/1024",
        "fit/x/70000000000",
        "allreduce/fp32/graph/0-3,6,63/1024",
    };

    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        struct point p = samples[i];

        point_name(&p);
        if (want[i])
            assert_string_equal(p.id, want[i]);
    }
}

/* Two points differ in their id when they differ in work, also when names are cut. */
static void test_long_ids_differ(void **state)
{
    struct point a = samples[1], b;

    (void)state;
    memset(a.model, 'm', sizeof a.model - 1);
    memset(a.layer, 'l', sizeof a.layer - 1);
    a.m = 2147483647;
    a.n = 2147483647;
    a.k = 2147483647;
    a.type = TYPE_FP16ACC;
    b = a;
    b.cache = CACHE_HOT;
    point_name(&a);
    point_name(&b);
    assert_int_equal(strlen(a.id), POINT_ID_MAX - 1);
    assert_string_not_equal(a.id, b.id);
    a = samples[3];
    a.test = TEST_MEMORY;
    a.path[0] = '\0';
    a.kind = KIND_READ;
    a.bytes = 64;
    b = a;
    b.cache = CACHE_HOT;
    point_name(&a);
    point_name(&b);
    assert_string_equal(a.id, "memory/read/64");
    assert_string_equal(b.id, "memory/read-cache/64");
    assert_int_equal(b.kind, KIND_READ);
    a = b = samples[3];
    strcpy(b.path, "/other/f");
    point_name(&a);
    point_name(&b);
    assert_string_not_equal(a.id, b.id);
}

static void test_words(void **state)
{
    (void)state;
    for (int i = 0; i < TYPE_COUNT; i++)
        assert_int_equal(bench_type_parse(bench_type_word((enum bench_type)i)), i);
    for (int i = 0; i <= CACHE_HOT; i++)
        assert_int_equal(bench_cache_parse(bench_cache_word((enum bench_cache)i)), i);
    assert_string_equal(bench_type_word(TYPE_FP16ACC), "fp16-acc16");
    assert_int_equal(bench_type_parse("fp12"), -1);
    assert_string_equal(bench_test_word(TEST_COUNT), "?");
    assert_string_equal(bench_type_word((enum bench_type)99), "?");
}

static void test_arithmetic(void **state)
{
    struct point p = samples[0];
    const double layer = 4096.0 * (2 * 4096 + 2 * 1024 + 3 * 14336);
    const double head = 4096.0 * 128256;

    (void)state;
    assert_near(point_operations(&p), 2.0 * 4096 * 8 * 4096, 0);
    assert_near(point_bytes(&p), 2.0 * (4096.0 * 4096 + 4096 * 8) + 2.0 * 4096 * 8, 0);
    p.type = TYPE_INT8; /* 32-bit results */
    assert_near(point_bytes(&p), 4096.0 * 4096 + 4096 * 8 + 4.0 * 4096 * 8, 0);
    p.type = TYPE_NVFP4; /* one scale byte per 16 */
    assert_near(point_bytes(&p), 0.5625 * (4096.0 * 4096 + 4096 * 8) + 2.0 * 4096 * 8, 0);
    assert_near(point_bytes(&samples[2]), 2 * 268435456.0, 0);
    assert_near(point_bytes(&samples[3]), 1e9, 0);
    assert_near(point_operations(&samples[2]), 0, 0);
    p = samples[4];
    assert_near(point_bytes(&p), 2 * (8 * layer + head) + 2.0 * 8 * 4 * 4096 * 8 * 128 * 2, 1);
    assert_near(point_operations(&p), 2.0 * 4 * (8 * (layer + 2.0 * 4096 * 4096) + head), 1);
    assert_near(bench_type_bytes(TYPE_NVFP4), 0.5, 0);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        struct point p = samples[i], back;
        struct gp_err err = {.text = ""};
        json_t *json, *again;

        point_name(&p);
        json = point_to_json(&p);
        if (point_from_json(json, "t", &back, &err) != GP_OK)
            fail_msg("%s: %s: %s", p.id, err.where, err.text);
        again = point_to_json(&back);
        assert_true(json_equal(json, again));
        assert_string_equal(back.id, p.id);
        assert_int_equal(back.test, p.test);
        assert_int_equal(back.vocab, p.vocab);
        assert_near(back.bytes, p.bytes, 0);
        json_decref(json);
        json_decref(again);
    }
}

#define SUM "{\"test\":\"allreduce\",\"kind\":\"plain\",\"bytes\":1"
static const struct {
    const char *text, *field;
} refused[] = {
    {"{}", "point.test"},
    {"{\"test\":\"gem\"}", "point.test"},
    {"{\"test\":7}", "point.test"},
    {"{\"test\":\"gemm\",\"type\":\"fp7\",\"m\":1,\"n\":1,\"k\":1}", "point.type"},
    {"{\"test\":\"gemm\",\"cache\":\"warm\",\"m\":1,\"n\":1,\"k\":1}", "point.cache"},
    {"{\"test\":\"gemm\",\"m\":0,\"n\":1,\"k\":1}", "point.m"},
    {"{\"test\":\"gemm\",\"m\":1,\"n\":1}", "point.k"},
    {"{\"test\":\"gemm\",\"m\":2147483649,\"n\":1,\"k\":1}", "point.m"},
    {"{\"test\":\"gemm\",\"m\":-1,\"n\":1,\"k\":1}", "point.m"},
    {"{\"test\":\"gemm\",\"m\":1.5,\"n\":1,\"k\":1}", "point.m"},
    {"{\"test\":\"gemm\",\"m\":\"1\",\"n\":1,\"k\":1}", "point.m"},
    {"{\"test\":\"gemm\",\"id\":\"gemm/fp32/1x1x2/cold\",\"m\":1,\"n\":1,\"k\":1}", "point.id"},
    {"{\"test\":\"memory\",\"kind\":\"read\"}", "point.bytes"},
    {"{\"test\":\"memory\",\"kind\":\"read\",\"bytes\":1e16}", "point.bytes"},
    {"{\"test\":\"memory\",\"kind\":\"h2d-pinned\",\"bytes\":1}", "point.kind"},
    {"{\"test\":\"memory\",\"kind\":\"re\\u0007d\",\"bytes\":1}", "point.kind"},
    {"{\"test\":\"memory\",\"kind\":\"readreadreadreadreadreadread\",\"bytes\":1}", "point.kind"},
    {"{\"test\":\"decode\",\"n\":1,\"layers\":2}", "point.decode"},
    {"{\"test\":\"fit\"}", "point.bytes"},
    {"{\"test\":\"gemm\",\"tp\":70000,\"m\":1,\"n\":1,\"k\":1}", "point.tp"},
    {SUM "}", "point.devices"},
    {SUM ",\"devices\":3}", "point.devices"},
    {SUM ",\"devices\":[2]}", "point.devices"},
    {SUM ",\"devices\":[0,64]}", "point.devices"},
    {SUM ",\"devices\":[0,-1]}", "point.devices"},
    {SUM ",\"devices\":[0,1.0]}", "point.devices"},
    {SUM ",\"devices\":[4,4,5]}", "point.devices"},
    {SUM ",\"devices\":[4294967296,1]}", "point.devices"},
};

static void test_refused(void **state)
{
    struct point out;
    struct gp_err err;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        json_t *json = json_loads(refused[i].text, 0, NULL);

        assert_non_null(json);
        if (point_from_json(json, "plan:3", &out, &err) != GP_E_FILE)
            fail_msg("%s was taken", refused[i].text);
        if (!strstr(err.where, refused[i].field) || !strstr(err.where, "plan:3"))
            fail_msg("%s: %s: %s", refused[i].text, err.where, err.text);
        json_decref(json);
    }
    assert_int_equal(point_from_json(NULL, "plan:3", &out, &err), GP_E_FILE);
}

/* More devices than there are indices: refused by the length alone. */
static void test_many_devices(void **state)
{
    json_t *json = json_loads(SUM "}", 0, NULL), *list = json_array();
    struct point p;

    (void)state;
    for (int i = 0; i < POINT_DEVICES; i++)
        json_array_append_new(list, json_integer(POINT_DEVICES - 1 - i));
    json_object_set_new(json, "devices", list);
    assert_int_equal(point_from_json(json, "t", &p, NULL), GP_OK);
    assert_true(p.devices == UINT64_MAX);
    assert_string_equal(p.id, "allreduce/fp32/plain/0-63/1");
    json_array_append_new(list, json_integer(POINT_DEVICES));
    assert_int_equal(point_from_json(json, "t", &p, NULL), GP_E_FILE);
    json_decref(json);
}

/* The largest that is allowed overflows nothing. */
static void test_bounds(void **state)
{
    json_t *json = json_loads("{\"test\":\"gemm\",\"m\":2147483648,\"n\":2147483648,"
                              "\"k\":2147483648,\"later\":1}",
                              0, NULL);
    struct point p;

    (void)state;
    assert_int_equal(point_from_json(json, "t", &p, NULL), GP_OK);
    assert_near(point_operations(&p), 2 * 0x1p93, 0);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),        cmocka_unit_test(test_long_ids_differ),
        cmocka_unit_test(test_words),      cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_many_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
