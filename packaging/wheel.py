#!/usr/bin/env python3
"""wheel.py VERSION MACHINE LICENSE DIR PROGRAM [LIBRARY] MODULE... - writes a wheel for `pip install`.

A wheel is a zip archive with a list of what is in it; nothing but Python's own library is needed
to write one. PROGRAM is the static planner, which pip puts beside python; it runs on any Linux of
MACHINE, so the wheel is for both C libraries. MODULEs are files of the package `gpuplan`.
"""
import base64
import hashlib
import os
import sys
import zipfile

DAY = (2026, 1, 1, 0, 0, 0)  # the same files give the same bytes
SUMMARY = "which GPUs serve a language model, how many, how fast and at what cost"


def main(version, machine, licence, folder, program, *modules):
    tag = f"manylinux2014_{machine}.musllinux_1_1_{machine}"
    name = f"gpuplan-{version}"
    info = f"{name}.dist-info"
    files = [(f"{name}.data/scripts/gpuplan", open(program, "rb").read(), 0o755)]
    files += [(f"gpuplan/{os.path.basename(m)}", open(m, "rb").read(), 0o644) for m in modules]
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files += [
        (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: gpuplan\nVersion: {version}\n"
         f"Summary: {SUMMARY}\nLicense: MIT\nRequires-Python: >=3.7\n".encode(), 0o644),
        (f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: gpuplan\n"
         f"Root-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{info}/LICENSE", open(licence, "rb").read(), 0o644),
    ]
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"
        f",{len(data)}\n" for path, data, _ in files)
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    out = os.path.join(folder, f"{name}-py3-none-{tag}.whl")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data, mode in files:
            entry = zipfile.ZipInfo(path, DAY)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
