import { parseExactJson } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';
import { kernelNameIn, programOf } from '../domain/notebook-program.ts';
import type { ParameterisedNotebook, RunnableNotebook } from '../domain/notebook-programs.ts';
import { withShown, type ShownCells } from '../domain/shown-cells.ts';

/** `shown` is there where the text is wanted, and not the cells. */
export interface ProgramTask extends Pick<ParameterisedNotebook, 'text'> {
  /** As JSON: between threads numbers lose what is exact of them. */
  readonly parameters: string;
  readonly shown?: ShownCells;
}

/** What the thread of `notebook-programs-thread.ts` does. */
export default function readProgram({ text, parameters, shown }: ProgramTask): string | RunnableNotebook {
  const program = programOf(objectIn(text), objectIn(parameters));
  if (shown) return JSON.stringify(withShown(program, shown));
  // What the notebook has shown before stays here.
  return { cells: program.cells.map(({ cell: _cell, ...runs }) => runs), kernelName: kernelNameIn(program) };
}

const objectIn = (json: string) => parseExactJson(json) as Readonly<Record<string, Json>>;
