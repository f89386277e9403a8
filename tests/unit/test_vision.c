/*
 * test_vision.c - what a vision tower takes in the engine's profiling run.
 */
#include <string.h>

#include "sample.h"

#include "base/str.h"
#include "plan/activation.h"
#include "plan/load.h"

/* SigLIP of Gemma 3: 896 x 896 pixels, 64 x 64 patches, 256 tokens. */
static struct request *sample_tower(struct sample *s)
{
    struct request *q = sample_request(s, sample_gemma_27b());

    s->model.vision = (struct model_vision){
        .width = 1152, .ff = 4304, .layers = 27, .pixels = 588, .patches = 4096, .tokens = 256};
    gp_copy(s->engine.vision_run, sizeof s->engine.vision_run, "outputs|pixels");
    return q;
}

static struct vision run_of(const struct request *q, int tp)
{
    struct load load = load_sum(q);
    return vision_estimate(q, &load, tp);
}

static void test_images(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);
    struct vision v = run_of(q, 1);

    (void)state;
    assert_near(v.items, 32, 0); /* 8192 tokens of a step */
    assert_near(v.outputs.value, 32.0 * 256 * 5376 * 2, 0);
    assert_near(v.pixels.value, 32.0 * 3 * 896 * 896 * 2, 0);
    assert_near(v.pass.value, 32.0 * 4096 * (588 + 10 * 1152) * 2, 0);
    assert_true(v.pass.low < v.pass.value && v.pass.value < v.pass.high);
    /* TP cuts what lies between a layer's ends */
    assert_near(run_of(q, 2).pass.value, 32.0 * 4096 * (588 + 6 * 1152) * 2, 0);
    s.model.vision.deepstack = 3;
    assert_near(run_of(q, 1).outputs.value, 4 * v.outputs.value, 0);
    s.model.vision.gated = true;
    assert_near(run_of(q, 1).pass.value, 32.0 * 4096 * (588 + 5 * 1152 + 3 * 4304) * 2, 0);
}

/* An item that exceeds the step makes the step's budget; few slots and a short context
 * bound the items, too. */
static void test_items(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);

    (void)state;
    s.model.vision.tokens = 16384;
    assert_near(run_of(q, 1).items, 1, 0);
    s.model.vision.tokens = 256;
    q->max_num_seqs = 2;
    assert_near(run_of(q, 1).items, 32, 0); /* 2 slots of 32 images */
    q->context = 300;
    assert_near(run_of(q, 1).items, 2, 0);
}

/* Qwen2.5-VL: groups of two frames, seven at most: 114,688 tokens, as a log of vLLM 0.23
 * at 128,000 tokens says. */
static void test_video(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);

    (void)state;
    s.model.vision.patches = 65536;
    s.model.vision.tokens = 16384;
    s.model.vision.groups = 7;
    q->context = 128000;
    assert_near(run_of(q, 1).tokens, 114688, 0);
    assert_near(run_of(q, 1).patches, 458752, 0);
    q->context = 40000;
    assert_near(run_of(q, 1).tokens, 32768, 0);
    q->context = 4096;
    assert_near(run_of(q, 1).tokens, 16384, 0);
}

static void test_versions(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);
    double mask;

    (void)state;
    gp_copy(s.engine.vision_run, sizeof s.engine.vision_run, "outputs|padded");
    assert_near(run_of(q, 1).outputs.value, 32.0 * 8192 * 5376 * 2, 0);
    assert_near(run_of(q, 1).pixels.value, 0, 0);
    mask = run_of(q, 1).pass.value;
    gp_copy(s.engine.vision_masks, sizeof s.engine.vision_masks, "all");
    assert_near(run_of(q, 1).pass.value - mask, 131072.0 * 131072 * 2, 0);
    gp_copy(s.engine.vision_run, sizeof s.engine.vision_run, "outputs|pixels");
    gp_copy(s.engine.second, sizeof s.engine.second, "all");
    assert_near(run_of(q, 1).pixels.value, 0, 0);
    s.engine.vision_run[0] = '\0';
    assert_near(run_of(q, 1).items, 0, 0);
    gp_copy(s.engine.vision_run, sizeof s.engine.vision_run, "outputs");
    model_text_only(&s.model);
    assert_near(run_of(q, 1).items, 0, 0);
    assert_int_equal(s.model.vision.width, 0);
}

/* The larger of the tower's pass and the language model's with what is kept. */
static void test_peak(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);
    struct layout one = sample_layout(1, 1, 1, 1);
    struct activation a = activation_on(q, &one, true);

    (void)state;
    assert_near(a.vision.value, a.tower.outputs.value + a.tower.pixels.value, 0);
    assert_near(a.peak.value, a.sampling.value + a.vision.value, 1);
    q->max_num_seqs = 8; /* eight rows of logits */
    a = activation_on(q, &one, true);
    assert_near(a.peak.value, a.tower.pass.value, 0);
    assert_true(a.peak.high >= a.sampling.high + a.vision.high);
    s.model.vision.width = 0; /* a shape that nobody states: the engine's constant */
    s.engine.vision = sample_gib(0.29, 0, 0.45);
    a = activation_on(q, &one, true);
    assert_near(a.vision.value, 0.29 * GP_GIB, 1);
}

/* Of the sampler with three copies, a row per multiprocessor. */
static void test_sampler_rows(void **state)
{
    struct sample s;
    struct request *q = sample_tower(&s);
    struct layout one = sample_layout(1, 1, 1, 1);
    double before = activation_on(q, &one, true).sampling.value;

    (void)state;
    s.gpu.sm_count = 100;
    s.engine.sampler_buffer = true;
    assert_near(activation_on(q, &one, true).sampling.value - before, 100.0 * 262208 * 4, 1);
    s.engine.logit_copies = 1;
    before = activation_on(q, &one, true).sampling.value;
    s.engine.sampler_buffer = false;
    assert_near(activation_on(q, &one, true).sampling.value, before, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images), cmocka_unit_test(test_items),
        cmocka_unit_test(test_video),  cmocka_unit_test(test_versions),
        cmocka_unit_test(test_peak),   cmocka_unit_test(test_sampler_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
