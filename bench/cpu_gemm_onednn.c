/*
 * cpu_gemm_onednn.c - linear layers by oneDNN's matmul primitive, C API of v2.6 and v3.
 *
 * dst[n, m] = src[n, k] * weights[k, m]. The caller's W[m, k] is weights in the layout
 * "ba"; the primitive is asked which layout it wants (format any) and W is reordered into
 * it. The two APIs differ in how descriptors are made and held, nothing else:
 *   v2  dnnl_memory_desc_t is a struct, dnnl_matmul_desc_init + primitive_desc_create
 *   v3  dnnl_memory_desc_t is a pointer, dnnl_matmul_primitive_desc_create
 *
 * INT8: processors with VNNI multiply u8 by s8, and only AMX and AVX-VNNI-INT8 s8 by s8
 * without a correction; src is whichever is native. Before VNNI the library adds pairs of
 * products in 16 bits, which saturate: 255*127*2 = 64770 > 32767. There src has 7 bits, as
 * frameworks quantise for such processors: 127*127*2 = 32258.
 */
#ifdef GP_HAVE_ONEDNN

#include <dlfcn.h>
#include <dnnl.h>
#include <stdlib.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t md_view; /* given by the library, or lent to it */
#else
typedef const dnnl_memory_desc_t *md_view;
#endif

struct op {
    dnnl_primitive_t primitive;
    dnnl_primitive_desc_t desc;
    md_view md[GEMM_OPERANDS]; /* owned by desc */
    struct gemm_shape shape;
    enum number wn;
};

/* One engine and stream serve all; made at the first use, for the life of the program. */
static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void onednn_version(char *text, size_t size)
{
    const dnnl_version_t *v = dnnl_version();

    gp_format(text, size, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}

static const void *onednn_place(void)
{
    return dnnl_version();
}

static const char *status_word(dnnl_status_t status)
{
    return status == dnnl_out_of_memory       ? "out of memory"
           : status == dnnl_unimplemented     ? "not implemented"
           : status == dnnl_invalid_arguments ? "invalid arguments"
                                              : "runtime error";
}

/* ---- what the processor has ---- */

#if defined(__x86_64__)
static bool cpuid_bit(unsigned leaf, unsigned sub, int reg, int bit)
{
    unsigned r[4] = {0};

    if (!__get_cpuid_count(leaf, sub, &r[0], &r[1], &r[2], &r[3]))
        return false;
    return r[reg] >> bit & 1;
}
enum { EAX, EBX, ECX, EDX };

#define HAS_AVX512_VNNI cpuid_bit(7, 0, ECX, 11)
#define HAS_AMX_BF16 cpuid_bit(7, 0, EDX, 22)
#define HAS_AVX512_FP16 cpuid_bit(7, 0, EDX, 23)
#define HAS_AMX_INT8 cpuid_bit(7, 0, EDX, 25)
#define HAS_AVX_VNNI cpuid_bit(7, 1, EAX, 4)
#define HAS_AVX512_BF16 cpuid_bit(7, 1, EAX, 5)
#define HAS_AMX_FP16 cpuid_bit(7, 1, EAX, 21)
#define HAS_VNNI_INT8 cpuid_bit(7, 1, EDX, 4)

/* The library may be held below what the processor has (ONEDNN_MAX_CPU_ISA). */
static bool onednn_is_allowed(unsigned isa)
{
    return ((unsigned)dnnl_get_effective_cpu_isa() & isa) == isa;
}

static bool onednn_is_native(enum bench_type type)
{
    switch (type) {
    case TYPE_BF16:
        return (HAS_AVX512_BF16 || HAS_AMX_BF16) &&
               onednn_is_allowed(dnnl_cpu_isa_avx512_core_bf16);
    case TYPE_INT8:
        return (HAS_AVX512_VNNI && onednn_is_allowed(dnnl_cpu_isa_avx512_core_vnni)) ||
               (HAS_AVX_VNNI && onednn_is_allowed(dnnl_cpu_isa_avx2_vnni));
    case TYPE_FP16:
#if DNNL_VERSION_MAJOR >= 3
        return (HAS_AVX512_FP16 || HAS_AMX_FP16) &&
               onednn_is_allowed(dnnl_cpu_isa_avx512_core_fp16);
#else
        return false;
#endif
    default:
        return true;
    }
}

static bool signed_native(void)
{
    bool amx = HAS_AMX_INT8 && onednn_is_allowed(dnnl_cpu_isa_avx512_core_amx);

#if DNNL_VERSION_MAJOR >= 3
    return amx || (HAS_VNNI_INT8 && onednn_is_allowed(dnnl_cpu_isa_avx2_vnni_2));
#else
    return amx;
#endif
}

static bool onednn_saturates(void)
{
    return !onednn_is_native(TYPE_INT8);
}
#else
static bool onednn_is_native(enum bench_type type)
{
#if defined(__aarch64__)
    if (type == TYPE_BF16)
        return getauxval(AT_HWCAP2) >> 14 & 1; /* HWCAP2_BF16 */
    if (type == TYPE_INT8)
        return getauxval(AT_HWCAP) >> 20 & 1; /* HWCAP_ASIMDDP */
    if (type == TYPE_FP16)
        return getauxval(AT_HWCAP) >> 10 & 1; /* HWCAP_ASIMDHP */
#endif
    return type == TYPE_FP32;
}

static bool signed_native(void)
{
    return true;
}

static bool onednn_saturates(void)
{
    return false;
}
#endif

static void onednn_isa(char *text, size_t size)
{
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {
        {dnnl_cpu_isa_sse41, "sse41"},
        {dnnl_cpu_isa_avx, "avx"},
        {dnnl_cpu_isa_avx2, "avx2"},
        {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
        {dnnl_cpu_isa_avx512_core, "avx512_core"},
        {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
        {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
        {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
#if DNNL_VERSION_MAJOR >= 3
        {dnnl_cpu_isa_avx2_vnni_2, "avx2_vnni_2"},
        {dnnl_cpu_isa_avx512_core_fp16, "avx512_core_fp16"},
#endif
    };
    dnnl_cpu_isa_t used = dnnl_get_effective_cpu_isa();

    gp_format(text, size, "0x%x", (unsigned)used); /* of one that is newer */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].isa == used)
            gp_copy(text, size, names[i].name);
}

/* OpenMP's number of threads is the calling thread's; whichever OpenMP the library
 * brought is asked, so that the engine links none of its own. */
static void onednn_threads(int count)
{
    static void (*set)(int);

    if (!set)
        *(void **)&set = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    if (set)
        set(count);
}

/* ---- making a primitive ---- */

static dnnl_data_type_t data_type(enum number number)
{
    static const dnnl_data_type_t types[] = {
        [NUMBER_F32] = dnnl_f32, [NUMBER_BF16] = dnnl_bf16, [NUMBER_F16] = dnnl_f16,
        [NUMBER_S8] = dnnl_s8,   [NUMBER_U8] = dnnl_u8,     [NUMBER_U7] = dnnl_u8,
        [NUMBER_S32] = dnnl_s32,
    };

    return types[number];
}

static bool operand_types(enum bench_type type, struct gemm_made *out)
{
    static const struct {
        enum bench_type type;
        enum number x, w, y;
    } known[] = {
        {TYPE_FP32, NUMBER_F32, NUMBER_F32, NUMBER_F32},
        {TYPE_BF16, NUMBER_BF16, NUMBER_BF16, NUMBER_BF16},
        {TYPE_FP16, NUMBER_F16, NUMBER_F16, NUMBER_F16},
        {TYPE_INT8, NUMBER_U8, NUMBER_S8, NUMBER_S32},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].type != type)
            continue;
        out->x = known[i].x;
        out->w = known[i].w;
        out->y = known[i].y;
        if (type == TYPE_INT8 && signed_native())
            out->x = NUMBER_S8;
        else if (type == TYPE_INT8 && onednn_saturates())
            out->x = NUMBER_U7;
        return true;
    }
    return false;
}

static dnnl_status_t onednn_describe(dnnl_memory_desc_t *md, int64_t rows, int64_t columns,
                                     enum number number, dnnl_format_tag_t tag)
{
    dnnl_dims_t dims = {rows, columns};

#if DNNL_VERSION_MAJOR >= 3
    return dnnl_memory_desc_create_with_tag(md, 2, dims, data_type(number), tag);
#else
    return dnnl_memory_desc_init_by_tag(md, 2, dims, data_type(number), tag);
#endif
}

static dnnl_status_t make_product(struct op *op, dnnl_memory_desc_t x, dnnl_memory_desc_t w,
                                  dnnl_memory_desc_t y)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_matmul_primitive_desc_create(&op->desc, engine, x, w, NULL, y, NULL);
#else
    dnnl_matmul_desc_t matmul;
    dnnl_status_t status = dnnl_matmul_desc_init(&matmul, &x, &w, NULL, &y);

    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(&op->desc, &matmul, NULL, engine, NULL);
    return status;
#endif
}

static dnnl_status_t make_desc(struct op *op, const struct gemm_made *made)
{
    const struct gemm_shape *s = &op->shape;
    dnnl_memory_desc_t x = {0}, w = {0}, y = {0};
    dnnl_status_t status = onednn_describe(&x, s->n, s->k, made->x, dnnl_ab);

    if (status == dnnl_success)
        status = onednn_describe(&w, s->k, s->m, made->w, dnnl_format_tag_any);
    if (status == dnnl_success)
        status = onednn_describe(&y, s->n, s->m, made->y, dnnl_ab);
    if (status == dnnl_success)
        status = make_product(op, x, w, y);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_destroy(x);
    dnnl_memory_desc_destroy(w);
    dnnl_memory_desc_destroy(y);
#endif
    return status;
}

static void op_free(void *made)
{
    struct op *op = made;

    if (!op)
        return;
    if (op->primitive)
        dnnl_primitive_destroy(op->primitive);
    if (op->desc)
        dnnl_primitive_desc_destroy(op->desc);
    free(op);
}

static bool onednn_refuse(struct op *op, struct refusal *why, enum point_state state,
                          const char *what)
{
    char library[48];

    onednn_version(library, sizeof library);
    cpu_refuse(why, state, "%s: %s matmul: %s", library, bench_type_word(op->shape.type), what);
    op_free(op);
    return false;
}

static bool onednn_make(const struct gemm_shape *shape, struct gemm_made *out, struct refusal *why)
{
    struct op *op = gp_calloc(1, sizeof *op);
    const char *kernel = "";
    dnnl_status_t status;

    op->shape = *shape;
    if ((!engine && dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) ||
        (!stream && dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success))
        return onednn_refuse(op, why, POINT_ERROR, "no engine");
    if (!operand_types(shape->type, out))
        return onednn_refuse(op, why, POINT_UNSUPPORTED, "is not a type of a processor");
    op->wn = out->w;
    if ((status = make_desc(op, out)) != dnnl_success)
        return onednn_refuse(op, why, status == dnnl_out_of_memory ? POINT_OOM : POINT_UNSUPPORTED,
                             status_word(status));
    dnnl_primitive_desc_query(op->desc, dnnl_query_impl_info_str, 0, &kernel);
    if (strncmp(kernel, "ref", 3) == 0) /* orders of magnitude slower: no measurement */
        return onednn_refuse(op, why, POINT_UNSUPPORTED,
                             "has reference code for it, but no kernel");
    if (dnnl_primitive_create(&op->primitive, op->desc) != dnnl_success)
        return onednn_refuse(op, why, POINT_ERROR, "primitive not made");
    op->md[GEMM_X] = dnnl_primitive_desc_query_md(op->desc, dnnl_query_src_md, 0);
    op->md[GEMM_W] = dnnl_primitive_desc_query_md(op->desc, dnnl_query_weights_md, 0);
    op->md[GEMM_Y] = dnnl_primitive_desc_query_md(op->desc, dnnl_query_dst_md, 0);
    out->op = op;
    out->packed = dnnl_memory_desc_get_size(op->md[GEMM_W]);
    out->emulated = !onednn_is_native(shape->type);
    gp_copy(out->algorithm, sizeof out->algorithm, kernel);
    return true;
}

/* ---- operands ---- */

static void *onednn_handle(md_view md, void *data)
{
    dnnl_memory_t memory;

    return dnnl_memory_create(&memory, md, engine, data) == dnnl_success ? memory : NULL;
}

static void *onednn_operand(void *op, enum gemm_operand which, void *data)
{
    return onednn_handle(((struct op *)op)->md[which], data);
}

static void onednn_forget(void *memory)
{
    if (memory)
        dnnl_memory_destroy(memory);
}

static bool onednn_pack(void *made, void *w, void *packed)
{
    struct op *op = made;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_memory_t from = NULL, to = onednn_operand(op, GEMM_W, packed);
    dnnl_primitive_t reorder = NULL;
    dnnl_memory_desc_t plain;
    bool ok = false;

    if (onednn_describe(&plain, op->shape.k, op->shape.m, op->wn, dnnl_ba) == dnnl_success) {
#if DNNL_VERSION_MAJOR >= 3
        from = onednn_handle(plain, w);
        ok = dnnl_reorder_primitive_desc_create(&desc, plain, engine, op->md[GEMM_W], engine,
                                                NULL) == dnnl_success;
        dnnl_memory_desc_destroy(plain);
#else
        from = onednn_handle(&plain, w);
        ok = dnnl_reorder_primitive_desc_create(&desc, &plain, engine, op->md[GEMM_W], engine,
                                                NULL) == dnnl_success;
#endif
    }
    ok = ok && from && to && dnnl_primitive_create(&reorder, desc) == dnnl_success;
    if (ok) {
        dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};

        ok = dnnl_primitive_execute(reorder, stream, 2, args) == dnnl_success &&
             dnnl_stream_wait(stream) == dnnl_success;
        dnnl_primitive_destroy(reorder);
    }
    if (desc)
        dnnl_primitive_desc_destroy(desc);
    onednn_forget(from);
    onednn_forget(to);
    return ok;
}

static bool onednn_execute(void *made, void *w, void *x, void *y)
{
    struct op *op = made;
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}};

    return dnnl_primitive_execute(op->primitive, stream, 3, args) == dnnl_success;
}

static bool wait_all(void *op)
{
    (void)op;
    return dnnl_stream_wait(stream) == dnnl_success;
}

const struct gemm_library gemm_onednn = {
    .name = "onednn",
    .version = onednn_version,
    .isa = onednn_isa,
    .threads = onednn_threads,
    .make = onednn_make,
    .pack = onednn_pack,
    .operand = onednn_operand,
    .forget = onednn_forget,
    .execute = onednn_execute,
    .wait = wait_all,
    .free = op_free,
    .place = onednn_place,
};

#else
typedef int built_without_onednn;
#endif
