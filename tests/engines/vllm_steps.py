"""The steps that vLLM's own scheduler (v1) packs for a trace, with a stub for the model."""

import inspect
import itertools

from standin import Config, install

REAL = ["vllm.v1.core", "vllm.v1.request", "vllm.v1.engine", "vllm.v1.kv_cache_interface",
        "vllm.v1.kv_cache_spec_registry", "vllm.v1.kv_cache_layout", "vllm.v1.utils",
        "vllm.v1.metrics.stats", "vllm.utils.math_utils"]


class Unstructured:
    @staticmethod
    def from_sampling_params(params):
        return None


def load(root):
    install(root, "vllm", REAL, {
        "cdiv": lambda a, b: -(-a // b),
        "length_from_prompt_token_ids_or_embeds": lambda tokens, embeds: len(tokens),
        "GiB_bytes": 1 << 30,
        "StructuredOutputRequest": Unstructured,
    })


def manager_config(rules):
    from vllm.v1.kv_cache_interface import (FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec)
    import torch

    spec = dict(block_size=rules["block"], num_kv_heads=1, head_size=1, dtype=torch.float32)
    try:
        group = FullAttentionSpec(**spec)
    except TypeError:
        group = FullAttentionSpec(use_mla=False, **spec)
    # one block is the null block
    return KVCacheConfig(num_blocks=rules["blocks"] + 1, kv_cache_tensors=[],
                         kv_cache_groups=[KVCacheGroupSpec(["layer"], group)])


def scheduler_of(rules):
    if rules["overlap"]:
        from vllm.v1.core.sched.async_scheduler import AsyncScheduler as Scheduler
    else:
        from vllm.v1.core.sched.scheduler import Scheduler
    import vllm.v1.core.sched.scheduler as module

    kv = manager_config(rules)
    if hasattr(module, "compute_encoder_budget"):
        module.compute_encoder_budget = lambda **kw: (0, 0)
    config = Config(
        scheduler_config=Config(
            max_num_seqs=rules["slots"], max_num_batched_tokens=rules["budget"],
            max_model_len=rules["context"], policy="priority" if rules["priority"] else "fcfs", watermark=0.0,
            chunked_prefill_enabled=True, enable_chunked_prefill=True,
            long_prefill_token_threshold=rules["threshold"],
            long_prefill_token_threshold_adaptive=False, prefill_schedule_interval=1,
            scheduler_reserve_full_isl=rules["whole_prompt"], async_scheduling=rules["overlap"]),
        cache_config=Config(num_gpu_blocks=kv.num_blocks, block_size=rules["block"],
                            enable_prefix_caching=rules["caches"], mamba_cache_mode="none"),
        model_config=Config(max_model_len=rules["context"], is_encoder_decoder=False,
                            supports_multimodal_inputs=False, runner_type="generate",
                            is_diffusion=False),
        parallel_config=Config(decode_context_parallel_size=1, prefill_context_parallel_size=1,
                               pipeline_parallel_size=1, data_parallel_rank=0,
                               data_parallel_index=0, data_parallel_size=1),
        observability_config=Config(), ec_manager_config=Config(
            get_encoder_cache_manager_obj=lambda: None),
        aux_output_config=Config(enabled=False),
        num_speculative_tokens=0, num_lookahead_tokens=0, num_prefill_lookahead_tokens=0,
        num_hash_lookahead_tokens=0, max_in_flight_tokens=0,
        max_concurrent_batches=2 if rules["overlap"] else 1)
    structured = Config(accept_tokens=lambda *a: True, should_advance=lambda *a: False,
                        grammar_bitmask=lambda *a: None)
    if "block_size" in inspect.signature(Scheduler.__init__).parameters or rules["overlap"]:
        return Scheduler(config, kv, structured, block_size=rules["block"])
    return Scheduler(config, kv, structured)


def requests_of(trace, rules):
    from vllm.v1.core import kv_cache_utils
    from vllm.v1.request import Request

    def hash_of(value):
        return hash(value).to_bytes(9, "little", signed=True) * 4

    kv_cache_utils.NONE_HASH = b"none"
    hasher = kv_cache_utils.get_request_block_hasher(rules["block"], hash_of) \
        if rules["caches"] else None
    for number, row in enumerate(trace):
        params = Config(max_tokens=row["output"], min_tokens=0, ignore_eos=True, stop_token_ids=[],
                        structured_outputs=None, guided_decoding=None, extra_args=None,
                        prompt_logprobs=None, logprobs=None, eos_token_id=-1,
                        skip_reading_prefix_cache=False)
        names = Request.__init__.__code__.co_varnames
        kw = {"eos_token_id": -1} if "eos_token_id" in names else {}
        # by priority no two came at the same moment
        yield Request(str(number), row["tokens"], params, None, arrival_time=number,
                      priority=row.get("priority", 0), block_hasher=hasher, **kw)


def steps(trace, rules):
    """trace: rows with arrival, tokens (of the prompt) and output. Yields (start, decodes,
    {request: tokens of its prompt}, [preempted])."""
    scheduler = scheduler_of(rules)
    requests = {r.request_id: r for r in requests_of(trace, rules)}
    coming = list(zip((row["arrival"] for row in trace), requests.values()))
    fresh = itertools.count(1 << 40)
    made = {r.request_id: 0 for r in requests.values()}  # tokens whose steps are scheduled
    decoding = set()
    flight = []
    clock = end = 0.0
    preempted = []

    def preempt(request, *args, **kw):
        preempted.append(int(request.request_id))
        decoding.discard(request.request_id)

    scheduler_waiting = scheduler.waiting
    prepend = scheduler_waiting.prepend_request

    def watch(request):
        preempt(request)
        prepend(request)

    scheduler_waiting.prepend_request = watch

    def finish():
        nonlocal clock
        out, done, samples = flight.pop(0)
        clock = max(clock, done)
        ids = list(out.num_scheduled_tokens)
        tokens = [[next(fresh)] if i in samples else [] for i in ids]
        result = Config(req_ids=ids, req_id_to_index={i: n for n, i in enumerate(ids)},
                        sampled_token_ids=tokens, prompt_logprobs_dict={},
                        prompt_token_id_logprobs_dict={})
        scheduler.update_from_output(out, result)

    while coming or flight or scheduler.requests:
        while coming and coming[0][0] <= clock:
            scheduler.add_request(coming.pop(0)[1])
        del preempted[:]
        before = {r.request_id: r.num_computed_tokens for r in scheduler.running}
        out = scheduler.schedule()
        if out.total_num_scheduled_tokens == 0:
            if flight:
                finish()
            elif preempted:  # who gave way did so for the next step
                continue
            elif not coming:
                return
            elif not scheduler.running and scheduler.get_request_counts()[1] == 0:
                clock = max(clock, coming[0][0])
            else:
                raise RuntimeError("nobody can go on")
            continue
        decodes, prefill, samples = 0, {}, set()
        for i, n in out.num_scheduled_tokens.items():
            request = requests[i]
            if int(i) in preempted:
                # to 0.13 its tokens stay in the step, and it goes on behind them without their
                # blocks: what it answers is wrong. The replay computes all anew
                request.num_computed_tokens = 0
                continue
            known = request.num_prompt_tokens + made[i]
            if i in decoding:
                decodes += 1
            else:
                prefill[int(i)] = n
            if request.num_computed_tokens == known:
                samples.add(i)
                made[i] += 1
                decoding.add(i)
        start = max(clock, end)
        end = start + 1
        yield start, decodes, prefill, list(preempted)
        flight.append((out, end, samples))
        if rules["overlap"]:
            clock = start
            if len(flight) == 2:
                finish()
        else:
            finish()
