import { readFileSync } from 'node:fs';
import type { DatasetsProgram } from '../domain/datasets-program.ts';
import type { SyntaxProgram } from '../domain/program-check.ts';
import { pythonLiteral } from '../domain/python-literal.ts';

const sourceOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** An expression that is a name of a module of ours; of what that is made of, nothing else can be seen. */
const ofModule = (name: string, source: string, wanted: string): string =>
  `(lambda scope: (exec(${pythonLiteral(source)}, scope), scope["${wanted}"])[1])({"__name__": "${name}"})`;

const datasets = ofModule('datasets', sourceOf('datasets.py'), 'Datasets');

/** `datasets` in Python. */
export const pythonDatasets: DatasetsProgram = {
  begin: (inputs, outputs) => `datasets = ${datasets}(${pythonLiteral(inputs)}, ${pythonLiteral(outputs)})`,
  receive: (name) => `datasets._receive(${pythonLiteral(name)})`,
  send: (name) => `datasets._send(${pythonLiteral(name)})`,
};

export const pythonSyntax: SyntaxProgram = {
  begin: `first_error = ${ofModule('syntax', sourceOf('syntax.py'), 'first_error')}`,
  check: (cells) => `import builtins, json\nbuiltins.input(json.dumps(first_error(${pythonLiteral(cells)})))`,
};
