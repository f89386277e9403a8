/* test_points.c - which points a question becomes. */
#include "measure/points.h"

#include "sample.h"

static struct points_options ask_for(unsigned tests, enum preset preset)
{
    struct points_options options = {.tests = tests,
                                     .preset = preset,
                                     .cache = -1,
                                     .devices = 1,
                                     .memory = 80 * GP_GIB,
                                     .cache_bytes = 50 * GP_MIB};

    options.settings = method_preset(preset);
    return options;
}

static void plan(const struct points_options *options, struct points *points)
{
    struct gp_err err;

    if (points_plan(options, points, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
}

static struct request request_of(const struct model *model, const struct gpu *gpu,
                                 const struct engine *engine)
{
    struct request r = {.model = model,
                        .gpu = gpu,
                        .engine = engine,
                        .context = 8192,
                        .prompt = 1024,
                        .output = 256,
                        .users = 16};

    r.precision = sample_precision(&sample_bf16);
    r.kv = &sample_bf16;
    return r;
}

/* Ids are unique and fit, estimates are there, and an engine understands every one. */
static void check_all(const struct points *points)
{
    struct point back;
    struct gp_err err;
    double seconds = 0;

    for (int i = 0; i < points->count; i++) {
        json_t *json = point_to_json(&points->point[i]);

        if (point_from_json(json, "x", &back, &err) != GP_OK)
            fail_msg("%s: %s %s", points->point[i].id, err.where, err.text);
        json_decref(json);
        assert_string_equal(back.id, points->point[i].id);
        assert_true(points->seconds[i] > 0 && points->bytes[i] > 0);
        seconds += points->seconds[i];
        for (int j = 0; j < i; j++)
            assert_string_not_equal(points->point[i].id, points->point[j].id);
    }
    assert_near(seconds, points->total_seconds, 1e-6);
}

static void test_gemm(void **state)
{
    static const struct point_shape shapes[] = {{4096, 8, 4096}, {128256, 1, 8192}};
    struct points_options options = ask_for(1u << TEST_GEMM, PRESET_NORMAL);
    struct points points;

    (void)state;
    plan(&options, &points);
    assert_int_equal(points.count, 6 * TYPE_COUNT);
    check_all(&points);
    points_fini(&points);
    options.types = 1u << TYPE_BF16;
    options.shapes = shapes;
    options.shape_count = 2;
    plan(&options, &points);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.point[1].m, 128256);
    assert_int_equal(points.point[1].cache, CACHE_COLD);
    points_fini(&points);
}

/* A slow device leaves the largest out and says so; a shape given by hand stays. */
static void test_too_long(void **state)
{
    static const struct point_shape shape = {8192, 8192, 8192};
    struct points_options options = ask_for(1u << TEST_GEMM, PRESET_QUICK);
    struct points points;

    (void)state;
    options.cpu = true;
    options.memory = 4 * GP_GIB;
    options.types = 1u << TYPE_FP32;
    plan(&options, &points);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.note_count, 1);
    assert_non_null(strstr(points.note[0], "gemm: 1 points left out"));
    points_fini(&points);
    options.rate[TYPE_FP32] = 1e14;
    options.bandwidth = 1e12;
    options.cpu = false;
    plan(&options, &points);
    assert_int_equal(points.count, 3);
    points_fini(&points);
    options.cpu = true;
    options.rate[TYPE_FP32] = 0;
    options.shapes = &shape;
    options.shape_count = 1;
    plan(&options, &points);
    assert_int_equal(points.count, 1);
    points_fini(&points);
}

static const struct products_layer *layer(const struct products_layer *layers, int count,
                                          const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(layers[i].name, name) == 0)
            return &layers[i];
    fail_msg("there is no layer %s", name);
    return NULL;
}

static void shape_is(const struct products_layer *layers, int count, const char *name, int64_t m,
                     int64_t k)
{
    const struct products_layer *l = layer(layers, count, name);

    if (l->m != m || l->k != k)
        fail_msg("%s is %lld x %lld", name, (long long)l->m, (long long)l->k);
}

static void test_layers_of_llama(void **state)
{
    struct model m = sample_llama_8b();
    struct layout one = sample_layout(1, 1, 1, 1), wide = sample_layout(16, 1, 1, 1);
    struct products_layer layers[32];
    int n = products_layers(&m, &one, layers, 32);

    (void)state;
    assert_int_equal(n, 5);
    shape_is(layers, n, "qkv", 6144, 4096);
    shape_is(layers, n, "o", 4096, 4096);
    shape_is(layers, n, "gate_up", 28672, 4096);
    shape_is(layers, n, "down", 4096, 14336);
    shape_is(layers, n, "lm_head", 128256, 4096);
    n = products_layers(&m, &wide, layers, 32); /* KV heads are replicated */
    shape_is(layers, n, "qkv", 2 * 128 + 2 * 128, 4096);
    shape_is(layers, n, "o", 4096, 256);
    shape_is(layers, n, "gate_up", 1792, 4096);
    shape_is(layers, n, "down", 4096, 896);
    shape_is(layers, n, "lm_head", 8016, 4096);
}

static void test_layers_of_deepseek(void **state)
{
    struct model m = sample_deepseek_v3();
    struct layout l = sample_layout(8, 1, 1, 1), spread = sample_layout(8, 1, 32, 4);
    struct products_layer layers[32];
    int n = products_layers(&m, &l, layers, 32);

    (void)state;
    shape_is(layers, n, "q_a", 1536, 7168); /* latents are whole on every GPU */
    shape_is(layers, n, "kv_a", 576, 7168);
    shape_is(layers, n, "q_b", 3072, 1536);
    shape_is(layers, n, "kv_b", 4096, 512);
    shape_is(layers, n, "o", 7168, 2048);
    shape_is(layers, n, "router", 256, 7168);
    shape_is(layers, n, "expert_gate_up", 512, 7168);
    shape_is(layers, n, "expert_down", 7168, 256);
    shape_is(layers, n, "shared_gate_up", 512, 7168);
    n = products_layers(&m, &spread, layers, 32); /* whole experts */
    shape_is(layers, n, "expert_gate_up", 4096, 7168);
}

static void test_batch(void **state)
{
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();
    struct request request = request_of(&m, &gpu, NULL);
    struct points_options options = ask_for(1u << TEST_BATCH, PRESET_NORMAL);
    struct points points;
    int heads = 0;

    (void)state;
    options.request = &request;
    plan(&options, &points);
    check_all(&points);
    for (int i = 0; i < points.count; i++) {
        assert_int_equal(points.point[i].type, TYPE_BF16);
        assert_int_equal(points.point[i].cache, CACHE_WEIGHTS_COLD);
        heads += strcmp(points.point[i].layer, "lm_head") == 0;
    }
    assert_int_equal(heads, 11);                 /* 1 .. 1024 */
    assert_int_equal(points.count, 4 * 14 + 11); /* 1 .. 8192 */
    points_fini(&points);
    request.precision = sample_precision(&sample_fp8);
    options.preset = PRESET_QUICK;
    options.settings = method_preset(PRESET_QUICK);
    options.tp = 4;
    plan(&options, &points);
    assert_int_equal(points.count, 4 * 5 + 4);
    assert_int_equal(points.point[0].type, TYPE_FP8);
    assert_int_equal(points.point[0].tp, 4);
    points_fini(&points);
}

/* Of 256 experts of which a token has 8: those that the tokens reach, and what each gets. Spread
 * over 32 GPUs a GPU has 8 of them; several numbers of tokens are one product there. */
static void test_experts(void **state)
{
    static const struct {
        int64_t tokens, each;
        int experts;
    } on_one[] = {{1, 1, 8}, {8, 1, 53}, {64, 3, 172}, {512, 17, 241}, {4096, 129, 254}};
    struct model m = sample_deepseek_v3();
    struct gpu gpu = sample_h100();
    struct request request = request_of(&m, &gpu, NULL);
    struct layout one = sample_layout(8, 1, 1, 1), spread = sample_layout(8, 1, 32, 4);
    struct points_options options = ask_for(1u << TEST_BATCH, PRESET_QUICK);
    struct points points;
    size_t seen = 0;

    (void)state;
    options.request = &request;
    options.layout = &one;
    options.types = 1u << TYPE_BF16;
    plan(&options, &points);
    check_all(&points);
    for (int i = 0; i < points.count; i++) {
        const struct point *p = &points.point[i];

        assert_int_equal(p->groups > 0, strncmp(p->layer, "expert_", 7) == 0);
        if (strcmp(p->layer, "expert_down") != 0)
            continue;
        assert_int_equal(p->tokens, on_one[seen].tokens);
        assert_int_equal(p->groups, on_one[seen].experts);
        assert_int_equal(p->n, on_one[seen].each);
        assert_near(point_operations(p), 2.0 * p->groups * p->n * 7168 * 256, 0);
        assert_near(point_bytes(p), 2.0 * p->groups * (7168 * 256 + p->n * (7168 + 256)), 0);
        seen++;
    }
    assert_int_equal(seen, 5);
    points_fini(&points);
    options.layout = &spread;
    plan(&options, &points);
    check_all(&points);
    for (int i = 0; i < points.count; i++)
        assert_true(points.point[i].groups <= 8);
    points_fini(&points);
}

/* 0.25 of 80 GiB, 4 x 50 MiB: 200, 800, 3200 and 4096 MiB, three kinds each, the
 * largest by two means more; and the cache itself, of 50 MiB with 16. */
static void test_memory(void **state)
{
    struct points_options options = ask_for(1u << TEST_MEMORY, PRESET_NORMAL);
    struct points points;

    (void)state;
    plan(&options, &points);
    assert_int_equal(points.count, 15);
    assert_string_equal(points.point[12].id, "memory/copy-engine/4294967296");
    assert_string_equal(points.point[13].id, "memory/read-product/4294967296");
    assert_string_equal(points.point[14].id, "memory/read-cache/16777216");
    assert_int_equal(points.point[14].cache, CACHE_HOT);
    assert_near(points.point[0].bytes, 200 * GP_MIB, 0);
    assert_near(points.point[11].bytes, 4 * GP_GIB, 0);
    assert_near(points.most_bytes, 8 * GP_GIB, 0); /* a copy holds both */
    check_all(&points);
    points_fini(&points);
    options.memory = 1 * GP_GIB; /* 128 MiB are less than four times the cache */
    plan(&options, &points);
    assert_int_equal(points.count, 6);
    assert_near(points.point[0].bytes, 128 * GP_MIB, 0);
    assert_int_equal(points.note_count, 1);
    points_fini(&points);
    options.preset = PRESET_QUICK;
    options.cache_bytes = 5.4 * GP_MIB; /* half are 2.7, 43.2 of 64 KiB */
    plan(&options, &points);
    assert_int_equal(points.count, 6);
    assert_near(points.point[5].bytes, 43 * 64 * GP_KIB, 0);
    check_all(&points);
    points_fini(&points);
    options.cache_bytes = 0; /* nobody knows it */
    plan(&options, &points);
    assert_int_equal(points.count, 5);
    points_fini(&points);
    options.cache_bytes = 32 * GP_MIB;
    options.cpu = true;
    plan(&options, &points);
    assert_int_equal(points.count, 3);
    points_fini(&points);
}

static void test_transfer_and_allreduce(void **state)
{
    struct points_options options = ask_for(1u << TEST_TRANSFER, PRESET_NORMAL);
    struct points points;
    struct gp_err err;

    (void)state;
    options.storage = "/data/model.safetensors";
    options.storage_bytes = 5 * GP_MIB;
    plan(&options, &points);
    assert_int_equal(points.count, 9 * 3 + 5 * 2 + 2 + 1);
    assert_near(points.point[points.count - 2].bytes, 4, 0);
    assert_int_equal(points.point[points.count - 1].kind, KIND_STORAGE);
    assert_string_equal(points.point[points.count - 1].path, "/data/model.safetensors");
    assert_near(points.point[points.count - 1].bytes, 5 * GP_MIB, 0);
    check_all(&points);
    points_fini(&points);
    options.devices = 3;
    options.device[0] = 0;
    options.device[1] = 2; /* 1 is not among those chosen */
    options.device[2] = 5;
    plan(&options, &points);
    assert_int_equal(points.count, 9 * 3 + 5 * 2 + 2 + 1 + 2 + 6 + 3);
    assert_string_equal(points.point[points.count - 1].id, "transfer/peer/5-2/67108864");
    assert_string_equal(points.point[points.count - 3].id, "transfer/peer-both/2-5/67108864");
    assert_string_equal(points.point[points.count - 10].id, "transfer/d2h-all/0,2,5/67108864");
    assert_near(point_bytes(&points.point[points.count - 10]), 3 * 67108864.0, 0);
    check_all(&points);
    points_fini(&points);
    options.preset = PRESET_QUICK;
    plan(&options, &points);
    for (int i = 0; i < points.count; i++)
        assert_int_not_equal(points.point[i].kind, KIND_PEER_BOTH);
    points_fini(&points);
    options.preset = PRESET_NORMAL;
    options.cpu = true;
    plan(&options, &points);
    for (int i = 0; i < points.count; i++)
        assert_int_not_equal(points.point[i].kind, KIND_PEER);
    points_fini(&points);
    options.cpu = false;
    options.devices = 1;
    options.tests = 1u << TEST_ALLREDUCE;
    assert_int_equal(points_plan(&options, &points, &err), GP_E_USAGE);
    assert_non_null(strstr(err.text, "several devices"));
    points_fini(&points);
    options.devices = 2;
    plan(&options, &points);
    assert_string_equal(points.point[0].id, "allreduce/fp32/plain/0,2/1024");
    assert_int_equal(points.count, 19 * 2 * 2); /* 2^10 .. 2^28, bf16 and fp32 */
    assert_near(points.point[4].bytes, 2048, 0);
    check_all(&points);
    points_fini(&points);
}

/* The messages of the model, once each: 64 KiB and 4 MiB are round sizes, too. */
static void test_allreduce_of_a_model(void **state)
{
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();
    struct request request = request_of(&m, &gpu, NULL);
    struct points_options options = ask_for(1u << TEST_ALLREDUCE, PRESET_QUICK);
    struct points points;

    (void)state;
    options.request = &request;
    options.devices = 8;
    for (int i = 0; i < 8; i++)
        options.device[i] = i;
    plan(&options, &points);
    check_all(&points);
    assert_int_equal(points.count, 4 + 4 - 2);
    assert_near(points.point[0].bytes, 8192, 0);
    assert_near(points.point[1].bytes, 65536, 0);
    assert_near(points.point[3].bytes, 512 * 8192, 0);
    assert_int_equal(points.point[3].n, 512);
    assert_string_equal(points.point[1].model, m.id);
    assert_near(points.point[4].bytes, 1024, 0);
    assert_string_equal(points.point[4].model, "");
    points_fini(&points);
    options.types = 1u << TYPE_FP32; /* whose messages are not of 2 bytes an element */
    plan(&options, &points);
    assert_int_equal(points.count, 4);
    points_fini(&points);
}

static void test_decode_and_fit(void **state)
{
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();
    struct engine engine = sample_vllm();
    struct request request = request_of(&m, &gpu, &engine);
    struct points_options options = ask_for(1u << TEST_DECODE | 1u << TEST_FIT, PRESET_NORMAL);
    struct points points;
    const struct point *p;

    (void)state;
    options.request = &request;
    options.tp = 2;
    options.memory = 8 * GP_GIB; /* what decode may take of it, not the quarter of products */
    plan(&options, &points);
    assert_near(points.bytes[0], 0.85 * 8 * GP_GIB, 1);
    points_fini(&points);
    options.cpu = true;
    plan(&options, &points);
    assert_near(points.bytes[0], 0.6 * 8 * GP_GIB, 1);
    points_fini(&points);
    options.settings.max_memory = GP_GIB;
    plan(&options, &points);
    assert_near(points.bytes[0], GP_GIB, 1);
    points_fini(&points);
    options.settings.max_memory = options.memory = 0;
    options.cpu = false;
    plan(&options, &points);
    check_all(&points);
    assert_int_equal(points.count, 2);
    p = &points.point[0];
    assert_int_equal(p->layers, 32);
    assert_int_equal(p->heads, 16); /* of one GPU */
    assert_int_equal(p->kv_heads, 4);
    assert_int_equal(p->ff, 7168);
    assert_int_equal(p->vocab, 64128);
    assert_int_equal(p->n, 16);
    assert_near(p->context, 8192, 0);
    assert_string_equal(p->weights, "bf16");
    assert_string_equal(p->head, "bf16");
    assert_string_equal(p->kv, "bf16");
    p = &points.point[1]; /* weights 7.5 GiB + KV 16 x 0.08 + 0.5 GiB + activation and graphs */
    assert_true(p->bytes > 10.5 * GP_GIB && p->bytes < 14 * GP_GIB);
    points_fini(&points);
}

/* What is planned is in the point, also where no engine has a product for it: INT4 weights
 * are not measured as BF16 ones. A type given by hand is that of all weights. */
static void test_decode_as_planned(void **state)
{
    static const struct {
        const struct format *weights, *kv;
        unsigned types;
        enum bench_type type;
        const char *id;
    } cases[] = {
        {&sample_bf16, &sample_bf16, 0, TYPE_BF16, "/w-bf16/h-bf16/kv-bf16/"},
        {&sample_fp8, &sample_bf16, 0, TYPE_FP8, "/w-fp8/h-bf16/kv-bf16/"},
        {&sample_fp8, &sample_fp8, 0, TYPE_FP8, "/w-fp8/h-bf16/kv-fp8/"},
        {&sample_int4, &sample_fp8, 0, TYPE_BF16, "/w-int4/h-bf16/kv-fp8/"},
        {&sample_mxfp4, &sample_bf16, 0, TYPE_NVFP4, "/w-mxfp4/h-bf16/kv-bf16/"},
        {&sample_int4, &sample_bf16, 1u << TYPE_FP16, TYPE_FP16, "/w-fp16/h-fp16/kv-bf16/"},
    };
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int cpu = 0; cpu < 2; cpu++) {
            struct request request = request_of(&m, &gpu, NULL);
            struct points_options options = ask_for(1u << TEST_DECODE, PRESET_NORMAL);
            struct decode_types types;
            struct points points;
            char why[160];

            request.precision = sample_precision(cases[i].weights);
            request.kv = cases[i].kv;
            options.request = &request;
            options.types = cases[i].types;
            options.cpu = cpu;
            plan(&options, &points);
            check_all(&points);
            assert_int_equal(points.count, 1);
            assert_int_equal(points.point[0].type, cases[i].type);
            assert_non_null(strstr(points.point[0].id, cases[i].id));
            /* INT4 and MXFP4: no library multiplies them as they are */
            assert_int_equal(point_decode_types(&points.point[0], &types, why, sizeof why),
                             i != 3 && i != 4);
            points_fini(&points);
        }
}

static void test_mla_decode_is_named(void **state)
{
    struct model m = sample_deepseek_v3();
    struct gpu gpu = sample_h100();
    struct request request = request_of(&m, &gpu, NULL);
    struct points_options options = ask_for(1u << TEST_DECODE, PRESET_NORMAL);
    struct points points;

    (void)state;
    options.request = &request;
    options.tp = 8;
    plan(&options, &points);
    check_all(&points);
    assert_int_equal(points.point[0].kv_heads, 2); /* 2*2*128 = 512 for 576 */
    assert_int_equal(points.note_count, 2);
    assert_non_null(strstr(points.note[0], "MLA latent of 576"));
    points_fini(&points);
}

static void test_no_model(void **state)
{
    struct points_options options = ask_for((1u << TEST_COUNT) - 1, PRESET_QUICK);
    struct points points;
    int products = 0;

    (void)state;
    plan(&options, &points);
    for (int i = 0; i < points.count; i++)
        products += points.point[i].test == TEST_BATCH;
    assert_int_equal(products, 0);
    assert_int_equal(points.note_count, 4); /* batch, decode, fit, allreduce */
    points_fini(&points);
}

/* On two cores, everything quickly: well below two minutes by its own estimate. */
static void test_quick_on_a_cpu(void **state)
{
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();
    struct engine engine = sample_vllm();
    struct request request = request_of(&m, &gpu, &engine);
    struct points_options options = ask_for((1u << TEST_COUNT) - 1, PRESET_QUICK);
    struct points points;

    (void)state;
    options.request = &request;
    options.cpu = true;
    options.memory = 8 * GP_GIB;
    options.cache_bytes = 32 * GP_MIB;
    plan(&options, &points);
    check_all(&points);
    if (points.total_seconds > 90)
        fail_msg("%d points would take %g s", points.count, points.total_seconds);
    points_fini(&points);
}

static int of_test(const struct points *points, enum bench_test test)
{
    int count = 0;

    for (int i = 0; i < points->count; i++)
        count += points->point[i].test == test;
    return count;
}

/* A first look: on two cores in a minute by its own estimate, on a GPU likewise. */
static void test_quick_subset(void **state)
{
    struct model m = sample_llama_8b();
    struct gpu gpu = sample_h100();
    struct request request = request_of(&m, &gpu, NULL);
    unsigned tests = 1u << TEST_GEMM | 1u << TEST_BATCH | 1u << TEST_MEMORY | 1u << TEST_TRANSFER;
    struct points_options options = ask_for(tests, PRESET_QUICK);
    struct points points;

    (void)state;
    options.request = &request;
    options.subset = true;
    options.memory = 8 * GP_GIB;
    for (int cpu = 0; cpu < 2; cpu++) {
        options.cpu = cpu;
        plan(&options, &points);
        check_all(&points);
        assert_int_equal(of_test(&points, TEST_GEMM), cpu ? 4 : TYPE_COUNT - 2);
        assert_int_equal(of_test(&points, TEST_BATCH), cpu ? 3 : 5);
        assert_int_equal(of_test(&points, TEST_MEMORY), cpu ? 3 : 4);
        assert_int_equal(of_test(&points, TEST_TRANSFER), cpu ? 0 : 2);
        assert_int_equal(points.note_count, 0);
        if (points_time(&options, &points) > 60)
            fail_msg("%d points would take %g s", points.count, points_time(&options, &points));
        points_fini(&points);
    }
    options.storage = "/data/model.safetensors"; /* asked for by name */
    options.storage_bytes = GP_MIB;
    plan(&options, &points);
    assert_int_equal(of_test(&points, TEST_TRANSFER), 1);
    points_fini(&points);
}

static double product_seconds(struct points_options *options, enum bench_type type, int64_t n,
                              int64_t k)
{
    struct point point = {.test = TEST_GEMM, .type = type, .m = 4096, .n = n, .k = k};

    return points_seconds(options, &point);
}

/* The host's check and every variant are part of what a product takes. */
static void test_check_and_variants(void **state)
{
    struct points_options options = ask_for(1u << TEST_GEMM, PRESET_QUICK);
    double sample, most = 3 * (options.settings.warmup + options.settings.max_time);

    (void)state;
    assert_true(product_seconds(&options, TYPE_BF16, 16, 4096) > most);
    assert_true(product_seconds(&options, TYPE_FP8, 8, 4096) > 4 * most / 3);
    assert_true(product_seconds(&options, TYPE_FP8, 16, 4096) < 4 * most / 3);
    for (int cpu = 0; cpu < 2; cpu++)
        for (int64_t k = 64; k <= 65536; k *= 4) {
            options.cpu = cpu;
            options.settings.check = CHECK_SAMPLE;
            sample = product_seconds(&options, TYPE_FP16, 64, k);
            options.settings.check = CHECK_FULL;
            assert_true(product_seconds(&options, TYPE_FP16, 64, k) > sample);
            options.settings.check = CHECK_NONE;
            assert_near(product_seconds(&options, TYPE_FP16, 64, k), sample, 1e-12);
        }
}

/* Of what the engine says, nothing impossible is planned; a type by name is. */
static void test_products(void **state)
{
    struct points_options options = ask_for(1u << TEST_GEMM | 1u << TEST_TRANSFER, PRESET_NORMAL);
    struct points points;

    (void)state;
    options.cpu = true;
    options.products = 1u << TYPE_FP32 | 1u << TYPE_INT8;
    plan(&options, &points);
    for (int i = 0; i < points.count; i++)
        if (points.point[i].test == TEST_GEMM)
            assert_true(options.products >> points.point[i].type & 1);
        else
            assert_int_equal(points.point[i].kind, KIND_STORAGE);
    assert_int_equal(of_test(&points, TEST_TRANSFER), 1);
    points_fini(&points);
    options.types = 1u << TYPE_FP16;
    plan(&options, &points);
    assert_int_equal(points.point[0].type, TYPE_FP16);
    points_fini(&points);
}

static void test_order_and_hash(void **state)
{
    struct points_options options = ask_for(1u << TEST_GEMM | 1u << TEST_MEMORY, PRESET_NORMAL);
    struct points a, b;
    bool mixed = false;
    char ha[17], hb[17];
    int *order, *again, seen[512] = {0};

    (void)state;
    plan(&options, &a);
    plan(&options, &b);
    points_hash(&a, ha);
    points_hash(&b, hb);
    assert_string_equal(ha, hb);
    b.point[3].id[0] = 'x';
    points_hash(&b, hb);
    assert_string_not_equal(ha, hb);
    order = points_order(0x5eed, &a);
    again = points_order(0x5eed, &a);
    assert_true(a.count <= 512);
    assert_near(points_time(&options, &a), 2 * a.total_seconds + 3 + 2, 1e-9);
    for (int i = 0; i < a.count; i++) {
        seen[order[i]]++;
        assert_int_equal(order[i], order[2 * a.count - 1 - i]); /* then in reverse */
    }
    for (int i = 0; i < a.count; i++)
        assert_int_equal(seen[i], 1);
    for (int i = 1; i < a.count; i++) { /* test by test, mixed within */
        assert_true(a.point[order[i - 1]].test <= a.point[order[i]].test);
        mixed = mixed || order[i] < order[i - 1];
    }
    assert_int_equal(a.point[order[a.count - 1]].test, TEST_MEMORY);
    assert_true(mixed);
    assert_memory_equal(order, again, 2 * (size_t)a.count * sizeof *order);
    free(order);
    free(again);
    points_fini(&a);
    points_fini(&b);
}

static void test_parse(void **state)
{
    struct point_shape shapes[3];
    unsigned bits;
    struct gp_err err;
    int n;

    (void)state;
    assert_int_equal(
        points_parse_words("gemm,memory", "--bench", bench_test_words, TEST_COUNT, &bits, &err),
        GP_OK);
    assert_int_equal(bits, 1u << TEST_GEMM | 1u << TEST_MEMORY);
    assert_int_equal(
        points_parse_words("all", "--bench", bench_test_words, TEST_COUNT, &bits, &err), GP_OK);
    assert_int_equal(bits, (1u << TEST_COUNT) - 1);
    assert_int_equal(
        points_parse_words("gem", "--bench", bench_test_words, TEST_COUNT, &bits, &err),
        GP_E_USAGE);
    assert_string_equal(err.text, "unknown word \"gem\"");
    assert_non_null(strstr(err.hint, "gemm, batch"));
    assert_int_equal(points_parse_words("", "--bench", bench_test_words, TEST_COUNT, &bits, &err),
                     GP_E_USAGE);
    assert_int_equal(
        points_parse_words("gemm,", "--bench", bench_test_words, TEST_COUNT, &bits, &err),
        GP_E_USAGE);
    assert_int_equal(
        points_parse_words("BF16,fp8", "--dtype", bench_type_words, TYPE_COUNT, &bits, &err),
        GP_OK);
    assert_int_equal(bits, 1u << TYPE_BF16 | 1u << TYPE_FP8);
    assert_int_equal(points_parse_shapes("4096:8:4096,1x2x3", "--shapes", shapes, 3, &n, &err),
                     GP_OK);
    assert_int_equal(n, 2);
    assert_int_equal(shapes[0].n, 8);
    assert_int_equal(shapes[1].k, 3);
    static const char *const bad[] = {"",
                                      "1x2",
                                      "1x2x3x4",
                                      "0x1x1",
                                      "1x1x",
                                      "1x-1x1",
                                      "1x1x99999999999",
                                      "1x1x1,",
                                      "a",
                                      "1,1,1",
                                      "1x1x1,1x1x1,1x1x1,1x1x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(points_parse_shapes(bad[i], "--shapes", shapes, 3, &n, &err), GP_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_layers_of_llama),
        cmocka_unit_test(test_layers_of_deepseek),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_transfer_and_allreduce),
        cmocka_unit_test(test_allreduce_of_a_model),
        cmocka_unit_test(test_decode_and_fit),
        cmocka_unit_test(test_decode_as_planned),
        cmocka_unit_test(test_mla_decode_is_named),
        cmocka_unit_test(test_no_model),
        cmocka_unit_test(test_quick_on_a_cpu),
        cmocka_unit_test(test_quick_subset),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_check_and_variants),
        cmocka_unit_test(test_order_and_hash),
        cmocka_unit_test(test_parse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
