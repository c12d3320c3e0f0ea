import type { KernelJob } from '../../domain/jobs/kernel-job.ts';
import { programOfCode, type ProgramCell } from '../../domain/jobs/notebook-program.ts';
import type { NotebookPrograms } from '../../domain/jobs/notebook-programs.ts';
import type { Notebooks } from '../../domain/notebooks/notebooks.ts';

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
