"""torch_ref.py - points of gpuplan --bench, measured by PyTorch on the same GPU.

    torch_ref.py OUT.json ID...     medians, as a result that tests/gpu/judge reads

Exit 99 where there is no PyTorch, or none that sees the GPU.

As the engine does: one CUDA graph over copies of the operands that together are twice the
last cache, half a second of warm-up, the median of 15 samples of 5 ms.
"""
import json
import math
import re
import statistics
import sys

try:
    import torch
except ImportError:
    print("no PyTorch here")
    sys.exit(99)
if not torch.cuda.is_available():
    print("PyTorch sees no GPU")
    sys.exit(99)

GPU = torch.cuda.get_device_properties(0)
CACHE = getattr(GPU, "L2_cache_size", 50 << 20)
FLOATS = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16,
          "bf16": torch.bfloat16}


def numbers(text):
    return [int(n) for n in text.split("x")]


def filled(rows, columns, dtype):
    if dtype is torch.int8:
        return torch.randint(-127, 128, (rows, columns), device="cuda", dtype=dtype)
    return (torch.rand(rows, columns, device="cuda") * 2 - 1).to(dtype)


def median_of(body, operations):
    """Seconds for one of the operations that body() enqueues."""
    body()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()

    def sample(replays):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(replays):
            graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1e3 / replays

    sample(1)
    once = sample(1)
    replays = max(1, math.ceil(5e-3 / once))
    sample(max(1, int(0.5 / once)))
    return statistics.median(sample(replays) for _ in range(15)) / operations


def product_of(kind):
    """What multiplies x[n,k] by w[m,k] transposed, and the type of both."""
    if kind == "fp8":
        one = torch.ones((), device="cuda")
        return torch.float8_e4m3fn, lambda x, w, out: torch._scaled_mm(
            x, w.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)
    if kind == "int8":
        return torch.int8, lambda x, w, out: torch._int_mm(x, w.t())
    if kind not in FLOATS:
        raise ValueError("no such product in PyTorch")
    return FLOATS[kind], lambda x, w, out: torch.mm(x, w.t(), out=out)


def gemm(kind, m, n, k, cold):
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    dtype, multiply = product_of(kind)
    size = torch.empty((), dtype=dtype).element_size()
    moved = (m * k + (n * k if cold else 0)) * size
    copies = min(max(2, math.ceil(2 * CACHE / moved)), 256)
    inputs = copies if cold else 1
    w = [filled(m, k, dtype) for _ in range(copies)]
    x = [filled(n, k, dtype) for _ in range(inputs)]
    out = [torch.empty(n, m, device="cuda", dtype=dtype) if kind in FLOATS else None
           for _ in range(inputs)]
    operations = copies * max(1, 16 // copies)

    def body():
        for i in range(operations):
            multiply(x[i % inputs], w[i % copies], out[i % inputs])

    return median_of(body, operations)


def decode(users, context, layers, heads, kv_heads, width, hidden, ff, vocab):
    """Seconds of the linear layers and the attention of one step, without norms and
    sampling, and of its attention alone: with all less without."""
    kind = torch.bfloat16
    weights = [(filled((heads + 2 * kv_heads) * width, hidden, kind),
                filled(hidden, heads * width, kind), filled(2 * ff, hidden, kind),
                filled(hidden, ff, kind)) for _ in range(layers)]
    head = filled(vocab, hidden, kind)
    cache = [[torch.randn(users, kv_heads, context, width, device="cuda", dtype=kind)
              for _ in range(2)] for _ in range(layers)]
    x, wide = filled(users, hidden, kind), filled(users, ff, kind)
    mixed = filled(users, heads * width, kind)
    q = torch.randn(users, heads, 1, width, device="cuda", dtype=kind)

    def step(attention):
        for (qkv, o, gate_up, down), (keys, values) in zip(weights, cache):
            x @ qkv.t()
            if attention:
                torch.nn.functional.scaled_dot_product_attention(q, keys, values,
                                                                 enable_gqa=True)
            mixed @ o.t()
            x @ gate_up.t()
            wide @ down.t()
        x @ head.t()

    whole = median_of(lambda: step(True), 1)
    return whole, whole - median_of(lambda: step(False), 1)


def measure(point):
    part = point.split("/")
    if part[0] in ("gemm", "batch"):
        m, n, k = numbers(part[-2])
        return {"time_s": {"median": gemm(part[-3], m, n, k, part[-1] == "cold")}}
    step = re.search(r"/b(\d+)/ctx(\d+)/([\dx]+)/([\dx]+)$", point)
    if step and "/w-bf16/h-bf16/kv-bf16/" in point:
        whole, attention = decode(int(step[1]), int(step[2]), *numbers(step[3]),
                                  *numbers(step[4]))
        return {"time_s": {"median": whole}, "params": {"attention_s": attention}}
    raise ValueError("no such point in PyTorch")


workspace = getattr(torch.backends.cuda, "cublaslt_workspace_size", None)
about = {"torch": torch.__version__, "cuda": torch.version.cuda,
         "cublaslt_workspace": workspace() if callable(workspace) else None}
points = []
for name in sys.argv[2:]:
    entry = {"id": name}
    try:
        entry.update(state="ok", **measure(name))
    except Exception as error:  # one point that PyTorch cannot do costs no other
        lost = "CUDA error" in str(error)
        entry.update(state="error" if lost else "unsupported",
                     reason=str(error).splitlines()[0][:150])
    points.append(entry)
    print(entry, flush=True)
    torch.cuda.empty_cache()
    with open(sys.argv[1], "w") as out:
        json.dump({**about, "points": points}, out, indent=1)
