import { invalid, type Violation } from '@platform-backend/core';
import type { Kernels, ProgramError } from '../domain/kernel-job.ts';
import type { Parameter } from '../domain/parameters.ts';
import { configViolation } from '../domain/step-violation.ts';
import { needsKernel, programOf, type NewStep } from '../domain/step.ts';

/** Notebooks are renamed; those of a version stay the same. INVALID: one is not there. */
export async function withNotebookIds(
  kernels: Pick<Kernels, 'findNotebook'> | undefined,
  organisationId: string,
  steps: readonly NewStep[],
): Promise<readonly NewStep[]> {
  const references = steps.flatMap(({ config }) => (config.queryType === 'NOTEBOOK' ? config.query.trim() : []));
  const lookUp = async (reference: string) =>
    [reference, await kernels?.findNotebook(organisationId, reference)] as const;
  const ids = new Map(await Promise.all([...new Set(references)].map(lookUp)));
  const found: Violation[] = [];
  const changed = steps.map((step, stepIndex) => {
    const { config } = step;
    if (config.queryType !== 'NOTEBOOK') return step;
    const id = ids.get(config.query.trim());
    if (id !== undefined) return { ...step, config: { ...config, query: id } };
    found.push(configViolation(stepIndex, ['query'], 'there is no such notebook', config.query));
    return step;
  });
  if (found.length > 0) throw invalid(found);
  return changed;
}

/** All programs are checked in one call, which runs none of them. */
export async function programViolations(
  kernels: Pick<Kernels, 'check'> | undefined,
  organisationId: string,
  steps: readonly NewStep[],
  declared: readonly Parameter[],
): Promise<readonly Violation[]> {
  const values = Object.fromEntries(declared.map(({ name, defaultValue }) => [name, defaultValue]));
  const stepIndexes = [...steps.keys()].filter((stepIndex) => needsKernel(steps[stepIndex] as NewStep));
  if (!kernels || stepIndexes.length === 0) return [];
  const programs = stepIndexes.map((stepIndex) => {
    const { config } = steps[stepIndex] as NewStep;
    return { program: programOf(config), parameters: { ...config.parameters, ...values } };
  });
  const errors = await kernels.check(organisationId, programs);
  return errors.flatMap((error) => {
    const stepIndex = stepIndexes[error.program];
    return stepIndex === undefined ? [] : [programViolation(stepIndex, steps[stepIndex] as NewStep, error)];
  });
}

function programViolation(
  stepIndex: number,
  { config }: NewStep,
  { cell, message, position }: ProgramError,
): Violation {
  const [number, which] = cell === null ? [undefined, ''] : [cell + 1, `Cell ${cell + 1}: `];
  const where = position ? ` (line ${position.line}, column ${position.column})` : '';
  return {
    ...configViolation(stepIndex, ['query'], `${which}${message}${where}`, config.query),
    ctx: { error: 'syntax', ...(number !== undefined && { cell: number }), ...position },
  };
}
