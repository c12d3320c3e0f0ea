"""Says where cells are no Python that this kernel takes. They are compiled as to be run, and never run."""

import ast
import re
import warnings

# With IPython, cells such as these may change how those after them are read.
_CHANGES_READING = re.compile("ipython|load_ext", re.IGNORECASE)
_TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def first_error(cells):
    """The index of the first cell that is not taken, why, and where in it; None when all are."""
    compile_cell = _compiler()
    for cell_index, cell in enumerate(cells):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                goes_on = compile_cell(cell)
        except SyntaxError as error:
            return {"cellIndex": cell_index, "message": _message(error, error.msg), "line": error.lineno, "column": error.offset}
        except ValueError as error:
            return {"cellIndex": cell_index, "message": _message(error, error), "line": None, "column": None}
        except (MemoryError, RecursionError, OverflowError):
            # Too much for the compiler here, which may be otherwise where the cell is run.
            continue
        if not goes_on:
            return None
    return None


def _message(error, text):
    return f"{type(error).__name__}: {text}"


def _compiler():
    shell = _ipython()
    if shell is None:
        return _compile
    if not hasattr(shell, "compile"):
        return lambda cell: _compile(shell.transform_cell(cell))
    # What one program imports from __future__ is nothing to the next.
    compiler = type(shell.compile)()
    return lambda cell: _compile_with_ipython(shell, compiler, cell)


def _ipython():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    # That of another kernel knows how cells are read, and compiles as Python does.
    return shell if hasattr(shell, "transform_cell") else None


def _compile(cell):
    compile(ast.parse(cell, "<cell>"), "<cell>", "exec", _TOP_LEVEL_AWAIT)
    return True


def _compile_with_ipython(shell, compiler, cell):
    """Statement by statement, as IPython does it."""
    tree = compiler.ast_parse(shell.transform_cell(cell), "<cell>")
    for statement in tree.body:
        with compiler.extra_flags(_TOP_LEVEL_AWAIT if shell.autoawait else 0):
            compiler(ast.Module([statement], []), "<cell>", "exec")
    return not _CHANGES_READING.search(cell)
