/*
 * model_generic.c - what "13B" means when nobody says which 13B.
 *
 * Memory of a bare size depends on its width and depth (KV cache) as well as on its
 * parameters. The shape is taken from published dense GQA models, nearest in size on a
 * logarithmic scale, with Llama-3's vocabulary; if that misses the size by more than
 * 1 %, the layer count is changed, and if it still misses, the MLP width in steps of
 * 256:
 *
 *   layers = round((params - outside) / per layer)
 *   ff     = nearest 256 to (params - rest) / (layers * 3h)
 *
 * Examples: 8B, 70B and 405B are Llama-3.1's own shapes; 400B is the 405B with 124 of
 * 126 layers, 399,477,981,184 parameters.
 */
#include <math.h>

#include "base/str.h"
#include "base/units.h"
#include "model/model.h"

#define VOCAB 128256
#define SMALLEST 0.3e9
#define LARGEST 1600e9
#define NEAR 0.01      /* the published shape itself is good enough */
#define TOLERANCE 0.02 /* what is promised in the end */

struct shape {
    const char *like;
    int hidden, layers, heads, kv_heads, head_dim, ff;
    bool tied;
};

static const struct shape shapes[] = {
    {"Qwen2.5-0.5B", 896, 24, 14, 2, 64, 4864, true},
    {"Llama-3.2-1B", 2048, 16, 32, 8, 64, 8192, true},
    {"Llama-3.2-3B", 3072, 28, 24, 8, 128, 8192, true},
    {"Llama-3.1-8B", 4096, 32, 32, 8, 128, 14336, false},
    {"Qwen3-14B", 5120, 40, 40, 8, 128, 17408, false},
    {"Qwen2.5-32B", 5120, 64, 40, 8, 128, 27648, false},
    {"Llama-3.1-70B", 8192, 80, 64, 8, 128, 28672, false},
    {"Mistral-Large-2", 12288, 88, 96, 8, 128, 28672, false},
    {"Llama-3.1-405B", 16384, 126, 128, 8, 128, 53248, false},
};

static void shape_model(const struct shape *s, int layers, int ff, struct model *out)
{
    struct layer_kind kind = {.mixer = MIXER_FULL,
                              .heads = s->heads,
                              .kv_heads = s->kv_heads,
                              .head_dim = s->head_dim,
                              .v_head_dim = s->head_dim,
                              .ff = ff,
                              .gated = true,
                              .norms = 2};

    *out = (struct model){.hidden = s->hidden,
                          .vocab = VOCAB,
                          .tied = s->tied,
                          .layer_count = layers,
                          .kind_count = 1,
                          .kind = {kind},
                          .final_norm = true,
                          .max_context = 131072};
}

static double generic_miss(const struct model *model, double params)
{
    return fabs(model_params(model) / params - 1);
}

enum gp_status model_generic(double params, struct model *out, struct gp_err *err)
{
    const struct shape *s;
    double least = INFINITY;

    if (!(params >= SMALLEST && params <= LARGEST))
        return gp_fail(err, GP_E_USAGE, "model size", "name a model of the catalogue",
                       "%s B is outside %g..%g B", UNITS_PLAIN(params / 1e9, 6), SMALLEST / 1e9,
                       LARGEST / 1e9);
    s = shapes;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        shape_model(&shapes[i], shapes[i].layers, shapes[i].ff, out);
        double far = fabs(log(model_params(out) / params));
        if (far < least) {
            least = far;
            s = &shapes[i];
        }
    }
    shape_model(s, s->layers, s->ff, out);
    if (generic_miss(out, params) > NEAR) { /* other layers */
        double one = model_params(out), layers;

        shape_model(s, s->layers + 1, s->ff, out);
        layers = nearbyint(s->layers + (params - one) / (model_params(out) - one));
        shape_model(s, (int)fmin(fmax(layers, 1), MODEL_MAX_LAYERS), s->ff, out);
    }
    if (generic_miss(out, params) > NEAR) { /* another width of the MLP */
        double step = 3.0 * s->hidden * out->layer_count * 256;
        double ff = s->ff + 256 * nearbyint((params - model_params(out)) / step);

        shape_model(s, out->layer_count, (int)fmax(ff, 256), out);
    }
    if (generic_miss(out, params) > TOLERANCE)
        return gp_fail(err, GP_E_USAGE, "model size", "name a model of the catalogue",
                       "no dense shape comes within 2 %% of %g B", params / 1e9);
    gp_format(out->id, sizeof(out->id), "%gb", params / 1e9);
    gp_format(out->name, sizeof(out->name), "generic %gB", params / 1e9);
    gp_copy(out->family, sizeof(out->family), "generic");
    out->assumed = true;
    gp_copy(out->native_dtype, sizeof(out->native_dtype), "bf16");
    gp_copy(out->native_name, sizeof(out->native_name), "bf16");
    for (int r = 0; r < ROLE_COUNT; r++)
        gp_copy(out->native[r], sizeof(out->native[r]), "bf16");
    gp_format(out->source, sizeof(out->source),
              "no checkpoint: shape assumed after %s, the published one nearest in size", s->like);
    gp_format(out->note, sizeof(out->note),
              "assumed: a dense GQA shape like %s with %d layers of width %d, MLP %d", s->like,
              out->layer_count, out->hidden, out->kind[0].ff);
    return GP_OK;
}
