#!/usr/bin/env bash
# pitfalls.sh - three ways to a wrong figure, each shown to change it on this machine, and
# the CPU engine shown not to fall for it. And a fourth: a machine that is busy.
#
#   zeros         memory nobody wrote is one page of zeros, read out of the first cache
#   first sample  pages, threads and scratch memory are set up in it
#   warm cache    weights that stay in a cache are read many times faster than from memory
#   busy machine  others on the same processors
#
# Ratios far from 1 are asked for, on the best of several tries, so that a machine with
# other work does not fail it. What a machine cannot show is said and left out.
engine=${GPUPLAN_BENCH_CPU:-${top_builddir:-.}/gpuplan-bench-cpu}
if [ ! -x "$engine" ] || ! command -v python3 >/dev/null; then
    echo "skipped: $engine is not built, or python3 is not here"
    exit 77
fi
exec python3 - "$engine" <<'PY'
import ctypes, json, mmap, os, subprocess, sys, time

ENGINE, TRIES, ROOM = sys.argv[1], 5, 1.2e9
wrong, device = [], {}

def run(points, **settings):
    """The points' results, in order; what is common goes into `device`."""
    plan = {"protocol": 1, "do": "settings", "device": 0, "rel_ci": 0.02,
            "max_time": 0.2, "min_time": 0.05, "sample_time": 0.002, "warmup": 0.02, "pause_s": 0,
            "device_warmup_min": 0.05, "device_warmup_max": 0.1, "seed": 24301,
            "max_memory": ROOM, "progress_s": 5, "sensors_s": 0.05}
    plan.update(settings)
    lines = [plan] + [{"do": "point", "index": i, "point": p}
                      for i, p in enumerate(points)] + [{"do": "run"}]
    child = subprocess.Popen([ENGINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    child.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    child.stdin.flush()  # left open: its end would mean "stop now"
    found = [None] * len(points)
    for line in child.stdout:
        said = json.loads(line)
        if said["t"] == "device":
            device.update(said)
        elif said["t"] == "point":
            found[said["index"]] = said
        elif said["t"] == "done":
            break
    child.stdin.close()
    _, child.returncode, usage = os.wait4(child.pid, 0)
    device["resident"] = usage.ru_maxrss * 1024.0  # the most it had
    for point, said in zip(points, found):
        if not said or said["state"] not in ("ok", "unsupported"):
            sys.exit("%s: %s" % (point, said))
    return found

def product(m, k, cache, n=1):
    return {"test": "gemm", "type": "fp32", "m": m, "n": n, "k": k, "cache": cache}

def median(said):
    return said["time_s"]["median"]

def must(good, text):
    print(("ok: " if good else "not ok: ") + text)
    if not good:
        wrong.append(text)

def tried(attempt, good):
    """The first result that is good, else the last."""
    for _ in range(TRIES):
        result = attempt()
        if good(result):
            break
    return result

# ---- zeros ----

def read_rate(written, size=256 << 20):
    libc = ctypes.CDLL(None)
    libc.memchr.restype = ctypes.c_void_p
    libc.memchr.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    view = ctypes.c_char.from_buffer(memory)
    base, best = ctypes.addressof(view), 0
    if written:
        ctypes.memset(base, 7, size)
    for _ in range(6):
        start = time.perf_counter()
        libc.memchr(base, 1, size)
        best = max(best, size / (time.perf_counter() - start))
    del view
    memory.close()
    return best

def written():
    # Pages of zeros belong to nobody: what is written counts as the engine's. (Before
    # anything large is held here: a child begins with its parent's greatest size.)
    resident = []
    for size in (1 << 26, (1 << 26) + (3 << 27)):
        run([{"test": "memory", "kind": "read", "bytes": size, "cache": "hot"}])
        resident.append(device["resident"])
    more = resident[1] - resident[0]
    must(more > 0.98 * (3 << 27), "%.0f MB more to read are %.0f MB more of the engine's "
         "own pages" % ((3 << 27) / 1e6, more / 1e6))

def zeros():
    never, data = tried(lambda: (read_rate(False), read_rate(True)),
                        lambda r: r[0] > 1.5 * r[1])
    if never > 1.5 * data:
        print("ok: memory never written reads at %.0f GB/s, data at %.0f"
              % (never / 1e9, data / 1e9))
    else:
        print("left out: reading is no faster without data here (%.0f, %.0f GB/s)"
              % (never / 1e9, data / 1e9))
    points = [{"test": "memory", "kind": kind, "bytes": 1 << 26, "cache": "hot"}
              for kind in ("read", "copy")]
    points += [dict(product(512, 512, "cold", 4), type=t)
               for t in ("fp32", "bf16", "int8")]
    for said in run(points):
        if said["state"] == "ok":
            share = said["check"]["zeros"]
            must(said["check"]["ok"] and share < 0.02,
                 "%s: %.2f %% of the operands are zero" % (said["id"], 100 * share))

# ---- the first sample ----

def first_sample():
    point = product(32, 32, "hot", 4)
    said = tried(lambda: run([point])[0],
                 lambda s: s["state"] != "ok" or (
                     s["first_s"] > 2 * median(s) and
                     s["time_s"]["first_over_median"] < 1.5))
    if said["state"] != "ok":
        return print("left out: " + said["reason"])
    must(said["first_s"] > 2 * median(said),
         "the first launch took %.1f us, the median %.2f us"
         % (1e6 * said["first_s"], 1e6 * median(said)))
    must(said["time_s"]["first_over_median"] < 1.5,
         "the first sample counted is %.2f of the median"
         % said["time_s"]["first_over_median"])

# ---- a warm cache ----

def warm_cache():
    cache = device.get("cache") or 0
    side = 256
    while side * side * 4 * 8 < cache and side < 2048:
        side *= 2
    weight = side * side * 4.0
    if not cache or 2 * cache > ROOM:
        return print("left out: %.0f MB of cache cannot be walked twice in %.0f MB"
                     % (cache / 1e6, ROOM / 1e6))
    def attempt():
        hot, cold = run([product(side, side, "hot"),
                         product(side, side, "weights-cold")])
        few = run([product(side, side, "weights-cold")],
                  max_memory=2.05 * weight + 1e5)[0]
        return hot, cold, few
    def good(r):
        return r[0]["state"] != "ok" or (median(r[1]) > 1.3 * median(r[0]) and
                                         median(r[1]) > 1.2 * median(r[2]))
    hot, cold, few = tried(attempt, good)
    if hot["state"] != "ok":
        return print("left out: " + hot["reason"])
    size = "%.0f MB of weights" % (weight / 1e6)
    must(median(cold) > 1.3 * median(hot), "%s in a cache %.1f us, from memory %.1f us"
         % (size, 1e6 * median(hot), 1e6 * median(cold)))
    must(cold["params"]["rotation"] * weight >= 2 * cache and cold["params"]["cold"],
         "%d copies of them walk %.1f times the caches"
         % (cold["params"]["rotation"], cold["params"]["rotation"] * weight / cache))
    must(few["params"]["rotation"] == 1 and "not-cold" in few["flags"],
         "memory for one copy only: flagged %s" % few["flags"])
    must(median(cold) > 1.2 * median(few),
         "and that one stays in the cache: %.1f us" % (1e6 * median(few)))

# ---- a busy machine ----

def busy():
    count = len(os.sched_getaffinity(0))
    point = {"test": "memory", "kind": "read", "bytes": 1 << 26, "cache": "hot"}
    def beside():
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                  for _ in range(count)]
        try:
            return run([point], min_time=0.3, max_time=0.5)[0]
        finally:
            for other in others:
                other.kill()
                other.wait()
    if count > 16:
        return print("left out: %d processors are too many to keep busy" % count)
    said = tried(beside, lambda s: "contended" in s["flags"])
    must("contended" in said["flags"], "beside %d busy loops: flagged %s (waited %.2f, "
         "others %.2f)" % (count, said["flags"], said["params"]["waited_share"],
                           said["params"]["others_share"]))
    said = tried(lambda: run([point], min_time=0.3, max_time=0.5)[0],
                 lambda s: "contended" not in s["flags"])
    if "contended" in said["flags"] and os.getloadavg()[0] > 0.5:
        return print("left out: this machine is not quiet")
    must("contended" not in said["flags"], "alone: flagged %s" % said["flags"])

written()
zeros()
first_sample()
warm_cache()
busy()
sys.exit(bool(wrong))
PY
