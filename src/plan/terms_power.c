/*
 * terms_power.c - the terms of watts, energy and utilisation: equations of power.h and
 * usage.h.
 */
#include "plan/terms_list.h"
#include "plan/usage.h"

static const char idle[] = "A100 SXM 0.13, A100 PCIe 0.15 (nvidia-smi, 2025-07), HGX of 700 W 0.09 "
                           "(DGX B200 user guide)";
static const char host[] = "half of a host's most whatever its GPUs do";

static void add_gpu(struct terms *w, const struct power *p)
{
    bool measured = p->decode.origin != ORIGIN_ASSUMED;
    struct term_source source =
        source_text(measured ? "A100" : "A100, another GPU's", power_law_source);

    input_number(w, "m", p->memory, "share of the bandwidth");
    input_number(w, "c", p->compute, "share of the arithmetic");
    input_number(w, "c of prompts", p->prompt_compute, "share of the arithmetic");
    input_number(w, "f", p->prompts, "of the time in prompts");
    input_number(w, "busy", p->busy, "of the time");
    term_add(w, "a GPU, idle", "idle", "0.12*TDP", p->idle, "W", source_text("idle GPUs", idle),
             "TDP");
    term_add(w, "a GPU in decode steps", "decode", "TDP*min(1, 0.28 + 0.72*m + 1.4*c)", p->decode,
             "W", source, "TDP, m, c");
    term_add(w, "a GPU in prompts", "prompting", "TDP*min(1, 0.28 + 1.4*c)", p->prompt, "W", source,
             "TDP, c of prompts");
    term_add(w, "a GPU at this load", "gpu", "(1 - busy)*idle + f*prompting + (busy - f)*decode",
             p->gpu, "W",
             source_counted(w->plan->request.rate > 0 ? "busy: 1 - exp(-requests in flight)"
                                                      : "users who keep asking leave no pause"),
             "busy, idle, f, prompting, decode");
    term_add(w, "its host's share", "host", "most*(0.5 + 0.5*gpu/TDP)", p->host, "W",
             source_text("hosts", host), "most, gpu, TDP");
    term_add(w, "power at this load", "power", "GPUs*(gpu + host)", p->total, "W",
             source_counted("hosts included, cooling not"), "GPUs, gpu, host");
    term_add(w, "energy per output token", "energy", "power / output", p->joules, "J",
             source_counted("hosts included, cooling not"), "power, output");
}

static void add_usage(struct terms *w)
{
    const struct plan *p = w->plan;
    struct usage usage;

    usage_of(p, &usage);
    if (!usage.share.known)
        return;
    term_add(w, "throughput where pool and slots are full", "full",
             "C / (TTFT + (O - 1)*TPOT) of as many as they hold", p->speed.full, "requests/s",
             source_counted("Little's law"), "O");
    term_add(w, "utilisation", "utilisation", "throughput / full", quantity_scale(usage.share, 100),
             "%", source_counted("both are estimated alike: a band only for a given rate"),
             "throughput, full");
    if (!usage.full.known)
        return;
    bool pooling = p->request.model->pooling;
    term_add(w,
             pooling ? "$ per million prompt tokens at full load"
                     : "$ per million output tokens at full load",
             "full price",
             pooling ? "price / 3600 / (full * prompt) * 1,000,000"
                     : "price / 3600 / (full * O) * 1,000,000",
             usage.full, "$", source_counted("no slot idle"),
             pooling ? "price, full, prompt" : "price, full, O");
    if (!pooling)
        term_add(w, "$ per million tokens of input and output", "all price",
                 "price / 3600 / (throughput * (prompt + O)) * 1,000,000", usage.all, "$",
                 source_counted("at this load"), "price, throughput, prompt, O");
    term_add(w, "idle cost", "idle cost", "month * (1 - utilisation)", usage.idle, "$/month",
             source_counted("the share that is paid for and not used"), "month, utilisation");
}

void terms_power(struct terms *w)
{
    const struct power *p = &w->plan->power;

    add_usage(w);
    if (!p->known)
        return;
    const struct request *q = &w->plan->request;

    input_unit(w, "TDP", p->limit, "W", "sheet");
    input_unit(w, "most", p->host_most, "W",
               q->watts_assumed ? "assumed: 0.8 of TDP" : "servers of the catalogue");
    input_number(w, "GPUs", w->plan->layout.gpus, NULL);
    if (p->loaded)
        add_gpu(w, p);
    term_add(w, "power at most", "most power", "GPUs*(TDP + most)",
             quantity_of(p->sheet, w->plan->request.watts_assumed ? ORIGIN_ASSUMED : ORIGIN_SHEET),
             "W", source_gpu(w->plan->request.gpu), "GPUs, TDP, most");
}
