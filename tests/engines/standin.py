"""Stand-ins for all that an engine's scheduler imports and a trace without a model never needs."""

import importlib.machinery
import importlib.util
import os
import sys
import types


def decorated(thing):
    return isinstance(thing, (types.FunctionType, classmethod, staticmethod)) or \
        isinstance(thing, type) and not thing.__dict__.get("stand_in")


class Meta(type):
    """A class that is whatever it is asked to be, and false."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = make(name)
        setattr(cls, name, made)
        return made

    def __call__(cls, *args, **kw):
        # a decorator gives back what it decorates
        if cls.__dict__.get("stand_in") and len(args) == 1 and not kw:
            if decorated(args[0]):
                return args[0]
        return super().__call__(*args, **kw)

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __bool__(cls):
        return not cls.__dict__.get("stand_in", False)

    def __iter__(cls):
        return iter(())


class Thing(metaclass=Meta):
    def __init__(self, *args, **kw):
        self.__dict__.update(kw)

    def __init_subclass__(cls, **kw):
        super().__init_subclass__()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return make(name)

    def __call__(self, *args, **kw):
        if len(args) == 1 and decorated(args[0]):
            return args[0]
        return Thing()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __bool__(self):
        return not type(self).__dict__.get("stand_in", False)

    def __iter__(self):
        return iter(())


def make(name):
    return Meta(name, (Thing,), {"stand_in": True})


class Config:
    """Settings of an engine: what is not set is None."""

    def __init__(self, **kw):
        self.__dict__.update(kw)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Module(types.ModuleType):
    known = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.known.get(name) or make(name)
        setattr(self, name, made)
        return made


class Finder:
    """Modules of `package` under `real` come from `root`; its others are stand-ins, and so is what
    it imports that is not installed."""

    def __init__(self, root, package, real, known):
        self.root, self.package, self.real = root, package, tuple(real)
        Module.known = known

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == self.package:
            at = os.path.join(self.root, *name.split("."))
            if any(name == r or name.startswith(r + ".") for r in self.real):
                for file, inside in ((at + ".py", None), (at + "/__init__.py", [at])):
                    if os.path.exists(file):
                        return importlib.util.spec_from_file_location(
                            name, file, submodule_search_locations=inside)
            return self.stand_in(name, [at])
        parent = sys.modules.get(name.rpartition(".")[0])
        if not isinstance(parent, Module) and (self.installed(name) or not self.asked()):
            return None
        return self.stand_in(name, [])

    def asked(self):
        """The engine itself wants it, not a package that tries what is there."""
        frame = sys._getframe(2)
        while frame.f_globals.get("__name__", "").startswith("importlib") or \
                frame.f_globals.get("__name__") == __name__:
            frame = frame.f_back
        return frame.f_globals.get("__name__", "").split(".")[0] == self.package

    def installed(self, name):
        try:
            return importlib.machinery.PathFinder.find_spec(name.split(".")[0]) is not None
        except ImportError:
            return False

    def stand_in(self, name, path):
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = path
        return spec

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


def install(root, package, real, known=None):
    builtin = set(sys.stdlib_module_names)

    class First(Finder):
        def find_spec(self, name, path=None, target=None):
            return None if name.split(".")[0] in builtin else super().find_spec(name, path, target)

    sys.meta_path.insert(0, First(root, package, real, known or {}))
