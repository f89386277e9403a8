/*
 * terms_speed.c - the terms of a decode step and of serving: equations of speed/.
 *
 * A step is asked again for its parts (step_cut), so that the products, the experts, the
 * reads of the cache, the all-reduces and the fixed time add up to the decode step, and
 * that and the prompts to TPOT. Each part has the factors of TPOT's band: what makes the
 * sum uncertain makes them so.
 *
 * Example, Llama-3.1-70B FP8 on 2 x H100, 16 users: products 12.0 ms, cache 1.1,
 * all-reduces 0.9, fixed 4.0: decode step 18.0; prompts 4.8: TPOT 22.8 ms.
 */
#include <math.h>

#include "base/units.h"
#include "plan/terms_list.h"

#define FAMILY "family profile"
#define ENGINE "engine profile"

struct walk {
    struct terms *w;
    const struct step *step;
    double batch;  /* requests of one decode step, all ranks */
    double tokens; /* of that step: theirs, and those drafted; all ranks */
    double each;   /* of a step per token that it yields for a request, corrected */
};

static struct term_source source_family(const struct family *f)
{
    return (struct term_source){f->name, "", f->date, f->evidence, f->source};
}

static struct term_source source_pace(const struct engine *e)
{
    return (struct term_source){e->name, e->range, e->date, "", e->speed.evidence};
}

static const struct request *request_of(const struct walk *k)
{
    return &k->w->plan->request;
}

static struct quantity part_ms(const struct walk *k, double seconds)
{
    const struct speed *v = &k->w->plan->speed;
    double ms = seconds * 1e3;

    return quantity_band(ms, ms / v->factor_low, ms * v->factor_high, ORIGIN_MODEL);
}

static struct quantity in_ms(struct quantity seconds)
{
    return quantity_scale(seconds, 1e3);
}

static void input_ms(struct terms *w, const char *name, double seconds, const char *origin)
{
    input_unit(w, name, seconds * 1e3, "ms", origin);
}

static void input_us(struct terms *w, const char *name, double seconds, const char *origin)
{
    input_unit(w, name, seconds * 1e6, "us", origin);
}

/* ---- what was measured ---- */

/* Each part below has its factor already. */
static void add_correction(const struct walk *k)
{
    const struct correction *c = &request_of(k)->correction;

    if (!request_corrected(request_of(k)))
        return;
    input_number(k->w, "points", c->points, "--calibration");
    input_number(k->w, "a", c->by[CORRECT_FIXED], "on fixed");
    input_number(k->w, "prompts", c->by[CORRECT_PROMPTS], "on prompts, beside b");
    input_number(k->w, "c", c->first, "on TTFT");
    term_add(k->w, "correction by measured points", "b",
             "least sum of (ln(predicted/measured)/0.08)^2 and of (ln factor / its spread)^2",
             quantity_of(c->by[CORRECT_WORK], ORIGIN_MEASURED), "x",
             source_counted("on products, experts, cache and all-reduces"),
             "points, a, prompts, c");
}

/* ---- products ---- */

static void input_kernel(struct terms *w, enum kernel kernel, double compute, double memory)
{
    const struct gpu *gpu = w->plan->request.gpu;
    double rate = kernel_rate(kernel, gpu);

    rate = rate > 0 ? rate : kernel_rate(KERNEL_16, gpu);
    input_word(w, "kernel", kernel_word(kernel));
    double half = family_compute(kernel, gpu, compute);
    input_number(w, "ec", half, half > compute ? FAMILY ", sums in FP32" : FAMILY);
    double unpacked = family_unpacked(kernel, gpu, memory);
    input_number(w, "em", unpacked, unpacked < memory ? FAMILY ", unpacking" : FAMILY);
    input_unit(w, "P", rate / 1e12, "TFLOPS", "sheet");
}

static void add_product_term(const struct walk *k, enum tensor_role role, struct step_shape n,
                             double layers, double norm, double seconds)
{
    const struct request *q = request_of(k);
    const struct format *format = q->precision.by_role[role];
    bool alike;
    enum kernel kernel = kernel_of(format, q->gpu, q->engine->gguf);
    struct product_share share = family_product(q->gpu->family, kernel, &alike);
    int known = k->w->known_count;

    input_number(k->w, "layers", layers, "exact");
    input_number(k->w, "N", n.rows, "cut");
    input_number(k->w, "K", n.cols, "cut");
    input_unit(k->w, "w", n.bytes, "B", format->id);
    input_number(k->w, "p", norm, norm == 2 ? "fixed" : FAMILY);
    input_kernel(k->w, kernel, share.compute, share.memory);
    term_add(k->w, "product", "G_i",
             "layers * ((2*N*K*T/(ec*P))^p + ((N*K*w + 2*T*(N + K))/(em*BW))^p)^(1/p)",
             part_ms(k, seconds), "ms", source_family(q->gpu->family),
             alike ? "layers, N, K, T, w, kernel, another kernel's figures stand in, ec, P, "
                     "em, BW, p"
                   : "layers, N, K, T, w, kernel, ec, P, em, BW, p");
    term_is_part(k->w, role_word(role), 0);
    inputs_truncate(k->w, known);
}

static void add_product(const struct walk *k, int i)
{
    const struct step_load *l = k->step->load;
    const struct step_product *p = &l->product[i];
    struct step_shape shape = step_shape(l, i, &k->w->plan->layout);
    double layers = 0;

    /* kinds of layers whose products are alike are one term, shown by the first */
    for (int j = 0; j < l->products; j++) {
        struct step_shape other = step_shape(l, j, &k->w->plan->layout);

        if (l->product[j].role != p->role || other.rows != shape.rows || other.cols != shape.cols)
            continue;
        if (j < i)
            return;
        layers += l->product[j].times;
    }
    const struct request *q = request_of(k);
    double seconds = k->each * layers *
                     step_product_time(q, q->precision.by_role[p->role], shape.rows, shape.cols,
                                       shape.bytes, k->tokens / k->step->ways);
    add_product_term(k, p->role, shape, layers, k->step->norm, seconds);
    term_has_size(k->w, " ", (int)lround(shape.rows));
    term_has_size(k->w, " x ", (int)lround(shape.cols));
}

/* ---- experts ---- */

static void add_expert_term(const struct walk *k, const struct layer_kind *kind,
                            const struct moe *m, double layers, double seconds)
{
    const struct request *q = request_of(k);
    const struct family *f = q->gpu->family;
    bool alike;
    enum kernel kernel = kernel_of(q->precision.by_role[ROLE_EXPERT], q->gpu, q->engine->gguf);
    struct expert_share share = family_expert(f, kernel, &alike);
    double bytes_per_s = share.memory * q->gpu->bandwidth.value;
    int known = k->w->known_count;

    input_number(k->w, "layers", layers, "exact");
    input_number(k->w, "T", k->tokens, "all ranks");
    input_number(k->w, "A", moe_read(m, k->tokens), "model");
    input_number(k->w, "room", m->pad, ENGINE);
    input_exact(k->w, "bytes of one", m->expert * bytes_per_s);
    input_exact(k->w, "values of a token", m->traffic * bytes_per_s);
    input_unit(k->w, "each", m->each * 1e9, "ns", FAMILY);
    input_unit(k->w, "token", m->token * 1e9, "ns", FAMILY);
    input_us(k->w, "fixed", m->fixed, ENGINE);
    input_number(k->w, "ep", m->ep > 1 ? m->ep : 0, NULL);
    input_kernel(k->w, kernel, share.compute, share.memory);
    term_add(k->w, "experts", "M_i",
             "layers * (sqrt((FLOP/(ec*P))^2 + "
             "((A*bytes*imbalance + (T + room)*values)/(em*BW))^2) + "
             "each*A + token*T + fixed), A = E*k*T/(E - k + k*T)",
             part_ms(k, seconds), "ms", source_family(f),
             alike ? "layers, T, room, A, bytes of one, values of a token, kernel, another "
                     "kernel's figures stand in, ec, P, em, BW, each, token, fixed, ep"
                   : "layers, T, room, A, bytes of one, values of a token, kernel, ec, P, em, BW, "
                     "each, token, fixed, ep");
    term_has_size(k->w, ": ", kind->experts_active);
    term_has_size(k->w, " of ", kind->experts);
    term_has_size(k->w, ", width ", kind->expert_ff);
    inputs_truncate(k->w, known);
}

static void add_experts(const struct walk *k)
{
    const struct model *m = request_of(k)->model;

    for (int i = 0, at = 0; i < m->kind_count; i++) {
        double layers = 0, seconds = 0;
        bool first = true;

        if (m->kind[i].experts <= 0)
            continue;
        for (int j = 0, moe = 0; j < m->kind_count; j++) {
            if (m->kind[j].experts <= 0)
                continue;
            const struct layer_kind *a = &m->kind[i], *b = &m->kind[j];

            if (a->experts == b->experts && a->experts_active == b->experts_active &&
                a->expert_ff == b->expert_ff) {
                first &= j >= i;
                layers += k->step->moe[moe].times;
                seconds += k->each * moe_time(&k->step->moe[moe], k->tokens, 1);
            }
            moe++;
        }
        if (first)
            add_expert_term(k, &m->kind[i], &k->step->moe[at], layers, seconds);
        at++;
    }
}

/* ---- the rest of a step ---- */

static void add_attention(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct family *f = q->gpu->family;
    double s = spread_held(&q->spread, q->prompt, q->output), bytes = 0, flops = 0, one;
    int known = k->w->known_count;

    for (int i = 0; i < k->step->attentions; i++) {
        bytes += attention_decode(&k->step->attention[i], s, &one);
        flops += one;
    }
    input_number(k->w, "requests", k->batch / k->step->ways, "of a step");
    input_number(k->w, "cached", s, spread_words(&q->spread));
    input_exact(k->w, "read for one", bytes);
    input_unit(k->w, "F", flops / 1e9, "GFLOP", "MLA");
    input_number(k->w, "ekv", k->step->kv / q->gpu->bandwidth.value, FAMILY);
    enum kernel sums = q->engine->gguf ? KERNEL_GGUF16 : KERNEL_16;
    input_number(k->w, "emla", family_compute(sums, q->gpu, f->mla_compute), FAMILY);
    input_unit(k->w, "P", kernel_rate(KERNEL_16, q->gpu) / 1e12, "TFLOPS", "sheet");
    double chain = step_chain(k->step, s);

    if (chain > 0)
        input_unit(k->w, "chain", chain * 1e3, "ms", FAMILY);
    term_add(k->w, "reads of the cache", "cache",
             chain > 0   ? "max(chain, requests * sqrt((bytes/(ekv*BW))^2 + (F/(emla*P))^2))"
             : flops > 0 ? "requests * sqrt((bytes/(ekv*BW))^2 + (F/(emla*P))^2)"
                         : "requests * bytes/(ekv*BW)",
             part_ms(k, k->w->plan->speed.part.attention), "ms", source_family(f),
             chain > 0   ? "requests, cached, read for one, ekv, BW, F, emla, P, chain"
             : flops > 0 ? "requests, cached, read for one, ekv, BW, F, emla, P"
                         : "requests, cached, read for one, ekv, BW");
    inputs_truncate(k->w, known);
}

static void add_communication(const struct walk *k)
{
    const struct step *s = k->step;
    bool spread = s->ways > 1;
    const struct comm *c = spread ? &s->group : &s->tp;
    int known = k->w->known_count;

    if (c->gpus <= 1 && s->pp <= 1)
        return;
    input_number(k->w, "n", c->gpus > 1 ? c->gpus : 0, NULL);
    input_exact(k->w, "S", k->tokens * s->hidden * 2);
    input_number(k->w, "reduces",
                 c->gpus <= 1 ? 0
                 : spread     ? s->load->moe_layers
                              : s->load->reduces,
                 "exact");
    input_us(k->w, "latency", c->latency, FAMILY);
    input_us(k->w, "root", c->root, FAMILY);
    input_unit(k->w, "rate", c->rate / 1e9, "GB/s", FAMILY); /* nccl-tests' bus bandwidth */
    input_word(k->w, "by", comm_library(c, request_of(k)->gpu));
    bool apart = c->hosts > 1 || s->hops_hosts > 0;
    if (apart) {
        input_number(k->w, "H", c->hosts, "exact");
        input_number(k->w, "hops", s->hops_hosts, "exact");
    }
    term_add(k->w, "all-reduces and hops", "comm",
             apart ? "reduces * (latency + root*sqrt(S/1 MB) + 2*(n - 1)/n*S/rate + "
                     "2*(H - 1)*(8 us + S/(H*115 GB/s))) + (pp - 1 - hops) * (S/rate + 10 us) "
                     "+ hops * (18 us + S/14.4 GB/s)"
                   : "reduces * (latency + root*sqrt(S/1 MB) + 2*(n - 1)/n*S/rate) + (pp - 1) "
                     "* (S/rate + 10 us)",
             part_ms(k, k->w->plan->speed.part.communication), "ms",
             source_family(request_of(k)->gpu->family),
             apart          ? "reduces, n, S, latency, root, rate, by, H, hops, pp"
             : c->gpus <= 1 ? "S, pp"
             : c->pcie      ? "reduces, n, S, latency, root, rate, over PCIe, by, pp"
                       : "reduces, n, S, latency, root, rate, over the GPUs' own link, by, pp");
    inputs_truncate(k->w, known);
}

static void add_fixed(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct engine_speed *e = &q->engine->speed;
    int known = k->w->known_count;

    input_number(k->w, "kernels", k->step->load->kernels, "counted");
    input_us(k->w, "time per kernel", e->kernel, ENGINE);
    input_number(k->w, "launch", q->gpu->family->launch, FAMILY);
    input_us(k->w, "layer", e->layer, ENGINE);
    input_ms(k->w, "host", e->host, ENGINE);
    input_us(k->w, "request", k->step->per_request, ENGINE);
    input_number(k->w, "B", k->tokens, "model");
    term_add(k->w, "fixed time", "fixed",
             "kernels * time per kernel * launch + layer*L + host + request*B",
             part_ms(k, k->w->plan->speed.part.fixed), "ms", source_pace(q->engine),
             "kernels, time per kernel, launch, layer, L, host, request, B");
    inputs_truncate(k->w, known);
}

/* What the host computes, or the GPU reads from there. */
static void add_host(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct host *h = &q->host;
    const struct host_load *l = &k->step->load->host;
    bool computes = host_computes(q, k->tokens);
    int known = k->w->known_count;
    double bytes = 0;

    if (!l->any)
        return;
    for (int i = 0; i < l->parts; i++)
        bytes +=
            l->part[i].layers * l->part[i].bytes *
            (l->part[i].experts > 0 ? moe_reached(l->part[i].experts, l->part[i].active, k->tokens)
                                    : 1);
    input_unit(k->w, "B there", k->step->host_share * bytes / 1e9, "GB", "counted");
    if (computes) {
        input_unit(k->w, "host's BW", h->bandwidth.value / 1e9, "GB/s",
                   origin_word(h->bandwidth.origin));
        input_number(k->w, "cores", h->cores, h->told ? "request" : "assumed");
        input_unit(k->w, "unpack", h->family->unpack / 1e9, "G weights/s", "processors");
        input_us(k->w, "hop", q->engine->speed.host_hop, ENGINE);
        input_number(k->w, "crossings", l->crossings, "counted");
    } else {
        input_number(k->w, "copy", q->engine->speed.host_copy, ENGINE);
    }
    term_add(k->w, "host memory: time", "host time",
             computes ? "sum of hypot(B/(em*BW), T*weights/(cores*unpack)) + hop*crossings"
                      : "B / (copy*PCIe)",
             part_ms(k, k->w->plan->speed.part.host), "ms", source_pace(q->engine),
             computes ? "B there, host's BW, cores, unpack, hop, crossings" : "B there, copy");
    inputs_truncate(k->w, known);
}

/* A step checks what was drafted: its parts are per token that it yields. */
static void add_drafts(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct step *s = k->step;

    if (s->drafted <= 0)
        return;
    input_number(k->w, "k", s->drafted, "request");
    input_number(k->w, "a", (s->accepted - 1) / s->drafted, "request");
    term_add(k->w, "tokens per step", "accepted", "1 + k * a",
             quantity_of(s->accepted, ORIGIN_MODEL), "tokens",
             source_counted("each part of a step is divided by it"), "k, a");
    input_number(k->w, "passes", s->passes, "model");
    input_ms(k->w, "per pass", q->engine->speed.draft, ENGINE);
    input_ms(k->w, "per check", q->engine->speed.verify, ENGINE);
    input_number(k->w, "more", q->engine->speed.verify_work, ENGINE);
    term_add(k->w, "drafts", "drafts",
             "(passes * (a decode step of the draft + per pass) + per check) / accepted + more * "
             "(G + M)",
             part_ms(k, k->w->plan->speed.part.draft), "ms", source_pace(q->engine),
             "passes, per pass, per check, more, accepted");
}

/* ---- serving ---- */

static void input_serving(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct speed *v = &k->w->plan->speed;
    const struct engine_speed *e = &q->engine->speed;
    struct layout side = layout_prefill(&k->w->plan->layout); /* groups that only prefill */
    double groups = side.replicas / (double)layout_ways(&side);
    double rho = groups > 0 ? v->requests.value * v->serve.prompt / groups : 0;

    input_number(k->w, "prompt", q->prompt, "request");
    input_number(k->w, "O", q->output, "request");
    input_number(k->w, "users", v->users, "request");
    input_unit(k->w, "rate", q->rate, "requests/s", "request");
    input_number(k->w, "C", v->serve.running, "at once");
    input_number(k->w, "B", v->serve.decoding, "that decode");
    input_number(k->w, "phi", e->interference, ENGINE);
    if (!q->gpu->host)
        input_number(k->w, "share", e->prefill_compute, ENGINE);
    input_us(k->w, "launch", e->prefill_kernel, ENGINE);
    input_number(k->w, "kernels", k->step->load->kernels, "counted");
    input_us(k->w, "per layer and chunk", e->prefill_layer, ENGINE);
    enum kernel sums = q->engine->gguf ? KERNEL_GGUF16 : KERNEL_16;
    input_number(k->w, "efa", family_compute(sums, q->gpu, q->gpu->family->prefill_attention),
                 FAMILY);
    input_ms(k->w, "tau", e->ttft_base, ENGINE);
    input_number(k->w, "kappa", e->ttft_solo, ENGINE);
    input_number(k->w, "eta", e->ttft_decode, ENGINE);
    input_number(k->w, "beta", e->ttft_queue, ENGINE);
    input_ms(k->w, "TPOT", v->tpot.value, NULL);
    input_ms(k->w, "TTFT", v->ttft.value, NULL);
    input_ms(k->w, "transfer", v->transfer, "link");
    input_number(k->w, "rho", rho, "share of the prefill groups' time");
    input_number(k->w, "cs", v->serve.spread, "of a prompt's work");
    input_number(k->w, "groups", v->running / v->serve.running, NULL);
}

static void add_prompts(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct speed *v = &k->w->plan->speed;

    term_add(k->w, "a prompt alone", "solo",
             "prompt/c * (hypot(products of c tokens/share + attention/efa + values, "
             "launch*kernels) + per layer and chunk*L + fixed)",
             part_ms(k, v->serve.solo), "ms", source_pace(q->engine),
             "prompt, c, share, efa, launch, kernels, per layer and chunk, L");
    term_add(k->w, "what a prompt adds", "pc",
             q->engine->speed.prefill_alone
                 ? "hypot(a step over its tokens + attention + values, launch*kernels)"
                 : "hypot(a step over prompt and B tokens + attention + values, "
                   "launch*kernels) less a step over B",
             part_ms(k, v->serve.prompt), "ms", source_pace(q->engine),
             "prompt, c, B, share, efa, launch, kernels, per layer and chunk, L");
    if (q->rate > 0)
        term_add(k->w, "what it keeps other prompts waiting", "turn",
                 q->engine->speed.prefill_alone
                     ? "pc"
                     : "pc + step * its share of the passes over B that it joins",
                 part_ms(k, v->serve.turn), "ms", source_pace(q->engine), "pc, step, B");
    if (v->stall.known)
        term_add(k->w, "longest stall of an answer", "stall",
                 "step + time that a prompt's last chunk of c tokens adds, with attention over "
                 "the whole prompt; share of steps: B * prompt/(c*O)",
                 in_ms(v->stall), "ms",
                 source_counted("equation of a prompt; compared with no measurement"),
                 "step, B, prompt, c, O, launch, kernels, per layer and chunk, L");
    term_add(k->w, "prompts of the others", "prompts", "phi * (C - 1)/C * B/O * pc",
             part_ms(k, v->prompts), "ms", source_pace(q->engine), "phi, C, B, O, pc");
}

static const char band[] =
    "the parts above; band: logarithms of what is not known, added in quadrature";

/* What the users lead to, or a rate. */
static const struct loop {
    const char *at_once, *at_once_inputs, *waits, *ttft, *ttft_inputs;
} loops[] = {
    {"min(users, groups * min(pool / mean need of one, seqs))", "users, groups, pool, seqs",
     "the rest queue: they raise TTFT, not the throughput",
     "tau + kappa*solo + eta*step + beta*solo*(C - 1)/20, and users who queue: (users - "
     "groups*C) / throughput",
     "tau, kappa, solo, eta, step, beta, C, users, groups"},
    {"rate * (TTFT + (O - 1)*TPOT)", "rate, TTFT, O, TPOT", "Little's law",
     "tau + kappa*solo + step/2 + rho*turn*(1 + cs^2)/(2*(1 - rho)), rho = rate*turn/groups",
     "tau, kappa, solo, step, rate, groups, turn, cs"},
    {"those that decode: B*groups, where X*TTFT + B*groups = users", "users, groups, pool, seqs",
     "the rest wait for their first token",
     "tau + kappa*solo + transfer + step/2 + queue for the prefill groups",
     "tau, kappa, solo, transfer, step, rho"},
    {"rate * (O - 1)*TPOT, of those that decode", "rate, O, TPOT", "Little's law",
     "tau + kappa*solo + transfer + step/2 + rho*solo*(1 + cs^2)/(2*(1 - rho))",
     "tau, kappa, solo, transfer, step, rho, cs"},
};

static void add_load(const struct walk *k)
{
    const struct request *q = request_of(k);
    const struct speed *v = &k->w->plan->speed;
    const struct loop *loop = &loops[2 * (v->transfer > 0) + (q->rate > 0)];

    term_add(k->w, "requests at once", "running", loop->at_once,
             quantity_of(v->running, ORIGIN_MODEL), "requests", source_counted(loop->waits),
             loop->at_once_inputs);
    input_number(k->w, "rows of this kind", v->hit ? v->hit->rows : 0, "runs of others");
    input_unit(k->w, "their median error", v->hit ? v->hit->median * 100 : 0, "%", ENGINE);
    term_add(k->w, "TPOT", "TPOT", "step + prompts", in_ms(v->tpot), "ms", source_counted(band),
             v->hit ? "step, prompts, rows of this kind, their median error"
                    : "step, prompts, rows of this kind");
    term_add(k->w, "TTFT", "TTFT", loop->ttft, in_ms(v->ttft), "ms", source_pace(q->engine),
             loop->ttft_inputs);
    if (v->burst.known)
        term_add(k->w, "TTFT, all at once", "burst",
                 "tau + step/2 + kappa*(T + T/C)/2 + C*1 ms; T: the steps of all prompts, those "
                 "who queue besides",
                 in_ms(v->burst), "ms", source_pace(q->engine), "tau, kappa, step, C, users");
    term_add(k->w, "requests per second", "throughput", "users / (TTFT + (O - 1)*TPOT)",
             v->requests, "requests/s", source_counted("Little's law"), "users, TTFT, O, TPOT");
    term_add(k->w, "output tokens per second", "output", "throughput * O", v->tokens, "tokens/s",
             source_counted("Little's law"), "throughput, O");
}

void terms_speed(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    struct step_load sums;
    struct step_others others;
    struct step step;

    if (p->speed.gap != SPEED_KNOWN)
        return;
    struct load load = load_sum(q);
    step_load_sum(q, &load, &sums);
    step_cut(&sums, &p->layout, &step);
    step_attach(&step, &p->layout, &others);
    double batch = step_batch(&step, p->speed.serve.decoding);
    struct walk k = {w, &step, batch, batch * (step.drafted + 1),
                     step.slow[CORRECT_WORK] / step.accepted};
    input_number(w, "T", k.tokens / step.ways, "tokens of a step");
    input_unit(w, "BW", q->gpu->bandwidth.value / 1e12, "TB/s",
               origin_word(q->gpu->bandwidth.origin));
    add_correction(&k);
    for (int i = 0; i < sums.products; i++)
        add_product(&k, i);
    struct step_shape head = {q->model->vocab / (p->layout.tp * step.ways), q->model->hidden,
                              q->precision.by_role[ROLE_HEAD]->bits / 8};
    add_product_term(&k, ROLE_HEAD, head, 1, 2, p->speed.part.head);
    add_experts(&k);
    add_attention(&k);
    add_communication(&k);
    add_fixed(&k);
    add_host(&k);
    add_drafts(&k);
    input_serving(&k);
    term_add(w, "decode step", "step",
             sums.host.any ? "sum of G_i + sum of M_i + cache + comm + fixed + host time + drafts"
                           : "sum of G_i + sum of M_i + cache + comm + fixed + drafts",
             part_ms(&k, p->speed.serve.decode), "ms", source_counted("the parts above"),
             "B, prompt, O");
    add_prompts(&k);
    add_load(&k);
    struct quantity hour, month;
    plan_prices(p, &hour, &month);
    if (!hour.known)
        return;
    input_money(w, "price", hour, "/h", origin_word(hour.origin));
    bool pooling = p->request.model->pooling;
    term_add(w, pooling ? "$ per million prompt tokens" : "$ per million output tokens",
             "token price",
             pooling ? "price / 3600 / (output * prompt) * 1,000,000"
                     : "price / 3600 / output * 1,000,000",
             plan_token_price(p), "$", source_counted("at this load, no hour idle"),
             pooling ? "price, output, prompt" : "price, output");
}
