import { sourceOf } from '../../notebooks/domain/cell-source.ts';
import type { Json } from '../../notebooks/domain/json.ts';
import { assignmentsOf, type Parameters } from './parameters.ts';

type JsonObject = Readonly<Record<string, Json>>;

/** What a notebook is when it is carried out. */
export interface NotebookProgram {
  /** Everything in it but its cells. */
  readonly rest: JsonObject;
  readonly cells: readonly NotebookCell[];
}

/** A cell as it runs. */
export interface ProgramCell {
  /** Undefined when there is nothing to execute. */
  readonly code: string | undefined;
  /** Its place in the notebook, from 0; null for one that is not in it. */
  readonly cellIndex: number | null;
  /** What comes behind it is executed even when it fails. */
  readonly mayFail: boolean;
  /** Whether it is what parameters have become. */
  readonly isOfParameters: boolean;
}

export interface NotebookCell extends ProgramCell {
  /** As the result will have it, without outputs. */
  readonly cell: JsonObject;
}

/** As papermill and nbconvert call them. */
const TAGS = { parameters: 'parameters', injected: 'injected-parameters', mayFail: 'raises-exception' } as const;

/**
 * A notebook with the parameters in a cell of their own: behind the one that is tagged `parameters`, in the place of the one
 * that is tagged `injected-parameters`, or else first. INVALID: a name that no variable can have.
 */
export function programOf(notebook: JsonObject, parameters: Parameters): NotebookProgram {
  const { cells: found, ...rest } = notebook;
  const cells = ((found ?? []) as readonly JsonObject[]).map(programCell);
  return { rest, cells: injected(cells, parameters, withIds(rest)) };
}

/** The name of the kernelspec that a notebook was last used with; empty: it has none. */
export function kernelNameIn({ rest }: NotebookProgram): string {
  const { kernelspec } = (rest['metadata'] ?? {}) as JsonObject;
  const name = typeof kernelspec === 'object' && kernelspec !== null ? (kernelspec as JsonObject)['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** Code alone, with its parameters before it. */
export function programOfCode(code: string, parameters: Parameters): readonly ProgramCell[] {
  const cells = [programCell({ cell_type: 'code', metadata: {}, source: code }, 0)];
  return injected(cells, parameters, false).map((cell) => ({ ...cell, cellIndex: null }));
}

function injected(cells: readonly NotebookCell[], parameters: Parameters, hasIds: boolean): readonly NotebookCell[] {
  if (Object.keys(parameters).length === 0) return cells;
  const code = `# Parameters\n${assignmentsOf(parameters)}`;
  const cell: JsonObject = {
    ...(hasIds && { id: TAGS.injected }),
    cell_type: 'code',
    execution_count: null,
    metadata: { tags: [TAGS.injected] },
    outputs: [],
    source: code,
  };
  const own: NotebookCell = { cell, code, cellIndex: null, mayFail: false, isOfParameters: true };
  const former = cells.findIndex((one) => hasTag(one.cell, TAGS.injected));
  if (former >= 0) return cells.with(former, own);
  const defaults = cells.findIndex((one) => hasTag(one.cell, TAGS.parameters));
  return cells.toSpliced(defaults + 1, 0, own);
}

function programCell(cell: JsonObject, cellIndex: number): NotebookCell {
  const known = { cellIndex, isOfParameters: false };
  if (cell['cell_type'] !== 'code') return { ...known, cell, code: undefined, mayFail: false };
  const code = sourceOf(cell);
  return {
    ...known,
    cell: { ...cell, execution_count: null, outputs: [] },
    code: code.trim() === '' ? undefined : code,
    mayFail: hasTag(cell, TAGS.mayFail),
  };
}

/** Cells have ids from the minor version 5 on, and must have none before. */
const withIds = ({ nbformat_minor: minor }: JsonObject): boolean => typeof minor === 'number' && minor >= 5;

function hasTag({ metadata }: JsonObject, tag: string): boolean {
  const tags = (metadata as JsonObject | undefined)?.['tags'];
  return Array.isArray(tags) && tags.includes(tag);
}
