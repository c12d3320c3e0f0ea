import type { Notebooks } from '../../notebooks/domain/notebooks.ts';
import type { KernelJob } from '../domain/kernel-job.ts';
import { programOfCode, type ProgramCell } from '../domain/notebook-program.ts';
import type { NotebookPrograms } from '../domain/notebook-programs.ts';

export interface ProgramPorts {
  readonly notebooks: Pick<Notebooks, 'getWithContent'>;
  readonly programs: Pick<NotebookPrograms, 'cellsOf'>;
}

/** The cells of a program as they run. NOT_FOUND: no such notebook. INVALID: a parameter that no variable can be. */
export async function programCells(
  { notebooks, programs }: ProgramPorts,
  organisationId: string,
  { program, parameters }: Pick<KernelJob, 'program' | 'parameters'>,
): Promise<readonly ProgramCell[]> {
  if ('code' in program) return programOfCode(program.code, parameters);
  const { text } = await notebooks.getWithContent(organisationId, program.notebookId);
  return programs.cellsOf(organisationId, { text, parameters });
}
