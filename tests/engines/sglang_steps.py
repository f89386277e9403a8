"""The steps that SGLang's own scheduler packs for a trace, with a stub for the model. Needs torch
for the CPU: its pools and its radix tree keep tensors."""

import itertools

from standin import Config, install

REAL = ["sglang.srt.managers.scheduler", "sglang.srt.managers.schedule_batch",
        "sglang.srt.managers.schedule_policy", "sglang.srt.managers.scheduler_components",
        "sglang.srt.managers.scheduler_output_processor_mixin",
        "sglang.srt.mem_cache.radix_cache", "sglang.srt.mem_cache.chunk_cache",
        "sglang.srt.mem_cache.allocator", "sglang.srt.mem_cache.memory_pool",
        "sglang.srt.mem_cache.common", "sglang.srt.mem_cache.base_prefix_cache",
        "sglang.srt.mem_cache.evict_policy", "sglang.srt.environ",
        "sglang.srt.model_executor.forward_batch_info", "sglang.srt.disaggregation.utils"]

server = Config()


def load(root):
    import torch, triton, triton.language  # before anything that they try may be a stand-in
    install(root, "sglang", REAL, {
        "get_global_server_args": lambda: server,
        "support_triton": lambda backend: False,
        "ceil_div": lambda a, b: -(-a // b),
        "get_num_new_pages": new_pages,
        "get_bool_env_var": lambda name, default="false": False,
        "get_int_env_var": lambda name, default=0: default,
    })


def new_pages(seq_lens, page_size, prefix_lens=None, decode=False):
    before = seq_lens - 1 if decode else prefix_lens
    return int(((seq_lens + page_size - 1) // page_size
                - (before + page_size - 1) // page_size).sum())


def pools_of(rules, requests):
    import torch
    from sglang.srt.mem_cache import allocator
    from sglang.srt.mem_cache.chunk_cache import ChunkCache
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
    cache = RadixCache(pool, tokens_pool, page) if rules["caches"] \
        else ChunkCache(pool, tokens_pool, page)
    return pool, tokens_pool, cache


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

        def log_prefill_stats(self, *args, **kw):
            pass

        def log_decode_stats(self, *args, **kw):
            pass

        def current_scheduler_metrics_enabled(self, *args, **kw):
            return False

        def _add_request_to_queue(self, req, is_retracted=False):
            if is_retracted:
                self.retracted.append(int(req.rid))
            self.waiting_queue.append(req)

    server.__dict__.update(
        pp_max_micro_batch_size=rules["slots"], attention_backend="torch_native",
        disaggregation_mode="null", max_running_requests=rules["slots"], page_size=rules["block"],
        speculative_algorithm=None)
    pool, tokens, cache = pools_of(rules, requests)
    none = Config(is_none=lambda: True, is_eagle=lambda: False)
    s = Bare()
    s.__dict__.update(
        server_args=server, retracted=[], waiting_queue=[], grammar_queue=[], page_size=rules["block"],
        req_to_token_pool=pool, token_to_kv_pool_allocator=tokens, tree_cache=cache,
        running_batch=ScheduleBatch(reqs=[], batch_is_full=False), last_batch=None,
        max_prefill_tokens=rules["input"], chunked_prefill_size=rules["budget"], is_mixed_chunk=False,
        enable_overlap=bool(rules["overlap"]), spec_algorithm=none, is_generation=True,
        new_token_ratio=rules["ratio"], new_token_ratio_decay=rules["ratio_step"],
        min_new_token_ratio=rules["ratio_least"], decode_mem_cache_buf_multiplier=1, forward_ct=0,
        forward_ct_decode=0, num_generated_tokens=0, priority_scheduling_preemption_threshold=10,
        pp_size=1, max_running_requests=rules["slots"], disaggregation_mode=DisaggregationMode.NULL,
        model_config=Config(is_encoder_decoder=False, vocab_size=1 << 60),
        tp_worker=Config(model_runner=Config(mambaish_config=None)))
    s.policy = SchedulePolicy("fcfs", cache, False, False, False)
    return s


def requests_of(trace):
    from sglang.srt.managers.schedule_batch import Req

    for number, row in enumerate(trace):
        params = Config(max_new_tokens=row["output"], ignore_eos=False, stop_strs=[],
                        stop_token_ids=[], stop_regex_strs=[], custom_params=None)
        yield Req(str(number), "", row["tokens"], params, vocab_size=1 << 60)


def steps(trace, rules):
    import torch

    s = scheduler_of(rules, len(trace))
    coming = list(zip((row["arrival"] for row in trace), requests_of(trace)))
    output = {str(n): row["output"] for n, row in enumerate(trace)}
    made = dict.fromkeys(output, 0)
    fresh = itertools.count(1 << 40)
    flight, clock, end, ended = [], 0.0, 0.0, 0

    def process():
        nonlocal clock
        batch, ends = flight.pop(0)
        clock = max(clock, ends)
        result = Config(next_token_ids=torch.tensor([next(fresh) for _ in batch.reqs]),
                        can_run_cuda_graph=False)
        s.process_batch_result(batch, result)

    while coming or flight or any(made[i] < output[i] for i in made):
        while coming and coming[0][0] <= clock:
            s.waiting_queue.append(coming.pop(0)[1])
        del s.retracted[:]
        batch = s.get_next_batch_to_run()
        s.cur_batch = batch
        if batch:
            decodes, prefill = 0, {}
            extends = batch.forward_mode.is_extend()
            for req in batch.reqs:
                if extends:
                    prefill[int(req.rid)] = req.extend_input_len
                    made[req.rid] += req is not s.chunked_req
                elif made[req.rid] < output[req.rid]:
                    decodes += 1
                    made[req.rid] += 1
            start = max(clock, end)
            end = start + 1
            yield start, decodes, prefill, list(s.retracted)
            batch.output_ids = torch.zeros(len(batch.reqs), dtype=torch.int64)
            flight.append((batch.copy() if rules["overlap"] else batch, end))
        if rules["overlap"]:
            if s.last_batch:
                process()
        elif batch:
            process()
        if batch is None and s.last_batch is None and not flight:
            s.new_token_ratio = rules["ratio"]
            if s.waiting_queue:
                raise RuntimeError(f"nobody can go on: {s.running_batch.batch_is_full} {len(s.running_batch.reqs)} {s.token_to_kv_pool_allocator.available_size()} {s.tree_cache.disable or s.tree_cache.evictable_size()} {[(r.rid,len(r.origin_input_ids),len(r.output_ids)) for r in s.waiting_queue]}")
            if coming:
                clock = max(clock, coming[0][0])
        elif rules["overlap"] and batch and len(flight) == 1 and not s.last_batch:
            clock = start
        s.last_batch = batch
