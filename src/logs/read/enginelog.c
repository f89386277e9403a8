/*
 * enginelog.c - see enginelog.h.
 *
 * Sources of the patterns, read 2026-11: vLLM's wheels 0.6.6, 0.8.5, 0.10.2, 0.11.2, 0.16.0
 * and 0.33.0 (v1/worker/gpu_worker.py, gpu_model_runner.py, v1/core/kv_cache_utils.py,
 * v1/engine/core.py, worker/worker.py, entrypoints/), SGLang's 0.4.6, 0.5.5, 0.5.12 and
 * 0.5.23 (model_executor/, mem_cache/memory_pool.py, managers/scheduler.py), TensorRT-LLM's
 * _torch/pyexecutor/_util.py of 2025 and its C++ runtime's KV cache manager, llama.cpp
 * 0c1e57098 (src/llama-model.cpp, llama-context.cpp, llama-kv-cache.cpp, common/) and 0828676e0
 * (tools/fit-params).
 */
#include "logs/read/enginelog.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#define HINT "the start-up log of vLLM, SGLang, TensorRT-LLM or llama.cpp, from its first line on"

enum act {
    TAKES,  /* figures and options of a line */
    BEGINS, /* a start */
    CONFIG, /* options follow in the line, or in those behind it: "name=value, ..." */
    CHOSEN, /* likewise, and all were given */
    READY,
    FAILS
};

static const struct pattern {
    const char *engine;
    enum act act;
    const char *words;
} patterns[] = {
    /* 0.6 on */
    {"vllm", BEGINS, "vLLM API server version {=version}"},
    {"vllm", BEGINS, "vLLM server version {=version}, serving"},
    {"vllm", BEGINS, "\xe2\x96\x88  version {=version}\n"}, /* beside the logo, since 0.16 */
    {"vllm", CHOSEN, "non-default args: "},
    {"vllm", CONFIG, "args: Namespace("},
    {"vllm", CONFIG, "LLM engine (v{=version}) with config: "},
    {"vllm", TAKES,
     "Chunked prefill is enabled with max_num_batched_tokens={=max_num_batched_tokens}."},
    {"vllm", TAKES, "Using max model len {=max_model_len}"},
    /* worker.py, 0.6 to 0.8 */
    {"vllm", TAKES,
     "total_gpu_memory ({usable GiB}GiB) x gpu_memory_utilization ({=gpu_memory_utilization})"},
    {"vllm", TAKES,
     "model weights take {weights GiB}GiB; non_torch_memory takes {non_torch GiB}GiB; "
     "PyTorch activation peak memory takes {activation GiB}GiB; the rest of the memory "
     "reserved for KV Cache is {kv GiB}GiB"},
    {"vllm", TAKES, "Loading model weights took {weights GiB} GB"},
    {"vllm", TAKES, "# GPU blocks: {blocks}"},
    {"vllm", TAKES, "# cuda blocks: {blocks}"},
    /* 0.8 on */
    {"vllm", TAKES, "Model loading took {weights GiB} GiB"},
    {"vllm", TAKES, "Available KV cache memory: {kv GiB} GiB"},
    {"vllm", TAKES, "GPU KV cache size: {tokens} tokens"},
    {"vllm", TAKES, "CPU KV cache size: {tokens} tokens"}, /* of processors, since 0.32 */
    {"vllm", TAKES, "Maximum concurrency for {=max_model_len} tokens per request: {concurrency}x"},
    {"vllm", TAKES, "Graph capturing finished in {*} secs, took {graphs GiB} GiB"},
    /* mem_utils.py, with debug logs */
    {"vllm", TAKES,
     "Total non KV cache memory: {total GiB}GiB; torch peak memory increase: {activation GiB}GiB; "
     "non-torch forward increase memory: {non_torch GiB}GiB; weights memory: {weights GiB}GiB"},
    {"vllm", TAKES, "GiB; Requested memory: {=gpu_memory_utilization} (util)"},
    /* gpu_worker.py, when all is allocated: 0.11 to 0.26, then 0.27 on */
    {"vllm", TAKES,
     "Free memory on device ({*}/{usable GiB} GiB) on startup. Desired GPU memory "
     "utilization is ({=gpu_memory_utilization}, "},
    {"vllm", TAKES,
     "GiB for weight, {peak GiB} GiB for peak activation, {non_torch GiB} GiB for "
     "non-torch memory, and {graphs GiB} GiB for CUDAGraph memory"},
    {"vllm", TAKES,
     "Actual usage is {consumed GiB} GiB for consumed memory (weights + non-torch), {peak "
     "GiB} GiB for peak activation, and {graphs GiB} GiB for CUDAGraph memory"},
    {"vllm", TAKES,
     "CUDA graph pool memory: {graphs GiB} GiB (actual), {estimate GiB} GiB (estimated)"},
    {"vllm", READY, "Application startup complete"},
    {"vllm", READY, "Starting vLLM API server"},
    {"vllm", FAILS, "Engine core initialization failed"},
    {"vllm", FAILS, "EngineCore failed to start"},
    {"vllm", FAILS, "ValueError: Free memory on device"},

    {"sglang", CONFIG, "server_args="}, /* ServerArgs(...), of 0.5.23 a dict */
    {"sglang", TAKES, "Load weight end. {*}mem usage={weights GiB} GB"},
    {"sglang", TAKES,
     "KV Cache is allocated. #tokens: {*}, K size: {+kv GiB} GB, V size: {+kv GiB} GB"},
    {"sglang", TAKES, "KV Cache is allocated. #tokens: {*}, KV size: {+kv GiB} GB"},
    {"sglang", TAKES,
     "KV Cache is allocated. dtype: {*}, #tokens: {*}, K size: {+kv GiB} GB, V size: {+kv GiB} GB"},
    {"sglang", TAKES, "KV Cache is allocated. dtype: {*}, #tokens: {*}, KV size: {+kv GiB} GB"},
    {"sglang", TAKES,
     "Mamba Cache is allocated. {*}conv_state size: {+kv GiB}GB, ssm_state size: {+kv GiB}GB"},
    {"sglang", TAKES, "Capture cuda graph end. {*}mem usage={+graphs GiB} GB"},
    {"sglang", TAKES, "CUDA graph end. {*}mem usage={+graphs GiB} GB"},
    {"sglang", TAKES,
     "max_total_num_tokens={tokens}, chunked_prefill_size={=chunked_prefill_size}, "
     "max_prefill_tokens={*}, max_running_requests={=max_running_requests}, "
     "context_len={=context_length},"},
    {"sglang", TAKES,
     "max_total_num_tokens={tokens}, chunked_prefill_size={=chunked_prefill_size}, "
     "max_prefill_tokens={*}, max_running_requests={=max_running_requests}, "
     "context_len={=context_length}\n"},
    {"sglang", TAKES, "available_gpu_mem={left GiB} GB"},
    {"sglang", READY, "The server is fired up and ready to roll"},
    {"sglang", FAILS, "Scheduler hit an exception"},

    {"tensorrt-llm", BEGINS, "TensorRT-LLM version: {=version}"},
    {"tensorrt-llm", BEGINS, "TensorRT LLM version: {=version}"},
    {"tensorrt-llm", CONFIG, "LLM Args:"},
    {"tensorrt-llm", CONFIG, "LLM args:"},
    {"tensorrt-llm", TAKES,
     "[I] max_seq_len={=max_seq_len}, max_num_requests={=max_batch_size}, "
     "max_num_tokens={=max_num_tokens}"},
    {"tensorrt-llm", TAKES,
     "model weights (inside torch) in memory usage profiling: {weights GiB} GiB"},
    {"tensorrt-llm", TAKES,
     "allocated during inference (inside torch) in memory usage profiling: {activation GiB} GiB"},
    {"tensorrt-llm", TAKES, "NCCL and CUDA graphs) in memory usage profiling: {non_torch GiB} GiB"},
    {"tensorrt-llm", TAKES,
     "Peak memory during memory usage profiling (torch + non-torch): {total GiB} GiB, "
     "available KV cache memory when calculating max tokens: {kv GiB} GiB"},
    {"tensorrt-llm", TAKES, "fraction is set {=--free_gpu_memory_fraction},"},
    {"tensorrt-llm", TAKES, "device total memory {usable GiB} GiB"},
    {"tensorrt-llm", TAKES, "temporary kv cache memory during profiling {temporary GiB} GiB"},
    {"tensorrt-llm", TAKES, "Estimated max memory in KV cache : {kv GiB} GiB"},
    {"tensorrt-llm", TAKES,
     "[MemUsageChange] Allocated {kv GiB} GiB for max tokens in paged KV cache ({tokens})"},
    {"tensorrt-llm", READY, "Engine loaded and ready to serve"},
    {"tensorrt-llm", READY, "Application startup complete"},
    {"tensorrt-llm", FAILS, "Executor creation failed"},
    {"tensorrt-llm", FAILS, "Executor worker initialization error"},

    {"llama.cpp", TAKES, "build: {=build} ("},
    {"llama.cpp", TAKES, ": build {=build} ("},
    {"llama.cpp", TAKES, "  Device 0: {=gpu}, compute capability"},
    {"llama.cpp", TAKES, "  Device 0: {=gpu}, gfx"},
    {"llama.cpp", BEGINS, "llama_model_loader: loaded meta data with {*} from {=-m} (version "},
    {"llama.cpp", TAKES, "print_info: file type   = {=file_type}\n"},
    {"llama.cpp", TAKES, "print_info: general.name          = {=general.name}\n"},
    {"llama.cpp", TAKES, "print_info: general.name     = {=general.name}\n"},
    {"llama.cpp", TAKES, "offloaded {=-ngl}/{=layers} layers to GPU"},
    {"llama.cpp", TAKES, "{@} model buffer size = {+weights MiB} MiB"},
    {"llama.cpp", TAKES, "{@} KV buffer size = {+kv MiB} MiB"},
    {"llama.cpp", TAKES, "{@} RS buffer size = {+kv MiB} MiB"},
    {"llama.cpp", TAKES, "{@} compute buffer size = {+activation MiB} MiB"},
    {"llama.cpp", TAKES, "seqs), K ({=-ctk}): "},
    {"llama.cpp", TAKES, ": n_seq_max {*}= {=-np}\n"},
    {"llama.cpp", TAKES, ": n_ctx {*}= {=-c}\n"},
    {"llama.cpp", TAKES, ": n_ubatch {*}= {=-ub}\n"},
    {"llama.cpp", TAKES, ": kv_unified {*}= {=-kvu}\n"},
    /* what the default verbosity of a server of 2026 leaves */
    {"llama.cpp", TAKES, "common_params_print_info: verbosity = {=verbosity} (adjust"},
    {"llama.cpp", TAKES, "load_model: loading model '{=-m}'"},
    {"llama.cpp", TAKES,
     "load_model: initializing, n_slots = {=-np}, n_ctx_slot = {=n_ctx_slot}, kv_unified "
     "= '{=-kvu}'"},
    {"llama.cpp", READY, "server is listening on"},
    {"llama.cpp", READY, "llama_server: listening on"},
    {"llama.cpp", FAILS, "failed to load model"},
    {"llama.cpp", FAILS, "exiting due to model loading error"},
    {"llama.cpp", FAILS, "failed to initialize the context"},
    {"llama.cpp", FAILS, "error while handling argument"},
};
#define PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

/* What the last lines of a failed start look like in all of them. */
static const char *const failures[] = {
    "Error: ",
    "Exception: ",
    "CUDA out of memory",
    "CUDA error: out of memory",
    "unable to allocate ",
    "failed to allocate ",
    "n_seq_max must be",
    "does not divide n_embd_head",
};
#define FAILURES (sizeof(failures) / sizeof(failures[0]))

static const struct {
    const char *word;
    bool most; /* of ranks that differ the largest binds */
} terms[] = {
#define LEAST false
#define MOST true
#define X(NAME, word, binds) {word, binds},
    ENGINELOG_TERMS(X)
#undef X
};

bool enginelog_is_host(const char *device)
{
    size_t len = strlen(device);

    return strncmp(device, "CPU", 3) == 0 || strncmp(device, "BLAS", 4) == 0 ||
           strcmp(device, "Host") == 0 || (len > 5 && strcmp(device + len - 5, "_Host") == 0);
}

const char *enginelog_option(const struct enginelog *log, const char *name)
{
    for (int i = log->pairs - 1; i >= 0; i--)
        if (strcmp(log->pair[i].name, name) == 0)
            return log->pair[i].value;
    return NULL;
}

/* ---- reading one line ---- */

#define LINE_MAX_BYTES 8192

/* What the lines of the tables hold: most lines of a log hold none of it and are passed over.
 * A bit for each hash of the first WORD_HASHED bytes tells where to look. */
#define WORD_HASHED 6
#define WORD_BITS 16
#define WORDS (PATTERNS + FAILURES)

struct words {
    unsigned char bits[(1 << WORD_BITS) / 8];
    const char *text[WORDS];
    size_t len[WORDS];
    size_t count;
};

/* A log as it is read: the engine is the one whose lines are most. */
struct reader {
    struct enginelog *log;
    const char *engine; /* whose lines are taken */
    struct words words;
    bool found[WORDS];                       /* of them, those of the line */
    char line[LINE_MAX_BYTES + WORD_HASHED]; /* without colors; longer ones are cut, but for
                                              * their options; + what is hashed at its end */
    size_t len;                              /* of it */
    int rank;
    int config;                                         /* lines that may still hold options */
    bool chosen;                                        /* and are they? */
    bool summed[ENGINELOG_TERM_COUNT][ENGINELOG_RANKS]; /* by this start */
};

static unsigned word_hash(const char text[WORD_HASHED])
{
    uint32_t first;
    uint16_t rest;

    memcpy(&first, text, sizeof(first));
    memcpy(&rest, text + sizeof(first), sizeof(rest));
    uint64_t bytes = first | (uint64_t)rest << 32;
    return (unsigned)((bytes * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - WORD_BITS));
}

static void words_add(struct words *w, const char *text, size_t len)
{
    if (len < WORD_HASHED) /* it may be anywhere */
        memset(w->bits, 0xff, sizeof(w->bits));
    else
        w->bits[word_hash(text) / 8] |= (unsigned char)(1 << word_hash(text) % 8);
    w->text[w->count] = text;
    w->len[w->count++] = len;
}

/* Marks the words that begin at text; are there any? */
static bool words_begin(const struct words *w, const char *text, size_t len, bool *found)
{
    bool any = false;

    for (size_t i = 0; i < w->count; i++)
        if (*w->text[i] == *text && w->len[i] <= len && memcmp(w->text[i], text, w->len[i]) == 0)
            any = found[i] = true;
    return any;
}

/* Marks the words of the line, if it has any. */
static bool words_find(const struct words *w, const char *line, size_t len, bool found[WORDS])
{
    bool any = false;

    for (size_t i = 0; i < len; i++) {
        unsigned hash = word_hash(line + i);

        if (!(w->bits[hash / 8] & 1 << hash % 8))
            continue;
        if (!any)
            memset(found, 0, WORDS * sizeof(*found));
        any = words_begin(w, line + i, len - i, found) || any;
    }
    return any;
}

/* What each pattern begins with, and the failures. */
static void words_fill(struct words *w)
{
    for (size_t i = 0; i < PATTERNS; i++) {
        const char *text = patterns[i].words;

        text += strncmp(text, "{@}", 3) == 0 ? 3 : 0;
        words_add(w, text, strcspn(text, "{\n"));
    }
    for (size_t i = 0; i < FAILURES; i++)
        words_add(w, failures[i], strlen(failures[i]));
}

/* Which rank speaks: "TP1", "PP0", "rank=3", "[RANK 2]" before the message. */
static int rank_of(const char *line, const char *end)
{
    static const struct {
        const char *word;
        int times;
    } marks[] = {{"TP", 1}, {"RANK ", 1}, {"rank=", 1}, {"PP", 64}, {"DP", 4096}};
    int rank = 0;

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        size_t len = strlen(marks[i].word);

        for (const char *p = line; (p = strstr(p, marks[i].word)) && p < end; p++)
            if (isdigit((unsigned char)p[len]) && (p == line || !isalnum((unsigned char)p[-1]))) {
                rank += (int)(strtol(p + len, NULL, 10) % 64) * marks[i].times;
                break;
            }
    }
    return rank;
}

static int device_of(struct enginelog *log, const char *name)
{
    for (int i = 0; i < log->devices; i++)
        if (strcmp(log->device[i], name) == 0)
            return i;
    if (log->devices == ENGINELOG_DEVICES)
        return -1;
    gp_copy(log->device[log->devices], sizeof(log->device[0]), name);
    return log->devices++;
}

#define ESTIMATE_BYTES 65536 /* of what llama-fit-params prints */
#define FIGURE_MOST 1e16     /* bytes, or tokens */

static void take_figure(struct reader *r, enum enginelog_term term, double value, bool sum)
{
    struct enginelog_figure *f = &r->log->figure[term];
    int place = 0;

    if (!(value >= 0 && value < FIGURE_MOST)) {
        r->log->odd++;
        return;
    }
    while (place < f->ranks && f->of[place].rank != r->rank)
        place++;
    if (place == ENGINELOG_RANKS)
        return;
    if (place == f->ranks) {
        f->of[f->ranks].value = 0;
        f->of[f->ranks++].rank = r->rank;
    }
    f->of[place].value = sum && r->summed[term][place] ? f->of[place].value + value : value;
    r->summed[term][place] = sum;
    f->line = r->log->lines;
}

static void take_pair(struct enginelog *log, const char *name, const char *value, bool chosen)
{
    struct enginelog_pair *p = NULL;

    for (int i = 0; i < log->pairs; i++)
        if (strcmp(log->pair[i].name, name) == 0)
            p = &log->pair[i];
    if (p && p->chosen && !chosen)
        chosen = true; /* it is told again, as it is used */
    if (!p && log->pairs == ENGINELOG_PAIRS)
        log->pairs_lost = true;
    if (!p && log->pairs == ENGINELOG_PAIRS)
        return;
    if (p && strcmp(name, "model") == 0 && strncmp(p->value, value, sizeof(p->value) - 1) != 0)
        log->mixed = true;
    p = p ? p : &log->pair[log->pairs++];
    gp_copy(p->name, sizeof(p->name), name);
    gp_copy(p->value, sizeof(p->value), value);
    gp_sanitize(p->value);
    p->chosen = chosen;
}

static void take_option(struct reader *r, const char *name, const char *text)
{
    struct enginelog *log = r->log;
    char value[320];

    size_t n = 0;

    for (const char *p = text; *p && n + 1 < sizeof(value); p++)
        if (*p != ',' || !isdigit((unsigned char)p[1])) /* 8,192 */
            value[n++] = *p;
    value[n] = '\0';
    gp_sanitize(value);
    if (strcmp(name, "version") == 0)
        gp_copy(log->version, sizeof(log->version), value);
    else if (strcmp(name, "build") == 0 && strlen(value) < 3)
        return; /* built outside of a repository: no number */
    else if (strcmp(name, "build") == 0)
        gp_format(log->version, sizeof(log->version), "b%.20s", value);
    else if (strcmp(name, "gpu") == 0)
        gp_copy(log->gpu, sizeof(log->gpu), value);
    else
        take_pair(log, name, value, false);
}

/* ---- a pattern against a line ---- */

/* "131,072" -> 131072; returns where it ends, NULL: it is none. */
static const char *read_number(const char *text, double *value)
{
    char digits[40];
    size_t n = 0;

    while (*text == ' ')
        text++;
    for (; (isdigit((unsigned char)*text) || strchr(".,-", *text)) && *text; text++) {
        if (*text == ',' && !isdigit((unsigned char)text[1]))
            break;
        if (*text == '.' && !isdigit((unsigned char)text[1]))
            break;
        if (*text != ',' && n + 1 < sizeof(digits))
            digits[n++] = *text;
    }
    digits[n] = '\0';
    if (n == 0 || !isdigit((unsigned char)digits[n - 1]))
        return NULL;
    *value = strtod(digits, NULL);
    return isfinite(*value) ? text : NULL;
}

/* The piece of a pattern up to the next hole; "\n" in it is the end of the line. */
static const char *find_piece(const char *text, const char *piece, size_t len, bool here)
{
    bool end = len > 0 && piece[len - 1] == '\n';
    size_t n = end ? len - 1 : len;

    for (const char *p = text; p; p++) {
        if (!here && !(p = memmem(p, strlen(p), piece, n)))
            return NULL;
        if (strncmp(p, piece, n) == 0 && (!end || p[n + strspn(p + n, " ")] == '\0'))
            return p;
        if (here || !*p)
            return NULL;
    }
    return NULL;
}

struct hole {
    char kind; /* '*', '@', '=', '+' or ' ': a figure */
    char word[48];
    double unit;
};

/* "{@} model buffer size": the word before it names the device. */
static bool match_device(struct reader *r, const char *words, bool apply)
{
    const char *found = find_piece(r->line, words, strcspn(words, "{"), false);
    char device[48];

    if (!found || !apply)
        return found != NULL;
    const char *name = found;
    while (name > r->line && name[-1] == ' ')
        name--;
    while (name > r->line && !isspace((unsigned char)name[-1]))
        name--;
    gp_format(device, sizeof(device), "%.*s", (int)(strcspn(name, " ") % sizeof(device)), name);
    gp_sanitize(device);
    r->rank = device_of(r->log, device);
    return true;
}

/* The holes of a pattern and what stands between them, from where its first words end. */
static bool match_rest(struct reader *r, const char *at, const char *words, bool apply)
{
    while (*words) {
        struct hole h;
        size_t len = strcspn(words, "}");

        char inside[64], *blank;

        gp_format(inside, sizeof(inside), "%.*s", (int)(len - 1), words + 1);
        h.kind = strchr("*@=+", inside[0]) ? inside[0] : ' ';
        gp_copy(h.word, sizeof(h.word), inside + (h.kind != ' '));
        blank = strchr(h.word, ' ');
        h.unit = !blank ? 1 : strcmp(blank, " GiB") == 0 ? GP_GIB : GP_MIB;
        if (blank)
            *blank = '\0';
        words += len + 1;
        double number;
        const char *end = h.kind == ' ' || h.kind == '+' ? read_number(at, &number)
                          : *words ? find_piece(at, words, strcspn(words, "{"), false)
                                   : at + strcspn(at, " ,)");
        if (!end) /* the hole stands for nothing */
            return false;
        if (apply) {
            char text[320];
            double value;
            int term = 0;

            gp_format(text, sizeof(text), "%.*s", end - at < 319 ? (int)(end - at) : 319, at);
            while (term < ENGINELOG_TERM_COUNT - 1 && strcmp(terms[term].word, h.word) != 0)
                term++;
            if (h.kind == '=')
                take_option(r, h.word, gp_trim(text));
            else if ((h.kind == ' ' || h.kind == '+') && read_number(text, &value))
                take_figure(r, (enum enginelog_term)term, value * h.unit, h.kind == '+');
        }
        size_t piece = strcspn(words, "{");
        if (!find_piece(end, words, piece, true))
            return false;
        at = end + (piece && words[piece - 1] == '\n' ? piece - 1 : piece);
        words += piece;
    }
    return true;
}

/* Does the line hold the pattern? apply: takes what its holes stand for. Where its words
 * end is in *after. */
static bool match_pattern(struct reader *r, const char *words, bool apply, const char **after)
{
    bool of_device = strncmp(words, "{@}", 3) == 0;

    words += of_device ? 3 : 0;
    size_t piece = strcspn(words, "{");
    const char *found = find_piece(r->line, words, piece, false);
    if (!found || (of_device && !match_device(r, words, apply)) || (of_device && r->rank < 0))
        return false;
    if (apply && !of_device)
        r->rank = rank_of(r->line, found);
    *after = found + piece;
    return match_rest(r, found + piece, words + piece, apply);
}

/* ---- options: "name=value, 'name': value, name=Config(name=value)" ---- */

/* The bracket that closes the one at *p, or the end. */
static const char *closing_bracket(const char *p)
{
    char quote = 0;
    int depth = 0;

    for (; *p; p++) {
        if (quote && *p == '\\' && p[1])
            p++;
        else if (quote ? *p == quote : *p == '\'' || *p == '"')
            quote = quote ? 0 : *p;
        else if (!quote && strchr("([{", *p))
            depth++;
        else if (!quote && strchr(")]}", *p) && --depth <= 0)
            return p;
    }
    return p;
}

/* {'method': 'mtp', 'n': None} of Python as JSON. */
static void as_json(char *text)
{
    static const char *const words[][2] = {{"None", "null"}, {"True", "true"}, {"False", "false"}};

    for (char *p = text; *p; p++) {
        if (*p == '\'')
            *p = '"';
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (strncmp(p, words[i][0], strlen(words[i][0])) == 0)
                memcpy(p, words[i][1], strlen(words[i][1]));
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

#define CONFIG_DEPTH 3

static const char *read_pairs(struct reader *r, const char *p, const char *parent, int depth);

/* The value at p, of the option `name`; returns what follows it. */
static const char *read_value(struct reader *r, const char *p, const char *name, int depth)
{
    char value[320];
    const char *end;
    size_t ident = 0;

    while (is_name(p[ident]) || p[ident] == '.')
        ident++;
    if (p[ident] == '(' && ident > 0 && depth < CONFIG_DEPTH)
        return read_pairs(r, p + ident + 1, name, depth + 1);
    if (*p == '\'' || *p == '"') {
        for (end = p + 1; *end && *end != *p; end++)
            end += *end == '\\' && end[1];
        gp_format(value, sizeof(value), "%.*s", (int)fmin((double)(end - p - 1), 319), p + 1);
    } else if (strchr("([{<", *p) && *p) {
        end = *p == '<' ? p + strcspn(p, ">") : closing_bracket(p);
        gp_format(value, sizeof(value), "%.*s", (int)fmin((double)(end - p + 1), 319), p);
        as_json(value);
    } else {
        end = p + strcspn(p, ",)} ");
        gp_format(value, sizeof(value), "%.*s", (int)fmin((double)(end - p), 319), p);
        take_pair(r->log, name, strncmp(value, "torch.", 6) == 0 ? value + 6 : value, r->chosen);
        return end;
    }
    take_pair(r->log, name, value, r->chosen);
    return *end ? end + 1 : end;
}

/* Pairs up to the bracket that ends them. Returns what follows it. */
static const char *read_pairs(struct reader *r, const char *p, const char *parent, int depth)
{
    while (*p && !(depth > 0 && *p == ')')) {
        char name[64];
        bool quoted = *p == '\'' || *p == '"';
        const char *from = p + quoted;
        size_t n = 0;

        while (is_name(from[n]))
            n++;
        const char *sign = from + n + quoted;
        if (n == 0 || n >= sizeof(name) / 2 || (quoted && from[n] != *p) ||
            (*sign != '=' && *sign != ':')) {
            p++;
            continue;
        }
        gp_format(name, sizeof(name), "%.30s%s%.*s", parent, parent[0] ? "." : "", (int)n, from);
        sign++;
        p = read_value(r, sign + strspn(sign, " "), name, depth);
    }
    return *p ? p + 1 : p;
}

/* ---- lines ---- */

static void begin_again(struct reader *r)
{
    struct enginelog *log = r->log;

    memset(log->figure, 0, sizeof(log->figure));
    memset(r->summed, 0, sizeof(r->summed));
    log->started = false;
    log->failed_line = 0;
    log->failure[0] = '\0';
    log->mixed = false;
    log->odd = 0;
    log->devices = 0;
    log->pairs = 0;
    log->starts++;
}

/* Where a message begins: behind "(EngineCore pid=7) ERROR 09-12 10:11:12 [core.py:9] ". */
static const char *message_of(const char *line)
{
    const char *bracket = strstr(line, "] ");

    while (bracket && bracket - line < 160 && strstr(bracket + 2, "] ") &&
           strstr(bracket + 2, "] ") - bracket < 40)
        bracket = strstr(bracket + 2, "] ");
    bracket = bracket && bracket - line < 160 ? bracket + 2 : line;
    return bracket + strspn(bracket, " ");
}

/* The line that says most is kept: an error with its reason, not that there was one. */
static void take_failure(struct reader *r, bool reason)
{
    struct enginelog *log = r->log;

    if (log->failed_line && (!reason || strstr(log->failure, ": ")) &&
        !strstr(r->line, "out of memory"))
        return;
    if (log->started && !strstr(r->line, "out of memory"))
        return; /* what one request did */
    log->failed_line = log->lines;
    gp_copy(log->failure, sizeof(log->failure), message_of(r->line));
    gp_sanitize(log->failure);
}

static void act_on(struct reader *r, const struct pattern *p, const char *after)
{
    r->chosen = p->act == CHOSEN;
    if (p->act == CHOSEN || p->act == CONFIG) {
        read_pairs(r, after, "", 0);
        r->config = strspn(after, " ") == strlen(after) ? 8 : 0;
    }
    if (p->act == READY) {
        r->log->started = true;
        r->log->failed_line = 0; /* it was none */
    }
    if (p->act == FAILS)
        take_failure(r, false);
}

/* any: it holds words of the tables. */
static void read_line(struct reader *r, bool any)
{
    bool known = false, failure = false;
    const char *after;

    for (size_t i = PATTERNS; any && i < WORDS; i++)
        failure |= r->found[i];
    for (size_t i = 0; any && i < PATTERNS; i++) {
        const struct pattern *p = &patterns[i];

        if (!r->found[i] || strcmp(p->engine, r->engine) != 0 ||
            !match_pattern(r, p->words, false, &after))
            continue;
        if (p->act == BEGINS && r->log->known > 0 && r->log->figure[ENGINELOG_WEIGHTS].ranks)
            begin_again(r);
        match_pattern(r, p->words, true, &after);
        act_on(r, p, after);
        known = true;
    }
    if (!known && r->config > 0 && r->config--)
        read_pairs(r, r->line, "", 0);
    if (failure)
        take_failure(r, true);
    if (!known)
        return;
    r->log->known++;
    r->log->last_line = r->log->lines;
    gp_copy(r->log->last, sizeof(r->log->last), message_of(r->line));
    gp_sanitize(r->log->last);
}

/* Copies a line without colors and other controls. Returns how many bytes it was. */
static size_t copy_line(const char *text, size_t len, struct reader *r)
{
    size_t i = 0, n = 0, size = LINE_MAX_BYTES;
    char *line = r->line;

    for (; i < len && text[i] != '\n' && text[i] != '\r'; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == 0x1b && i + 1 < len && text[i + 1] == '[') {
            i += 2;
            while (i < len && !isalpha((unsigned char)text[i]) && text[i] != '\n')
                i++;
        } else if ((c >= ' ' || c == '\t') && n + 1 < size) {
            line[n++] = c == '\t' ? ' ' : text[i];
        }
    }
    line[n] = '\0';
    r->len = n;
    return i + (i < len);
}

/* "CUDA0 4403 1024 296": of each device, and of "Host", the MiB of model, context and compute, as
 * llama-fit-params --fit-print on has them on standard output. */
static bool take_estimate(struct reader *r)
{
    static const enum enginelog_term parts[] = {ENGINELOG_WEIGHTS, ENGINELOG_KV,
                                                ENGINELOG_ACTIVATION};
    char device[sizeof(r->log->device[0])];
    unsigned long mib[3];
    int end = 0;

    if (sscanf(r->line, "%47[A-Za-z0-9] %9lu %9lu %9lu %n", device, &mib[0], &mib[1], &mib[2],
               &end) != 4 ||
        r->line[end] || (r->rank = device_of(r->log, device)) < 0)
        return false;
    for (int i = 0; i < 3; i++)
        take_figure(r, parts[i], (double)mib[i] * GP_MIB, false);
    return true;
}

/* Is the whole of it what that program prints, its own log lines before them or not? */
static bool read_estimates(struct reader *r, const char *text, size_t len)
{
    long known = 0;

    if (len > ESTIMATE_BYTES || !memmem(text, len, "Host ", 5))
        return false;
    for (size_t at = 0; at < len;) {
        at += copy_line(text + at, len - at, r);
        r->log->lines++;
        known += take_estimate(r);
        if (strncmp(r->line, "Host ", 5) == 0 && known > 0) {
            r->log->known = known;
            r->log->estimated = true;
            gp_copy(r->log->engine, sizeof(r->log->engine), "llama.cpp");
            return true;
        }
    }
    memset(r->log, 0, sizeof(*r->log));
    r->log->starts = 1;
    return false;
}

/* ---- whose log it is ---- */

/* Whose lines are the most; an engine's options and failures count for none alone. */
static enum gp_status find_engine(struct reader *r, const char *where, const char *text, size_t len,
                                  struct gp_err *err)
{
    long count[PATTERNS] = {0}; /* of each engine, at its first row */
    size_t best = 0;
    const char *after;

    for (size_t at = 0; at < len;) {
        at += copy_line(text + at, len - at, r);
        if (!words_find(&r->words, r->line, r->len, r->found))
            continue;
        for (size_t i = 0, first; i < PATTERNS; i++)
            if (r->found[i] && patterns[i].act != READY &&
                match_pattern(r, patterns[i].words, false, &after)) {
                for (first = 0; strcmp(patterns[first].engine, patterns[i].engine) != 0;)
                    first++;
                count[first]++;
            }
    }
    for (size_t i = 1; i < PATTERNS; i++)
        best = count[i] > count[best] ? i : best;
    if (count[best] == 0)
        return gp_fail(err, GP_E_FILE, where, HINT,
                       len ? "none of its lines is known" : "is empty");
    r->engine = patterns[best].engine;
    gp_copy(r->log->engine, sizeof(r->log->engine), r->engine);
    for (size_t i = 0; i < PATTERNS; i++)
        if (i != best && count[i] > 1)
            gp_append(r->log->others, sizeof(r->log->others), ", ", "%s", patterns[i].engine);
    return GP_OK;
}

/* ---- the end ---- */

static void settle_figure(struct enginelog_figure *f, bool most)
{
    f->low = INFINITY;
    f->high = -INFINITY;
    for (int i = 0; i < f->ranks; i++) {
        f->low = fmin(f->low, f->of[i].value);
        f->high = fmax(f->high, f->of[i].value);
    }
    f->value = most ? f->high : f->low;
    if (f->ranks == 0)
        f->value = f->low = f->high = 0;
}

/* Of a GPU's run the buffers of the host are apart; of a CPU's they are one device. Weights that
 * llama.cpp repacked for its kernels are in the mapped file too, whose pages nobody reads again:
 * the mapping's size counts, not both. */
static void split_host(struct enginelog *log, enum enginelog_term term, bool gpus)
{
    struct enginelog_figure *f = &log->figure[term], *host = &log->figure[ENGINELOG_HOST];
    bool mapped = false;
    double sum = 0;
    int kept = 0;

    for (int i = 0; i < f->ranks; i++)
        mapped |= strstr(log->device[f->of[i].rank], "_Mapped") != NULL;
    for (int i = 0; i < f->ranks; i++) {
        const char *device = log->device[f->of[i].rank];

        if (!enginelog_is_host(device))
            f->of[kept++] = f->of[i];
        else if (!mapped || !strstr(device, "_REPACK"))
            sum += f->of[i].value;
    }
    if (kept == f->ranks)
        return;
    if (!gpus) {
        f->of[0].rank = 0;
        f->of[0].value = sum;
        kept = 1;
    } else if (term == ENGINELOG_WEIGHTS) {
        host->ranks = 1;
        host->of[0].value = sum;
        host->line = f->line;
    }
    f->ranks = kept;
}

static void take_off(struct enginelog_figure *f, double bytes)
{
    if (f->ranks == 0 || f->low < bytes)
        return;
    f->value -= bytes;
    f->low -= bytes;
    f->high -= bytes;
}

static void finish_log(struct enginelog *log)
{
    bool gpus = false;

    for (int i = 0; i < log->devices; i++)
        gpus = gpus || !enginelog_is_host(log->device[i]);
    for (int t = 0; t < ENGINELOG_TERM_COUNT; t++) {
        if (log->devices > 0)
            split_host(log, (enum enginelog_term)t, gpus);
        settle_figure(&log->figure[t], terms[t].most);
        if (log->figure[t].ranks > log->ranks)
            log->ranks = log->figure[t].ranks;
    }
    if (log->ranks == 0)
        log->ranks = 1;
    /* TensorRT-LLM profiles with a pool that it frees: available = (device - peak + temporary) x
     * fraction. It is in the peak, and in what PyTorch allocated where that is no less (1.3). */
    take_off(&log->figure[ENGINELOG_TOTAL], log->figure[ENGINELOG_TEMPORARY].value);
    take_off(&log->figure[ENGINELOG_ACTIVATION], log->figure[ENGINELOG_TEMPORARY].value);
}

enum gp_status enginelog_parse(const char *where, const char *text, size_t len,
                               struct enginelog *out, struct gp_err *err)
{
    struct reader *r = gp_calloc(1, sizeof(*r));
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    out->starts = 1;
    r->log = out;
    words_fill(&r->words);
    if (len > ENGINELOG_BYTES)
        rc = gp_fail(err, GP_E_FILE, where, "cut it after the start", "is larger than %zu MiB",
                     ENGINELOG_BYTES >> 20);
    else if (len > 2 && memcmp(text, "\x1f\x8b", 2) == 0)
        rc = gp_fail(err, GP_E_FILE, where, "zcat FILE | gpuplan --check-log -", "is compressed");
    else if (read_estimates(r, text, len))
        rc = GP_OK;
    else
        rc = find_engine(r, where, text, len, err);
    if (!rc && out->estimated) {
        finish_log(out);
    } else if (!rc) {
        r->log->lines = 0;
        for (size_t at = 0; at < len;) {
            at += copy_line(text + at, len - at, r);
            r->log->lines += text[at - 1] == '\n' || at == len;
            bool any = words_find(&r->words, r->line, r->len, r->found);
            if (any || r->config > 0)
                read_line(r, any);
        }
        finish_log(out);
    }
    free(r);
    return rc;
}
