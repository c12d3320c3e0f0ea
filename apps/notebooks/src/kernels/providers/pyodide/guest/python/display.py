"""What cells show: rich representations, and the part of IPython.display that cells commonly use."""

import base64
import json
import math
import pprint
import sys
import traceback
import types

from pyodide.ffi import to_js

_REPRESENTATIONS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "application/json": "_repr_json_",
    "application/javascript": "_repr_javascript_",
}


def mime_bundle(value):
    """The data and metadata of a value by MIME type, as JSON has them; a representation that fails is left out."""
    data, metadata = {}, {}
    if not isinstance(value, type):
        whole = _ask(value, "_repr_mimebundle_")
        data, metadata = whole if isinstance(whole, tuple) else (dict(whole or {}), {})
        for mime, name in _REPRESENTATIONS.items():
            answer = None if mime in data else _ask(value, name)
            if answer is None:
                continue
            if isinstance(answer, tuple):
                answer, metadata[mime] = answer
            if isinstance(answer, bytes):
                answer = base64.b64encode(answer).decode("ascii")
            data[mime] = answer
    if "text/plain" not in data:
        data["text/plain"] = _plain(value)
    return data, metadata


def _ask(value, name):
    method = getattr(value, name, None)
    if not callable(method):
        return None
    try:
        return method()
    except KeyboardInterrupt:
        raise
    except Exception:
        return None


def _plain(value):
    text = repr(value)
    if len(text) > 79 and type(value) in (dict, list, set, tuple, frozenset):
        return pprint.pformat(value, width=79, sort_dicts=False)
    return text


def publish(kind, content, metadata=None, buffers=None):
    pieces = [to_js(memoryview(buffer).cast("B")) for buffer in buffers or []]
    _bridge["publish"](kind, _json(content), _json(metadata or {}), to_js(pieces))


def _json(content):
    """As Jupyter writes it: JSON knows neither NaN nor infinity, which become texts."""
    try:
        return json.dumps(content, default=repr, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(content), default=repr, allow_nan=False)


def _finite(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def display(*values, display_id=None, update=False, raw=False, metadata=None, clear=False, **_):
    if clear:
        clear_output(wait=True)
    if display_id is True:
        _counted[0] += 1
        display_id = f"display-{_counted[0]}"
    for value in values:
        data, of_data = (value, {}) if raw else mime_bundle(value)
        transient = {} if display_id is None else {"display_id": display_id}
        kind = "update_display_data" if update else "display_data"
        publish(kind, {"data": data, "metadata": {**of_data, **(metadata or {})}, "transient": transient})
    return None if display_id is None else DisplayHandle(display_id)


_counted = [0]


def update_display(value, *, display_id, **options):
    display(value, display_id=display_id, update=True, **options)


def clear_output(wait=False):
    publish("clear_output", {"wait": wait})


class DisplayHandle:
    def __init__(self, display_id):
        self.display_id = display_id

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        update_display(value, display_id=self.display_id, **options)


class DisplayObject:
    """One piece of data of a known type."""

    mime = "text/plain"

    def __init__(self, data=None, filename=None, metadata=None, **_):
        if data is None and filename is not None:
            with open(filename, "rb") as file:
                data = file.read() if self.mime.startswith("image/p") else file.read().decode()
        self.data = data
        self.metadata = metadata or {}

    def _repr_mimebundle_(self, **_):
        data = base64.b64encode(self.data).decode("ascii") if isinstance(self.data, bytes) else self.data
        return {self.mime: data, "text/plain": repr(self)}, ({self.mime: self.metadata} if self.metadata else {})

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


def _kind_of_display(name, mime):
    return type(name, (DisplayObject,), {"mime": mime})


HTML = _kind_of_display("HTML", "text/html")
Markdown = _kind_of_display("Markdown", "text/markdown")
Latex = _kind_of_display("Latex", "text/latex")
Math = _kind_of_display("Math", "text/latex")
SVG = _kind_of_display("SVG", "image/svg+xml")
JSON = _kind_of_display("JSON", "application/json")
Javascript = _kind_of_display("Javascript", "application/javascript")
Pretty = _kind_of_display("Pretty", "text/plain")


class Image(DisplayObject):
    def __init__(self, data=None, format="png", **options):
        self.mime = "image/jpeg" if format in ("jpg", "jpeg") else f"image/{format}"
        super().__init__(data, **options)


class Shell:
    """The part of IPython's shell that libraries ask for."""

    def __init__(self, namespace, magics):
        self.user_ns = namespace
        self.magics = magics
        self.kernel = types.SimpleNamespace(get_parent=lambda: {"header": json.loads(_bridge["parent"]())}, comm_manager=_comms)
        self.display_pub = types.SimpleNamespace(publish=self._publish)

    def run_line_magic(self, name, line):
        return self.magics.run("line", name, line)

    def run_cell_magic(self, name, line, body):
        return self.magics.run("cell", name, line, body)

    def system(self, command):
        return self.magics.run("line", "system", command)

    def getoutput(self, command):
        return self.magics.run("line", "sx", command)

    def transform_cell(self, code):
        return transformed(code)

    def showtraceback(self, exception=None, **_):
        traceback.print_exception(*(exception or sys.exc_info()))

    def _publish(self, data, metadata=None, transient=None, update=False, **_):
        kind = "update_display_data" if update else "display_data"
        publish(kind, {"data": data, "metadata": metadata or {}, "transient": transient or {}})


def install(namespace, magics):
    """Makes `from IPython.display import …` and `get_ipython()` work."""
    shell = Shell(namespace, magics)

    def get_ipython():
        return shell

    shown = types.ModuleType("IPython.display")
    names = (display, update_display, clear_output, DisplayHandle, DisplayObject)
    for thing in (*names, HTML, Markdown, Latex, Math, SVG, JSON, Javascript, Pretty, Image):
        setattr(shown, thing.__name__, thing)
    package = types.ModuleType("IPython")
    package.__path__ = []
    package.display = shown
    package.get_ipython = get_ipython
    package.version_info = (8, 0, 0)
    package.__version__ = "8.0.0"
    sys.modules["IPython"] = package
    sys.modules["IPython.display"] = shown
    sys.modules["IPython.core.display"] = shown
    core = types.ModuleType("IPython.core")
    core.__path__ = []
    core.error = types.ModuleType("IPython.core.error")
    core.error.UsageError = UsageError
    sys.modules["IPython.core"] = core
    sys.modules["IPython.core.error"] = core.error
    for name, thing in (("getipython", get_ipython), ("interactiveshell", Shell)):
        module = types.ModuleType(f"IPython.core.{name}")
        setattr(module, "InteractiveShell" if thing is Shell else thing.__name__, thing)
        setattr(core, name, module)
        sys.modules[module.__name__] = module
    namespace["get_ipython"] = get_ipython
    namespace["display"] = display
