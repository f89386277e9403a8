/*
 * option_rows.h - the options, a row each: OPTION(id, the fields of struct option_row).
 *
 * option.h makes the ids of it and option.c the table; nobody else includes it. R: any
 * request; P: one plan, M: a measurement; C: that or --confirm. FLAG, WORD(), TOKENS and COUNTED
 * stand for a type with what goes along with it.
 */
OPTION(MODEL, .name = "model", .key = 'm', .type = OPTION_TEXT, .argument = "MODEL",
       .fallback = "none", .commands = R, .many = true, .group = "Model and GPU", .common = true,
       .help =
           "catalogue id, a folder or file (config.json, safetensors, GGUF), or a size such as 70B",
       .form = {.label = "Model",
                .section = "Model and GPU",
                .explain = "Model: its parameters set memory and speed. An id, 70B, or a path.\n"
                           "parameters = sum of rows*cols over all its tensors",
                .terms = {"parameters", "active parameters", "weights"}})
OPTION(PRECISION, .name = "precision", .key = 'p', .type = OPTION_TEXT, .argument = "FORMAT",
       .fallback = "the model's own", .commands = R, .many = true, .common = true,
       .help = "format of the weights: fp16, fp8, int4-awq, q4_k_m, ...",
       .form = {
           .label = "Weights",
           .solve = SOLVE_PRECISION,
           .explain = "Weights: fewer bits need fewer GPUs, decode faster. auto: as published.\n"
                      "bytes = rows*cols*bits/8 + scales; norms, embedding often stay 16-bit",
           .terms = {"weights", "checkpoint", "product"}})
OPTION(KV_PRECISION, .name = "kv-precision", .type = OPTION_TEXT, .argument = "FORMAT",
       .fallback = "the activations'", .commands = R, .common = true,
       .help = "format of the KV cache",
       .form = {.label = "KV cache",
                .explain = "KV cache: 8-bit keys and values hold twice the users of 16-bit ones.\n"
                           "KV per token = sum over attention layers of kv*(d + dv)*e bytes",
                .terms = {"KV per token", "KV of one request"}})
OPTION(GPU, .name = "gpu", .key = 'g', .type = OPTION_TEXT, .argument = "GPU[/SLICE][:COUNT]",
       .fallback = "the one in this machine, else the cheapest that fits", .commands = R | FOR_POOL,
       .many = true, .common = true,
       .help = "GPU by id, with a MIG slice and a count; all; local; cpu; with --pool: what if all "
               "its GPUs were of this type",
       .form = {.label = "GPU",
                .solve = SOLVE_BUDGET,
                .explain =
                    "GPU: memory sets how many, bandwidth TPOT. auto: here, else cheapest fit.\n"
                    "usable = physical less what the driver keeps (H100: 79.19 of 79.65)",
                .terms = {"physical memory", "usable memory", "product"}},
       .count = {
           .label = "GPUs",
           .step = 1,
           .solve = SOLVE_GPUS,
           .planned = PLAN_INT(layout.gpus),
           .explain = "GPUs: more hold more, are faster, cost more. auto: the fewest that fit.\n"
                      "GPUs = TP * PP * replicas",
           .terms = {"GPUs"}})
OPTION(USED, .name = "used", .type = OPTION_BYTES, .argument = "BYTES", .unit = "GiB",
       .high = 4096 * GP_GIB, .fallback = "0", .commands = R,
       .help = "memory per GPU that other programs already hold",
       .form = {.label = "Used",
                .step = 1,
                .explain = "Used: memory per GPU that other programs hold: so much less is free.\n"
                           "free = usable - used - weights - overheads - users' need",
                .terms = {"usable memory", "free"}})
OPTION(ENGINE, .name = "engine", .type = OPTION_TEXT, .argument = "NAME[@VERSION]",
       .fallback = "newest vllm range; mlx for Apple; llama.cpp for GGUF, cpu and old GPUs",
       .commands = R, .common = true, .help = "inference engine and its version",
       .form = {.label = "Engine",
                .section = "Engine",
                .explain = "Engine: its version sets overheads, how it budgets, and its speed.\n"
                           "vLLM: KV pool = utilization*usable - weights - activation - ...",
                .terms = {"budget", "KV pool", "fixed time"}})
OPTION(CONTEXT, .name = "context", .key = 'c', TOKENS, .low = 1, .high = 1e9,
       .fallback = "8192, or the model's maximum if less", .commands = R, .group = "Load",
       .common = true, .help = "tokens one request may hold, prompt and output together",
       .form = {.label = "Context",
                .section = "Load",
                .solve = SOLVE_CONTEXT,
                .planned = PLAN_DOUBLE(request.context),
                .explain = "Context: the most tokens of a request; KV memory grows with it.\n"
                           "KV of one request = context * KV per token (less where windows slide)",
                .terms = {"KV of one request", "one request is given", "users'"}})
OPTION(RESERVE, .name = "reserve", WORD("WHAT", "load|full"), .fallback = "load", .commands = R,
       .help = "what the KV cache has to hold: the load and one request of full context, or all "
               "users at full context",
       .form = {.label = "Reserve",
                .explain = "Reserve: room for the described requests, or for all users at full "
                           "context.\n"
                           "load = users * KV(prompt + output) + KV(context); full = users * "
                           "KV(context)",
                .terms = {"users' need"}})
OPTION(PROMPT, .name = "prompt", TOKENS, .low = 1, .high = 1e9, .fallback = "1024", .commands = R,
       .common = true, .help = "tokens of a typical prompt",
       .form = {.label = "Prompt",
                .planned = PLAN_DOUBLE(request.prompt),
                .explain = "Prompt: tokens of a typical one; TTFT grows with it. Memory: Context.\n"
                           "prompt + output <= context",
                .terms = {"a prompt alone", "what a prompt adds", "TTFT"}})
OPTION(OUTPUT, .name = "output-tokens", TOKENS, .low = 1, .high = 1e9, .fallback = "256",
       .commands = R, .common = true, .help = "tokens of a typical answer",
       .form = {.label = "Output",
                .planned = PLAN_DOUBLE(request.output),
                .explain = "Output: tokens of a typical answer; longer ones: fewer requests/s.\n"
                           "prompt + output <= context",
                .terms = {"prompts of the others", "output tokens"}})
OPTION(PROMPT_STDDEV, .name = "prompt-stddev", TOKENS, .high = 1e9, .fallback = "0", .commands = R,
       .help = "standard deviation of the prompts' lengths; --prompt is the mean")
OPTION(OUTPUT_STDDEV, .name = "output-stddev", TOKENS, .high = 1e9, .fallback = "0", .commands = R,
       .help = "standard deviation of the answers' lengths")
OPTION(
    TRACE, .name = "trace", .type = OPTION_PATH, .argument = "FILE", .fallback = "none",
    .commands = R,
    .help = "log of requests (CSV, as Azure or BurstGPT publish them), for their lengths and rate")
OPTION(USERS, .name = "users", .key = 'u', COUNTED, .unit = "requests", .low = 1, .high = 1e6,
       .fallback = "1", .commands = R, .common = true, .help = "requests in flight at once",
       .form = {
           .label = "Users",
           .unit = "at once",
           .solve = SOLVE_USERS,
           .planned = PLAN_DOUBLE(request.users),
           .explain = "Users: requests in flight; more: more KV, longer TPOT, fewer $ a token.\n"
                      "KV needed = users of one replica * KV of one request",
           .terms = {"users'", "max concurrency", "requests at once"}})
OPTION(RATE, .name = "rate", .type = OPTION_NUMBER, .argument = "N", .unit = "requests/s",
       .low = 1e-6, .high = 1e6, .fallback = "none", .commands = R, .common = true,
       .help = "requests that arrive per second, in place of --users",
       .form = {.label = "Rate",
                .unit = "/s",
                .planned = PLAN_DOUBLE(speed.requests.value),
                .explain = "Rate: requests that arrive per second; Users then follow from it.\n"
                           "users = rate * time of a request (Little), at their peak",
                .terms = {"requests per second", "utilisation", "requests at once"}})
OPTION(PREFIX_HIT, .name = "prefix-hit", .type = OPTION_NUMBER, .argument = "SHARE", .high = 1,
       .fallback = "0", .commands = R, .help = "share of each prompt that the prefix cache holds")
OPTION(TTFT, .name = "ttft", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms", .low = 0.1,
       .high = 1e7, .fallback = "none", .commands = R, .group = "Goals", .common = true,
       .help = "goal: milliseconds to the first token under this load",
       .form = {.label = "TTFT goal",
                .section = "Goals",
                .step = 50,
                .planned = PLAN_MS(speed.ttft.value),
                .explain = "TTFT goal: first token within; auto takes more GPUs if it must.\n"
                           "TTFT = tau + kappa*solo + eta*decode + beta*solo*(C - 1)/20",
                .terms = {"TTFT", "a prompt alone", "what a prompt adds"}})
OPTION(TPOT, .name = "tpot", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms", .low = 0.01,
       .high = 1e6, .fallback = "none", .commands = R, .common = true,
       .help = "goal: milliseconds for each output token after the first",
       .form = {.label = "TPOT goal",
                .step = 5,
                .planned = PLAN_MS(speed.tpot.value),
                .explain = "TPOT goal: each next token within; auto takes more GPUs if it must.\n"
                           "TPOT = decode step + phi*(B - 1)/output * cost of a prompt",
                .terms = {"TPOT", "decode step", "product"}})
OPTION(THROUGHPUT, .name = "throughput", .type = OPTION_NUMBER, .argument = "N", .unit = "tokens/s",
       .low = 0.01, .high = 1e9, .fallback = "none", .commands = R,
       .help = "goal: output tokens per second of all users; without --users, with as many "
               "requests as that takes",
       .form = {
           .label = "Throughput",
           .unit = "tok/s",
           .planned = PLAN_DOUBLE(speed.tokens.value),
           .explain = "Throughput: goal, tokens/s of all users; auto takes more users or GPUs.\n"
                      "output tokens/s = requests/s * output",
           .terms = {"output tokens", "throughput"}})
OPTION(BUDGET, .name = "budget", .type = OPTION_NUMBER, .argument = "DOLLARS", .unit = "$/h",
       .low = 0.001, .high = 1e7, .fallback = "none", .commands = R, .common = true,
       .help = "goal: dollars per hour, by --price, at most",
       .form = {.label = "Budget",
                .step = 1,
                .planned = PLAN_DOUBLE(cost.per_hour),
                .explain = "Budget: goal, dollars per hour at most; a dearer plan is over budget.\n"
                           "rent per hour <= budget",
                .terms = {"rent", "instances"}})
OPTION(GOALS, .name = "goals", WORD("WHAT", "likely|sure"), .fallback = "likely", .commands = R,
       .help = "goals of speed that count as reached: by the middle of an estimate, or by its "
               "whole band",
       .form = {.label = "Reached",
                .explain = "Reached: goals by the middle of an estimate, or by its whole band.\n"
                           "likely: middle <= goal; sure: the band's worse end <= goal",
                .terms = {"TTFT", "TPOT", "throughput"}})
OPTION(TP, .name = "tp", COUNTED, .unit = "GPUs", .low = 1, .high = 1024, .fallback = "auto",
       .commands = R, .group = "Layout and engine", .common = true,
       .help = "GPUs that share each layer (tensor parallel)",
       .form = {.label = "TP",
                .section = "Layout",
                .unit = "",
                .planned = PLAN_INT(layout.tp),
                .explain = "TP: GPUs of a host that share each layer: less memory each, faster.\n"
                           "a GPU holds 1/TP of query, output and MLP, ceil(kv/TP) KV heads",
                .terms = {"GPUs", "weights"}})
OPTION(PP, .name = "pp", COUNTED, .unit = "stages", .low = 1, .high = 512, .fallback = "auto",
       .commands = R, .common = true, .help = "pipeline stages",
       .form = {
           .label = "PP",
           .unit = "",
           .planned = PLAN_INT(layout.pp),
           .explain = "PP: pipeline stages, each with its layers: less memory each, not faster.\n"
                      "a stage holds about L/PP layers; the tightest stage is shown",
           .terms = {"GPUs", "layers of"}})
OPTION(MAX_PP, .name = "max-pp", COUNTED, .unit = "stages", .low = 1, .high = 512, .fallback = "8",
       .commands = R, .help = "most stages that auto may choose; --pp may exceed it",
       .form = {.label = "Max PP",
                .unit = "",
                .planned = PLAN_INT(request.max_pp),
                .explain = "Max PP: the most pipeline stages that auto may choose.\n"
                           "PP <= Max PP, unless PP itself is given",
                .terms = {"GPUs", "layers of"}})
OPTION(EP, .name = "ep", COUNTED, .unit = "GPUs", .low = 1, .high = 1024, .fallback = "auto",
       .commands = R, .help = "GPUs the experts are spread over",
       .form = {.label = "EP",
                .unit = "",
                .planned = PLAN_INT(layout.ep),
                .explain = "EP: GPUs that the experts of a MoE are spread over: less memory each.\n"
                           "a GPU holds 1/max(TP, EP) of the experts",
                .terms = {"GPUs", "weights"}})
OPTION(DP, .name = "dp", COUNTED, .unit = "copies", .low = 1, .high = 1024, .fallback = "auto",
       .commands = R,
       .help = "data parallel attention: the experts are spread over so many copies of it")
OPTION(REPLICAS, .name = "replicas", COUNTED, .unit = "copies", .low = 1, .high = 1024,
       .fallback = "auto", .commands = R, .help = "whole copies of the model that share the users",
       .form = {.label = "Replicas",
                .unit = "",
                .planned = PLAN_INT(layout.replicas),
                .explain = "Replicas: whole copies that share the users: more tokens/s.\n"
                           "users of one replica = ceil(users / replicas)",
                .terms = {"GPUs", "users'"}})
OPTION(DISAGGREGATE, .name = "disaggregate", .type = OPTION_TEXT, .argument = "P:D",
       .unit = "copies", .fallback = "none", .commands = R,
       .help = "replicas for prefill alone and replicas for decode alone, as in 1:3, or with a TP "
               "of their own, 2xTP1:1xTP4; auto: the best split")
OPTION(MAX_NUM_SEQS, .name = "max-num-seqs", COUNTED, .unit = "requests", .low = 1, .high = 65536,
       .fallback = "the engine's, for this GPU", .commands = R, .common = true,
       .help = "requests that the engine computes at once, its slots",
       .form = {.label = "Slots",
                .planned = PLAN_MEMORY(max_num_seqs),
                .explain = "Slots: requests the engine runs at once; the others queue.\n"
                           "sampling = slots*V*(copies*4 + a) + batch*h*a + base",
                .terms = {"activation"}})
OPTION(MAX_BATCHED_TOKENS, .name = "max-batched-tokens", TOKENS, .low = 1, .high = 1e7,
       .fallback = "the engine's, for this GPU", .commands = R,
       .help = "tokens of one step; sets its activation memory",
       .form = {.label = "Batch",
                .planned = PLAN_MEMORY(max_batched_tokens),
                .explain = "Batch: tokens of one step; more: more memory, mostly a shorter TTFT.\n"
                           "forward = batch*(2*h + 3*ff/TP)*a + forward base",
                .terms = {"activation"}})
OPTION(MEMORY_UTILIZATION, .name = "memory-utilization", .type = OPTION_NUMBER, .argument = "SHARE",
       .low = 0.01, .high = 1, .fallback = "the engine's", .commands = R, .common = true,
       .help = "share of the GPU's memory the engine takes",
       .form = {.label = "Utilization",
                .step = 0.01,
                .unit = "share",
                .planned = PLAN_MEMORY(fraction),
                .explain = "Utilization: share of the memory that the engine takes: the budget.\n"
                           "vLLM: budget = utilization * usable",
                .terms = {"budget", "KV pool"}})
OPTION(ENFORCE_EAGER, .name = "enforce-eager", FLAG, .commands = R,
       .help = "vLLM, SGLang: no CUDA graphs: their memory for the pool, slower steps",
       .form = {.label = "No graphs",
                .explain = "No graphs: of vLLM and SGLang; each kernel is launched on its own.\n"
                           "CUDA graphs = 0; a step waits for its launches",
                .terms = {"CUDA graphs"}})
OPTION(SCHEDULING_POLICY, .name = "scheduling-policy", WORD("POLICY", "fcfs|priority|low-first"),
       .fallback = "fcfs", .commands = R,
       .help = "vLLM, SGLang: requests of a trace go by their priority as the engine takes it, or "
               "lower values first")
OPTION(HEADROOM, .name = "headroom", .type = OPTION_NUMBER, .argument = "SHARE", .high = 0.9,
       .fallback = "0", .commands = R, .help = "share of that budget to leave free",
       .form = {
           .label = "Headroom",
           .step = 0.05,
           .unit = "share",
           .explain = "Headroom: share of the engine's budget to leave free: room for surprises.\n"
                      "budget = (1 - headroom) * what the engine would take",
           .terms = {"budget", "KV pool"}})
OPTION(
    GPU_LAYERS, .name = "gpu-layers", COUNTED, .unit = "layers", .high = 1e6, .fallback = "all",
    .commands = R,
    .help =
        "llama.cpp: layers on GPUs, the output counted as one; the first ones stay in host memory",
    .form = {.label = "GPU layers",
             .step = 1,
             .unit = "",
             .explain = "GPU layers: of llama.cpp; the others are in host memory: fits, slower.\n"
                        "on GPUs: the output, counted as one, and the last N - 1 layers",
             .terms = {"host memory", "weights"}})
OPTION(N_CPU_MOE, .name = "n-cpu-moe", COUNTED, .unit = "layers", .high = 1e6, .fallback = "0",
       .commands = R, .help = "llama.cpp: layers from the first whose experts stay in host memory",
       .form = {.label = "CPU experts",
                .step = 1,
                .explain = "CPU experts: of llama.cpp; they are in host memory: fits, slower.\n"
                           "weights - experts of the first N layers",
                .terms = {"host memory", "weights"}})
OPTION(CPU_OFFLOAD_GB, .name = "cpu-offload-gb", .type = OPTION_NUMBER, .argument = "GIB",
       .unit = "GiB", .high = 65536, .fallback = "0", .commands = R,
       .help = "vLLM: GiB of each GPU's weights that stay in host memory",
       .form = {.label = "Offload",
                .step = 1,
                .explain = "Offload: of vLLM; as much of each GPU's weights stays in host memory.\n"
                           "weights - offload, in whole parameters",
                .terms = {"host memory", "weights"}})
OPTION(KV_OFFLOAD_GB, .name = "kv-offload-gb", .type = OPTION_NUMBER, .argument = "GIB",
       .unit = "GiB", .high = 65536, .fallback = "0", .commands = R,
       .help = "vLLM, SGLang: GiB of host memory that keep KV for later requests",
       .form = {
           .label = "KV offload",
           .step = 8,
           .explain = "KV offload: of vLLM and SGLang; host memory keeps KV for later requests.\n"
                      "the pool does not change: it must hold the requests in flight",
           .terms = {"host memory", "one request is given"}})
OPTION(NO_KV_OFFLOAD, .name = "no-kv-offload", FLAG, .commands = R,
       .help = "llama.cpp: the whole KV cache in host memory",
       .form = {.label = "KV on host",
                .explain = "KV on host: of llama.cpp; the whole KV cache is in host memory.\n"
                           "KV needed on the GPU = 0; attention is computed on the host",
                .terms = {"host memory", "users'"}})
OPTION(HOST_MEMORY, .name = "host-memory", .type = OPTION_TEXT, .argument = "TYPE",
       .fallback = "assumed", .commands = R,
       .help = "memory of the host: ddr5-5600x2 (channels of a socket), or what was read, 60GB/s")
OPTION(HOST_THREADS, .name = "host-threads", COUNTED, .unit = "threads", .low = 1, .high = 4096,
       .fallback = "assumed", .commands = R,
       .help = "cores that compute what is in host memory (llama.cpp's --threads)")
OPTION(DRAFT, .name = "draft", .type = OPTION_TEXT, .argument = "KIND[:HEAD]|MODEL",
       .fallback = "none", .commands = R,
       .help = "what drafts tokens: mtp, eagle3, dflash, ngram, or a model",
       .form = {
           .label = "Draft",
           .explain = "Draft: mtp, eagle3, dflash, ngram, or a model that drafts: more memory.\n"
                      "weights + draft/TP; its layers' KV is in the same pool",
           .terms = {"weights: draft", "weights: MTP", "KV:"}})
OPTION(SPECULATIVE_TOKENS, .name = "speculative-tokens", COUNTED, .unit = "tokens", .low = 1,
       .high = 64, .fallback = "the engine's, with --draft", .commands = R,
       .help = "tokens drafted in each step",
       .form = {.label = "Drafted",
                .step = 1,
                .planned = PLAN_INT(request.draft_tokens),
                .explain = "Drafted: tokens of each step that the draft proposes.\n"
                           "a request of a recurrent hybrid holds a state more for each",
                .terms = {"one request is given", "state"}})
OPTION(ACCEPTANCE, .name = "acceptance", .type = OPTION_TEXT, .argument = "SHARE[,SHARE...]",
       .low = 0, .high = 1, .fallback = "none", .commands = R,
       .help = "accepted over drafted tokens, or of each position, as engines print them")
OPTION(ACCEPTANCE_LENGTH, .name = "acceptance-length", .type = OPTION_NUMBER, .argument = "TOKENS",
       .low = 1, .high = 65, .fallback = "none", .commands = R,
       .help = "tokens that a step yields with drafts, as engines print it, instead")
OPTION(
    CALIBRATION, .name = "calibration", .type = OPTION_TEXT, .argument = "FILE[,FILE...]",
    .fallback = "what was measured here", .commands = R,
    .help =
        "a server's benchmark or start-up log, or results of --bench, which correct the plan; none",
    .form = {.label = "Measured",
             .explain = "Measured: files of a server's start-up log or benchmark, or of --bench.\n"
                        "term = the logged figure, or estimate*(logged/estimated)^share",
             .terms = {"logged / estimated", "correction by measured points"}})
OPTION(LORA, .name = "lora", .type = OPTION_TEXT, .argument = "N[:RANK]", .fallback = "none",
       .commands = R, .help = "LoRA adapters at once and their largest rank, 16 if not given",
       .form = {.label = "Adapters",
                .explain = "Adapters: room for so many LoRA adapters of a rank: more memory.\n"
                           "slots * r * (cols + rows) of every linear layer, one of them / TP",
                .terms = {"weights: LoRA", "CUDA graphs"}})
OPTION(LANGUAGE_MODEL_ONLY, .name = "language-model-only", FLAG, .commands = R,
       .help = "vLLM: neither load nor profile a vision tower")
OPTION(PRUNE, .name = "prune", .type = OPTION_TEXT, .argument = "KIND", .fallback = "none",
       .commands = R, .help = "none, 2:4, a percentage of zeros, layers:8 or width:25%",
       .form = {.label = "Pruning",
                .explain = "Pruning: 2:4 sparsity saves memory, unstructured zeros do not.\n"
                           "2:4 stores bits/2 + 1 per weight of the linear layers",
                .terms = {"weights: saved", "weights"}})
OPTION(SOLVE, .name = "solve", WORD("FIELD", "gpus|context|users|precision|budget|rate"),
       .fallback = "none", .commands = P | FOR_REPLAY, .group = "Search and cost", .common = true,
       .help = "find the best value of one field that still fits")
OPTION(PRICE, .name = "price", WORD("CLASS", "on-demand|spot|market|buy"), .fallback = "on-demand",
       .commands = R, .common = true, .help = "class of prices to use",
       .form = {.label = "Price",
                .section = "Cost",
                .explain = "Price: the class of prices that $/h and the cheapest GPU go by.\n"
                           "rent per hour = instances * price of one; they are sold whole",
                .terms = {"instances", "rent", "buy"}})
OPTION(PROVIDER, .name = "provider", .type = OPTION_TEXT, .argument = "NAME[,NAME...]",
       .fallback = "all", .commands = R, .help = "rent only from these providers",
       .form = {.label = "Provider",
                .explain = "Provider: rent only from these, as in aws,gcp.\n"
                           "rent per hour = instances * price of one; they are sold whole",
                .terms = {"instances", "rent"}})
OPTION(REGION, .name = "region", .type = OPTION_TEXT, .argument = "TEXT", .fallback = "any",
       .commands = R, .help = "rent only in regions whose name contains this, as in us or eu-",
       .form = {.label = "Region",
                .explain = "Region: rent only where the region's name contains this, as in us.\n"
                           "rent per hour = instances * price of one; they are sold whole",
                .terms = {"instances", "rent"}})
OPTION(DATED, .name = "dated", FLAG, .commands = R,
       .help = "only prices that their source dates; not those \"by 2026-11\", the day of reading",
       .form = {.label = "Dated",
                .explain = "Dated: only prices with a date of their own count.\n"
                           "\"by 2026-11\" is none: the source has no date and was read then",
                .terms = {"instances", "rent"}})
OPTION(API_PRICE, .name = "api-price", .type = OPTION_TEXT, .argument = "IN:OUT",
       .unit = "$/M tokens", .fallback = "none", .commands = R,
       .help = "an API's dollars per million tokens of prompt and answer, to compare with")
OPTION(HOURS, .name = "hours", .type = OPTION_NUMBER, .argument = "N", .unit = "h/month", .low = 1,
       .high = 744, .fallback = "730", .commands = R, .help = "hours of use per month",
       .form = {.label = "Hours",
                .step = 10,
                .explain = "Hours: hours of use per month; few make renting cheaper than buying.\n"
                           "rent per month = rent per hour * hours",
                .terms = {"rent per month"}})
OPTION(ELECTRICITY, .name = "electricity", .type = OPTION_NUMBER, .argument = "PRICE",
       .unit = "$/kWh", .low = 0.001, .high = 10, .fallback = "the catalogue's", .commands = R,
       .help = "price of electricity when buying",
       .form = {.label = "Electricity",
                .step = 0.01,
                .explain = "Electricity: its price when the GPUs are bought.\n"
                           "running = kW*PUE*price*share of hours + kW*hosting*12/8760",
                .terms = {"buy"}})
OPTION(POWER_CAP, .name = "power-cap", .type = OPTION_NUMBER, .argument = "WATTS", .unit = "W",
       .low = 1, .high = 1e9, .fallback = "none", .commands = R,
       .help = "most that all GPUs and their hosts may draw: a rack's or a circuit's watts",
       .form = {.label = "Power cap",
                .step = 500,
                .planned = PLAN_DOUBLE(power.sheet),
                .explain = "Power cap: goal, watts of all GPUs and hosts at most, as of a rack.\n"
                           "watts = GPUs at this load + their shares of the hosts",
                .terms = {"power", "a GPU", "energy"}})
OPTION(ARRIVALS, .name = "arrivals", .type = OPTION_TEXT, .argument = "KIND",
       .fallback = "poisson; of --users closed; of a trace its own", .commands = FOR_REPLAY,
       .group = "Replay", .common = true,
       .help = "poisson, constant, gamma:SHAPE, burst (all at once), closed (each user asks when "
               "answered), or a day or week: azure-chat, office")
OPTION(LIKE, .name = "like", .type = OPTION_PATH, .argument = "FILE|-", .fallback = "none",
       .commands = FOR_REPLAY,
       .help = "replay the load of a running server, by its metrics page as --attach reads it")
OPTION(SCALE, .name = "scale", .type = OPTION_NUMBER, .argument = "TIMES", .low = 0.001,
       .high = 1000, .fallback = "1", .commands = FOR_REPLAY,
       .help = "so many times the rate or the users, of --like and of a trace, too")
OPTION(REQUESTS, .name = "requests", COUNTED, .unit = "requests", .low = 1, .high = 1e7,
       .fallback = "2000, or all of a trace", .commands = FOR_REPLAY,
       .help = "how many requests are replayed")
OPTION(DURATION, .name = "duration", .type = OPTION_NUMBER, .argument = "SECONDS", .unit = "s",
       .low = 0.001, .high = 1e9, .fallback = "until the last request", .commands = FOR_REPLAY,
       .help = "replay what arrives within this time")
OPTION(LENGTHS, .name = "lengths", WORD("KIND", "lognormal|normal|gamma|uniform|fixed"),
       .fallback = "lognormal", .commands = FOR_REPLAY,
       .help = "how the lengths of drawn requests spread around their means")
OPTION(MAX_CONCURRENCY, .name = "max-concurrency", COUNTED, .unit = "requests", .low = 1,
       .high = 1e6, .fallback = "none", .commands = FOR_REPLAY,
       .help = "with --rate: at most so many in flight, the others wait at the client")
OPTION(MAX_TOKENS, .name = "max-tokens", TOKENS, .low = 1, .high = 1e9,
       .fallback = "the answer's length", .commands = FOR_REPLAY,
       .help = "tokens that each request may make: what schedulers reserve")
OPTION(PREFIX_TOKENS, .name = "prefix-tokens", TOKENS, .high = 1e9, .fallback = "0",
       .commands = FOR_REPLAY, .help = "leading tokens that all prompts share, as a system prompt")
OPTION(TURNS, .name = "turns", COUNTED, .unit = "turns", .low = 1, .high = 10000,
       .fallback = "requests alone", .commands = FOR_REPLAY,
       .help = "each session has so many turns, whose prompts hold what went before; --prompt is "
               "what a turn adds")
OPTION(THINK_TIME, .name = "think-time", .type = OPTION_NUMBER, .argument = "SECONDS", .unit = "s",
       .high = 1e7, .fallback = "30 at a rate, 0 of --users", .commands = FOR_REPLAY,
       .help = "mean time from an answer to the next turn of its session")
OPTION(DISTINCT_PROMPTS, .name = "distinct-prompts", COUNTED, .unit = "prompts", .low = 1,
       .high = 1e6, .fallback = "all differ", .commands = FOR_REPLAY,
       .help = "a benchmark's prompts that come again: so many, each sent before, found in the "
               "cache while it holds them")
OPTION(ROUTER, .name = "router", WORD("KIND", "round-robin|least-load|prefix|session"),
       .fallback = "least-load", .commands = FOR_REPLAY,
       .help = "how requests go to the replicas: in turn, to the least busy, by the longest cached "
               "prefix, to that of their session")
OPTION(LOSE_REPLICA_AT, .name = "lose-replica-at", .type = OPTION_NUMBER, .argument = "SECONDS",
       .unit = "s", .low = 0.001, .high = 1e9, .fallback = "never", .commands = FOR_REPLAY,
       .help = "one replica is lost then: its requests begin again on the others")
OPTION(ADD_REPLICA_AT, .name = "add-replica-at", .type = OPTION_NUMBER, .argument = "SECONDS",
       .unit = "s", .low = 0, .high = 1e9, .fallback = "never", .commands = FOR_REPLAY,
       .help = "one more is started then; it serves after --cold-start")
OPTION(COLD_START, .name = "cold-start", .type = OPTION_NUMBER, .argument = "SECONDS", .unit = "s",
       .high = 1e6, .fallback = "weights at 1 GB/s and 60 s", .commands = FOR_REPLAY,
       .help = "time from the start of a replica to its first step")
OPTION(TTFT_P95, .name = "ttft-p95", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds to the first token in 95 of 100 requests")
OPTION(TTFT_P99, .name = "ttft-p99", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds to the first token in 99 of 100 requests")
OPTION(TPOT_P95, .name = "tpot-p95", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds per output token in 95 of 100 requests")
OPTION(TPOT_P99, .name = "tpot-p99", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds per output token in 99 of 100 requests")
OPTION(E2E_P95, .name = "e2e-p95", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds from end to end in 95 of 100 requests")
OPTION(E2E_P99, .name = "e2e-p99", .type = OPTION_NUMBER, .argument = "MS", .unit = "ms",
       .low = 0.1, .high = 1e9, .fallback = "none", .commands = R | FOR_REPLAY,
       .help = "goal at a --rate: most milliseconds from end to end in 99 of 100 requests")
OPTION(TIMELINE, .name = "timeline", .type = OPTION_PATH, .argument = "FILE", .fallback = "none",
       .commands = FOR_REPLAY,
       .help = "write running, waiting, KV and percentiles over time as CSV")
OPTION(REQUESTS_OUT, .name = "requests-out", .type = OPTION_PATH, .argument = "FILE",
       .fallback = "none", .commands = FOR_REPLAY, .help = "write each request's times as CSV")
OPTION(TRAIN, .name = "train", WORD("METHOD", "full|lora|qlora"), .fallback = "none", .commands = P,
       .group = "Fine-tuning", .common = true,
       .help = "plan fine-tuning memory instead of inference")
OPTION(ZERO, .name = "zero", .type = OPTION_COUNTED, .argument = "STAGE", .high = 3,
       .fallback = "the lowest that fits", .commands = P, .help = "ZeRO stage of --train")
OPTION(TRAINER, .name = "trainer", .type = OPTION_TEXT, .argument = "NAME[@VERSION]",
       .fallback = "none", .commands = P,
       .help = "what runs --train, whose loss, recomputation and padding are then the defaults")
OPTION(RECOMPUTE, .name = "recompute", WORD("KIND", "auto|none|selective|ops|full"),
       .fallback = "auto", .commands = P, .help = "activation recomputation of --train")
OPTION(SEQUENCE, .name = "sequence", TOKENS, .low = 1, .high = 1e8, .fallback = "2048",
       .commands = P, .help = "sequence length of --train")
OPTION(MICRO_BATCH, .name = "micro-batch", COUNTED, .unit = "sequences", .low = 1, .high = 65536,
       .fallback = "1", .commands = P, .help = "sequences per GPU and step of --train")
OPTION(LORA_RANK, .name = "lora-rank", .type = OPTION_COUNTED, .argument = "R", .low = 1,
       .high = 4096, .fallback = "16", .commands = P,
       .help = "rank of the adapters of --train lora or qlora")
OPTION(LORA_TARGETS, .name = "lora-targets", WORD("KIND", "linear|qv|attention"),
       .fallback = "linear", .commands = P,
       .help = "what --train lora or qlora adapts: all, query and value, or attention alone")
OPTION(MODULES_TO_SAVE, .name = "modules-to-save", WORD("KIND", "none|embed|head|both"),
       .fallback = "none", .commands = P,
       .help = "what --train lora or qlora trains whole beside adapters")
OPTION(OPTIMIZER, .name = "optimizer", .type = OPTION_TEXT, .argument = "NAME", .fallback = "adamw",
       .commands = P, .help = "optimizer of --train")
OPTION(ATTENTION, .name = "attention", WORD("KIND", "flash|eager"), .fallback = "flash",
       .commands = P, .help = "attention kernel of --train; eager stores all scores")
OPTION(LOSS, .name = "loss", WORD("KIND", "eager|chunked|fused"),
       .fallback = "eager, or fused with --fused", .commands = P,
       .help = "how --train computes the loss from the logits")
OPTION(OFFLOAD, .name = "offload", WORD("KIND", "none|optimizer|parameters"), .fallback = "none",
       .commands = P,
       .help = "what --train keeps in host memory: optimizer and gradients, or weights too")
OPTION(STEP_IN_BACKWARD, .name = "step-in-backward", FLAG, .commands = P,
       .help = "apply each gradient of --train full in the backward pass, and free it")
OPTION(CP, .name = "cp", COUNTED, .unit = "GPUs", .low = 1, .high = 256, .fallback = "1",
       .commands = P, .help = "GPUs that share each sequence of --train (context parallel)")
OPTION(SEQUENCE_PARALLEL, .name = "sequence-parallel", FLAG, .commands = P,
       .help = "split the norms and inputs of --train with --tp, too")
OPTION(DEVICE_MAP, .name = "device-map", FLAG, .commands = P,
       .help = "run --train in one process, its layers one after another over the GPUs")
OPTION(FUSED, .name = "fused", FLAG, .commands = P,
       .help = "use fused norm, MLP, attention and loss kernels in --train")
OPTION(DEVICE, .name = "device", .key = 'd', .type = OPTION_TEXT, .argument = "N[,N...]",
       .fallback = "all", .commands = M, .group = "Measuring",
       .help = "devices to measure, as --dry-run numbers them, or all")
OPTION(TYPE, .name = "type", .key = 't', .type = OPTION_TEXT, .argument = "TYPE[,TYPE...]",
       .fallback = "all the device has", .commands = M,
       .help =
           "operand types: fp32, fp32-pedantic, tf32, fp16, fp16-acc16, bf16, int8, fp8, fp8-row, "
           "fp8-block, mxfp8, nvfp4")
OPTION(SHAPES, .name = "shapes", .type = OPTION_TEXT, .argument = "M:N:K[,...]",
       .fallback = "squares", .commands = M, .help = "matrix shapes for gemm")
OPTION(SIZE, .name = "size", .type = OPTION_TEXT, .argument = "LOW[:HIGH]",
       .fallback = "the test's own", .commands = M,
       .help = "range of sizes for memory, transfer and allreduce")
OPTION(CACHE, .name = "cache", WORD("STATE", "cold|weights-cold|hot"), .fallback = "the test's own",
       .commands = M, .help = "what the last-level cache holds when a product starts")
OPTION(FILL, .name = "fill", WORD("KIND", "uniform|normal|zeros"), .fallback = "uniform",
       .commands = M, .manual_only = true,
       .help = "contents of the operands; zeros: not comparable")
OPTION(CHECK, .name = "check", WORD("HOW", "sample|none|full"), .fallback = "sample", .commands = M,
       .help = "how many results of a product are verified")
OPTION(PRESET, .name = "preset", WORD("NAME", "quick|normal|thorough"), .fallback = "normal",
       .commands = C, .help = "points and time for each; quick when no TEST is named")
OPTION(REL_CI, .name = "rel-ci", .type = OPTION_NUMBER, .argument = "PERCENT", .unit = "%",
       .low = 0.01, .high = 100, .fallback = "1", .commands = C, .manual_only = true,
       .help = "end a point when its median is known to within this")
OPTION(MAX_TIME, .name = "max-time", .type = OPTION_NUMBER, .argument = "SECONDS", .unit = "s",
       .low = 0.001, .high = 3600, .fallback = "the preset's", .commands = C,
       .help = "longest time of one point")
OPTION(TIME_LIMIT, .name = "time-limit", .type = OPTION_TEXT, .argument = "TIME",
       .fallback = "none; --confirm: 2m", .commands = C,
       .help = "time for the whole run, as in 90s, 10m, 2h; ends after a point")
OPTION(DRY_RUN, .name = "dry-run", FLAG, .commands = M,
       .help = "print points, memory and time; measure nothing")
OPTION(RESUME, .name = "resume", .type = OPTION_PATH, .argument = "JOURNAL", .fallback = "none",
       .commands = M, .common = true, .help = "continue an interrupted run from its .part file")
OPTION(STRICT, .name = "strict", FLAG,
       .commands = C | FOR_COMPARE_RESULTS | FOR_CHECK_LOG | FOR_BATCH,
       .help = "exit 5 when a point is flagged, not confirmed or a straggler, or a term of a log "
               "is outside its band; 3 when a line of --batch has no answer")
OPTION(
    TOLERANCE, .name = "tolerance", .type = OPTION_NUMBER, .argument = "PERCENT", .unit = "%",
    .high = 90, .fallback = "5", .commands = M | FOR_COMPARE_RESULTS | FOR_CHECK_PLAN,
    .help =
        "how much slower than the reference, or dearer than the saved plan, still counts as equal")
OPTION(INTERVAL, .name = "interval", .type = OPTION_NUMBER, .argument = "SECONDS", .unit = "s",
       .low = 0.001, .high = 1e7, .fallback = "from the dates of the two files",
       .commands = FOR_ATTACH, .help = "time between two metrics pages")
OPTION(DIAGNOSE, .name = "diagnose", FLAG, .commands = M,
       .help = "why is this device slow? one verdict with its evidence, in less than a minute")
OPTION(SOAK, .name = "soak", .type = OPTION_NUMBER, .argument = "MINUTES", .unit = "min",
       .low = 0.001, .high = 16666, .fallback = "no soak", .commands = M,
       .help = "repeat products under full load for so long, and count the results that are wrong")
OPTION(EXPECT, .name = "expect", .type = OPTION_PATH, .argument = "FILE", .fallback = "none",
       .commands = M, .help = "a reference result: exit 5 unless this run confirms it")
OPTION(PROM, .name = "prom", .type = OPTION_PATH, .argument = "DIR", .fallback = "none",
       .commands = M, .help = "also write gpuplan.prom there, for a Prometheus collector")
OPTION(BACKEND, .name = "backend", WORD("NAME", "auto|cuda|cpu"),
       .fallback = "GPUs where there are some, else the CPU", .commands = M,
       .help = "engine to measure with")
OPTION(ALGOS, .name = "algos", COUNTED, .low = 1, .high = 64, .fallback = "16", .commands = M,
       .manual_only = true, .help = "cuBLASLt algorithms to try per product")
OPTION(WORKSPACE, .name = "workspace", .type = OPTION_BYTES, .argument = "BYTES", .unit = "GiB",
       .high = 4 * GP_GIB, .fallback = "32MiB", .commands = M, .manual_only = true,
       .help = "workspace a cuBLASLt algorithm may use")
OPTION(MAX_MEMORY, .name = "max-memory", .type = OPTION_BYTES, .argument = "BYTES", .unit = "GiB",
       .low = 1048576, .high = 4096 * GP_GIB,
       .fallback = "a quarter of the free memory; decode: most of it", .commands = C,
       .help = "memory one engine may allocate for operands")
OPTION(STORAGE, .name = "storage", .type = OPTION_PATH, .argument = "FILE",
       .fallback = "a temporary one", .commands = M,
       .help = "file that transfer reads, as a model loader would")
OPTION(SEED, .name = "seed", COUNTED, .high = 9007199254740991.0, .fallback = "24301",
       .commands = C | FOR_POOL | FOR_REPLAY,
       .help = "seed of the points' order and of the operands, of the pool's solver, or of a "
               "replay's arrivals and lengths")
OPTION(SOLVE_SECONDS, .name = "solve-seconds", .type = OPTION_NUMBER, .argument = "SECONDS",
       .unit = "s", .low = 0.01, .high = 86400, .fallback = "a fixed amount of work",
       .commands = FOR_POOL, .group = "Pool",
       .help = "time for the pool's solver; the answer then depends on the machine")
OPTION(RUNG, .name = "rung", WORD("NAME", "fixed|composed|shared|hourly|cloud|cheapest"),
       .fallback = "cheapest", .commands = FOR_POOL,
       .help = "way to own the pool's GPUs; its hours, moves and exports are shown")
OPTION(EXPORT, .name = "export", WORD("KIND", "compose|mig-parted|dra|slurm|mps"),
       .fallback = "none", .commands = FOR_POOL,
       .help = "print the pool in the format of another program")
OPTION(AT, .name = "at", .type = OPTION_COUNTED, .argument = "HOUR", .unit = "h", .high = 167,
       .fallback = "the busiest", .commands = FOR_POOL,
       .help = "hour of the pool that --export prints")
OPTION(ON_SCREEN, .name = "screen", FLAG, .commands = FOR_POOL,
       .help = "show the pool on its screen instead of printing it")
OPTION(FORCE, .name = "force", FLAG, .commands = C, .group = "Measuring, of the device",
       .help = "measure a GPU even if other processes use it")
OPTION(LOCK_CLOCKS, .name = "lock-clocks", .type = OPTION_TEXT, .argument = "base|MHZ",
       .fallback = "not locked", .commands = C,
       .help = "lock the GPU's SM clock while measuring; needs root")
OPTION(NVML_INTERVAL, .name = "nvml-interval", .type = OPTION_NUMBER, .argument = "MS",
       .unit = "ms", .low = 10, .high = 1000, .fallback = "50", .commands = M, .manual_only = true,
       .help = "time between two sensor readings")
OPTION(ANONYMOUS, .name = "anonymous", FLAG, .commands = M,
       .help = "write a hash in place of this host's name")
OPTION(SHARE, .name = "share", .type = OPTION_PATH, .argument = "FILE", .fallback = "none",
       .commands = M,
       .help = "write what was fitted, without a host's name, serials and paths, for --merge")
OPTION(PROGRESS, .name = "progress", WORD("KIND", "auto|plain|json|none"), .fallback = "auto",
       .commands = C, .help = "what to show on standard error while measuring")
OPTION(PLAIN, .name = "plain", FLAG, .commands = FOR_SCREEN, .group = "Screens",
       .help = "ask line by line instead of drawing screens")
OPTION(ASCII, .name = "ascii", FLAG, .commands = FOR_SCREEN,
       .help = "draw with ASCII characters only")
OPTION(COLOR, .name = "color", WORD("SCHEME", "auto|always|never|16|dark|light"),
       .fallback = "auto", .commands = FOR_SCREEN,
       .help = "colors of the screens; always: even if NO_COLOR is set")
OPTION(NO_MOUSE, .name = "no-mouse", FLAG, .commands = FOR_SCREEN,
       .help = "leave the mouse to the terminal")
OPTION(SORT, .name = "sort", WORD("COLUMN", "cost|gpus|memory|name|million|tpot|ttft|tokens"),
       .fallback = "cost", .commands = FOR_COMPARE, .group = "Output", .common = true,
       .help = "order of the rows; memory: of all GPUs; million: dollars per million tokens")
OPTION(TOP, .name = "top", COUNTED, .unit = "rows", .low = 1, .high = 1e6,
       .fallback = "20 as text and Markdown, else all", .commands = FOR_COMPARE, .common = true,
       .help = "how many rows")
OPTION(PROFILES, .name = "profiles", .type = OPTION_PATH, .argument = "DIR", .fallback = "none",
       .commands = FOR_ALL, .help = "a folder of profiles that override all others")
OPTION(SYSTEM, .name = "system", FLAG, .commands = FOR_DATA,
       .help = "install data for all users of this machine")
OPTION(FORMAT, .name = "format", .key = 'f', WORD("FORMAT", "text|json|csv|markdown|prometheus"),
       .fallback = "text", .commands = FOR_PRINTING & ~FOR_BATCH & ~FOR_REPORT, .common = true,
       .help = "how to print the answer")
OPTION(OUT, .name = "output", .key = 'o', .type = OPTION_PATH, .argument = "FILE|TOKENS",
       .fallback = "standard output", .commands = FOR_PRINTING, .common = true,
       .help = "write the result to a file, whole or not at all; a number means --output-tokens")
OPTION(WHY, .name = "why", .key = 'w', FLAG, .commands = FOR_PLAN, .common = true,
       .help = "print each term with its equation, inputs and source")
OPTION(QUIET, .name = "quiet", .key = 'q', FLAG, .commands = FOR_PRINTING, .common = true,
       .help = "only the verdict and errors")
OPTION(VERBOSE, .name = "verbose", .key = 'v', FLAG, .commands = FOR_PRINTING,
       .help = "also warnings about profiles, and all sources")
OPTION(HELP, .name = "help", .key = 'h', FLAG, .commands = FOR_ALL,
       .help = "list the commands and options")
OPTION(VERSION, .name = "version", .key = 'V', FLAG, .commands = FOR_ALL,
       .help = "print the version")
