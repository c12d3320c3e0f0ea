import type { KernelJob } from '../domain/kernel-job.ts';
import type { ProgramCell } from '../domain/notebook-program.ts';
import { parametersError, programError, type ProgramError } from '../domain/program-check.ts';
import type { CompilingKernel } from './compiling-kernel.ts';
import { programCells, type ProgramPorts } from './program-cells.ts';

export interface CheckProgramsPorts extends ProgramPorts {
  readonly compiling: CompilingKernel;
}

/** Says of each program why it is no Python; null: it is, as far as can be told. NOT_FOUND: no such notebook. */
export type CheckPrograms = (
  organisationId: string,
  programs: readonly Pick<KernelJob, 'program' | 'parameters'>[],
  signal: AbortSignal,
) => Promise<readonly (ProgramError | null)[]>;

export const checkPrograms =
  ({ compiling, ...ports }: CheckProgramsPorts): CheckPrograms =>
  async (organisationId, programs, signal) => {
    const read: (readonly ExecutedCell[] | ProgramError)[] = [];
    // One after the other, as notebooks may be large.
    for (const program of programs) {
      read.push(await programCells(ports, organisationId, program).then(executed, parametersError));
    }
    const compiled = read.filter(isProgram);
    const sources = compiled.map((cells) => cells.map(({ code }) => code));
    const findings = sources.length === 0 ? [] : await compiling.check(organisationId, sources, signal);
    const found = new Map(compiled.map((cells, index) => [cells, findings[index]]));
    return read.map((one) => {
      if (!isProgram(one)) return one;
      const finding = found.get(one);
      const cell = finding && one[finding.cellIndex];
      return cell ? programError(cell, finding) : null;
    });
  };

type ExecutedCell = ProgramCell & { readonly code: string };

/** Those whose mistakes end the program. */
const executed = (cells: readonly ProgramCell[]): readonly ExecutedCell[] =>
  cells.filter((cell): cell is ExecutedCell => cell.code !== undefined && !cell.mayFail);

const isProgram = (read: readonly ExecutedCell[] | ProgramError): read is readonly ExecutedCell[] =>
  Array.isArray(read);
