#!/usr/bin/env bash
# cpu_smoke.sh - the CPU engine over its line protocol: states, checks, units; and, where
# oneDNN can be held back, processors without the instructions for a type.
engine=${GPUPLAN_BENCH_CPU:-${top_builddir:-.}/gpuplan-bench-cpu}
if [ ! -x "$engine" ]; then
    echo "skipped: $engine is not built"
    exit 77
fi
if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not here to read the lines"
    exit 77
fi
python3 - "$engine" <<'PY'
import json, os, subprocess, sys

settings = {"protocol": 1, "do": "settings", "device": 0, "rel_ci": 0.05,
            "max_time": 0.05, "min_time": 0.02, "sample_time": 0.001, "warmup": 0.005, "pause_s": 0,
            "device_warmup_min": 0.1, "device_warmup_max": 0.2, "seed": 24301,
            "max_memory": 3e8, "progress_s": 0.5, "sensors_s": 0.05}
gemm = lambda type, m, n, k: {"test": "gemm", "type": type, "m": m, "n": n, "k": k,
                              "cache": "hot"}
MAY, MUST = {"ok", "unsupported"}, {"ok"}
no_library = "without oneDNN" in subprocess.run(
    [sys.argv[1], "--devices"], capture_output=True, text=True).stdout
plan = [
    (gemm("fp32", 96, 5, 77), MAY if no_library else MUST),
    (gemm("bf16", 64, 17, 64), MAY),
    (gemm("int8", 33, 3, 50), MAY),
    (gemm("fp16", 64, 4, 64), MAY),
    (gemm("fp8", 64, 16, 64), {"unsupported"}),
    (gemm("fp32", 2000000, 1, 100000), {"oom", "unsupported"}),
    ({"test": "memory", "kind": "read", "bytes": 4194304}, MUST),
    ({"test": "memory", "kind": "write", "bytes": 4194304}, MUST),
    ({"test": "memory", "kind": "copy", "bytes": 4194304}, MUST),
    ({"test": "transfer", "kind": "h2d-pinned", "bytes": 65536}, {"unsupported"}),
    ({"test": "transfer", "kind": "storage", "bytes": 1048577}, MUST),
    ({"test": "fit", "bytes": 16777216}, MUST),
    ({"test": "fit", "bytes": 2.0**49}, {"oom"}),
    ({"test": "decode", "type": "fp32", "n": 2, "layers": 5, "heads": 4, "kv_heads": 2,
      "head_dim": 16, "hidden": 64, "ff": 128, "vocab": 300, "context": 128},
     MAY if no_library else MUST),
    ({"test": "decode", "type": "fp32", "kv": "fp8", "n": 2, "layers": 5, "heads": 4,
      "kv_heads": 2, "head_dim": 16, "hidden": 64, "ff": 128, "vocab": 300,
      "context": 128}, MAY if no_library else MUST),
    ({"test": "decode", "type": "bf16", "weights": "int4-awq", "n": 2, "layers": 5,
      "heads": 4, "kv_heads": 2, "head_dim": 16, "hidden": 64, "ff": 128, "vocab": 300,
      "context": 128}, {"unsupported"}),
    ({"test": "allreduce", "kind": "plain", "bytes": 1024, "devices": [0, 1]},
     {"unsupported"}),
]
logs = []
def run(points, also={}, **variables):
    lines = [dict(settings, **also)] + [{"do": "point", "index": i, "point": p}
                          for i, p in enumerate(points)] + [{"do": "run"}]
    child = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, text=True,
                             stdout=subprocess.PIPE, env=dict(os.environ, **variables))
    child.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    child.stdin.flush()  # left open: its end would mean "stop now"
    found, done = {}, None
    logs.clear()
    for line in child.stdout:
        said = json.loads(line)
        if said["t"] == "point":
            found[said["index"]] = said
        elif said["t"] == "log":
            logs.append(said)
        elif said["t"] == "error":
            sys.exit("engine: " + said["text"])
        elif said["t"] == "done":
            done = said["status"]
            break
    child.stdin.close()
    return found, done, child.wait(60)

found, done, code = run([p for p, _ in plan])
wrong = [] if done == "complete" and code == 0 else ["done %s, exit %s" % (done, code)]
for i, (point, states) in enumerate(plan):
    said = found.get(i)
    if not said or said["state"] not in states:
        wrong.append("%s: %s, not %s" % (point, said and said["state"], states))
        continue
    if said["state"] != "ok":
        if not said["reason"]:
            wrong.append("%s: no reason" % said["id"])
        continue
    flags = said["flags"]
    if not (said["check"] and said["check"]["ok"]):
        wrong.append("%s: check %s" % (said["id"], said["check"]))
    median = said["time_s"]["median"]
    ops, moved = said["rate"]["ops_per_s"], said["rate"]["bytes_per_s"]
    if not 0 < median < 30:
        wrong.append("%s: median %s s" % (said["id"], median))
    if point["test"] == "gemm":
        want = 2.0 * point["m"] * point["n"] * point["k"] / median
        if abs(ops / want - 1) > 1e-6:
            wrong.append("%s: %s operations/s, not %s" % (said["id"], ops, want))
        operands = [said["params"][name] for name in ("transa", "transb", "n_padded")]
        if operands != ["T", "N", point["n"]] or "compute" not in said["params"]:
            wrong.append("%s: %s" % (said["id"], said["params"]))
    if point["test"] == "decode":
        said_of = said["params"]
        parts = said_of["linear_s"] + said_of["attention_s"]
        if ("softmax, arithmetic of attention, activation" not in said_of["omitted"] or
                not 0.5 * said["time_s"]["min"] < parts < 2 * said["time_s"]["max"] or
                said_of["linear_bytes"] + said_of["attention_bytes"] != said_of["step_bytes"] or
                abs(said_of["step_bytes"] / median / moved - 1) > 1e-6):
            wrong.append("%s: %s" % (said["id"], said_of))
    if point["test"] == "memory":
        want = point["bytes"] * (2 if point["kind"] == "copy" else 1) / median
        if abs(moved / want - 1) > 1e-6 or not 1e8 < moved < 1e14:
            wrong.append("%s: %s bytes/s, not %s" % (said["id"], moved, want))

# What the library is not allowed to use the processor does not have. Before VNNI, sums of
# two products saturate in 16 bits: right of operands of seven bits, and said.
held_back = [(isa, gemm(type, 128, 16, 1024), type == "int8")
             for isa in ("SSE41", "AVX2", "AVX512_CORE") for type in ("int8", "bf16")]
library = subprocess.run([sys.argv[1], "--devices"], capture_output=True, text=True).stdout
if "oneDNN" in library and not no_library:
    held = subprocess.run([sys.argv[1], "--devices"], capture_output=True, text=True,
                          env=dict(os.environ, ONEDNN_MAX_CPU_ISA="SSE41")).stdout
    if '"isa": "0x' in library or '"isa": "sse41"' not in held and "x86" in os.uname().machine:
        wrong.append("the instructions of %s, and held back of %s" % (library, held))
flags = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else ""
for isa, point, saturates in held_back if "oneDNN" in library and not no_library else []:
    if isa.split("_")[0].lower().replace("sse41", "sse4_1").replace("avx512", "avx512f") not in flags:
        continue
    said = run([point], ONEDNN_MAX_CPU_ISA=isa)[0][0]
    shown = "%s up to %s: %s %s, flags %s, check %s" % (
        said["id"], isa, said["state"], said["reason"] or "", said.get("flags"),
        (said.get("check") or {}).get("why"))
    print(shown)
    if said["state"] == "unsupported":
        continue
    if "emulated" not in said["flags"]:
        wrong.append(shown + ": not flagged as emulated")
    if saturates and (said["params"]["b"] != "u7" or "saturates" not in said["flags"]):
        wrong.append(shown + ": not of seven bits, or not said to be")
    if not said["check"]["ok"] or "wrong" in said["flags"]:
        wrong.append(shown + ": slow is expected, wrong is not")
# Zeros on purpose are flagged and right; normal operands are neither.
product = gemm("fp32", 96, 5, 77)
for fill in ["zeros", "normal"] if not no_library else []:
    said = run([product, plan[6][0]], {"fill": fill})[0]
    check, flags = said[0]["check"], said[0]["flags"]
    if not check["ok"] or "wrong" in flags or ("zeros" in flags) != (fill == "zeros") or (
            check["zeros"] != 1 if fill == "zeros" else check["zeros"] > 0.02):
        wrong.append("fill %s: check %s, flags %s" % (fill, check, flags))
    if "zeros" in said[1]["flags"] or said[1]["check"]["zeros"] > 0.02:
        wrong.append("fill %s: memory is read as it was" % fill)
# All results where that is bearable, whole rows of a large product, or none.
for also, m, n, k, mode, count in [
        ("full", 96, 5, 77, "full", 480), ("full", 4, 40, 2097152, "rows", 32),
        ("full", 300, 64, 16384, "rows", 64 * 64), ("sample", 300, 64, 64, "sample", 256),
        ("none", 96, 5, 77, None, 0)] if not no_library else []:
    said = run([gemm("fp32", m, n, k)], {"check": also, "max_memory": 1e9})[0][0]
    check = said["check"] or {"mode": None, "n": 0, "ok": True}
    if said["state"] != "ok" or (check["mode"], check["n"]) != (mode, count) or (
            not check["ok"] or not said["valid"] or check.get("tol", 1) != 1):
        wrong.append("check %s of %dx%dx%d: %s %s" % (also, m, n, k, said["state"], check))
# Somebody who computes on all processors is noticed before anything is measured.
others = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
          for _ in os.sched_getaffinity(0)]
run([plan[6][0]])
for other in others:
    other.kill()
    other.wait()
if not any(said.get("code") == "busy" and "other programs" in said["text"] for said in logs):
    wrong.append("others on all processors: %s" % logs)
run([plan[6][0]], {"max_memory": 2.0**50})
if not any("less than" in said["text"] for said in logs):
    wrong.append("less memory than planned: %s" % logs)
print("\n".join(wrong) or "cpu engine: %d points as they should be" % len(plan))
sys.exit(bool(wrong))
PY
