"""gpuplan from Python: what a model needs, over libgpuplan's C API (gpuplan(3)).

    import gpuplan
    plan = gpuplan.Catalogue().ask(model="llama-3.1-70b", gpu="h100-sxm", users=16)
    plan.fits, plan["layout"]["gpus"], plan.number("speed.tpot")

A request's keys are the options of `gpuplan --plan` with underscores. An error is raised as
gpuplan.Error with gpuplan's own words. A Catalogue may be used by several threads at once.
Where there is no libgpuplan.so.0 ($GPUPLAN_LIBRARY), the program that the wheel brings is run
for each answer, which takes some milliseconds more.
"""
import ctypes
import json
import os
import shutil
import subprocess
import sysconfig


class Error(ValueError):
    pass


def _load():
    lib = ctypes.CDLL(os.environ.get("GPUPLAN_LIBRARY") or "libgpuplan.so.0")
    text, pointer = ctypes.c_char_p, ctypes.c_void_p
    for function, result, arguments in (
            ("open", pointer, [text]), ("close", None, [pointer]),
            ("ask", pointer, [pointer, text]), ("list", pointer, [pointer, text]),
            ("show", pointer, [pointer, text]), ("json", text, [pointer]),
            ("answer_free", None, [pointer])):
        f = getattr(lib, "gpuplan_" + function)
        f.restype, f.argtypes = result, arguments
    return lib


try:
    _lib = _load()
except OSError:
    _lib = None


class Answer(dict):
    """The JSON of an answer, which schemas/ describe."""

    @property
    def fits(self):
        return self.get("verdict", {}).get("status") in ("fits", "marginal")

    def number(self, path, of="value"):
        """The best estimate of a quantity by its path; of="low" and "high" are its band."""
        at = self
        for part in path.split("."):
            at = at[int(part)] if isinstance(at, list) else at[part]
        return at[of] if isinstance(at, dict) else at


class Catalogue:
    def __init__(self, profiles=None):
        self._profiles = ["--profiles", profiles] if profiles else []
        self._of = _lib.gpuplan_open(profiles.encode() if profiles else None) if _lib else None

    def __del__(self):
        if getattr(self, "_of", None):
            _lib.gpuplan_close(self._of)

    def _library(self, what, text):
        answer = getattr(_lib, "gpuplan_" + what)(self._of, text.encode())
        try:
            return _lib.gpuplan_json(answer).decode()
        finally:
            _lib.gpuplan_answer_free(answer)

    def _program(self, what, text):
        own = os.path.join(sysconfig.get_path("scripts"), "gpuplan")
        program = own if os.path.exists(own) else shutil.which("gpuplan")
        if not program:
            raise Error("neither libgpuplan.so.0 nor the program gpuplan is installed")
        words = ["--batch", "-"] if what == "ask" else ["--" + what, text, "--format", "json"]
        return subprocess.run([program, *words, *self._profiles], input=text + "\n", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def _answer(self, what, text):
        answer = json.loads((self._library if self._of else self._program)(what, text))
        if answer.get("schema") == "gpuplan.error/1":
            hint = f" ({answer['hint']})" if answer["hint"] else ""
            raise Error(f"{answer['where']}: {answer['text']}{hint}")
        return Answer(answer)

    def ask(self, **request):
        return self._answer("ask", json.dumps(request))

    def list(self, what):
        return self._answer("list", what)["items"]

    def show(self, item):
        return self._answer("show", item)
