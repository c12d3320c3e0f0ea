import type { Json } from '../../domain/jobs/json.ts';
import type { KernelJob } from '../../domain/jobs/kernel-job.ts';
import { programOf, programOfCode, type ProgramCell } from '../../domain/jobs/notebook-program.ts';
import type { Notebooks } from '../../domain/notebooks/notebooks.ts';

/** The cells of a program as they run. NOT_FOUND: no such notebook. INVALID: a parameter that no variable can be. */
export async function programCells(
  notebooks: Pick<Notebooks, 'getWithContent'>,
  organisationId: string,
  { program, parameters }: Pick<KernelJob, 'program' | 'parameters'>,
): Promise<readonly ProgramCell[]> {
  if ('code' in program) return programOfCode(program.code, parameters);
  const { text } = await notebooks.getWithContent(organisationId, program.notebookId);
  return programOf(JSON.parse(text) as Readonly<Record<string, Json>>, parameters).cells;
}
