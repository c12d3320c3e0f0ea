"""Executes cells in the namespace of __main__ and answers what clients ask about it."""

import ast
import asyncio
import builtins
import codeop
import getpass
import inspect
import json
import linecache
import os
import re
import rlcompleter
import signal
import sys
import time
import traceback
import types

from pyodide.ffi import run_sync, to_js

_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_NAME = re.compile(r"[\w.]*$")
_SUSPENDING = {"run_sync", "run_until_complete", "Runner"}


class StdinNotImplementedError(RuntimeError):
    pass


class Kernel:
    def __init__(self, namespace):
        self.namespace = namespace
        self.magics = Magics(namespace, _bridge["no_shell"], Packages(json.loads(_bridge["packages"]), _bridge["no_packages"]), self.explain)
        self.count = 0
        self.task = None
        self.cancelled = False
        self.loop = asyncio.get_event_loop()
        # An interrupt came where nothing of the cell ran, and nothing could be cancelled.
        self.interrupted_late = False
        # Whether a cell has had to do with what waits within a plain call, such as asyncio.run.
        self.suspends = False
        self.allow_stdin = False
        self.payload = []
        namespace["In"], namespace["Out"] = [""], {}
        self.history = History()
        self.folder = WorkingFolder(os.getcwd(), lambda content, piece: _bridge["folderChanged"](json.dumps(content), to_js(piece)))

    def execute(self, content):
        """
        Answers the reply; None where something is awaited first: then `wait` is, and `go_on` goes on. What needs no waiting runs
        within this very call, as only the stack of a plain call of JavaScript is as large as it was asked for: on one that
        WebAssembly can put aside, deep calls of C end the process where Python would say that they are too deep.
        """
        self.steps = self._executed(json.loads(content))
        self.outcome = None, None
        self.interrupted_late = False
        return self.go_on()

    def go_on(self):
        value, error = self.outcome
        if self.interrupted_late:
            self.interrupted_late, error = False, KeyboardInterrupt()
        try:
            self.awaited = self.steps.send(value) if error is None else self.steps.throw(error)
        except StopIteration as ended:
            return ended.value
        return None

    async def wait(self):
        awaited = self.awaited
        try:
            self.outcome = await (self._awaited(awaited) if isinstance(awaited, types.CodeType) else awaited), None
        except BaseException as error:
            self.outcome = None, error

    def _executed(self, request):
        code = request.get("code", "")
        silent = bool(request.get("silent"))
        self.allow_stdin = bool(request.get("allow_stdin"))
        if not silent and request.get("store_history", True):
            self.count += 1
            self._remember(code)
        self.payload = []
        if not silent:
            publish("execute_input", {"code": code, "execution_count": self.count})
        try:
            _bridge["begun"]()
            yield from self._run(code, silent)
            expressions = self._evaluate(request.get("user_expressions") or {})
            reply = {"status": "ok", "execution_count": self.count, "payload": self.payload, "user_expressions": expressions}
        except BaseException as error:
            reply = {"status": "error", "execution_count": self.count, **self._described(error)}
            if not silent:
                publish("error", self._described(error))
        finally:
            self._flush()
            self._tell()
        return json.dumps(reply)

    def _tell(self):
        """What the cell has written. An interrupt that comes now is late, and the next cell tells what is left out."""
        try:
            self.folder.tell()
        except BaseException:
            pass

    def put(self, change, piece):
        self.folder.put(json.loads(change), piece.to_bytes())

    def prepare(self, content):
        prepared = json.loads(content)
        os.environ.update(prepared.get("environment") or {})
        if prepared.get("folder"):
            self.folder.begin(prepared["folder"])

    def forget(self):
        self.folder.forget()

    def _remember(self, code):
        """As IPython: `In[3]` is the cell with that number, unless a cell has made something else of the name."""
        self.history.add(self.count, code)
        cells = self.namespace.get("In")
        if isinstance(cells, list):
            cells.extend([""] * (self.count - len(cells)))
            cells.append(code)

    def _run(self, code, silent):
        name = f"<cell {self.count}>"
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        code = transformed(code)
        tree = ast.parse(code, name)
        if _bridge["load"] is not None:
            yield _bridge["load"](code, json.dumps(self.magics.packages.named(code)))
        shown = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
            shown = ast.Expression(tree.body.pop().value)
        yield from self._part(compile(tree, name, "exec", _AWAIT))
        value = None if shown is None else (yield from self._part(compile(shown, name, "eval", _AWAIT)))
        if value is None or silent:
            return
        self._flush()
        data, metadata = mime_bundle(value)
        self.namespace["___"], self.namespace["__"] = self.namespace.get("__"), self.namespace.get("_")
        self.namespace["_"] = value
        if isinstance(self.namespace.get("Out"), dict):
            self.namespace["Out"][self.count] = value
        self.namespace[f"_{self.count}"] = value
        publish("execute_result", {"execution_count": self.count, "data": data, "metadata": metadata})

    def _part(self, part):
        self.suspends = self.suspends or _suspends(part)
        if self.suspends or part.co_flags & inspect.CO_COROUTINE:
            return (yield part)
        return eval(part, self.namespace)

    async def _awaited(self, part):
        value = eval(part, self.namespace)
        if not part.co_flags & inspect.CO_COROUTINE:
            return value
        self.cancelled = False
        self.task = asyncio.ensure_future(value)
        try:
            return await self.task
        except asyncio.CancelledError:
            if self.cancelled:
                raise KeyboardInterrupt from None
            raise
        finally:
            self.task = None

    def interrupt(self, _signal, frame):
        """
        Raises in what the cell has running, and in coroutines. What carries Python's tasks from one to the next is between them: an
        exception there is nobody's, ends the process or loses a task, so that what the cell awaits is cancelled instead.
        """
        if self._runs(frame):
            raise KeyboardInterrupt
        if not self.cancel():
            self.interrupted_late = True

    def _runs(self, frame):
        while frame is not None:
            code = frame.f_code
            if code in _OF_REQUESTS or code.co_filename.startswith("<cell "):
                return True
            if code.co_flags & inspect.CO_COROUTINE and not code.co_filename.startswith("<kernel "):
                return True
            frame = frame.f_back
        return False

    def cancel(self):
        """An interrupt while nothing runs but what is awaited; False when nothing is."""
        if self.task is None:
            return False
        self.cancelled = True
        self.task.cancel()
        return True

    def wait_within(self, awaited):
        """What `asyncio.run` does: waits within a plain call of the cell."""
        outer, self.task, self.cancelled = self.task, asyncio.ensure_future(awaited, loop=self.loop), False
        try:
            return run_sync(self.task)
        except asyncio.CancelledError:
            if self.cancelled:
                raise KeyboardInterrupt from None
            raise
        finally:
            self.task = outer

    def comm(self, kind, header, content, metadata, buffers):
        message = {"header": json.loads(header), "parent_header": {}, "metadata": json.loads(metadata), "content": json.loads(content)}
        _comms.take(kind, {**message, "buffers": [memoryview(buffer.to_bytes()) for buffer in buffers]})
        self._flush()

    def _evaluate(self, expressions):
        answers = {}
        for name, expression in expressions.items():
            try:
                data, metadata = mime_bundle(eval(expression, self.namespace))
                answers[name] = {"status": "ok", "data": data, "metadata": metadata}
            except Exception as error:
                answers[name] = {"status": "error", **self._described(error)}
        return answers

    def _described(self, error):
        frames = traceback.extract_tb(error.__traceback__)
        own = next((at for at, frame in enumerate(frames) if frame.filename.startswith("<cell ")), len(frames))
        described = traceback.TracebackException.from_exception(error)
        described.stack = traceback.StackSummary.from_list(frames[own:])
        for cause in (described.__cause__, described.__context__):
            if cause is not None:
                cause.stack = traceback.StackSummary.from_list(
                    [frame for frame in cause.stack if not frame.filename.startswith("<kernel")]
                )
        lines = "".join(described.format()).rstrip("\n").split("\n")
        if isinstance(error, UsageError):
            lines = [f"UsageError: {error}"]
        return {"ename": type(error).__name__, "evalue": _text_of(error), "traceback": lines}

    def _flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass

    def ask(self, prompt="", *, password=False):
        if not self.allow_stdin:
            raise StdinNotImplementedError(
                "raw_input was called, but this frontend does not support input requests."
            )
        self._flush()
        return _bridge["ask"](str(prompt), password)

    def answer(self, kind, content):
        request = json.loads(content)
        handlers = {"complete_request": self.complete, "inspect_request": self.inspect, "is_complete_request": self.is_complete, "history_request": self.history.answer}
        if kind == "comm_info_request":
            return json.dumps({"status": "ok", "comms": _comms.open_comms(request.get("target_name"))})
        if kind in handlers:
            return json.dumps(handlers[kind](request))
        return json.dumps({"status": "error", "ename": "NotImplementedError", "evalue": kind, "traceback": []})

    def complete(self, request):
        code = request.get("code", "")
        end = request.get("cursor_pos", len(code))
        word = _NAME.search(code[:end]).group()
        completer = rlcompleter.Completer(self.namespace)
        found = []
        while word and len(found) < 500 and (match := completer.complete(word, len(found))) is not None:
            found.append(match)
        found = sorted({match.rstrip("() ") for match in found})
        return {"status": "ok", "matches": found, "cursor_start": end - len(word), "cursor_end": end, "metadata": {}}

    def explain(self, name):
        """What a client opens beside the notebook."""
        found = self.inspect({"code": name})
        if not found["found"]:
            print(f"Object `{name}` not found.")
            return
        self.payload.append({"source": "page", "data": found["data"], "start": 0})

    def inspect(self, request):
        code = request.get("code", "")
        end = request.get("cursor_pos", len(code))
        name = re.search(r"[\w.]*$", code[:end]).group() + re.match(r"\w*", code[end:]).group()
        nothing = {"status": "ok", "found": False, "data": {}, "metadata": {}}
        if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name):
            return nothing
        first, *others = name.split(".")
        value = self.namespace.get(first, getattr(builtins, first, None))
        try:
            for other in others:
                value = inspect.getattr_static(value, other)
        except AttributeError:
            return nothing
        if value is None:
            return nothing
        return {**nothing, "found": True, "data": {"text/plain": _documentation(name, value)}}

    def is_complete(self, request):
        code = request.get("code", "")
        try:
            compiler = codeop.CommandCompiler()
            compiler.compiler.flags |= _AWAIT
            code = transformed(code)
            complete = compiler(code, "<input>", "exec") is not None
        except (SyntaxError, OverflowError, ValueError):
            return {"status": "invalid"}
        last = code.rstrip().split("\n")[-1]
        if complete and not (code.count("\n") and last.startswith((" ", "\t")) and not code.endswith("\n")):
            return {"status": "complete"}
        indent = re.match(r"[ \t]*", last).group()
        return {"status": "incomplete", "indent": indent + ("    " if last.endswith(":") else "")}


# In these, within a plain call, what is raised is answered.
_OF_REQUESTS = {Kernel._executed.__code__, Kernel.comm.__code__}


def _suspends(code):
    """Whether it names what waits for a promise within a plain call, which only a stack that can be put aside does."""
    names = set(code.co_names)
    if names & _SUSPENDING or {"asyncio", "run"} <= names:
        return True
    return any(_suspends(inner) for inner in code.co_consts if isinstance(inner, types.CodeType))


def _text_of(error):
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


def _documentation(name, value):
    try:
        signature = f"{name}{inspect.signature(value)}"
    except (TypeError, ValueError):
        signature = name
    text = inspect.getdoc(value) or "<no docstring>"
    return f"Signature: {signature}\nType:      {type(value).__name__}\n\n{text}"[:20_000]


def _replace_what_blocks(kernel):
    """Natively these cannot be interrupted or do not exist."""

    def sleep(seconds):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        kernel._flush()
        _bridge["sleep"](float(seconds))

    def input(prompt=""):
        return kernel.ask(prompt)

    def password(prompt="Password: ", stream=None):
        return kernel.ask(prompt, password=True)

    time.sleep = sleep
    builtins.input = input
    getpass.getpass = password
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)


def start():
    import __main__

    kernel = Kernel(__main__.__dict__)
    os.environ.setdefault("PYTHONTZPATH", "/usr/share/zoneinfo")
    install(kernel.namespace, kernel.magics)
    install_comms()
    _replace_what_blocks(kernel)
    signal.signal(signal.SIGINT, kernel.interrupt)
    # Who awaits the task is told of what ended it; a loop that lets it through ends the process.
    kernel.loop._keyboard_interrupt_handler = kernel.cancel
    kernel.loop.run_until_complete = kernel.wait_within
    kernel.loop._system_exit_handler = lambda _code: None
    return kernel
