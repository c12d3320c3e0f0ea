import { newId, serviceActorContext, type Clock, type Logger } from '@platform-backend/core';
import type { DatasetReferences } from '../../datasets/domain/datasets.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { RunOfOrganisation } from '../domain/run-engine.ts';
import { dueSteps, type Run } from '../domain/run.ts';
import type { Runs } from '../domain/runs.ts';
import { skippedEnd } from './step-work.ts';

export interface SkipStepsPorts {
  readonly runs: Pick<Runs, 'skipStep'>;
  readonly datasets: DatasetReferences;
  /** They never change. */
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Ends the steps of a run that could be begun and whose condition does not hold, and those after them, so that they wait for no place.
 * Answers what is left of it. Never rejects: whoever carries a step out asks for its condition as well.
 */
export const skipSteps =
  ({ runs, datasets, findVersion, clock, logger }: SkipStepsPorts) =>
  async (of: RunOfOrganisation): Promise<RunOfOrganisation> => {
    const { organisationId } = of;
    let { run } = of;
    try {
      for (let before: Run | undefined; before !== run;) run = await skipNext((before = run));
    } catch (error) {
      logger.warn(
        { event: 'steps.conditions_not_asked', err: error, runId: run.id },
        'it is not known which steps of a run are skipped, whoever carries them out finds out',
      );
    }
    return { ...of, run };

    /** The run as it was where none of its steps is skipped. */
    async function skipNext(present: Run): Promise<Run> {
      const due = dueSteps(present, clock.now()).filter((stepIndex) => present.steps[stepIndex]?.startsRun === false);
      if (due.length === 0) return present;
      const version = await findVersion(organisationId, present.pipelineId, present.versionId);
      for (const stepIndex of due) {
        const config = version.steps[stepIndex]?.config;
        if (!config || config.when.length === 0) continue;
        const found = await datasets.findMany(organisationId, config.inputDatasets);
        const skipped = skippedEnd(config, present, version, found);
        if (!skipped) continue;
        const by = serviceActorContext('pipelines', organisationId, newId());
        const at = { organisationId, runId: present.id, stepIndex };
        return runs.skipStep(by, { at, message: skipped.message, when: clock.now() });
      }
      return present;
    }
  };
