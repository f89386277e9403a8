/*
 * test_facts.c - the profiles that come with the program: that none was lost, that every
 * row has what its reader needs, and figures known from elsewhere.
 */
#include "catalog/catalog.h"
#include "model/gguf.h"
#include "plan/cost.h"

#include "base/units.h"
#include "shipped.h"

/* ---- what there is -------------------------------------------------------------- */

static void test_counts(void **state)
{
    const struct gpu *const *gpus;
    const struct format *formats;
    const struct engine *engines;
    const struct instance *instances;
    const struct server *servers;
    const char *const *lines;
    struct gp_err err;
    size_t count;

    (void)state;
    assert_int_equal(catalog_gpus(catalog, &gpus, &count, &err), GP_OK);
    assert_true(count >= 75 + 23 + 406);
    assert_int_equal(catalog_formats(catalog, &formats, &count, &err), GP_OK);
    assert_true(count >= 83);
    assert_int_equal(catalog_engines(catalog, &engines, &count, &err), GP_OK);
    assert_true(count >= 8); /* five ranges of vLLM, one each of the others */
    assert_int_equal(catalog_instances(catalog, &instances, &count, &err), GP_OK);
    assert_true(count >= 290);
    assert_int_equal(catalog_servers(catalog, &servers, &count, &err), GP_OK);
    assert_true(count >= 25);
    count = catalog_warnings(catalog, &lines);
    if (count > 0)
        fail_msg("%s", lines[0]);
}

/* Every generation is read, and every GPU that is planned has one of its own. */
static void test_families(void **state)
{
    const struct family *const *families;
    const struct gpu *const *gpus;
    struct gp_err err;
    size_t count;

    (void)state;
    assert_int_equal(catalog_families(catalog, &families, &count, &err), GP_OK);
    assert_true(count >= 22);
    for (size_t i = 0; i < count; i++) {
        const struct family *f = families[i];
        bool alike;

        assert_true(f->evidence[0] && f->source[0] && f->date[0]);
        assert_true(f->norm >= 1 && f->spread >= 1 && f->launch > 0);
        assert_true(f->kv_memory > 0 && f->prefill_attention > 0 && f->mla_compute > 0);
        for (int k = 0; k < KERNEL_COUNT; k++) {
            struct product_share p = family_product(f, (enum kernel)k, &alike);
            struct expert_share e = family_expert(f, (enum kernel)k, &alike);
            assert_true(p.compute > 0 && p.memory > 0);
            assert_true(e.compute > 0 && e.memory > 0);
        }
        for (int n = 0; n < LINK_SIZES; n++)
            assert_true((f->pcie.latency[n] > 0) == (f->pcie.share[n] > 0) &&
                        (f->link.latency[n] > 0) == (f->link.share[n] > 0));
    }
    assert_int_equal(catalog_gpus(catalog, &gpus, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++)
        if (!gpus[i]->memory_only && !gpus[i]->in_set &&
            (!gpus[i]->family || strcmp(gpus[i]->family->id, FAMILY_UNKNOWN) == 0))
            fail_msg("%s: no family '%s'", gpus[i]->id, gpus[i]->family_id);
}

/* What every row owes its reader. */
static void test_gpus_are_whole(void **state)
{
    const struct gpu *const *gpus;
    struct gp_err err;
    size_t count;

    (void)state;
    assert_int_equal(catalog_gpus(catalog, &gpus, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++) {
        const struct gpu *g = gpus[i];

        if (i > 0)
            assert_true(strcmp(gpus[i - 1]->id, g->id) < 0);
        assert_true(g->source[0] != '\0' && g->vendor[0] != '\0');
        assert_true(strcmp(g->confidence, "high") == 0 || strcmp(g->confidence, "medium") == 0 ||
                    strcmp(g->confidence, "low") == 0);
        assert_true(g->physical.known && g->physical.value <= g->memory_marketed * 1.08);
        if (g->usable.known && g->usable.value > g->physical.value)
            fail_msg("%s: more is usable than there is", g->id);
        for (int s = 0; s < g->slice_count; s++)
            assert_true(g->slice[s].memory <= g->memory_marketed * 1.05);
        if (strcmp(g->vendor, "nvidia") == 0)
            assert_true(g->compute_capability >= (g->in_set ? 0 : 60));
        if (g->street_price.known)
            assert_true(g->street_as_of[0] != '\0');
    }
}

static void test_instances_name_gpus_of_the_catalogue(void **state)
{
    const struct instance *rows;
    struct gp_err err;
    size_t count, market = 0, assumed = 0, dated = 0;

    (void)state;
    assert_int_equal(catalog_instances(catalog, &rows, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++) {
        profile_gpu(catalog, rows[i].gpu);
        assert_true(rows[i].on_demand > 0 || rows[i].spot > 0);
        assert_true(rows[i].source[0] != '\0');
        assert_false(rows[i].user);
        market += rows[i].kind == PRICE_MARKET;
        assumed += rows[i].assumed;
        assert_true(rows[i].date[0] != '\0'); /* if only the day it was read */
        dated += cost_dated(&rows[i]);
    }
    assert_int_equal(market, 41 + 5 + 3);      /* vast, mithril, hyperbolic */
    assert_int_equal(dated, 50 + 31 + 25 + 8); /* aws, azure, gcp, crusoe */
    assert_true(assumed > 0);
}

static void test_servers_name_gpus_of_the_catalogue(void **state)
{
    const struct server *servers;
    struct gp_err err;
    size_t count;

    (void)state;
    assert_int_equal(catalog_servers(catalog, &servers, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++) {
        char ids[sizeof servers->gpu_ids], *rest = ids, *id;

        snprintf(ids, sizeof ids, "%s", servers[i].gpu_ids);
        while ((id = strsep(&rest, "|")) != NULL)
            profile_gpu(catalog, id);
    }
}

/* ---- GPUs ----------------------------------------------------------------------- */

static void test_h100(void **state)
{
    const struct gpu *g = profile_gpu(catalog, "h100-sxm");

    (void)state;
    assert_near(g->physical.value, 79.65 * GP_GIB, 1);
    assert_int_equal(g->physical.origin, ORIGIN_SHEET);
    assert_near(g->usable.value, 79.19 * GP_GIB, 1);
    assert_near(g->bandwidth.value, 3.35e12, 1);
    assert_near(g->rate[MATH_BF16].value, 989.4e12, 1e6);
    assert_near(g->l2.value, 50 * GP_MIB, 1);
    assert_int_equal(g->compute_capability, 90);
    assert_int_equal(g->slice_count, 7);
    assert_string_equal(g->slice[4].profile, "3g.40gb");
    assert_int_equal(g->slice[4].compute, 3);
    assert_int_equal(g->slice[4].memory_of, 8);
    assert_string_equal(g->nvml_names, "NVIDIA H100 80GB HBM3");
    assert_string_equal(g->pci_ids, "10de:2330");
}

/* 0: the hardware has no such mode. Unknown: nobody told us. */
static void test_zero_is_not_unknown(void **state)
{
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm");
    const struct gpu *a10g = profile_gpu(catalog, "a10g");

    (void)state;
    assert_true(h100->rate[MATH_FP4].known);
    assert_near(h100->rate[MATH_FP4].value, 0, 0);
    assert_false(h100->rate[MATH_INT4].known);
    assert_false(a10g->rate[MATH_INT8].known);
    assert_true(a10g->rate[MATH_FP8].known);
    assert_near(a10g->rate[MATH_FP8].value, 0, 0);
}

static void test_nominal_memory_is_assumed(void **state)
{
    const struct gpu *g = profile_gpu(catalog, "v100-sxm2-32");

    (void)state;
    assert_int_equal(g->physical.origin, ORIGIN_ASSUMED);
    assert_true(g->physical.low < g->physical.value);
    assert_false(g->usable.known);
}

/* ---- formats -------------------------------------------------------------------- */

/* Bits per weight of a square matrix whose sides every group and block divides. */
static double bits_of(const char *id)
{
    const double side = 65536;

    return format_bytes(profile_format(catalog, id), side, side) * 8 / (side * side);
}

static void test_bits_per_weight(void **state)
{
    static const struct {
        const char *id;
        double bits;
    } cases[] = {
        {"fp32", 32},
        {"tf32", 32},
        {"fp16", 16},
        {"bf16", 16},
        {"fp8-block", 8.001953125},
        {"int4-awq", 4.15625},
        {"int4", 4.125},
        {"int4-g32", 4.5},
        {"nf4", 4.5},
        {"nf4-dq", 4.126953125},
        {"mxfp4", 4.25},
        {"mxfp8", 8.25},
        {"mxfp6", 6.25},
        {"ggml-q8_0", 8.5},
        {"ggml-q8_1", 9},
        {"ggml-q6_k", 6.5625},
        {"ggml-q5_k", 5.5},
        {"ggml-q5_0", 5.5},
        {"ggml-q5_1", 6},
        {"ggml-q4_k", 4.5},
        {"ggml-q4_0", 4.5},
        {"ggml-q4_1", 5},
        {"ggml-iq4_xs", 4.25},
        {"ggml-iq4_nl", 4.5},
        {"ggml-q3_k", 3.4375},
        {"ggml-iq3_s", 3.4375},
        {"ggml-iq3_xxs", 3.0625},
        {"ggml-q2_k", 2.625},
        {"ggml-iq2_s", 2.5625},
        {"ggml-iq2_xs", 2.3125},
        {"ggml-iq2_xxs", 2.0625},
        {"ggml-iq1_m", 1.75},
        {"ggml-iq1_s", 1.5625},
        {"ggml-tq1_0", 1.6875},
        {"ggml-tq2_0", 2.0625},
        {"ggml-mxfp4", 4.25},
        {"ggml-nvfp4", 4.5},
        {"ggml-q1_0", 1.125},
        {"ggml-q2_0", 2.25},
        {"ggml-q8_k", 9.125},
    };
    const double side = 65536;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (fabs(bits_of(cases[i].id) - cases[i].bits) > 1e-9)
            fail_msg("%s: %.9f bits", cases[i].id, bits_of(cases[i].id));
    /* Those whose scales are per row, per input or per tensor. */
    assert_near(bits_of("fp8"), 8 + 32 / side, 1e-9);
    assert_near(bits_of("int8"), 8 + 16 / side, 1e-9);
    assert_near(bits_of("int8-bnb"), 8 + 32 / side, 1e-9);
    assert_near(bits_of("fp8-tensor"), 8 + 32 / (side * side), 1e-9);
    assert_near(bits_of("nvfp4"), 4.5 + 32 / (side * side), 1e-9);
    assert_near(bits_of("int4-gptq"), 4.15625 + 32 / side, 1e-9);
    assert_near(bits_of("int8-gptq"), 8.1875 + 32 / side, 1e-9);
}

/* Stored elements of Llama-3.1-8B as its published AWQ and GPTQ checkpoints count them:
 * 32-bit words of eight weights or eight zero points, 16-bit scales, 32-bit g_idx. */
static void test_llama_checkpoints(void **state)
{
    static const double linear[][2] = {{4096, 4096},  {1024, 4096},  {1024, 4096}, {4096, 4096},
                                       {14336, 4096}, {14336, 4096}, {4096, 14336}};
    double kept = 2 * 128256.0 * 4096 + 65 * 4096.0, awq = kept, gptq = kept;
    double bytes_awq = 0, bytes_gptq = 0, rows = 0;

    (void)state;
    for (size_t i = 0; i < 7; i++) {
        double elements = linear[i][0] * linear[i][1], groups = elements / 128;

        awq += 32 * (elements / 8 + groups / 8 + groups);
        gptq += 32 * (elements / 8 + groups / 8 + groups + linear[i][1]);
        rows += 32 * linear[i][1];
        bytes_awq +=
            32 * format_bytes(profile_format(catalog, "int4-awq"), linear[i][0], linear[i][1]);
        bytes_gptq +=
            32 * format_bytes(profile_format(catalog, "int4-gptq"), linear[i][0], linear[i][1]);
    }
    assert_near(awq, 1984696320, 0);
    /* GPTQ exports differ by their zero bias tensors: what g_idx adds is certain. */
    assert_near(gptq - awq, rows, 0);
    assert_near(bytes_awq, 4.15625 / 8 * (8030261248.0 - kept), 0);
    assert_near(bytes_gptq - bytes_awq, 4 * rows, 0);
}

static void test_mixes(void **state)
{
    const struct format *f = profile_format(catalog, "Q4_K_M");

    (void)state;
    assert_true(f->mix);
    assert_near(f->core_bits_8b, 4.7985, 0);
    assert_near(f->core_bits_70b, 4.7995, 0);
    assert_near(f->embed_bits, 4.5, 0);
    assert_near(f->output_bits, 6.5625, 0);
    assert_int_equal(f->block, 256);
    assert_near(f->fallback_bits, 5.5, 0); /* Q5_0 */
    assert_near(profile_format(catalog, "q8_0")->core_bits_70b, 8.5009,
                0); /* one figure for both */
    assert_near(profile_format(catalog, "f16")->bits, 16, 0);
    assert_false(profile_format(catalog, "fp16")->mix);
    assert_true(f->typed);
    assert_int_equal(f->rules, 6);
    assert_int_equal(f->rule[5].part, PART_DOWN);
    assert_int_equal(f->rule[5].when, WHEN_MORE);
    assert_near(f->rule[5].bits, 6.5625, 0);
    assert_near(f->rule[5].fallback_bits, 8.5, 0); /* Q8_0 */
}

static double type_bits(const char *id, const char *mix, int k, const char *name)
{
    const struct model *m = profile_model(catalog, id);
    struct tensor t[MODEL_MAX_TENSORS];
    int n = k < 0 ? model_global_tensors(m, t) : model_layer_tensors(m, k, t);
    for (int i = 0; i < n; i++)
        if (strcmp(t[i].name, name) == 0)
            return gguf_bytes(m, profile_format(catalog, mix), k, &t[i]) * 8 /
                   (t[i].rows * t[i].cols);
    return 0;
}

/* llama.cpp's choice for single tensors, by its own code. */
static void test_types_of_mixes(void **state)
{
    (void)state;
    assert_near(type_bits("llama-3.1-8b", "q4_k_m", 0, "down_proj"), 5.53125, 1e-12);
    assert_near(type_bits("llama-3.1-8b", "q4_k_m", 0, "q_proj"), 4.5, 0);
    assert_near(type_bits("llama-3.1-8b", "q4_k_m", 0, "layernorm"), 32, 0);
    assert_near(type_bits("llama-3.1-8b", "q4_k_m", -1, "embed_tokens"), 4.5, 0);
    assert_near(type_bits("llama-3.1-8b", "q4_k_m", -1, "lm_head"), 6.5625, 0);
    assert_near(type_bits("llama-3.2-1b", "q4_k_m", -1, "embed_tokens"), 6.5625, 0); /* tied */
    /* 70B: v never below Q5_K; IQ2_M: four bits where heads share */
    assert_near(type_bits("llama-3-70b", "q4_k_s", 0, "v_proj"), 5.5, 0);
    assert_near(type_bits("llama-3-70b", "iq2_m", 0, "v_proj"), 4.5, 0);
    /* eight experts */
    assert_near(type_bits("mixtral-8x7b", "q4_k_m", 0, "k_proj"), 8.5, 0);
    assert_near(type_bits("mixtral-8x7b", "q4_k_m", 0, "o_proj"), 5.5, 0);
    assert_near(type_bits("mixtral-8x7b", "q4_k_m", 0, "router"), 32, 0);
    /* rows of 1,408: Q4_K becomes Q5_0, Q6_K becomes Q8_0 */
    double down = type_bits("deepseek-v2-lite-16b", "q4_k_m", 1, "experts.down_proj");
    assert_true(down > 5.5 && down < 8.5);
    /* DeltaNet: q, k and v as one, the gate z of 4,096 of 12,288 rows in the base type */
    double qkvz = type_bits("qwen3.5-9b", "q4_k_m", 0, "in_proj_qkvz");
    assert_near(qkvz, (8192 * 5.53125 + 4096 * 4.5) / 12288, 0.1);
    assert_near(type_bits("gpt-oss-20b", "mxfp4_moe", 0, "experts.up_proj"), 4.25, 0);
    assert_near(type_bits("gpt-oss-20b", "mxfp4_moe", 0, "q_proj"), 8.5, 0);
}

static void test_kept_roles(void **state)
{
    unsigned keep = profile_format(catalog, "fp8")->keep_roles;

    (void)state;
    assert_true(keep >> ROLE_EMBED & 1 && keep >> ROLE_HEAD & 1 && keep >> ROLE_NORM & 1);
    assert_true(keep >> ROLE_ROUTER & 1 && keep >> ROLE_VISION & 1);
    assert_false(keep >> ROLE_MLP & 1 || keep >> ROLE_EXPERT & 1);
    assert_int_equal(profile_format(catalog, "bf16")->keep_roles, 0);
}

/* ---- engines -------------------------------------------------------------------- */

static void test_vllm_ranges(void **state)
{
    static const struct {
        const char *name, *range;
        double copies, fraction;
    } cases[] = {
        {"vllm", "0.33+", 3, 0.92},
        {"vllm@0.8.5", "0.8", 9, 0.9},
        {"vllm@0.11.2", "0.11", 9, 0.9},
        {"vllm@0.12", "0.12-0.15", 9, 0.9},
        {"vllm@0.16.0", "0.16", 9, 0.9},
        {"vllm@0.17", "0.17-0.19", 3, 0.9},
        {"vllm@0.19.1", "0.17-0.19", 3, 0.9},
        {"vllm@1.0", "0.33+", 3, 0.92},
        {"vllm@0.20.2", "0.20-0.21", 3, 0.92},
        {"vllm@0.28.0", "0.28", 3, 0.92},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct engine *e = profile_engine(catalog, cases[i].name);

        assert_string_equal(e->range, cases[i].range);
        assert_near(e->logit_copies, cases[i].copies, 0);
        assert_near(e->fraction, cases[i].fraction, 0);
        for (int t = 0; t < TERM_COUNT; t++)
            if (e->evidence[t][0] == '\0')
                fail_msg("%s: no evidence for term %d", cases[i].name, t);
    }
    assert_near(profile_engine(catalog, "vllm@0.19")->graphs.high, 0.83 * GP_GIB, 1);
    assert_int_equal(profile_engine(catalog, "vllm@0.19")->graphs.origin, ORIGIN_MODEL);
    assert_false(profile_engine(catalog, "vllm@0.19")->graphs_in_budget);
    assert_true(profile_engine(catalog, "vllm@0.21")->graphs_in_budget);
}

static void test_other_engines(void **state)
{
    (void)state;
    assert_int_equal(profile_engine(catalog, "trtllm")->budget, BUDGET_FREE);
    assert_int_equal(profile_engine(catalog, "sglang@0.5")->budget, BUDGET_STATIC);
    assert_int_equal(profile_engine(catalog, "llama.cpp@b6123")->budget, BUDGET_ASKED);
    assert_true(profile_engine(catalog, "llama.cpp")->gguf);
    assert_false(profile_engine(catalog, "vllm")->gguf);
    assert_int_equal(profile_engine(catalog, "sglang")->non_torch_1.origin, ORIGIN_ASSUMED);
}

static void test_ownership(void **state)
{
    const struct ownership *own_costs;
    struct gp_err err;

    (void)state;
    assert_int_equal(catalog_ownership(catalog, &own_costs, &err), GP_OK);
    assert_near(own_costs->electricity, 0.0861, 0);
    assert_near(own_costs->years, 4, 0);
    assert_near(own_costs->years_high, 6, 0);
    assert_true(own_costs->source[0] != '\0' && own_costs->date[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_gpus_are_whole),
        cmocka_unit_test(test_instances_name_gpus_of_the_catalogue),
        cmocka_unit_test(test_servers_name_gpus_of_the_catalogue),
        cmocka_unit_test(test_h100),
        cmocka_unit_test(test_zero_is_not_unknown),
        cmocka_unit_test(test_nominal_memory_is_assumed),
        cmocka_unit_test(test_bits_per_weight),
        cmocka_unit_test(test_llama_checkpoints),
        cmocka_unit_test(test_mixes),
        cmocka_unit_test(test_types_of_mixes),
        cmocka_unit_test(test_kept_roles),
        cmocka_unit_test(test_vllm_ranges),
        cmocka_unit_test(test_other_engines),
        cmocka_unit_test(test_ownership),
    };

    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
