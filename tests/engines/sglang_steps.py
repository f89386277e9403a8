"""The steps that SGLang's own scheduler packs for a trace, with a stub for the model. Needs torch
for the CPU: its pools and its radix tree keep tensors."""

import collections
import importlib
import inspect
import itertools
import sys
from array import array

from standin import Config, install, make

MANAGERS = ["scheduler", "schedule_batch", "schedule_policy", "scheduler_components",
            "scheduler_output_processor_mixin"]
MEMORY = ["radix_cache", "chunk_cache", "allocator", "memory_pool", "common", "base_prefix_cache",
          "evict_policy", "allocation", "allocation_sizing", "cache_init_params", "events",
          "prefill_budget", "utils"]
REAL = ["sglang.srt.managers." + name for name in MANAGERS] + \
    ["sglang.srt.mem_cache." + name for name in MEMORY] + \
    ["sglang.srt.environ", "sglang.srt.model_executor.forward_batch_info",
     "sglang.srt.disaggregation.utils", "sglang.srt.beam_search.batch_tail"]

server = Config()


class Range(collections.namedtuple("Range", "start end")):
    @property
    def length(self):
        return self.end - self.start




def load(root):
    import torch, triton, triton.language  # before anything that they try may be a stand-in
    install(root, "sglang", REAL, {
        "get_global_server_args": lambda: server,
        "support_triton": lambda backend: False,
        "Range": Range,
        "ceil_div": lambda a, b: -(-a // b),
        "get_num_new_pages": new_pages,
        "get_bool_env_var": lambda name, default="false": False,
        "get_int_env_var": lambda name, default=0: default,
        "get_alloc_len_per_decode": lambda: 1,
        "attention_backends": lambda: ("torch_native", "torch_native"),
        "ceil_align": lambda a, b: -(-a // b) * b,
        "is_pin_memory_available": lambda device=None: False,
        "is_hip": lambda: False, "is_npu": lambda: False, "is_gfx95_supported": lambda: False,
        "page_interleave_shard_size": lambda allocator: 1,
        **{"get_" + part: lambda: server for part in (
            "schedule", "memory", "spec", "exec", "disagg", "lora", "serving", "parallel",
            "device", "observability")},
    })


def new_pages(seq_lens, page_size, prefix_lens=None, decode=False):
    before = seq_lens - 1 if decode else prefix_lens
    return int(((seq_lens + page_size - 1) // page_size
                - (before + page_size - 1) // page_size).sum())


def pools_of(rules, requests):
    import torch
    from sglang.srt.mem_cache import allocator
    from sglang.srt.mem_cache.memory_pool import ReqToTokenPool
    from sglang.srt.mem_cache.radix_cache import RadixCache

    page, tokens = rules["block"], rules["block"] * rules["blocks"]

    class Paged(allocator.PagedTokenToKVPoolAllocator):
        """The two kernels of the device, in Python."""

        def extend(self, before, after, last):
            pages = new_pages(after, page, before)
            if pages > len(self.free_pages):
                self.merge_and_sort_free()
            if pages > len(self.free_pages):
                return None
            fresh, out = iter(self.free_pages[:pages].tolist()), []
            for b, a, at in zip(before.tolist(), after.tolist(), last.tolist()):
                for n in range(b, a):
                    at = next(fresh) * page if n % page == 0 else at + 1
                    out.append(at)
            self.free_pages = self.free_pages[pages:]
            return torch.tensor(out, dtype=torch.int64)

        def alloc_extend(self, prefix, prefix_cpu, seq, seq_cpu, last, count, *more):
            return self.extend(prefix_cpu, seq_cpu, last)

        def alloc_decode(self, seq, seq_cpu, last, *more):
            return self.extend(seq_cpu - 1, seq_cpu, last)

    pool = ReqToTokenPool(requests + 8, rules["context"] + 64, "cpu", False)
    if page == 1:
        tokens_pool = allocator.TokenToKVPoolAllocator(tokens, torch.float16, "cpu", None, False)
    else:
        tokens_pool = Paged(tokens, page, torch.float16, "cpu", None, False)
    # until 0.5.20: the cache that finds nothing
    chunk_cache = importlib.import_module("sglang.srt.mem_cache.chunk_cache")

    if not rules["caches"] and getattr(chunk_cache, "__file__", None):
        kind = chunk_cache.ChunkCache
    else:
        kind = RadixCache
    if "params" not in inspect.signature(RadixCache.__init__).parameters:
        return pool, tokens_pool, kind(pool, tokens_pool, page)
    from sglang.srt.mem_cache.cache_init_params import CacheInitParams

    return pool, tokens_pool, kind(CacheInitParams(
        not rules["caches"], pool, tokens_pool, page))


def scheduler_of(rules, requests):
    from sglang.srt.disaggregation.utils import DisaggregationMode
    from sglang.srt.managers.schedule_batch import ScheduleBatch
    from sglang.srt.managers.schedule_policy import SchedulePolicy
    from sglang.srt.managers.scheduler import Scheduler

    class Bare(Scheduler):
        def __init__(self):
            pass

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return None

        def stream_output(self, *args, **kw):
            pass

        def maybe_send_health_check_signal(self, *args):
            pass

        log_prefill_stats = log_decode_stats = stream_output
        _record_step_counters = publish_load_snapshot = _maybe_clear_mm_inputs = stream_output

        def current_scheduler_metrics_enabled(self, *args, **kw):
            return False

        def _add_request_to_queue(self, req, is_retracted=False):
            self.retracted.append(req)
            self.stamp(req)

        def stamp(self, req):
            self.waiting_queue.append(req)
            req.time_stats.wait_queue_entry_time = next(self.turns)

    server.__dict__.update(
        pp_max_micro_batch_size=rules["slots"], attention_backend="torch_native",
        disaggregation_mode="null", max_running_requests=rules["slots"], page_size=rules["block"],
        speculative_algorithm=None, radix_eviction_policy="lru", schedule_policy="fcfs",
        features=Config(), mamba=Config(), attention=Config(), kernel=Config(), graph=Config(),
        deterministic=Config(), enable_priority_scheduling=bool(rules["priority"]),
        schedule_low_priority_values_first=not rules["high_first"],
        dllm=Config(), overlap=Config(), moe=Config())
    pool, tokens, cache = pools_of(rules, requests)
    none = Config(is_none=lambda: True, is_eagle=lambda: False)
    s = Bare()
    s.__dict__.update(
        server_args=server, retracted=[], turns=itertools.count(1), given_way=[], waiting_queue=[], grammar_queue=[],
        page_size=rules["block"],
        req_to_token_pool=pool, token_to_kv_pool_allocator=tokens, tree_cache=cache,
        running_batch=ScheduleBatch(reqs=[], batch_is_full=False), last_batch=None,
        max_prefill_tokens=rules["input"], chunked_prefill_size=rules["budget"],
        is_mixed_chunk=False,
        enable_overlap=bool(rules["overlap"]), spec_algorithm=none, is_generation=True,
        new_token_ratio=rules["ratio"], new_token_ratio_decay=rules["ratio_step"],
        min_new_token_ratio=rules["ratio_least"], decode_mem_cache_buf_multiplier=1, forward_ct=0,
        forward_ct_decode=0, num_generated_tokens=0, priority_scheduling_preemption_threshold=10,
        try_preemption=bool(rules["priority"]), enable_priority_preemption=bool(rules["priority"]),
        pp_size=1, max_running_requests=rules["slots"], disaggregation_mode=DisaggregationMode.NULL,
        model_config=Config(is_encoder_decoder=False, vocab_size=1 << 60),
        tp_worker=Config(model_runner=Config(mambaish_config=None)))
    if "running_batch" in inspect.signature(s.get_next_batch_to_run).parameters:
        settle_new(s, rules)
    s.policy = SchedulePolicy("fcfs", cache, False, bool(rules["priority"]),
                              not rules["high_first"])
    if rules["priority"]:
        keep_order(s)
    return s


def keep_order(s):
    """Those that give way at once come to wait in the order of the batch: the engine has them in a
    set."""
    from sglang.srt.managers.schedule_policy import PrefillAdder

    real = PrefillAdder.__dict__.get("real") or PrefillAdder.preempt_to_schedule
    PrefillAdder.real = real

    def preempt_to_schedule(adder, req, *args):
        before = list(adder.running_batch.reqs)
        if not real(adder, req, *args):
            return False
        gone = [r for r in before if r not in adder.running_batch.reqs]
        if any(r.finished() for r in gone):
            raise RuntimeError("the engine ends: 0.5.5 frees twice what has ended")
        adder.preempt_list[-len(gone):] = gone
        s.given_way += gone
        return True

    PrefillAdder.preempt_to_schedule = preempt_to_schedule


def settle_new(s, rules):
    """What later versions have moved out of the scheduler."""
    from sglang.srt.managers.scheduler_components.batch_result_processor import (
        SchedulerBatchResultProcessor)
    from sglang.srt.managers.scheduler_components.new_token_ratio_tracker import (
        NewTokenRatioTracker)

    s.new_token_ratio_tracker = NewTokenRatioTracker(
        init=rules["ratio"], min=rules["ratio_least"], decay=rules["ratio_step"],
        current=rules["ratio"])
    s.grammar_manager = Config(has_waiting_grammars=lambda: False)
    for name in ("metrics_reporter", "load_publisher", "load_inquirer", "output_streamer",
                 "logprob_result_processor"):
        setattr(s, name, make(name)())
    s.metrics_reporter.num_generated_tokens = s.metrics_reporter.forward_ct_decode = 0
    s.ngram_embedding_manager = Config(prepare_for_forward=lambda batch, **kw: batch)
    s.dp_attn_adapter = Config(maybe_prepare_mlp_sync_batch=lambda batch, **kw: batch,
                               maybe_convert_decode_to_extend=lambda batch: batch)
    s.beam_coordinator = Config(pending_member_rows=lambda batch: 0)
    s._prefill_decode_interval_remaining = 0
    s.max_prefill_bs = s.prefill_decode_interval = s.prefill_decode_interval_min_bs = 0
    s.batch_result_processor = SchedulerBatchResultProcessor(
        is_generation=True, disaggregation_mode=s.disaggregation_mode,
        enable_overlap=s.enable_overlap, enable_overlap_mlx=False, model_config=s.model_config,
        token_to_kv_pool_allocator=s.token_to_kv_pool_allocator, tree_cache=s.tree_cache,
        hisparse_coordinator=None, req_to_token_pool=s.req_to_token_pool,
        decode_offload_manager=None, metrics_collector=None, metrics_reporter=s.metrics_reporter,
        draft_worker=None, model_worker=None, logprob_result_processor=None,
        output_streamer=s.output_streamer, beam_coordinator=s.beam_coordinator,
        abort_request=None)


def requests_of(trace, rules):
    from sglang.srt.managers.schedule_batch import Req

    flat = "array" in str(inspect.signature(Req.__init__).parameters["origin_input_ids"])
    # who tells none is behind all others: scheduler.py _set_or_validate_priority
    untold = -sys.maxsize - 1 if rules["high_first"] else sys.maxsize
    for number, row in enumerate(trace):
        params = Config(max_new_tokens=row["output"], ignore_eos=False, stop_strs=[],
                        stop_token_ids=[], stop_regex_strs=[], custom_params=None)
        tokens = array("q", row["tokens"]) if flat else row["tokens"]
        yield Req(str(number), "", tokens, params, vocab_size=1 << 60,
                  priority=row.get("priority", untold))


def extended(req):
    """Tokens of its prompt that the batch computes, as versions have called them."""
    if "extend_end" in vars(req):
        return req.extend_end - req.prefix_len
    return req.extend_range.length if "extend_range" in vars(req) else req.extend_input_len


def steps(trace, rules):
    import torch

    s = scheduler_of(rules, len(trace))
    coming = list(zip((row["arrival"] for row in trace), requests_of(trace, rules)))
    output = {str(n): row["output"] for n, row in enumerate(trace)}
    made = dict.fromkeys(output, 0)
    fresh = itertools.count(1 << 40)
    plans = "running_batch" in inspect.signature(s.get_next_batch_to_run).parameters
    flight, clock, end = collections.deque(), 0.0, 0.0
    s.result_queue, s.enable_skip_finishing_decode = flight, bool(rules["overlap"])

    def process():
        nonlocal clock
        batch, ends = flight.popleft()
        clock = max(clock, ends)
        result = Config(next_token_ids=torch.tensor([next(fresh) for _ in batch.reqs]),
                        can_run_cuda_graph=False, get_num_generated_tokens=lambda n: n)
        s.process_batch_result(batch, result)

    while coming or flight or any(made[i] < output[i] for i in made):
        while coming and coming[0][0] <= clock:
            s.stamp(coming.pop(0)[1])
        del s.retracted[:], s.given_way[:]
        if plans:
            plan = s.get_next_batch_to_run(running_batch=s.running_batch, last_batch=s.last_batch)
            s.running_batch, batch = plan.running_batch, plan.batch_to_run
        else:
            batch = s.get_next_batch_to_run()
        s.cur_batch = batch
        if any(req not in s.retracted for req in s.given_way):
            raise RuntimeError("the engine ends: 0.5.5 loses who gave way in vain")
        for req in s.retracted:  # its token in flight is thrown away
            made[req.rid] = len(req.output_ids)
        if batch:
            decodes, prefill = 0, {}
            extends = batch.forward_mode.is_extend()
            for req in batch.reqs:
                if extends:
                    prefill[int(req.rid)] = extended(req)
                    made[req.rid] += req is not s.chunked_req
                elif made[req.rid] < output[req.rid]:
                    decodes += 1
                    made[req.rid] += 1
            start = max(clock, end)
            end = start + 1
            yield start, decodes, prefill, [int(req.rid) for req in s.retracted]
            batch.output_ids = torch.zeros(len(batch.reqs), dtype=torch.int64)
            flight.append((batch.copy() if rules["overlap"] else batch, end))
        if rules["overlap"]:
            if s.last_batch:
                process()
        elif batch:
            process()
        # without overlap older versions are idle whenever there is no batch
        if batch is None and not flight and (s.last_batch is None
                                             or not plans and not rules["overlap"]):
            s.new_token_ratio = rules["ratio"]
            if s.new_token_ratio_tracker:
                s.new_token_ratio_tracker.reset()
            if s.waiting_queue and s.last_batch is None:
                raise RuntimeError("nobody can go on")
            if coming and s.last_batch is None:
                clock = max(clock, coming[0][0])
        elif rules["overlap"] and batch and len(flight) == 1 and not s.last_batch:
            clock = start
        s.last_batch = batch
