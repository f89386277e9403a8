#!/usr/bin/env python3
"""import_prices.py - a SkyPilot catalogue (catalogs/v8/<cloud>/vms.csv) as a price profile.

    python3 tools/import_prices.py FILE [PROVIDER] [DATE] >profile.cfg

What was read, and where to put the profile, stands in its first lines as comments. PROVIDER is
the name of the file's folder where the file is a vms.csv, else its own. Without DATE (as in
2026-11-21) the prices get the day on which the file was last written, and are labelled so.

One row is kept per instance type: that of the cheapest region, with an on-demand price before one
with a spot price alone. "A100" means 40 GB; "H100" hides SXM, PCIe and NVL: unless the type or
GpuInfo says which, SXM is assumed and the row marked so. The file is anyone's: GpuInfo (a Python
literal, JSON, null or a name) is searched for words and never evaluated.
"""
import csv
import datetime
import io
import math
import os
import re
import sys
import time

NEEDED = "InstanceType", "AcceleratorName", "AcceleratorCount", "Price"
OPTIONAL = "SpotPrice", "Region", "vCPUs", "MemoryGiB", "GpuInfo"
BYTES_MAX = 32 << 20
TYPES_MAX = 4096
NAMES_MAX = 156  # of the GPUs that are not in the catalogue, together

# Which GPU an accelerator's name means, in capitals without punctuation. Where a word is given, it
# must appear in the type, the name or GpuInfo; the first row that matches counts. The last column:
# the form factor or the memory is assumed.
ACCELERATORS = [
    ("A10", None, "a10", False),
    ("A10G", None, "a10g", False),
    ("A16", None, "a16", False),
    ("A2", None, "a2", False),
    ("A30", None, "a30", False),
    ("A40", None, "a40", False),
    ("A6000", None, "rtx-a6000", False),
    ("RTXA6000", None, "rtx-a6000", False),
    ("A100", "PCIE", "a100-pcie-40", False),
    ("A100", "SXM", "a100-sxm-40", False),
    ("A100", None, "a100-sxm-40", True),
    ("A10040GB", "PCIE", "a100-pcie-40", False),
    ("A10040GB", None, "a100-sxm-40", True),
    ("A10080GB", "PCIE", "a100-pcie-80", False),
    ("A10080GB", "SXM", "a100-sxm-80", False),
    ("A10080GB", None, "a100-sxm-80", True),
    ("A10080GBSXM", None, "a100-sxm-80", False),
    ("A10080GBPCIE", None, "a100-pcie-80", False),
    ("H100", "PCIE", "h100-pcie", False),
    ("H100", "NVL", "h100-nvl", False),
    ("H100", "SXM", "h100-sxm", False),
    ("H100", "HBM3", "h100-sxm", False),
    ("H100", None, "h100-sxm", True),
    ("H10080GB", "PCIE", "h100-pcie", False),
    ("H10080GB", "SXM", "h100-sxm", False),
    ("H10080GB", None, "h100-sxm", True),
    ("H100MEGA80GB", None, "h100-sxm", False),
    ("H100SXM", None, "h100-sxm", False),
    ("H100PCIE", None, "h100-pcie", False),
    ("H100NVL", None, "h100-nvl", False),
    ("H20", "141", "h20-141", False),
    ("H20", None, "h20-96", True),
    ("L20", None, "l20", False),
    ("H200", "NVL", "h200-nvl", False),
    ("H200", "SXM", "h200-sxm", False),
    ("H200", None, "h200-sxm", True),
    ("H200SXM", None, "h200-sxm", False),
    ("H200NVL", None, "h200-nvl", False),
    ("GH200", None, "gh200-96", True),
    ("GH200480GB", None, "gh200-96", True),
    ("B200", None, "b200", False),
    ("B300", None, "b300", False),
    ("GB200", None, "gb200", False),
    ("GB300", None, "gb300", False),
    ("L4", None, "l4", False),
    ("L40", None, "l40", False),
    ("L40S", None, "l40s", False),
    ("T4", None, "t4", False),
    ("P100", "SXM", "p100-sxm2-16", False),
    ("P100", None, "p100-pcie-16", True),
    ("V100", "PCIE", "v100-pcie-16", False),
    ("V100", "SXM", "v100-sxm2-16", False),
    ("V100", None, "v100-sxm2-16", True),
    ("V10032GB", "PCIE", "v100-pcie-32", False),
    ("V10032GB", None, "v100-sxm2-32", True),
    ("RTX6000ADA", None, "rtx-6000-ada", False),
    ("RTX5000ADA", None, "rtx-5000-ada", False),
    ("RTX4000ADA", None, "rtx-4000-ada", False),
    ("RTXPRO6000", "SERVER", "rtx-pro-6000-server", False),
    ("RTXPRO6000", "WORKSTATION", "rtx-pro-6000-ws", False),
    ("RTXPRO6000", None, "rtx-pro-6000-server", True),
    ("RTXPRO5000", "72", "rtx-pro-5000-72", False),
    ("RTXPRO5000", None, "rtx-pro-5000-48", True),
    ("RTX8000", None, "quadro-rtx-8000", False),
    ("RTX2080TI", None, "rtx-2080-ti", False),
    ("RTX3060", None, "rtx-3060-12g", True),
    ("RTX3070", None, "rtx-3070", False),
    ("RTX3080", None, "rtx-3080-10g", True),
    ("RTX3090", None, "rtx-3090", False),
    ("RTX4060TI", None, "rtx-4060-ti-16g", True),
    ("RTX4070", None, "rtx-4070", False),
    ("RTX4080", None, "rtx-4080", False),
    ("RTX4090", None, "rtx-4090", False),
    ("RTX5070", None, "rtx-5070", False),
    ("RTX5060TI", None, "rtx-5060-ti-16g", True),
    ("RTX5070TI", None, "rtx-5070-ti", False),
    ("RTX5080", None, "rtx-5080", False),
    ("RTX5090", None, "rtx-5090", False),
    ("MI300X", None, "mi300x", False),
    ("MI325X", None, "mi325x", False),
    ("MI350X", None, "mi350x", False),
    ("MI355X", None, "mi355x", False),
    ("GAUDI2", None, "gaudi2", False),
    ("GAUDI3", None, "gaudi3", False),
]


class Refused(Exception):
    """Where the file is wrong, and why."""


def shorten(text):
    return text[:40].encode("unicode_escape").decode()


class Row:
    """A record by the names of its columns."""

    def __init__(self, where, fields):
        self.where = where
        self.fields = fields

    def get(self, column):
        return self.fields.get(column, "")

    def refuse(self, column, problem):
        raise Refused(f"{self.where}: {column}: '{shorten(self.get(column))}' {problem}")

    def number(self, column, high):
        """Blank is 0."""
        text = self.get(column)
        if text == "":
            return 0.0
        if not re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text, re.ASCII):
            self.refuse(column, "is not a number")
        value = float(text)
        if not math.isfinite(value) or value > high:
            self.refuse(column, "is too large")
        return value

    def text(self, column, size):
        """As a price profile takes it: so many bytes at most."""
        text = self.get(column)
        if not text.isprintable():
            self.refuse(column, "holds a control character")
        if len(text.encode(errors="surrogateescape")) >= size:
            self.refuse(column, "is too long")
        return text


def records(name, text):
    """Each record of the file with the line on which it begins."""
    if "\0" in text:
        raise Refused(f"{name}:1: holds a NUL byte: not a text file")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Refused(f"{name}:{line}: {error}") from None
        if fields:
            yield line, fields


def rows(name, text):
    """The file's rows; its columns differ in order and presence from cloud to cloud."""
    columns = {}
    width = 0
    for line, fields in records(name, text):
        if not columns:
            width = len(fields)
            lower = [field.lower() for field in fields]
            for column in NEEDED + OPTIONAL:
                if column.lower() in lower:
                    columns[column] = lower.index(column.lower())
                elif column in NEEDED:
                    break
            if len(columns) < len(NEEDED):
                break
            continue
        if len(fields) != width:
            raise Refused(f"{name}:{line}: has {len(fields)} fields, but the header has {width}")
        yield Row(f"{name}:{line}", {column: fields[at] for column, at in columns.items()})
    for column in NEEDED:
        if column not in columns:
            raise Refused(f"{name}:1: {column}: is not in the header of this file; "
                          "a SkyPilot vms.csv has this column")


def find_gpu(row):
    """The GPU's id and whether it is assumed, or None."""
    name = "".join(c for c in row.get("AcceleratorName") if c.isascii() and c.isalnum()).upper()
    says = [row.get(c).upper() for c in ("InstanceType", "AcceleratorName", "GpuInfo")]
    for accelerator, word, gpu, assumed in ACCELERATORS:
        if accelerator == name and (word is None or any(word in text for text in says)):
            return gpu, assumed
    return None


class Import:
    """What is kept, and how many rows are not."""

    def __init__(self):
        self.kept = {}
        self.offers = {}
        self.rows = self.merged = self.no_gpu = self.no_price = self.unknown = 0
        self.names = ""

    def note_unknown(self, accelerator):
        name = "".join(c for c in accelerator if " " <= c <= "~")[:39]
        self.unknown += 1
        if name not in self.names and len(self.names) + len(name) <= NAMES_MAX:
            self.names += (", " if self.names else "") + name

    def add(self, row):
        self.rows += 1
        gpus = row.number("AcceleratorCount", 1024)
        one = {"on_demand": row.number("Price", 1e6), "spot": row.number("SpotPrice", 1e6),
               "vcpus": int(row.number("vCPUs", 1e5)), "ram_gib": row.number("MemoryGiB", 1e6)}
        one["type"] = row.text("InstanceType", 64)
        if one["type"] == "":
            row.refuse("InstanceType", "is empty")
        one["region"] = row.text("Region", 32)
        if row.get("AcceleratorName") == "":
            self.no_gpu += 1
        elif one["on_demand"] <= 0 and one["spot"] <= 0:
            self.no_price += 1
        elif gpus < 1 or gpus != int(gpus) or not find_gpu(row):
            self.note_unknown(row.get("AcceleratorName"))  # nor is a fraction of a GPU one
        else:
            one["count"] = int(gpus)
            one["gpu"], one["assumed"] = find_gpu(row)
            self.keep(row, one)

    def keep(self, row, one):
        def rank(offer):
            price = offer["on_demand"] if offer["on_demand"] > 0 else offer["spot"]
            return offer["on_demand"] <= 0, price

        old = self.kept.get(one["type"])
        if old is None and len(self.kept) == TYPES_MAX:
            row.refuse("InstanceType", f"is one type more than the {TYPES_MAX} that are read")
        self.merged += old is not None
        self.offers[one["type"]] = self.offers.get(one["type"], 0) + 1
        if old is None or rank(one) < rank(old):
            self.kept[one["type"]] = one


def quoted(key, value):
    value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key} = "{value}";'


def instance(one, offers):
    parts = [quoted("type", one["type"]), f'gpu = "{one["gpu"]}"; count = {one["count"]};']
    if one["vcpus"] > 0:
        parts.append(f'vcpus = {one["vcpus"]};')
    if one["ram_gib"] >= 0.1:
        parts.append(f'ram_gib = {one["ram_gib"]:.10g};')
    parts += [f"{key} = {one[key]:.10g};" for key in ("on_demand", "spot") if one[key] > 0]
    if one["region"]:
        parts.append(quoted("region", one["region"]))
    if one["assumed"]:
        parts.append("assumed = true;")
    notes = ["form factor or memory size assumed"] * one["assumed"]
    notes += [f"cheapest of {offers} offers"] * (offers > 1)
    if notes:
        parts.append(quoted("note", "; ".join(notes)))
    return "    { " + " ".join(parts) + " }"


def head(data, path, provider, date, date_of_file):
    yield "from " + "".join(c if c.isprintable() else " " for c in path)
    yield f"{len(data.kept)} instance types kept of {data.rows} rows."
    if data.merged:
        yield f"{data.merged} rows are other regions or zones of the same types."
    if data.no_gpu:
        yield f"{data.no_gpu} rows left out: no accelerator."
    if data.no_price:
        yield f"{data.no_price} rows left out: no price."
    if data.unknown:
        yield f"{data.unknown} rows left out: GPU not in the catalogue."
        yield f"  among them: {data.names}"
    assumed = sum(one["assumed"] for one in data.kept.values())
    if assumed:
        yield (f"{assumed} types do not state the form factor: the likeliest is "
               "assumed and marked.")
    if date_of_file:
        yield f"Dated {date} by the file, which was last written then. If it was"
        yield "fetched on another day, give that: import_prices.py FILE DATE."
    yield f"Put this file at $XDG_DATA_HOME/gpuplan/profiles/prices/{provider}.cfg"
    yield "(XDG_DATA_HOME is ~/.local/share unless set); its prices then win."


def profile(data, provider, date, date_of_file):
    # Peers' offers and auction floors are classes of their own (catalog/price.h).
    kind = {"vast": "marketplace", "hyperbolic": "marketplace", "mithril": "auction"}
    yield "# Imported from a SkyPilot catalogue: dollars per hour of the whole instance."
    yield "# One row per type, that of its cheapest region."
    yield ""
    yield quoted("provider", provider)
    yield quoted("kind", kind.get(provider, "list"))
    yield quoted("date", date)
    if date_of_file:
        yield quoted("date_basis", "file")
    yield 'source = "SkyPilot catalogue, imported";'
    yield "instances = ("
    yield ",\n".join(instance(one, data.offers[name]) for name, one in data.kept.items())
    yield ");"


def provider_of(path):
    """The name of the file's folder when the file is a vms.csv, else its own."""
    folder, name = os.path.split(path)
    if folder and name.lower() == "vms.csv":
        name = os.path.basename(folder)
    if "." in name[1:]:
        name = name[: name.rindex(".")]
    name = "".join(c for c in name if c.isascii() and (c.isalnum() or c in "-_")).lower()
    return name[:31] or "imported"


def is_date(text):
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text)) and datetime.date.fromisoformat(text)
    except ValueError:
        return False


def fail(code, text):
    print(f"import_prices.py: {text}", file=sys.stderr)
    return code


def main(args):
    if not 1 <= len(args) <= 3 or args[0].startswith("-"):
        return fail(2, "takes a SkyPilot catalogue file: FILE [PROVIDER] [DATE]")
    path, provider, date = args[0], None, None
    for arg in args[1:]:
        if is_date(arg):
            date = arg
        elif provider is None:
            provider = arg
        else:
            return fail(2, f"{shorten(arg)} is not a date; one looks like 2026-11-21")
    provider = provider_of(path if provider is None else provider)
    data = Import()
    try:
        with open(path, "rb") as file:
            content = file.read(BYTES_MAX + 1)
            written = time.localtime(os.fstat(file.fileno()).st_mtime)
        if len(content) > BYTES_MAX:
            raise Refused(f"{path}: is longer than 32 MiB")
        for row in rows(path, content.decode("utf-8-sig", "surrogateescape")):
            data.add(row)
        if not data.kept:
            raise Refused(f"{path}: holds no GPU instance with a price")
    except (OSError, Refused) as error:
        return fail(3, "".join(c if c.isprintable() else "?" for c in str(error)))
    day = date or time.strftime("%Y-%m-%d", written)
    lines = [f"# {line}" for line in head(data, path, provider, day, not date)]
    lines += ["", *profile(data, provider, day, not date)]
    sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
