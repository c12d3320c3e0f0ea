import { parseExactJson } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';
import { programOf, type ProgramCell } from '../domain/notebook-program.ts';
import type { ParameterisedNotebook } from '../domain/notebook-programs.ts';
import { withShown, type ShownCells } from '../domain/shown-cells.ts';

/** `shown` is there where the text is wanted, and not the cells. */
export interface ProgramTask extends Pick<ParameterisedNotebook, 'text'> {
  /** As JSON: between threads numbers lose what is exact of them. */
  readonly parameters: string;
  readonly shown?: ShownCells;
}

/** What the thread of `notebook-programs-thread.ts` does. */
export default function readProgram({ text, parameters, shown }: ProgramTask): string | readonly ProgramCell[] {
  const program = programOf(objectIn(text), objectIn(parameters));
  if (shown) return JSON.stringify(withShown(program, shown));
  // What the notebook has shown before stays here.
  return program.cells.map(({ cell: _cell, ...runs }) => runs);
}

const objectIn = (json: string) => parseExactJson(json) as Readonly<Record<string, Json>>;
