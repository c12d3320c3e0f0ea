import { storeOutput, type StoreOutputPorts } from '../../datasets/app/store-output.ts';
import type { LocalFolder } from '../../datasets/domain/dataset-files.ts';
import type { DatasetStepReport } from '../../datasets/domain/dataset-steps.ts';
import { failedReport, type StepReport, type StepRun } from '../../step-engine/domain/step-job.ts';
import type { PostponedStep } from '../domain/kernel-step.ts';

/**
 * Does what a step does that waits for others, within its limit of time, all of which is paid. What it writes to `output` in its folder is brought into
 * the object store. Rejected when the signal of the run is aborted.
 */
export const timedStep = <Postponed extends PostponedStep>(
  ports: StoreOutputPorts,
  organisationId: string,
  { seconds }: { readonly seconds: number },
  run: Pick<StepRun, 'signal' | 'onRan'>,
  work: (folder: LocalFolder, inTime: AbortSignal) => Promise<StepReport | Postponed>,
): Promise<DatasetStepReport | Postponed> =>
  ports.files.withFolder(async (folder): Promise<DatasetStepReport | Postponed> => {
    const begun = performance.now();
    const inTime = AbortSignal.any([run.signal, AbortSignal.timeout(seconds * 1000)]);
    const ran = (): number => (performance.now() - begun) / 1000;
    const report = await work(folder, inTime)
      .catch((error: unknown) => {
        if (run.signal.aborted || !inTime.aborted) throw error;
        return failedReport('timed_out', `It took longer than ${seconds} s`);
      })
      .finally(() => run.onRan?.(ran()));
    if (report.outcome === 'POSTPONED') return report;
    return storeOutput(ports, organisationId, { ...report, seconds: ran() }, folder.newPath('output'));
  });
