/*
 * test_model.c - parameters to the last element, and shapes that are refused.
 *
 * The published counts stand in the profiles (published.params), most of them totals
 * that a model hub computed from the tensors of the checkpoint. What such a count holds
 * beyond our parameters (MTP layers, FP8 scales, a second copy of a tied head) is
 * computed here again from the shapes.
 */
#include "model/model.h"

#include "base/path.h"
#include "base/str.h"
#include "catalog/files.h"
#include "unit.h"

static struct model load(const char *id)
{
    const char *srcdir = getenv("srcdir");
    struct model_item item = {0};
    struct gp_err err = {0};
    char path[512];

    gp_format(path, sizeof path, "%s/profiles/models/%s.cfg", srcdir ? srcdir : ".", id);
    gp_copy(item.model.id, sizeof item.model.id, id);
    if (profile_read(path, model_file_read, &item, NULL, NULL, &err) != GP_OK)
        fail_msg("%s: %s (%s)", err.where, err.text, err.hint);
    return item.model;
}

static double elements(const struct tensor *t)
{
    return t->rows * t->cols * t->count;
}

static double kind_elements(const struct model *model, int k)
{
    struct tensor t[MODEL_MAX_TENSORS];
    double sum = 0;

    for (int i = 0, n = model_layer_tensors(model, k, t); i < n; i++)
        sum += elements(&t[i]);
    return sum;
}

/* ---- published counts ----------------------------------------------------------- */

/* Elements of a published count that nobody has explained: 56 in each of the 61 layers
 * of Kimi K2's checkpoint. */
static const struct {
    const char *id;
    double elements;
} unexplained[] = {{"kimi-k2", 3416}};

static double residual(const char *id)
{
    for (size_t i = 0; i < sizeof unexplained / sizeof *unexplained; i++)
        if (strcmp(unexplained[i].id, id) == 0)
            return unexplained[i].elements;
    return 0;
}

static void fail_on_warning(void *ctx, const char *line)
{
    (void)ctx;
    fail_msg("%s", line);
}

static void check_format(const struct model *model, const struct format_list *formats,
                         const char *id)
{
    for (size_t i = 0; i < formats->count; i++)
        if (strcmp(formats->formats[i].id, id) == 0)
            return;
    fail_msg("%s: no format \"%s\"", model->id, id);
}

/* Every format a profile names is one of formats.cfg. */
static void check_formats(const struct model *model, const struct format_list *formats)
{
    for (int r = 0; r < ROLE_COUNT; r++)
        check_format(model, formats, model->native[r]);
    for (int i = 0; i < model->checkpoint_count; i++) {
        const struct model_checkpoint *c = &model->checkpoint[i];
        check_format(model, formats, c->format);
        assert_true(c->source[0] != '\0');
        for (int r = 0; r < ROLE_COUNT; r++)
            if (c->role[r][0])
                check_format(model, formats, c->role[r]);
    }
}

/* The matrices of the tower's layers are most of what the profile counts for it, the rest
 * being patches, positions and the projector; and of Gemma's small ones an audio tower. */
static void check_tower(const struct model *model)
{
    const struct model_vision *v = &model->vision;
    double d = v->width, f = v->ff, elements = 0;
    double layers = v->layers * (4 * d * d + (v->gated ? 3 : 2) * d * f);
    double least = strncmp(model->id, "gemma-4-e", 9) == 0 ? 0.3 : 0.65;

    for (int i = 0; i < model->extra_count; i++)
        if (model->extra[i].role == ROLE_VISION)
            elements += model->extra[i].elements;
    if (v->width == 0)
        return;
    if (layers > elements || layers < least * elements)
        fail_msg("%s: %.0f in the tower's layers, %.0f in it", model->id, layers, elements);
    assert_true(v->source[0] && v->tokens <= v->patches);
}

static int check_published(const char *dir, const char *file, const struct format_list *formats)
{
    struct model_item item = {0};
    struct model model;
    struct gp_err err = {0};
    char path[512];
    double ours;

    path_join(path, sizeof path, dir, file);
    gp_copy(item.model.id, sizeof item.model.id, file);
    item.model.id[strlen(item.model.id) - strlen(".cfg")] = '\0';
    if (profile_read(path, model_file_read, &item, fail_on_warning, NULL, &err) != GP_OK)
        fail_msg("%s: %s (%s)", err.where, err.text, err.hint);
    model = item.model;
    assert_true(model.name[0] && model.family[0] && model.source[0] && model.date[0]);
    check_formats(&model, formats);
    check_tower(&model);
    ours = model_params(&model) + model.published_extra;
    if (model.published > 0 && ours + residual(model.id) != model.published)
        fail_msg("%s: %.0f, published %.0f: %+.0f", model.id, ours, model.published,
                 ours - model.published);
    return model.published > 0;
}

static void test_published_counts(void **state)
{
    const char *srcdir = getenv("srcdir");
    char dir[512], **names;
    struct format_list formats = {0};
    size_t count;
    int published = 0;

    (void)state;
    gp_format(dir, sizeof dir, "%s/profiles/formats.cfg", srcdir ? srcdir : ".");
    assert_int_equal(profile_read(dir, format_file_read, &formats, NULL, NULL, NULL), GP_OK);
    gp_format(dir, sizeof dir, "%s/profiles/models", srcdir ? srcdir : ".");
    assert_int_equal(path_list(dir, ".cfg", &names, &count, NULL), GP_OK);
    for (size_t i = 0; i < count; i++)
        if (strstr(names[i], ".set.") == NULL)
            published += check_published(dir, names[i], &formats);
    path_list_free(names, count);
    free(formats.formats);
    assert_true(count >= 121);
    assert_true(published >= 97);
}

/* ---- what published counts hold beyond parameters -------------------------------- */

/* FP8 scales of 128x128 blocks over the linear layers of one layer kind. */
static double kind_scales(const struct model *model, int k)
{
    const unsigned fp8 = 1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT |
                         1u << ROLE_ATTN_LATENT | 1u << ROLE_INDEXER | 1u << ROLE_MLP |
                         1u << ROLE_EXPERT | 1u << ROLE_SHARED;
    struct tensor t[MODEL_MAX_TENSORS];
    double sum = 0;

    for (int i = 0, n = model_layer_tensors(model, k, t); i < n; i++)
        if (fp8 >> t[i].role & 1)
            sum += ceil(t[i].rows / 128) * ceil(t[i].cols / 128) * t[i].count;
    return sum;
}

static double model_scales(const struct model *model)
{
    double sum = 0;

    for (int k = 0; k < model->kind_count; k++)
        sum += model_kind_layers(model, k) * kind_scales(model, k);
    return sum;
}

static int last_kind(const struct model *model)
{
    return model->layer[model->layer_count - 1];
}

static void test_fp8_scales(void **state)
{
    static const char *const ids[] = {"deepseek-v3", "deepseek-r1", "deepseek-v3.2", "kimi-k2",
                                      "minimax-m2"};

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct model m = load(ids[i]);
        double scales = model_scales(&m);
        if (m.mtp_params > 0)
            scales += kind_scales(&m, last_kind(&m));
        assert_near(m.published_extra, m.mtp_params + scales, 0);
    }
}

/* An MTP layer is one more layer, a projection of 2h to h and three norms; some
 * checkpoints store embedding and head again with it. */
static void test_mtp(void **state)
{
    static const struct {
        const char *id;
        bool copies;
    } rows[] = {
        {"deepseek-v3", true},         {"deepseek-v3.2", true},     {"glm-4.5", true},
        {"glm-4.5-air", true},         {"glm-4.6", false},          {"glm-5", false},
        {"qwen3-next-80b-a3b", false}, {"qwen3.5-27b", false},      {"qwen3.5-35b-a3b", false},
        {"qwen3.5-122b-a10b", false},  {"qwen3.5-397b-a17b", false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model m = load(rows[i].id);
        double h = m.hidden, mtp = kind_elements(&m, last_kind(&m)) + 2 * h * h + 3 * h;
        if (rows[i].copies)
            mtp += 2.0 * m.vocab * h;
        if (mtp != m.mtp_params)
            fail_msg("%s: MTP %.0f, profile %.0f", m.id, mtp, m.mtp_params);
    }
}

/* DeepSeek-V4's MTP layer has a window only, its own stream head, embedding and head;
 * its two projections of h to h are FP8 too. Its base checkpoint is FP8 throughout. */
static void test_deepseek_v4(void **state)
{
    static const char *const ids[] = {"deepseek-v4-flash", "deepseek-v4-pro"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct model m = load(ids[i]);
        int k = m.kind_count++;
        double h = m.hidden, hash_tables = 3.0 * m.vocab * m.kind[0].experts_active;
        m.kind[k] = m.kind[last_kind(&m)];
        m.kind[k].compress = m.kind[k].index_heads = 0;
        m.kind[k].router_bias = true;
        double mtp =
            kind_elements(&m, k) + 2 * h * h + 3 * h + m.extra[0].elements + 2.0 * m.vocab * h;
        double scales = model_scales(&m) + kind_scales(&m, k) + 2 * ceil(h / 128) * ceil(h / 128);
        assert_near(mtp, m.mtp_params, 0);
        assert_near(m.published_extra, mtp + scales + hash_tables, 0);
    }
}

/* ---- tensors and sums ----------------------------------------------------------- */

static void test_llama_layer(void **state)
{
    struct model m = load("llama-3.1-8b");
    struct tensor t[MODEL_MAX_TENSORS];

    (void)state;
    assert_near(kind_elements(&m, 0), 218112000, 0);
    assert_near(model_params(&m), 8030261248.0, 0);
    assert_int_equal(model_layer_tensors(&m, 0, t), 8);
    assert_string_equal(t[1].name, "k_proj");
    assert_int_equal(t[1].role, ROLE_ATTN_KV);
    assert_near(t[1].rows, 1024, 0);
    assert_near(t[1].cols, 4096, 0);
    assert_int_equal(model_global_tensors(&m, t), 3);
}

static void test_mla_layer(void **state)
{
    struct model m = load("deepseek-v3");
    struct tensor t[MODEL_MAX_TENSORS];
    double attention = 0;

    (void)state;
    for (int i = 0, n = model_layer_tensors(&m, 0, t); i < n; i++)
        if (t[i].role != ROLE_MLP && strcmp(t[i].name, "layernorm") != 0)
            attention += elements(&t[i]);
    assert_near(attention, 187107328, 0);
    assert_string_equal(t[5].name, "kv_b_proj");
    assert_int_equal(t[5].role, ROLE_ATTN_KV);
    assert_near(t[5].rows, 32768, 0);
    assert_near(t[5].cols, 512, 0);
}

static void test_active(void **state)
{
    static const struct {
        const char *id;
        double active;
    } rows[] = {{"mixtral-8x7b", 12879925248.0},
                {"llama-4-maverick", 17184691200.0},
                {"gpt-oss-120b", 5711982912.0},
                {"gemma-3-27b", 27009346304.0},
                {"nemotron-3-super-120b-a12b", 12770216960.0},
                {"llama-3.1-8b", 8030261248.0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model m = load(rows[i].id);
        assert_near(model_params_active(&m), rows[i].active, 0);
    }
}

static void test_roles_sum_to_total(void **state)
{
    static const char *const ids[] = {"kimi-k3", "gemma-4-e2b", "jamba-1.5-mini", "deepseek-v4-pro",
                                      "whisper-large-v3"};

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct model m = load(ids[i]);
        double sum = 0;
        for (int r = 0; r < ROLE_COUNT; r++)
            sum += model_params_role(&m, (enum tensor_role)r);
        assert_near(sum, model_params(&m), 0);
    }
}

static void test_layer_order(void **state)
{
    struct model m = load("gemma-3-27b");

    (void)state;
    assert_int_equal(m.layer_count, 62);
    assert_int_equal(model_kind_layers(&m, 0), 52);
    assert_int_equal(model_kind_layers(&m, 1), 10);
    assert_int_equal(m.kind[m.layer[5]].mixer, MIXER_FULL);
    assert_int_equal(m.kind[m.layer[61]].mixer, MIXER_SLIDING);
    m = load("kimi-k3");
    assert_int_equal(m.layer_count, 93);
    assert_int_equal(m.kind[m.layer[0]].mixer, MIXER_KDA);
    assert_int_equal(m.kind[m.layer[92]].mixer, MIXER_MLA);
}

static void test_native_formats(void **state)
{
    struct model m = load("gpt-oss-120b");

    (void)state;
    assert_string_equal(m.native[ROLE_EXPERT], "mxfp4");
    assert_string_equal(m.native[ROLE_ATTN_Q], "bf16");
    m = load("deepseek-v3");
    assert_string_equal(m.native[ROLE_EXPERT], "fp8-block");
    assert_string_equal(m.native[ROLE_ATTN_LATENT], "fp8-block");
    assert_string_equal(m.native[ROLE_ROUTER], "bf16");
    assert_string_equal(m.native[ROLE_HEAD], "bf16");
    assert_string_equal(m.native_dtype, "bf16");
    m = load("kimi-k2.5");
    assert_string_equal(m.native[ROLE_EXPERT], "int4-g32");
    assert_string_equal(m.native[ROLE_SHARED], "bf16");
    m = load("gpt2-124m");
    assert_string_equal(m.native[ROLE_MLP], "fp32");
}

/* ---- bare sizes ----------------------------------------------------------------- */

static void test_generic_exact(void **state)
{
    struct model m;

    (void)state;
    assert_int_equal(model_generic(8e9, &m, NULL), GP_OK);
    assert_near(model_params(&m), 8030261248.0, 0);
    assert_int_equal(model_generic(70e9, &m, NULL), GP_OK);
    assert_near(model_params(&m), 70553706496.0, 0);
    assert_int_equal(model_generic(405e9, &m, NULL), GP_OK);
    assert_near(model_params(&m), 405853388800.0, 0);
    assert_int_equal(model_generic(400e9, &m, NULL), GP_OK);
    assert_near(model_params(&m), 399477981184.0, 0);
    assert_int_equal(m.layer_count, 124);
    assert_int_equal(model_generic(13e9, &m, NULL), GP_OK);
    assert_near(model_params(&m) / 13e9, 1, 0.02);
}

static void test_generic_all_sizes(void **state)
{
    struct model m;
    struct gp_err err = {0};

    (void)state;
    for (double size = 0.3e9; size < 1600e9; size *= 1.013) {
        if (model_generic(size, &m, &err) != GP_OK)
            fail_msg("%g: %s", size, err.text);
        assert_int_equal(model_check(&m, &err), GP_OK);
        assert_near(model_params(&m) / size, 1, 0.02);
    }
    assert_int_equal(model_generic(1e6, &m, &err), GP_E_USAGE);
    assert_int_equal(model_generic(1e14, &m, &err), GP_E_USAGE);
    assert_int_equal(model_generic(NAN, &m, &err), GP_E_USAGE);
}

/* ---- refusals ------------------------------------------------------------------- */

static struct model good(void)
{
    struct model m;

    assert_int_equal(model_generic(8e9, &m, NULL), GP_OK);
    assert_int_equal(model_check(&m, NULL), GP_OK);
    return m;
}

static void refused(const struct model *m, const char *part)
{
    struct gp_err err = {0};

    assert_int_equal(model_check(m, &err), GP_E_FILE);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

#define REFUSED(change, part)              \
    do {                                   \
        struct model m = good();           \
        struct layer_kind *k = &m.kind[0]; \
        (void)k;                           \
        change;                            \
        refused(&m, part);                 \
    } while (0)

static void test_check(void **state)
{
    (void)state;
    REFUSED(k->kv_heads = 33, "kv_heads: 33 exceeds heads: 32");
    REFUSED(k->kv_heads = 5, "not a multiple");
    REFUSED(k->heads = 0, "heads");
    REFUSED(k->head_dim = -1, "head_dim");
    REFUSED(k->ff = 1 << 25, "ff: ");
    REFUSED(k->experts = 8, "expert_ff is missing");
    REFUSED((k->experts = 8, k->expert_ff = 64, k->experts_active = 9), "experts_active");
    REFUSED(k->experts_active = 2, "experts is missing");
    REFUSED(k->mixer = MIXER_SLIDING, "window is missing");
    REFUSED(k->mixer = MIXER_MLA, "kv_lora is missing");
    REFUSED(k->mixer = MIXER_MAMBA2, "lin_v_heads is missing");
    REFUSED(k->mixer = MIXER_COUNT, "unknown mixer");
    REFUSED((k->k_is_v = true, k->v_head_dim = 64), "k_is_v");
    REFUSED(k->extra = NAN, "extra");
    REFUSED((k->o_groups = 3, k->head_dim = 128), "o_groups");
    REFUSED(m.hidden = 0, "hidden");
    REFUSED(m.vocab = 0, "vocab");
    REFUSED(m.max_context = 0, "max_context");
    REFUSED(m.layer_count = MODEL_MAX_LAYERS + 1, "layer_count");
    REFUSED(m.layer_count = 0, "no layers");
    REFUSED(m.layer[3] = 1, "layer 4 is of kind 2");
    REFUSED(m.kind_count = MODEL_MAX_KINDS + 1, "layer kinds");
    REFUSED(m.extra_count = -1, "extras");
    REFUSED(m.mtp_params = -1, "mtp");
}

/* ---- profiles ------------------------------------------------------------------- */

#define HEAD "name = \"x\"; hidden = 64; vocab = 128; max_context = 99;\n"
#define LAYER "layer = { heads = 4; kv_heads = 2; head_dim = 16; ff = 256; };\n"
#define KINDS "kinds = ({ letter = \"a\"; }, { letter = \"b\"; ff = 512; });\n"

static enum gp_status parse(const char *text, struct model *model, struct gp_err *err)
{
    struct profile *profile;
    struct model_item item = {.model = *model};
    enum gp_status status = profile_parse("x.cfg", text, strlen(text), &profile, err);

    if (status != GP_OK)
        return status;
    model_file_read(profile_top(profile), &item);
    status = profile_finish(profile, NULL, NULL, err);
    profile_free(profile);
    *model = item.model;
    return status;
}

static void test_hostile_profiles(void **state)
{
    static const struct {
        const char *text, *where, *part;
    } rows[] = {
        {"", "", "hidden: 0 is outside"},
        {HEAD, "", "has no layers"},
        {HEAD LAYER, "layer_count", "missing"},
        {HEAD LAYER "layer_count = 513;", "layer_count", "513 is outside 1..512"},
        {HEAD LAYER "layer_count = 8.0;", "layer_count", "a float"},
        {HEAD LAYER "layer_count = -1;", "layer_count", "outside"},
        {HEAD "layer = 3;", "layer", "group"},
        {HEAD "layer = { heads = 70000; }; layer_count = 1;", "heads", "outside"},
        {HEAD "layer = { mixer = \"slidng\"; }; layer_count = 1;", "mixer", "unknown value"},
        {HEAD "layer = { mixer = \"sliding\"; heads = 4; kv_heads = 2; head_dim = 8; };"
              "layer_count = 1;",
         "", "window is missing"},
        {HEAD LAYER KINDS, "pattern", "missing"},
        {HEAD LAYER KINDS "pattern = \"abc\";", "pattern", "no layer kind has this letter"},
        {HEAD LAYER KINDS "pattern = \"2(ab\";", "pattern", "never closed"},
        {HEAD LAYER KINDS "pattern = \"2(a2(b))\";", "pattern", "cannot be nested"},
        {HEAD LAYER KINDS "pattern = \"513a\";", "pattern", "outside 1..512"},
        {HEAD LAYER KINDS "pattern = \"99999999999999999999a\";", "pattern", "outside"},
        {HEAD LAYER KINDS "pattern = \"0a\";", "pattern", "outside"},
        {HEAD LAYER KINDS "pattern = \"300a300b\";", "pattern", "more than 512"},
        {HEAD LAYER KINDS "pattern = \"512(aaaaaaaa)\";", "pattern", "more than 512"},
        {HEAD LAYER KINDS "pattern = \")\";", "pattern", "letter"},
        {HEAD LAYER KINDS "pattern = \"3\";", "pattern", "letter"},
        {HEAD LAYER KINDS "pattern = \"\";", "", "no layers"},
        {HEAD LAYER "kinds = ({ letter = \"a\"; }, { letter = \"a\"; });", "letter", "taken"},
        {HEAD LAYER "kinds = ({ letter = \"7\"; });", "letter", "digit or bracket"},
        {HEAD LAYER "kinds = ({ letter = \"\"; });", "letter", "digit or bracket"},
        {HEAD LAYER "kinds = ({ ff = 3; });", "letter", "missing"},
        {HEAD LAYER "kinds = 5;", "kinds", "list"},
        {HEAD LAYER "layer_count = 2; extra = ({ name = \"v\"; });", "elements", "missing"},
        {HEAD LAYER "layer_count = 2; extra = ({ name = \"v\"; elements = -4; });", "elements",
         "outside"},
        {HEAD LAYER "layer_count = 2; extra = ({ name = \"v\"; elements = 4;"
                    "role = \"visoin\"; });",
         "role", "unknown value"},
        {HEAD LAYER "layer_count = 2; mtp = 3000000000;", "", "3000000000"},
        {HEAD LAYER "layer_count = 2; dtype = \"fp8\";", "dtype", "unknown value"},
        {HEAD LAYER "layer_count = 2; published = { note = \"x\"; };", "params", "missing"},
        {HEAD LAYER "layer_count = 2; native_roles = { expert = 4; };", "expert", "a string"},
        {HEAD LAYER "layer_count = 2; checkpoints = ({ source = \"s\"; });", "format", "missing"},
        {HEAD LAYER "layer_count = 2; checkpoints = ({ format = \"nvfp4\";"
                    "roles = { expert = 16; }; });",
         "expert", "a string"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model m = {0};
        struct gp_err err = {0};
        if (parse(rows[i].text, &m, &err) != GP_E_FILE)
            fail_msg("row %zu is not refused", i);
        if (!strstr(err.where, rows[i].where) ||
            (!strstr(err.text, rows[i].part) && !strstr(err.where, rows[i].part)))
            fail_msg("row %zu: %s: %s", i, err.where, err.text);
    }
}

static void test_brackets_end(void **state)
{
    struct model m = {0};
    struct gp_err err = {0};

    (void)state;
    /* empty ones add no layer: 512 of 512 of 512 of them must not be walked */
    assert_int_equal(parse(HEAD LAYER KINDS "pattern = \"512(512(512(512(512()))))\";", &m, &err),
                     GP_E_FILE);
    memset(&m, 0, sizeof m);
    assert_int_equal(parse(HEAD LAYER KINDS "pattern = \"2(a2b)3a()\";", &m, &err), GP_OK);
    assert_int_equal(m.layer_count, 9);
    assert_int_equal(m.layer[1], 1);
    assert_int_equal(m.layer[3], 0);
}

/* A user's file of the same id changes single fields. */
static void test_overlay(void **state)
{
    struct model m = {0};
    struct gp_err err = {0};

    (void)state;
    assert_int_equal(parse(HEAD LAYER KINDS "pattern = \"ab\";", &m, &err), GP_OK);
    assert_int_equal(m.kind[1].ff, 512);
    assert_int_equal(parse("max_context = 4096;", &m, &err), GP_OK);
    assert_int_equal(m.max_context, 4096);
    assert_int_equal(m.layer_count, 2);
    assert_int_equal(parse("layer = { qk_norm = \"head\"; };", &m, &err), GP_OK);
    assert_int_equal(m.kind[0].qk_norm, QK_NORM_HEAD);
    assert_int_equal(m.kind[1].ff, 512);
    assert_int_equal(parse("native = \"fp8-block\";", &m, &err), GP_OK);
    assert_string_equal(m.native[ROLE_MLP], "fp8-block");
    assert_string_equal(m.native[ROLE_HEAD], "bf16");
    assert_int_equal(parse("checkpoints = ({ format = \"nvfp4\";"
                           "roles = { mlp = \"fp8\"; }; });",
                           &m, &err),
                     GP_OK);
    assert_int_equal(m.checkpoint_count, 1);
    assert_string_equal(m.checkpoint[0].role[ROLE_MLP], "fp8");
    assert_string_equal(m.checkpoint[0].role[ROLE_HEAD], "");
    assert_int_equal(parse("layer = { kv_heads = 3; };", &m, &err), GP_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_fp8_scales),
        cmocka_unit_test(test_mtp),
        cmocka_unit_test(test_deepseek_v4),
        cmocka_unit_test(test_llama_layer),
        cmocka_unit_test(test_mla_layer),
        cmocka_unit_test(test_active),
        cmocka_unit_test(test_roles_sum_to_total),
        cmocka_unit_test(test_layer_order),
        cmocka_unit_test(test_native_formats),
        cmocka_unit_test(test_generic_exact),
        cmocka_unit_test(test_generic_all_sizes),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_hostile_profiles),
        cmocka_unit_test(test_brackets_end),
        cmocka_unit_test(test_overlay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
