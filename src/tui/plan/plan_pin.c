/*
 * plan_pin.c - the difference between the plan and the one that was pinned.
 */
#include "tui/plan/plan_answer.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "tui/outcome.h"

/* "weights +1.25 GiB", "GPUs 2 -> 4", "$4.00/h -> $6.00/h" */
struct difference {
    char text[96];
};

#define DIFFERENCES_MAX 12

static int memory_differences(const struct plan *after, const struct plan *before,
                              struct difference *d)
{
    const struct memory *now = &after->memory, *then = &before->memory;
    const struct {
        const char *name;
        double bytes;
    } parts[] = {
        {"weights", now->weights.value - then->weights.value},
        {"KV and state", now->kv_reserved.value - then->kv_reserved.value},
        {"activation", now->activation.value - then->activation.value},
        {"non-torch", now->non_torch.value - then->non_torch.value},
        {"CUDA graphs", now->graphs.value - then->graphs.value},
        {"to spare", plan_margin(after) - plan_margin(before)},
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (fabs(parts[i].bytes) < 0.005 * GP_GIB)
            continue;
        gp_format(d[n++].text, sizeof(d[0].text), "%s %+.2f GiB", parts[i].name,
                  parts[i].bytes / GP_GIB);
    }
    return n;
}

static int plan_differences(const struct plan *now, const struct plan *then,
                            struct difference d[DIFFERENCES_MAX])
{
    const size_t size = sizeof(d[0].text);
    double more = now->cost.per_hour - then->cost.per_hour;
    char before[32], after[32];
    int n = 0;

    if (now->verdict != then->verdict)
        gp_format(d[n++].text, size, "%s -> %s", verdict_words[then->verdict].brief,
                  verdict_words[now->verdict].brief);
    if (strcmp(now->request.gpu->id, then->request.gpu->id) != 0)
        gp_format(d[n++].text, size, "GPU %s -> %s", then->request.gpu->id, now->request.gpu->id);
    if (now->layout.gpus != then->layout.gpus)
        gp_format(d[n++].text, size, "GPUs %d -> %d", then->layout.gpus, now->layout.gpus);
    if (now->cost.per_hour > 0 && then->cost.per_hour > 0 && fabs(more) >= 0.005)
        gp_format(d[n++].text, size, "%s/h -> %s/h",
                  units_money(before, sizeof(before), then->cost.per_hour),
                  units_money(after, sizeof(after), now->cost.per_hour));
    if (now->speed.gap == SPEED_KNOWN && then->speed.gap == SPEED_KNOWN &&
        fabs(now->speed.tpot.value - then->speed.tpot.value) >= 0.05e-3)
        gp_format(d[n++].text, size, "TPOT %.1f -> %.1f ms", then->speed.tpot.value * 1e3,
                  now->speed.tpot.value * 1e3);
    if (now->has_memory && then->has_memory)
        n += memory_differences(now, then, d + n);
    return n;
}

/* The fields that differ, then what comes of it, in one paragraph. */
void plan_pin_page(struct page *p, const struct form *form)
{
    struct difference d[DIFFERENCES_MAX];
    struct strbuf text;
    int n;

    if (!form->pinned)
        return;
    page_rule(p, "Against the pinned plan");
    strbuf_init(&text);
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *a = form->pin_form.value[f], *b = form->values.value[f];

        if (strcmp(a, b) != 0)
            strbuf_addf(&text, "%s%s %s -> %s", text.len ? "; " : "", field_rows[f].form->label,
                        a[0] ? a : "auto", b[0] ? b : "auto");
    }
    n = plan_differences(&form->answer->plan, &form->pin->plan, d);
    for (int i = 0; i < n; i++)
        strbuf_addf(&text, "%s%s", text.len ? "; " : "", d[i].text);
    page_words(p, 0, INK_TEXT, text.len ? text.text : "no difference");
    strbuf_fini(&text);
}
