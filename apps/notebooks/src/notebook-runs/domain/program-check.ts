import { beginningOf, DomainError } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';
import { textOf } from './job-messages.ts';
import type { ProgramCell } from './notebook-program.ts';

/** Why and where a program is no Python that a kernel takes. */
export interface ProgramError {
  /** The index of the cell in its notebook; null for code, and for a mistake in the parameters. */
  readonly cell: number | null;
  readonly message: string;
  /** In the cell, from 1, in characters; null where that is not known. */
  readonly line: number | null;
  readonly column: number | null;
}

/** The code by which cells are compiled in a kernel: one request to the kernel each. */
export interface SyntaxProgram {
  readonly begin: string;
  /** Asks on stdin once, with a `SyntaxFinding` or null. */
  readonly check: (cells: readonly string[]) => string;
}

/** Of the first cell that is wrong. */
export interface SyntaxFinding {
  readonly cellIndex: number;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
}

const MAX_MESSAGE = 1_000;

/** What a kernel has found; undefined: nothing. */
export function readFinding(text: string): SyntaxFinding | undefined {
  const found = JSON.parse(text) as Readonly<Record<string, Json>> | null;
  if (found === null) return undefined;
  const { cellIndex, message, line, column } = found;
  return {
    cellIndex: Number(cellIndex),
    message: beginningOf(textOf(message), MAX_MESSAGE),
    line: positionOf(line),
    column: positionOf(column),
  };
}

/** Python has 0 and less where it knows none. */
const positionOf = (value: Json | undefined): number | null => (typeof value === 'number' && value > 0 ? value : null);

export function programError(cell: ProgramCell, { message, line, column }: SyntaxFinding): ProgramError {
  // Nobody has written the lines of that cell.
  if (cell.isOfParameters) return { cell: null, message: `Parameters: ${message}`, line: null, column: null };
  return { cell: cell.cellIndex, message, line, column };
}

/** Parameters of which no cell can be made. */
export function parametersError(error: unknown): ProgramError {
  if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
  const names = error.violations?.map(({ loc }) => String(loc.at(-1))).join(', ') ?? '';
  return { cell: null, message: `Parameters: no variable is called ${names}`, line: null, column: null };
}
