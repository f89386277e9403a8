/*
 * option_rows.h - the options, a row each: OPTION(id, the fields of struct option_row).
 *
 * option.h makes the ids of it and option.c the table; nobody else includes it. R: any
 * request; P: one plan, M: a measurement; C: that or --confirm.
 */
OPTION(MODEL, "model", 'm', OPTION_TEXT, "MODEL", "", 0, 0, NULL, "none", R, true,
       "catalogue id, a folder or file (config.json, safetensors, GGUF), or a "
       "size such as 70B")
OPTION(PRECISION, "precision", 'p', OPTION_TEXT, "FORMAT", "", 0, 0, NULL, "the model's own", R,
       true, "format of the weights: fp16, fp8, int4-awq, q4_k_m, ...")
OPTION(KV_PRECISION, "kv-precision", 0, OPTION_TEXT, "FORMAT", "", 0, 0, NULL, "the activations'",
       R, false, "format of the KV cache")
OPTION(GPU, "gpu", 'g', OPTION_TEXT, "GPU[/SLICE][:COUNT]", "", 0, 0, NULL,
       "the one in this machine, else the cheapest that fits", R | FOR_POOL, true,
       "GPU by id, with a MIG slice and a count; all; local; cpu; with --pool: what "
       "if all its GPUs were of this type")
OPTION(USED, "used", 0, OPTION_BYTES, "BYTES", "GiB", 0, 4096 * GP_GIB, NULL, "0", R, false,
       "memory per GPU that other programs already hold")
OPTION(ENGINE, "engine", 0, OPTION_TEXT, "NAME[@VERSION]", "", 0, 0, NULL,
       "newest vllm range; mlx for Apple, llama.cpp for GGUF or cpu", R, false,
       "inference engine and its version")
OPTION(CONTEXT, "context", 'c', OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL,
       "8192, or the model's maximum if less", R, false,
       "tokens one request may hold, prompt and output together")
OPTION(PROMPT, "prompt", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL, "1024", R, false,
       "tokens of a typical prompt")
OPTION(OUTPUT, "output-tokens", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL, "256", R, false,
       "tokens of a typical answer")
OPTION(PROMPT_STDDEV, "prompt-stddev", 0, OPTION_TOKENS, "TOKENS", "tokens", 0, 1e9, NULL, "0", R,
       false, "standard deviation of the prompts' lengths; --prompt is the mean")
OPTION(OUTPUT_STDDEV, "output-stddev", 0, OPTION_TOKENS, "TOKENS", "tokens", 0, 1e9, NULL, "0", R,
       false, "standard deviation of the answers' lengths")
OPTION(TRACE, "trace", 0, OPTION_PATH, "FILE", "", 0, 0, NULL, "none", R, false,
       "log of requests (CSV, as Azure or BurstGPT publish them), for their lengths and rate")
OPTION(USERS, "users", 'u', OPTION_COUNTED, "N", "requests", 1, 1e6, NULL, "1", R, false,
       "requests in flight at once")
OPTION(RATE, "rate", 0, OPTION_NUMBER, "N", "requests/s", 1e-6, 1e6, NULL, "none", R, false,
       "requests that arrive per second, in place of --users")
OPTION(PREFIX_HIT, "prefix-hit", 0, OPTION_NUMBER, "SHARE", "", 0, 1, NULL, "0", R, false,
       "share of each prompt that the prefix cache holds")
OPTION(TTFT, "ttft", 0, OPTION_NUMBER, "MS", "ms", 0.1, 1e7, NULL, "none", R, false,
       "goal: milliseconds to the first token under this load")
OPTION(TPOT, "tpot", 0, OPTION_NUMBER, "MS", "ms", 0.01, 1e6, NULL, "none", R, false,
       "goal: milliseconds for each output token after the first")
OPTION(THROUGHPUT, "throughput", 0, OPTION_NUMBER, "N", "tokens/s", 0.01, 1e9, NULL, "none", R,
       false,
       "goal: output tokens per second of all users; without --users, with as "
       "many requests as that takes")
OPTION(BUDGET, "budget", 0, OPTION_NUMBER, "DOLLARS", "$/h", 0.001, 1e7, NULL, "none", R, false,
       "goal: dollars per hour, by --price, at most")
OPTION(TP, "tp", 0, OPTION_COUNTED, "N", "GPUs", 1, 1024, NULL, "auto", R, false,
       "GPUs that share each layer (tensor parallel)")
OPTION(PP, "pp", 0, OPTION_COUNTED, "N", "stages", 1, 512, NULL, "auto", R, false,
       "pipeline stages")
OPTION(MAX_PP, "max-pp", 0, OPTION_COUNTED, "N", "stages", 1, 512, NULL, "8", R, false,
       "most stages that auto may choose; --pp may exceed it")
OPTION(EP, "ep", 0, OPTION_COUNTED, "N", "GPUs", 1, 1024, NULL, "auto", R, false,
       "GPUs the experts are spread over")
OPTION(DP, "dp", 0, OPTION_COUNTED, "N", "copies", 1, 1024, NULL, "auto", R, false,
       "copies of the attention over which the experts are spread")
OPTION(REPLICAS, "replicas", 0, OPTION_COUNTED, "N", "copies", 1, 1024, NULL, "auto", R, false,
       "whole copies of the model that share the users")
OPTION(DISAGGREGATE, "disaggregate", 0, OPTION_TEXT, "P:D", "copies", 0, 0, NULL, "none", R, false,
       "replicas for prefill alone and replicas for decode alone, as in 1:3, or with a "
       "TP of their own, 2xTP1:1xTP4; auto: the best split")
OPTION(MAX_NUM_SEQS, "max-num-seqs", 0, OPTION_COUNTED, "N", "requests", 1, 65536, NULL,
       "the engine's, for this GPU", R, false, "slots of the engine; sets its sampler workspace")
OPTION(MAX_BATCHED_TOKENS, "max-batched-tokens", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e7, NULL,
       "the engine's, for this GPU", R, false, "tokens of one step; sets its activation memory")
OPTION(MEMORY_UTILIZATION, "memory-utilization", 0, OPTION_NUMBER, "SHARE", "", 0.05, 1, NULL,
       "the engine's", R, false, "share of the GPU's memory the engine takes")
OPTION(HEADROOM, "headroom", 0, OPTION_NUMBER, "SHARE", "", 0, 0.9, NULL, "0", R, false,
       "share of that budget to leave free")
OPTION(GPU_LAYERS, "gpu-layers", 0, OPTION_COUNTED, "N", "layers", 0, 1e6, NULL, "all", R, false,
       "llama.cpp: layers on GPUs, the output counted as one; the first "
       "ones stay in host memory")
OPTION(N_CPU_MOE, "n-cpu-moe", 0, OPTION_COUNTED, "N", "layers", 0, 1e6, NULL, "0", R, false,
       "llama.cpp: layers from the first whose experts stay in host "
       "memory")
OPTION(CPU_OFFLOAD_GB, "cpu-offload-gb", 0, OPTION_NUMBER, "GIB", "GiB", 0, 65536, NULL, "0", R,
       false, "vLLM: GiB of each GPU's weights that stay in host memory")
OPTION(KV_OFFLOAD_GB, "kv-offload-gb", 0, OPTION_NUMBER, "GIB", "GiB", 0, 65536, NULL, "0", R,
       false,
       "vLLM, SGLang: GiB of host memory that keep KV for later "
       "requests")
OPTION(NO_KV_OFFLOAD, "no-kv-offload", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", R, false,
       "llama.cpp: the whole KV cache in host memory")
OPTION(DRAFT, "draft", 0, OPTION_TEXT, "MODEL", "", 0, 0, NULL, "none", R, false,
       "model that drafts tokens, or mtp: the model's own layers for it")
OPTION(SPECULATIVE_TOKENS, "speculative-tokens", 0, OPTION_COUNTED, "N", "tokens", 1, 64, NULL,
       "the engine's, with --draft", R, false, "tokens drafted in each step")
OPTION(ACCEPTANCE, "acceptance", 0, OPTION_NUMBER, "SHARE", "", 0.01, 0.99, NULL, "none", R, false,
       "share of the drafted tokens that the model accepts")
OPTION(CALIBRATION, "calibration", 0, OPTION_TEXT, "FILE[,FILE...]", "", 0, 0, NULL,
       "what was measured here", R, false,
       "a server's benchmark or start-up log, or results of --bench, which correct the plan; none")
OPTION(LORA, "lora", 0, OPTION_TEXT, "N[:RANK]", "", 0, 0, NULL, "none", R, false,
       "LoRA adapters at once and their largest rank, 16 if not given")
OPTION(LANGUAGE_MODEL_ONLY, "language-model-only", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", R,
       false, "vLLM: neither load nor profile a vision tower")
OPTION(PRUNE, "prune", 0, OPTION_TEXT, "KIND", "", 0, 0, NULL, "none", R, false,
       "none, 2:4, a percentage of zeros, layers:8 or width:25%")
OPTION(SOLVE, "solve", 0, OPTION_WORD, "FIELD", "", 0, 0, "gpus|context|users|precision|budget",
       "none", P, false, "find the best value of one field that still fits")
OPTION(PRICE, "price", 0, OPTION_WORD, "CLASS", "", 0, 0, "on-demand|spot|market|buy", "on-demand",
       R, false, "class of prices to use")
OPTION(PROVIDER, "provider", 0, OPTION_TEXT, "NAME[,NAME...]", "", 0, 0, NULL, "all", R, false,
       "rent only from these providers")
OPTION(REGION, "region", 0, OPTION_TEXT, "TEXT", "", 0, 0, NULL, "any", R, false,
       "rent only in regions whose name contains this, as in us or eu-")
OPTION(DATED, "dated", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", R, false,
       "only prices that their source dates; not those \"by 2026-11\", the day of reading")
OPTION(API_PRICE, "api-price", 0, OPTION_TEXT, "IN:OUT", "$/M tokens", 0, 0, NULL, "none", R, false,
       "an API's dollars per million tokens of prompt and answer, to "
       "compare with")
OPTION(HOURS, "hours", 0, OPTION_NUMBER, "N", "h/month", 1, 744, NULL, "730", R, false,
       "hours of use per month")
OPTION(ELECTRICITY, "electricity", 0, OPTION_NUMBER, "PRICE", "$/kWh", 0.001, 10, NULL,
       "the catalogue's", R, false, "price of electricity when buying")
OPTION(POWER_CAP, "power-cap", 0, OPTION_NUMBER, "WATTS", "W", 1, 1e9, NULL, "none", R, false,
       "most that all GPUs and their hosts may draw: a rack's or a circuit's watts")
OPTION(TRAIN, "train", 0, OPTION_WORD, "METHOD", "", 0, 0, "full|lora|qlora", "none", P, false,
       "plan fine-tuning memory instead of inference")
OPTION(ZERO, "zero", 0, OPTION_COUNTED, "STAGE", "", 0, 3, NULL, "the lowest that fits", P, false,
       "ZeRO stage of --train")
OPTION(RECOMPUTE, "recompute", 0, OPTION_WORD, "KIND", "", 0, 0, "auto|none|selective|full", "auto",
       P, false, "activation recomputation of --train")
OPTION(SEQUENCE, "sequence", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e8, NULL, "2048", P, false,
       "sequence length of --train")
OPTION(MICRO_BATCH, "micro-batch", 0, OPTION_COUNTED, "N", "sequences", 1, 65536, NULL, "1", P,
       false, "sequences per GPU and step of --train")
OPTION(LORA_RANK, "lora-rank", 0, OPTION_COUNTED, "R", "", 1, 4096, NULL, "16", P, false,
       "rank of the adapters of --train lora or qlora")
OPTION(LORA_TARGETS, "lora-targets", 0, OPTION_WORD, "KIND", "", 0, 0, "linear|qv", "linear", P,
       false,
       "matrices that --train lora or qlora adapts: all, or query "
       "and value")
OPTION(MODULES_TO_SAVE, "modules-to-save", 0, OPTION_WORD, "KIND", "", 0, 0, "none|embed|head|both",
       "none", P, false, "what --train lora or qlora trains whole beside adapters")
OPTION(OPTIMIZER, "optimizer", 0, OPTION_TEXT, "NAME", "", 0, 0, NULL, "adamw", P, false,
       "optimizer of --train")
OPTION(ATTENTION, "attention", 0, OPTION_WORD, "KIND", "", 0, 0, "flash|eager", "flash", P, false,
       "attention kernel of --train; eager stores all scores")
OPTION(LOSS, "loss", 0, OPTION_WORD, "KIND", "", 0, 0, "eager|chunked|fused",
       "eager, or fused with --fused", P, false, "how --train computes the loss from the logits")
OPTION(OFFLOAD, "offload", 0, OPTION_WORD, "KIND", "", 0, 0, "none|optimizer|parameters", "none", P,
       false,
       "what --train keeps in host memory: optimizer and gradients, or "
       "weights too")
OPTION(STEP_IN_BACKWARD, "step-in-backward", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P, false,
       "apply each gradient of --train full in the backward pass, and free it")
OPTION(CP, "cp", 0, OPTION_COUNTED, "N", "GPUs", 1, 256, NULL, "1", P, false,
       "GPUs that share each sequence of --train (context parallel)")
OPTION(SEQUENCE_PARALLEL, "sequence-parallel", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P,
       false, "split the norms and inputs of --train with --tp, too")
OPTION(DEVICE_MAP, "device-map", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P, false,
       "run --train in one process, its layers one after another over the GPUs")
OPTION(FUSED, "fused", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P, false,
       "use fused norm, MLP, attention and loss kernels in --train")
OPTION(DEVICE, "device", 'd', OPTION_TEXT, "N[,N...]", "", 0, 0, NULL, "all", M, false,
       "devices to measure, as --dry-run numbers them, or all")
OPTION(TYPE, "type", 't', OPTION_TEXT, "TYPE[,TYPE...]", "", 0, 0, NULL, "all the device has", M,
       false,
       "operand types: fp32, fp32-pedantic, tf32, fp16, fp16-acc16, bf16, "
       "int8, fp8, mxfp8, nvfp4")
OPTION(SHAPES, "shapes", 0, OPTION_TEXT, "M:N:K[,...]", "", 0, 0, NULL, "squares", M, false,
       "matrix shapes for gemm")
OPTION(SIZE, "size", 0, OPTION_TEXT, "LOW[:HIGH]", "", 0, 0, NULL, "the test's own", M, false,
       "range of sizes for memory, transfer and allreduce")
OPTION(CACHE, "cache", 0, OPTION_WORD, "STATE", "", 0, 0, "cold|weights-cold|hot", "the test's own",
       M, false, "what the last-level cache holds when a product starts")
OPTION(FILL, "fill", 0, OPTION_WORD, "KIND", "", 0, 0, "uniform|normal|zeros", "uniform", M, false,
       "contents of the operands; zeros: not comparable")
OPTION(CHECK, "check", 0, OPTION_WORD, "HOW", "", 0, 0, "sample|none|full", "sample", M, false,
       "how many results of a product are verified")
OPTION(PRESET, "preset", 0, OPTION_WORD, "NAME", "", 0, 0, "quick|normal|thorough", "normal", C,
       false, "points and time for each; quick when no TEST is named")
OPTION(REL_CI, "rel-ci", 0, OPTION_NUMBER, "PERCENT", "%", 0.01, 100, NULL, "1", C, false,
       "end a point when its median is known to within this")
OPTION(MAX_TIME, "max-time", 0, OPTION_NUMBER, "SECONDS", "s", 0.001, 3600, NULL, "the preset's", C,
       false, "longest time of one point")
OPTION(TIME_LIMIT, "time-limit", 0, OPTION_TEXT, "TIME", "", 0, 0, NULL, "none; --confirm: 2m", C,
       false, "time for the whole run, as in 90s, 10m, 2h; ends after a point")
OPTION(DRY_RUN, "dry-run", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M, false,
       "print points, memory and time; measure nothing")
OPTION(RESUME, "resume", 0, OPTION_PATH, "JOURNAL", "", 0, 0, NULL, "none", M, false,
       "continue an interrupted run from its .part file")
OPTION(STRICT, "strict", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off",
       C | FOR_COMPARE_RESULTS | FOR_CHECK_LOG, false,
       "exit 5 when a point is flagged, not confirmed or a straggler, or a term of a log is "
       "outside its band")
OPTION(TOLERANCE, "tolerance", 0, OPTION_NUMBER, "PERCENT", "%", 0, 90, NULL, "5",
       M | FOR_COMPARE_RESULTS | FOR_CHECK_PLAN, false,
       "how much slower than the reference, or dearer than the saved plan, still "
       "counts as equal")
OPTION(INTERVAL, "interval", 0, OPTION_NUMBER, "SECONDS", "s", 0.001, 1e7, NULL,
       "from the dates of the two files", FOR_ATTACH, false, "time between two metrics pages")
OPTION(DIAGNOSE, "diagnose", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M, false,
       "why is this device slow? one verdict with its evidence, in less than a minute")
OPTION(EXPECT, "expect", 0, OPTION_PATH, "FILE", "", 0, 0, NULL, "none", M, false,
       "a reference result: exit 5 unless this run confirms it")
OPTION(PROM, "prom", 0, OPTION_PATH, "DIR", "", 0, 0, NULL, "none", M, false,
       "also write gpuplan.prom there, for a Prometheus collector")
OPTION(BACKEND, "backend", 0, OPTION_WORD, "NAME", "", 0, 0, "auto|cuda|cpu",
       "GPUs where there are some, else the CPU", M, false, "engine to measure with")
OPTION(ALGOS, "algos", 0, OPTION_COUNTED, "N", "", 1, 64, NULL, "16", M, false,
       "cuBLASLt algorithms to try per product")
OPTION(WORKSPACE, "workspace", 0, OPTION_BYTES, "BYTES", "GiB", 0, 4 * GP_GIB, NULL, "32MiB", M,
       false, "workspace a cuBLASLt algorithm may use")
OPTION(MAX_MEMORY, "max-memory", 0, OPTION_BYTES, "BYTES", "GiB", 1048576, 4096 * GP_GIB, NULL,
       "a quarter of the free memory; decode: most of it", C, false,
       "memory one engine may allocate for operands")
OPTION(STORAGE, "storage", 0, OPTION_PATH, "FILE", "", 0, 0, NULL, "a temporary one", M, false,
       "file that transfer reads, as a model loader would")
OPTION(SEED, "seed", 0, OPTION_COUNTED, "N", "", 0, 9007199254740991.0, NULL, "24301", C | FOR_POOL,
       false, "seed of the points' order and of the operands, or of the pool's solver")
OPTION(SOLVE_SECONDS, "solve-seconds", 0, OPTION_NUMBER, "SECONDS", "s", 0.01, 86400, NULL,
       "a fixed amount of work", FOR_POOL, false,
       "time for the pool's solver; the answer then depends on the machine")
OPTION(RUNG, "rung", 0, OPTION_WORD, "NAME", "", 0, 0,
       "fixed|composed|shared|hourly|cloud|cheapest", "cheapest", FOR_POOL, false,
       "way to own the pool's GPUs; its hours, moves and exports are shown")
OPTION(EXPORT, "export", 0, OPTION_WORD, "KIND", "", 0, 0, "compose|mig-parted|dra|slurm|mps",
       "none", FOR_POOL, false, "print the pool in the format of another program")
OPTION(AT, "at", 0, OPTION_COUNTED, "HOUR", "h", 0, 167, NULL, "the busiest", FOR_POOL, false,
       "hour of the pool that --export prints")
OPTION(ON_SCREEN, "screen", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_POOL, false,
       "show the pool on its screen instead of printing it")
OPTION(FORCE, "force", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", C, false,
       "measure a GPU even if other processes use it")
OPTION(LOCK_CLOCKS, "lock-clocks", 0, OPTION_TEXT, "base|MHZ", "", 0, 0, NULL, "not locked", C,
       false, "lock the GPU's SM clock while measuring; needs root")
OPTION(NVML_INTERVAL, "nvml-interval", 0, OPTION_NUMBER, "MS", "ms", 10, 1000, NULL, "50", M, false,
       "time between two sensor readings")
OPTION(ANONYMOUS, "anonymous", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M, false,
       "write a hash in place of this host's name")
OPTION(PROGRESS, "progress", 0, OPTION_WORD, "KIND", "", 0, 0, "auto|plain|json|none", "auto", C,
       false, "what to show on standard error while measuring")
OPTION(PLAIN, "plain", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_SCREEN, false,
       "ask line by line instead of drawing screens")
OPTION(ASCII, "ascii", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_SCREEN, false,
       "draw with ASCII characters only")
OPTION(COLOR, "color", 0, OPTION_WORD, "SCHEME", "", 0, 0, "auto|always|never|16|dark|light",
       "auto", FOR_SCREEN, false, "colors of the screens; always: even if NO_COLOR is set")
OPTION(NO_MOUSE, "no-mouse", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_SCREEN, false,
       "leave the mouse to the terminal")
OPTION(SORT, "sort", 0, OPTION_WORD, "COLUMN", "", 0, 0,
       "cost|gpus|memory|name|million|tpot|ttft|tokens", "cost", FOR_COMPARE, false,
       "order of the rows; memory: of all GPUs; million: dollars per million tokens")
OPTION(PROFILES, "profiles", 0, OPTION_PATH, "DIR", "", 0, 0, NULL, "none", FOR_ALL, false,
       "a folder of profiles that override all others")
OPTION(FORMAT, "format", 'f', OPTION_WORD, "FORMAT", "", 0, 0, "text|json|csv|markdown", "text",
       FOR_PRINTING & ~FOR_BATCH & ~FOR_REPORT, false, "how to print the answer")
OPTION(OUT, "output", 'o', OPTION_PATH, "FILE|TOKENS", "", 0, 0, NULL, "standard output",
       FOR_PRINTING, false,
       "write the result to a file, whole or not at all; a number means "
       "--output-tokens")
OPTION(WHY, "why", 'w', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_PLAN, false,
       "print each term with its equation, inputs and source")
OPTION(QUIET, "quiet", 'q', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_PRINTING, false,
       "only the verdict and errors")
OPTION(VERBOSE, "verbose", 'v', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_PRINTING, false,
       "also warnings about profiles, and all sources")
OPTION(HELP, "help", 'h', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_ALL, false,
       "list the commands and options")
OPTION(VERSION, "version", 'V', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_ALL, false,
       "print the version")
