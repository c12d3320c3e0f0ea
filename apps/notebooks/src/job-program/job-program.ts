import { readFileSync } from 'node:fs';
import type { DatasetsProgram } from '../domain/jobs/datasets-program.ts';
import { pythonLiteral } from '../domain/jobs/python-literal.ts';

const source = readFileSync(new URL('datasets.py', import.meta.url), 'utf8');

/** `datasets` in Python; of what it is made of, nothing else can be seen. */
export const pythonDatasets: DatasetsProgram = {
  begin: (inputs, outputs) =>
    `datasets = (lambda scope: (exec(${pythonLiteral(source)}, scope), ` +
    `scope["Datasets"](${pythonLiteral(inputs)}, ${pythonLiteral(outputs)}))[1])({"__name__": "datasets"})`,
  receive: (name) => `datasets._receive(${pythonLiteral(name)})`,
  send: (name) => `datasets._send(${pythonLiteral(name)})`,
};
