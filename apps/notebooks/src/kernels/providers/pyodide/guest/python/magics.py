"""What IPython knows beside Python: magics, `!` and `?`, as far as they make sense in a kernel without processes and network."""

import ast
import os
import re
import sys
import time
import timeit

_MOST_LINES = 100
_CELL = re.compile(r"\s*%%([\w!]\S*)[ \t]*(.*)(?:\n([\s\S]*))?$")
_LINE = re.compile(r"(\s*(?:[\w.,\[\]'\" ]+=\s*)?)(?:%(\w+)[ \t]*(.*)|!!?(.*))$")
_HELP = re.compile(r"(\s*)(?:\?\??\s*%?([\w.]+)|%?([\w.]+)\s*\?\??)\s*$")


class UsageError(Exception):
    """Said in its one sentence, as IPython does."""


def transformed(code):
    """
    The cell as Python alone. A line is taken for IPython's only where Python does not know what to do with it: cells of plain
    Python, texts of several lines among them, stay as they are.
    """
    cell = _CELL.match(code)
    if cell:
        name, line, body = cell.groups()
        return f"get_ipython().run_cell_magic({name!r}, {line.strip()!r}, {body or ''!r})"
    lines = code.split("\n")
    for _ in range(_MOST_LINES):
        text = "\n".join(lines)
        try:
            compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            return text
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            replaced = _replaced(lines[at]) if 0 <= at < len(lines) else None
            if replaced is None:
                return text
            lines[at] = replaced
    return "\n".join(lines)


def _replaced(line):
    asked = _HELP.match(line)
    if asked:
        return f"{asked[1]}get_ipython().run_line_magic('pinfo', {asked[2] or asked[3]!r})"
    found = _LINE.match(line)
    if not found:
        return None
    before, name, rest, command = found.groups()
    asked = command and re.match(r"\s*(?:python3? -m )?pip3?\s+(.*)$", command)
    if asked:
        name, rest = "pip", asked[1]
    if name is not None:
        return f"{before}get_ipython().run_line_magic({name!r}, {rest.strip()!r})"
    call = "getoutput" if "=" in before else "system"
    return f"{before}get_ipython().{call}({command.strip()!r})"


class Magics:
    """`no_shell`: why there is none. `explain(name)` shows what a name is."""

    def __init__(self, namespace, no_shell, packages, explain):
        self.namespace = namespace
        self.no_shell = no_shell
        self.packages = packages
        self.line = {
            "timeit": lambda line: self._timeit(line, None),
            "time": lambda line: self._time(line),
            "pinfo": explain,
            "pinfo2": explain,
            "pwd": lambda line: os.getcwd(),
            "cd": self._cd,
            "env": self._env,
            "who": lambda line: print("  ".join(self._names()) or "There are no names yet."),
            "lsmagic": lambda line: print(" ".join(f"%{name}" for name in sorted(self.line)), " ".join(f"%%{name}" for name in sorted(self.cell))),
            # What these ask for is so already, or changes nothing here.
            **{name: lambda line: None for name in ("matplotlib", "config", "autosave", "pylab", "colors")},
            "pip": packages.pip,
            **{name: packages.refuse for name in ("conda", "mamba", "uv")},
            **{name: self._refuse_shell for name in ("sx", "system", "sc", "script", "ls", "cat", "mkdir", "rm", "cp", "mv")},
        }
        self.cell = {
            "timeit": self._timeit,
            "time": lambda line, body: self._time(body),
            "capture": lambda line, body: self._capture(body),
            "writefile": self._write_file,
            **{name: self._shown(name) for name in ("html", "markdown", "latex", "svg", "javascript", "js")},
            **{name: self._refuse_shell for name in ("!", "sx", "system", "script", "bash", "sh", "perl", "ruby", "python", "python3")},
        }

    def run(self, kind, name, *words):
        known = getattr(self, kind)
        if name not in known:
            sign = "%" if kind == "line" else "%%"
            raise UsageError(f"{kind.capitalize()} magic function `{sign}{name}` not found.")
        return known[name](*words)

    def _refuse_shell(self, *_):
        raise UsageError(self.no_shell)

    def execute(self, code):
        """As a cell, at once; answers the value of its last expression."""
        tree = ast.parse(transformed(code), "<cell of a magic>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell of a magic>", "exec"), self.namespace)
        return None if last is None else eval(compile(ast.Expression(last.value), "<cell of a magic>", "eval"), self.namespace)

    def _time(self, code):
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            return self.execute(code)
        finally:
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(f"CPU times: total: {_seconds(cpu)}\nWall time: {_seconds(wall)}")

    def _timeit(self, line, body):
        options = re.match(r"((?:-[nr]\s*\d+\s+|-[qo]\s+)*)([\s\S]*)$", line + " ")
        chosen = {key: int(value) for key, value in re.findall(r"-([nr])\s*(\d+)", options[1])}
        statement, setup = (options[2].strip(), "pass") if body is None else (body, options[2].strip() or "pass")
        timer = timeit.Timer(transformed(statement), setup, globals=self.namespace)
        loops = chosen.get("n") or timer.autorange()[0]
        runs = [taken / loops for taken in timer.repeat(chosen.get("r", 7), loops)]
        mean = sum(runs) / len(runs)
        deviation = (sum((run - mean) ** 2 for run in runs) / len(runs)) ** 0.5
        print(
            f"{_seconds(mean)} ± {_seconds(deviation)} per loop (mean ± std. dev. of {len(runs)} run{'s' * (len(runs) != 1)},"
            f" {loops:,} loop{'s' * (loops != 1)} each)"
        )

    def _capture(self, body):
        import contextlib
        import io

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.execute(body)

    def _write_file(self, line, body):
        is_added = line.startswith("-a ")
        name = line.removeprefix("-a ").strip().strip("'\"")
        said = "Appending to" if is_added else "Overwriting" if os.path.exists(name) else "Writing"
        print(f"{said} {name}")
        with open(name, "a" if is_added else "w") as file:
            file.write(body)

    def _shown(self, name):
        kind = {"js": "Javascript", "javascript": "Javascript", "html": "HTML", "svg": "SVG"}.get(name, name.capitalize())

        def show(line, body):
            shown = sys.modules["IPython.display"]
            shown.display(getattr(shown, kind)(body))

        return show

    def _cd(self, line):
        os.chdir(line or os.path.expanduser("~"))
        print(os.getcwd())

    def _env(self, line):
        if not line:
            return dict(os.environ)
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign:
            return os.environ[name]
        os.environ[name] = value
        print(f"env: {name}={value}")

    def _names(self):
        hidden = {"In", "Out", "get_ipython", "display", "exit", "quit"}
        return sorted(name for name in self.namespace if not name.startswith("_") and name not in hidden)


class Packages:
    """What `%pip` may install: packages by their names, with their versions. `reason`: why there are none."""

    def __init__(self, versions, reason):
        self.versions = versions
        self.reason = reason

    def named(self, code):
        """Those that a cell asks for, which are loaded before it runs."""
        lines = re.findall(r"""run_line_magic\('pip', (?:'install ([^'\n]*)'|"install ([^"\n]*)")\)""", code)
        return [name for line in lines for name, _ in _required(line[0] or line[1]) if name in self.versions]

    def refuse(self, *_):
        raise UsageError("Here %pip installs packages" if self.versions else self.reason)

    def pip(self, line):
        if not self.versions:
            raise UsageError(self.reason)
        action, _, rest = line.partition(" ")
        if action in ("list", "freeze"):
            print("\n".join(f"{name}=={version}" for name, version in sorted(self.versions.items())))
            return
        wanted = _required(rest)
        if action != "install" or not wanted:
            raise UsageError("Of %pip there are here: %pip install NAME, and %pip list")
        unknown = [name for name, _ in wanted if name not in self.versions]
        if unknown:
            raise UsageError(f"{', '.join(unknown)} may not be installed here: %pip list has what may be, and others are for whoever runs the platform to allow")
        for name, versions in wanted:
            here = self.versions[name]
            if not _fits(here, versions):
                raise UsageError(f"{name} is here in version {here} alone, and not {versions.removeprefix('==')}")
            print(f"{name} {here} is installed")


def _required(line):
    """Names as indexes have them, each with the versions that it may have, as `>=2,<3`; options are passed over."""
    required = []
    for word in re.split(r"\s+", line.strip()):
        found = re.match(r"['\"]?([A-Za-z0-9][\w.-]*)(?:\[[\w,.-]*\])?((?:,?[<>=!~]{1,3}[\w.*+-]+)*)", word)
        if found:
            required.append((re.sub(r"[-_.]+", "-", found[1]).lower(), found[2]))
    return required


def _fits(version, versions):
    """By the numbers of releases, which is what people write."""
    here = _release(version)
    for sign, wanted in re.findall(r"([<>=!~]{1,3})([\w.*+-]+)", versions):
        there = _release(wanted)
        is_any = sign == "~=" or wanted.endswith(".*")
        begins = here[: len(there) - (sign == "~=")] == there[: len(there) - (sign == "~=")]
        length = max(len(here), len(there))
        one, other = (numbers + [0] * (length - len(numbers)) for numbers in (here, there))
        same = begins if is_any else one == other
        holds = {"==": same, "===": same, "!=": not same, "~=": same and one >= other}
        holds |= {">=": one >= other, "<=": one <= other, ">": one > other, "<": one < other}
        if not holds.get(sign, False):
            return False
    return True


def _release(version):
    return [int(number) for number in re.match(r"\d*(?:\.\d+)*", version)[0].split(".") if number]


def _seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("μs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
