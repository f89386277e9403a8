/*
 * test_gguf.c - GGUF files: those of the ecosystem's writer, and every way one can be
 * wrong, built here byte by byte.
 */
#include "model/read/gguf.h"

#include "base/mem.h"
#include "hostile.h"

struct bytes {
    const uint8_t *data;
    size_t len;
};

static bool read_bytes(void *ctx, uint64_t offset, void *dst, size_t len)
{
    const struct bytes *bytes = ctx;

    if (offset > bytes->len || len > bytes->len - offset)
        return false;
    memcpy(dst, bytes->data + offset, len);
    return true;
}

static enum gp_status parse(const void *data, size_t len, struct model *model, int *no, int *count,
                            struct gp_err *err)
{
    struct bytes bytes = {data, len};
    struct gguf_input input = {.read = read_bytes, .ctx = &bytes, .size = len};

    memset(err, 0, sizeof *err);
    return gguf_parse("t.gguf", &input, model, no, count, NULL, NULL, err);
}

static struct model fixture(const char *name)
{
    struct model model;
    struct gp_err err;
    size_t len;
    char *data = fixture_text(name, &len);
    int no, count;

    if (parse(data, len, &model, &no, &count, &err) != GP_OK)
        fail_msg("%s: %s: %s", name, err.where, err.text);
    assert_near(model.bytes.file_bytes, (double)len, 0);
    free(data);
    return model;
}

static double role_bytes(const struct model *m, enum tensor_role role)
{
    double sum = 0;

    for (int k = 0; k <= m->kind_count; k++)
        sum += m->bytes.by_role[k][role];
    return sum;
}

/* ---- what the writer of the ecosystem makes -------------------------------------- */

static void test_llama(void **state)
{
    struct model m = fixture("gguf/llama-q8_0.gguf");

    (void)state;
    assert_int_equal(m.layer_count, 1);
    assert_int_equal(m.vocab, 32);
    assert_false(m.tied);
    assert_int_equal(m.max_context, 256);
    assert_int_equal(m.kind[0].kv_heads, 2);
    assert_int_equal(m.kind[0].head_dim, 8);
    assert_int_equal(m.kind[0].norms, 2);
    /* 32*34/32 bytes per row of 32 */
    assert_near(role_bytes(&m, ROLE_EMBED), 32 * 34, 0);
    assert_near(role_bytes(&m, ROLE_MLP), 3 * 64 * 32 * 34 / 32, 0);
    assert_near(role_bytes(&m, ROLE_ATTN_KV), 2 * 16 * 34, 0);
    assert_near(role_bytes(&m, ROLE_NORM), 3 * 32 * 4, 0);
    assert_near(role_bytes(&m, ROLE_OTHER), 4 * 4, 0); /* rope_freqs */
    /* embed, head, norm, layer, rope_freqs */
    assert_near(model_params(&m), 2 * 32 * 32 + 32 + 3 * 32 * 32 + 3 * 64 * 32 + 64 + 4, 0);
    assert_string_equal(m.native[ROLE_MLP], "ggml-q8_0");
    assert_string_equal(m.native[ROLE_NORM], "ggml-f32");
    assert_string_equal(m.native_name, "GGUF Q8_0");
}

static void test_architectures(void **state)
{
    struct model m = fixture("gguf/qwen3moe.gguf");
    const struct layer_kind *k = &m.kind[0];

    (void)state;
    assert_int_equal(k->experts, 3);
    assert_int_equal(k->experts_active, 2);
    assert_int_equal(k->expert_ff, 32);
    assert_int_equal(k->qk_norm, QK_NORM_HEAD);
    assert_int_equal(k->ff, 0);
    assert_near(role_bytes(&m, ROLE_EXPERT), 3 * 3 * 32 * 18, 0);
    assert_near(role_bytes(&m, ROLE_ROUTER), 3 * 32 * 4, 0);

    m = fixture("gguf/gemma3.gguf");
    assert_true(m.tied);
    assert_int_equal(m.kind[m.layer[0]].mixer, MIXER_SLIDING);
    assert_int_equal(m.kind[m.layer[0]].window, 512);
    assert_int_equal(m.kind[m.layer[1]].mixer, MIXER_FULL);
    assert_int_equal(m.kind[0].norms, 4);
    assert_int_equal(m.kind[0].head_dim, 16);

    m = fixture("gguf/deepseek2.gguf");
    k = &m.kind[0];
    assert_int_equal(k->mixer, MIXER_MLA);
    assert_int_equal(k->heads, 2);
    assert_int_equal(k->kv_lora, 32);
    assert_int_equal(k->rope_dim, 8);
    assert_int_equal(k->nope_dim, 16);
    assert_int_equal(k->v_head_dim, 16);
    assert_int_equal(k->q_lora, 32);
    assert_int_equal(k->shared_ff, 32);
    assert_true(k->router_bias);
    assert_int_equal(m.extra_count, 0); /* every tensor follows from the shape */

    m = fixture("gguf/gpt-oss.gguf");
    k = &m.kind[m.layer[0]];
    assert_int_equal(k->mixer, MIXER_SLIDING);
    assert_true(k->sinks && k->q_bias && k->o_bias && k->expert_bias);
    assert_int_equal(m.kind[m.layer[1]].mixer, MIXER_FULL);
    assert_string_equal(m.native[ROLE_EXPERT], "ggml-mxfp4");
    assert_int_equal(m.extra_count, 0);

    m = fixture("gguf/jamba.gguf");
    k = &m.kind[m.layer[0]];
    assert_int_equal(k->mixer, MIXER_MAMBA1);
    assert_int_equal(k->lin_v_heads * k->lin_v_dim, 32);
    assert_int_equal(k->lin_k_dim, 8);
    assert_int_equal(k->dt_rank, 8);
    assert_int_equal(k->conv_kernel, 4);
    assert_int_equal(m.kind[m.layer[1]].kv_heads, 2);
    assert_near(m.extra[0].elements, 8 + 8 + 8, 0); /* norms of dt, B and C */

    m = fixture("gguf/nemotron_h.gguf");
    k = &m.kind[m.layer[0]];
    assert_int_equal(k->mixer, MIXER_MAMBA2);
    assert_int_equal(k->lin_v_heads, 8);
    assert_int_equal(k->lin_v_dim, 8);
    assert_int_equal(k->groups, 2);
    assert_int_equal(m.kind[m.layer[2]].mixer, MIXER_NONE);
    assert_false(m.kind[m.layer[2]].gated);
    assert_int_equal(m.extra_count, 0);
}

static void test_truncated(void **state)
{
    size_t len;
    char *data = fixture_text("gguf/qwen3moe.gguf", &len);
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    for (size_t i = 0; i < len; i++) {
        char *copy;

        if (i > 4000 && i + 200 < len && i % 61 != 0)
            continue; /* inside the data every cut is the same */
        copy = malloc(i + 1);
        memcpy(copy, data, i);
        /* the padding after the last tensor may be missing */
        if (parse(copy, i, &m, &no, &count, &err) == GP_OK && i + 32 < len)
            fail_msg("accepted after %zu of %zu bytes", i, len);
        free(copy);
    }
    free(data);
}

/* One byte changed anywhere must not upset a sanitizer. */
static void test_flipped(void **state)
{
    size_t len;
    char *data = fixture_text("gguf/gpt-oss.gguf", &len);
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    for (size_t i = 0; i < 3500 && i < len; i++) {
        char was = data[i];

        data[i] = (char)(was ^ 0x81);
        parse(data, len, &m, &no, &count, &err);
        data[i] = (char)0xff;
        parse(data, len, &m, &no, &count, &err);
        data[i] = was;
    }
    free(data);
}

/* ---- built here ------------------------------------------------------------------ */

static void put(struct strbuf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        char c = (char)(value >> (8 * i));

        strbuf_addn(out, &c, 1);
    }
}

static void put_text(struct strbuf *out, const char *text)
{
    put(out, strlen(text), 8);
    strbuf_add(out, text);
}

static void put_head(struct strbuf *out, uint64_t version, uint64_t tensors, uint64_t pairs)
{
    strbuf_clear(out);
    strbuf_add(out, "GGUF");
    put(out, version, 4);
    put(out, tensors, 8);
    put(out, pairs, 8);
}

static void put_u32(struct strbuf *out, const char *key, uint64_t value)
{
    put_text(out, key);
    put(out, 4, 4);
    put(out, value, 4);
}

static void put_string(struct strbuf *out, const char *key, const char *value)
{
    put_text(out, key);
    put(out, 8, 4);
    put_text(out, value);
}

static void put_tensor(struct strbuf *out, const char *name, uint64_t cols, uint64_t rows,
                       uint64_t type, uint64_t offset)
{
    put_text(out, name);
    put(out, 2, 4);
    put(out, cols, 8);
    put(out, rows, 8);
    put(out, type, 4);
    put(out, offset, 8);
}

static void pad(struct strbuf *out, size_t data)
{
    while (out->len % 32 != 0)
        put(out, 0, 1);
    for (size_t i = 0; i < data; i++)
        put(out, 0, 1);
}

static void refused(const struct strbuf *file, const char *what)
{
    struct model m;
    struct gp_err err;
    int no, count;
    char *copy = malloc(file->len + 1);

    memcpy(copy, file->text, file->len);
    if (parse(copy, file->len, &m, &no, &count, &err) == GP_OK)
        fail_msg("accepted where \"%s\" was due", what);
    assert_int_equal(err.code, GP_E_FILE);
    if (strstr(err.text, what) == NULL)
        fail_msg("refused with: %s: %s", err.where, err.text);
    free(copy);
}

static void test_head(void **state)
{
    struct strbuf f;

    (void)state;
    strbuf_init(&f);
    strbuf_add(&f, "GGML....");
    refused(&f, "does not begin with GGUF");
    put_head(&f, 1, 0, 0);
    refused(&f, "version 1");
    put_head(&f, 4, 0, 0);
    refused(&f, "version 4");
    put_head(&f, 3u << 24, 0, 0);
    refused(&f, "other byte order");
    put_head(&f, 3, 0, UINT64_MAX);
    pad(&f, 100);
    refused(&f, "more metadata claimed");
    put_head(&f, 3, UINT64_MAX, 0);
    pad(&f, 100);
    refused(&f, "more tensors claimed");
    put_head(&f, 3, 0, 9);
    pad(&f, 100); /* 9 * 13 > what is left */
    refused(&f, "more metadata claimed");
    put_head(&f, 2, 0, 0);
    refused(&f, "missing"); /* no architecture */
    strbuf_fini(&f);
}

static void test_pairs(void **state)
{
    struct strbuf f;

    (void)state;
    strbuf_init(&f);
    put_head(&f, 3, 0, 1);
    put(&f, 1u << 20, 8); /* a key longer than the file */
    pad(&f, 64);
    refused(&f, "longer than the rest");
    put_head(&f, 3, 0, 1);
    put_text(&f, "k");
    put(&f, 13, 4);
    pad(&f, 64);
    refused(&f, "unknown type");
    put_head(&f, 3, 0, 1);
    put_text(&f, "k");
    put(&f, 8, 4);
    put(&f, UINT64_MAX, 8);
    pad(&f, 64);
    refused(&f, "longer than the rest");
    put_head(&f, 3, 0, 1);
    put_text(&f, "k");
    put(&f, 9, 4);
    put(&f, 9, 4); /* an array of arrays */
    put(&f, 1, 8);
    pad(&f, 64);
    refused(&f, "array of arrays");
    put_head(&f, 3, 0, 1);
    put_text(&f, "k");
    put(&f, 9, 4);
    put(&f, 10, 4);
    put(&f, 1u << 29, 8); /* 4 GiB of numbers */
    pad(&f, 64);
    refused(&f, "longer than the rest");
    put_head(&f, 3, 0, 1);
    put_text(&f, "k");
    put(&f, 9, 4);
    put(&f, 8, 4);
    put(&f, 1u << 23, 8);
    pad(&f, 64);
    refused(&f, "more strings than");
    put_head(&f, 3, 0, 2);
    put_u32(&f, "twice", 1);
    put_u32(&f, "twice", 2);
    refused(&f, "key twice is listed twice");
    put_head(&f, 3, 0, 1);
    put(&f, 3, 8);
    strbuf_addn(&f, "a\0b", 3);
    pad(&f, 64);
    refused(&f, "NUL");
    put_head(&f, 3, 0, 1);
    put_u32(&f, "general.alignment", 24);
    refused(&f, "not a power of two");
    put_head(&f, 3, 0, 2);
    put_u32(&f, "split.no", 5);
    put_u32(&f, "split.count", 3);
    refused(&f, "is outside split.count");
    put_head(&f, 3, 0, 1);
    put_string(&f, "general.architecture", "qwen9");
    refused(&f, "missing");
    strbuf_fini(&f);
}

/* Two tensors t0 and t1 of 32 x 1 F32 (128 bytes each), the second as given. */
static void two(struct strbuf *f, const char *name, uint64_t cols, uint64_t rows, uint64_t type,
                uint64_t offset, size_t data)
{
    put_head(f, 3, 2, 0);
    put_tensor(f, "t0", 32, 1, 0, 0);
    put_tensor(f, name, cols, rows, type, offset);
    pad(f, data);
}

static void test_tensors(void **state)
{
    struct strbuf f;

    (void)state;
    strbuf_init(&f);
    two(&f, "t1", 32, 1, 0, 64, 256);
    refused(&f, "overlaps");
    two(&f, "t1", 32, 1, 0, 160, 512);
    refused(&f, "hole");
    two(&f, "t0", 32, 1, 0, 128, 256);
    refused(&f, "tensor t0 is listed twice");
    two(&f, "t1", 32, 1, 4, 128, 256);
    refused(&f, "unknown type");
    two(&f, "t1", 32, 1, 43, 128, 256);
    refused(&f, "unknown type");
    two(&f, "t1", 32, 1, 36, 128, 256);
    refused(&f, "unknown type");
    two(&f, "t1", 32, 1, 12, 128, 256); /* Q4_K needs rows of 256 */
    refused(&f, "whole blocks");
    two(&f, "t1", 1ull << 40, 1ull << 40, 0, 128, 256);
    refused(&f, "63 bits");
    two(&f, "t1", UINT64_MAX, 1, 0, 128, 256);
    refused(&f, "63 bits");
    two(&f, "t1", 1ull << 61, 1, 0, 128, 256);
    refused(&f, "63 bits");
    two(&f, "t1", 1ull << 40, 1, 0, 128, 256);
    refused(&f, "the tensors end at byte");
    two(&f, "t1", 32, 1, 0, 128, 255);
    refused(&f, "the tensors end at byte");
    two(&f, "a-name-of-sixty-four-bytes-which-is-one-more-than-ggml-has-room-", 32, 1, 0, 128, 256);
    refused(&f, "64 bytes or more");
    put_head(&f, 3, 1, 0);
    put_text(&f, "t");
    put(&f, 5, 4);
    pad(&f, 256);
    refused(&f, "more than 4 dimensions");
    strbuf_fini(&f);
}

static void put_own(struct strbuf *f, const char *arch, const char *key, uint64_t value)
{
    char name[96];

    snprintf(name, sizeof name, "%s.%s", arch, key);
    put_u32(f, name, value);
}

/* Layer i: of four heads of 8, two of keys and values unless kv_rows says otherwise. */
static void put_layer(struct strbuf *f, int i, uint64_t kv_rows, unsigned down, uint64_t *offset)
{
    static const char *const names[] = {"attn_q", "attn_k", "attn_v", "attn_output"};
    char name[64];

    for (int t = 0; t < 4; t++) {
        uint64_t rows = t == 1 || t == 2 ? kv_rows : 32;

        snprintf(name, sizeof name, "blk.%d.%s.weight", i, names[t]);
        put_tensor(f, name, 32, rows, 0, *offset);
        *offset += rows * 128;
    }
    snprintf(name, sizeof name, "blk.%d.ffn_down.weight", i);
    put_tensor(f, name, 64, 32, down, *offset);
    *offset += 8192;
}

/* A model of `stored` layers, which says that it has `layers`, with these heads; tensors as
 * given or fitting; the last layer's down projection in its own type. */
static void layers_of(struct strbuf *f, const char *arch, uint64_t causal, uint64_t heads,
                      uint64_t layers, int stored, uint64_t kv_rows, unsigned last)
{
    uint64_t offset = 0;

    put_head(f, 3, 1 + 5 * (unsigned)stored, 7);
    put_string(f, "general.architecture", arch);
    put_own(f, arch, "attention.causal", causal);
    put_own(f, arch, "block_count", layers);
    put_own(f, arch, "context_length", 100);
    put_own(f, arch, "embedding_length", 32);
    put_own(f, arch, "attention.head_count", heads);
    put_own(f, arch, "attention.head_count_kv", 2);
    put_tensor(f, "token_embd.weight", 32, 10, 0, offset);
    offset += 1280;
    for (int i = 0; i < stored; i++)
        put_layer(f, i, kv_rows, i == stored - 1 ? last : 0, &offset);
    pad(f, (size_t)offset);
}

static void small_of(struct strbuf *f, const char *arch, uint64_t causal, uint64_t heads,
                     uint64_t layers, uint64_t kv_rows)
{
    layers_of(f, arch, causal, heads, layers, 1, kv_rows, 0);
}

static void small(struct strbuf *f, uint64_t heads, uint64_t layers, uint64_t kv_rows)
{
    small_of(f, "llama", 1, heads, layers, kv_rows);
}

/* One that has no row has the attention that its tensors show; one that looks to both
 * sides caches nothing. */
static void test_other_architectures(void **state)
{
    struct strbuf f;
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    strbuf_init(&f);
    small_of(&f, "qwen9", 1, 4, 1, 16);
    assert_int_equal(parse(f.text, f.len, &m, &no, &count, &err), GP_OK);
    assert_true(m.assumed && !m.weights_only);
    assert_int_equal(m.kind[0].kv_heads, 2);
    assert_non_null(strstr(m.note, "unknown architecture \"qwen9\""));
    small_of(&f, "bert", 0, 4, 1, 16);
    assert_int_equal(parse(f.text, f.len, &m, &no, &count, &err), GP_OK);
    assert_true(model_is_encoder(&m) && !m.assumed);
    strbuf_fini(&f);
}

/* A mix gives down projections two types: both are known, the larger share first. */
static void test_mixed_down(void **state)
{
    struct strbuf f;
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    strbuf_init(&f);
    layers_of(&f, "llama", 1, 4, 2, 2, 16, 1);
    if (parse(f.text, f.len, &m, &no, &count, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    assert_string_equal(m.native[ROLE_MLP], "ggml-f32");
    assert_string_equal(m.native_down[0], "ggml-f32");
    assert_string_equal(m.native_down[1], "ggml-f16");
    layers_of(&f, "llama", 1, 4, 2, 2, 16, 0);
    assert_int_equal(parse(f.text, f.len, &m, &no, &count, &err), GP_OK);
    assert_string_equal(m.native_down[0], "ggml-f32");
    assert_string_equal(m.native_down[1], "");
    strbuf_fini(&f);
}

static void test_contradictions(void **state)
{
    struct strbuf f;
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    strbuf_init(&f);
    small(&f, 4, 1, 16);
    if (parse(f.text, f.len, &m, &no, &count, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    assert_int_equal(m.kind[0].head_dim, 8);
    assert_true(m.tied);
    small(&f, 5, 1, 16); /* 32/5 = 6, 5*6 rows */
    refused(&f, "does not match the rows of attn_q");
    small(&f, 4, 1, 24);
    refused(&f, "does not match the rows of attn_k");
    small(&f, 4, 2, 16);
    refused(&f, "larger than the number of layers");
    small(&f, 4, 100000, 16);
    refused(&f, "outside 1..512");
    small(&f, 4, 0, 16);
    refused(&f, "outside 1..512");
    small(&f, 0, 1, 16);
    refused(&f, "");
    strbuf_fini(&f);
}

/* A part of a split file alone: its number, and no model. */
static void test_split_part(void **state)
{
    size_t len;
    char *data = fixture_text("gguf/llama-split-00002-of-00003.gguf", &len);
    struct model m;
    struct gp_err err;
    int no, count;

    (void)state;
    assert_int_equal(parse(data, len, &m, &no, &count, &err), GP_OK);
    assert_int_equal(no, 1);
    assert_int_equal(count, 3);
    assert_int_equal(m.layer_count, 0);
    assert_false(m.bytes.known);
    free(data);
}

/* ---- memory and time ------------------------------------------------------------- */

/* 200,000 keys with one prefix, none of them useful: sorted, not compared in pairs. */
static bool many_keys(void)
{
    struct strbuf f;
    struct model m;
    struct gp_err err;
    int no, count;
    char key[64];

    strbuf_init(&f);
    put_head(&f, 3, 0, 200000);
    for (int i = 0; i < 200000; i++) {
        snprintf(key, sizeof key, "llama.attention.some.long.prefix.%d", i);
        put_u32(&f, key, 1);
    }
    return parse(f.text, f.len, &m, &no, &count, &err) == GP_E_FILE;
}

/* A claim of 2^30 items in a file of 100 bytes. */
static bool huge_claims(void)
{
    struct strbuf f;
    struct model m;
    struct gp_err err;
    int no, count;

    strbuf_init(&f);
    for (int type = 0; type < 13; type++) {
        put_head(&f, 3, 0, 1);
        put_text(&f, "tokenizer.ggml.tokens");
        put(&f, 9, 4);
        put(&f, (uint64_t)type, 4);
        put(&f, 1u << 30, 8);
        pad(&f, 64);
        if (parse(f.text, f.len, &m, &no, &count, &err) != GP_E_FILE)
            return false;
    }
    return true;
}

static void test_memory(void **state)
{
    (void)state;
    run_limited(many_keys, 96);
    run_limited(huge_claims, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama),          cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_truncated),      cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_head),           cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_tensors),        cmocka_unit_test(test_mixed_down),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_split_part),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_other_architectures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
