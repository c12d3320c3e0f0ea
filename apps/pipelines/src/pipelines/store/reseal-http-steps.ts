import type { Reseal } from '@platform-backend/core/secret-box';
import { resealRows } from '@platform-backend/postgres';
import type { OpenedPostgres } from '@platform-backend/postgres/storage';
import { headerContext } from '../../steps/domain/http-request.ts';
import type { StepConfig } from '../../steps/domain/step.ts';

interface StepJson {
  readonly config: Pick<StepConfig, 'query'> & Partial<Pick<StepConfig, 'http'>>;
}

interface StepsRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly steps: readonly StepJson[];
}

/** Has the secret headers of all versions of pipelines sealed anew. */
export const resealHttpSteps = ({ database }: Pick<OpenedPostgres, 'database'>, reseal: Reseal): Promise<void> =>
  resealRows<StepsRow>(database, {
    table: 'pipeline_versions',
    key: ['id'],
    columns: ['id', 'organisation_id', 'steps'],
    sealed: ['steps'],
    reseal: (row) => {
      const steps = row.steps.map((step) => resealedStep(step, row.organisation_id, reseal));
      return steps.every((step, index) => step === row.steps[index]) ? row : { ...row, steps };
    },
  });

function resealedStep(step: StepJson, organisationId: string, reseal: Reseal): StepJson {
  const { query: url, http } = step.config;
  if (!http) return step;
  const before = Object.entries(http.secretHeaders);
  const after = before.map(([name, sealed]): [string, string] => [
    name,
    reseal(sealed, headerContext(organisationId, url, name)),
  ]);
  if (after.every(([, sealed], index) => sealed === before[index]?.[1])) return step;
  return { ...step, config: { ...step.config, http: { ...http, secretHeaders: Object.fromEntries(after) } } };
}
