/** Writes the memory of a Python that has just started, and has run nothing of anybody, into a file. Its argument is the file. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { loadPyodide } from 'pyodide';
import { environment } from './guest/options.ts';

/** What the kernel's own code imports. */
const IMPORTED =
  'ast, asyncio, builtins, codeop, getpass, inspect, json, linecache, random, re, rlcompleter, sys, time, traceback';

const [, , file = ''] = process.argv;
const python = await loadPyodide({
  indexURL: `${dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))}/`,
  env: environment,
  _makeSnapshot: true,
});
python.runPython(`for name in '${IMPORTED}'.split(', '): __import__(name)\ndel name`);
writeFileSync(file, python.makeMemorySnapshot(), { mode: 0o600 });
process.exit();
