import type { RunStepFor, StepInput } from '../../step-engine/domain/step-job.ts';
import type { RunDatasetStep, StoredInput } from '../domain/dataset-steps.ts';
import { storeOutput, type StoreOutputPorts } from './store-output.ts';

export interface DatasetStepPorts extends StoreOutputPorts {
  readonly runStepFor: RunStepFor;
}

/** Brings the inputs of a step to this machine and its output into the object store. */
export function datasetSteps(ports: DatasetStepPorts): RunDatasetStep {
  const { files, runStepFor } = ports;

  return (organisationId, step, { findInputs, ...run }) =>
    files.withFolder(async ({ bring, newPath }) => {
      const toFiles = (inputs: readonly StoredInput[]): Promise<readonly StepInput[]> =>
        Promise.all(
          inputs.map(async ({ objectKey, ...input }) => ({ ...input, file: await bring(objectKey, run.signal) })),
        );
      const file = newPath('output');
      const kept = step.output?.onto?.file;
      const onto = step.output?.onto && {
        ...step.output.onto,
        file: kept ? await bring(kept, run.signal) : null,
      };
      const output = step.output && { ...step.output, file, ...(onto && { onto }) };
      const report = await runStepFor(organisationId)(
        { ...step, inputs: await toFiles(step.inputs), output },
        { ...run, ...(findInputs && { findInputs: async (tables) => toFiles(await findInputs(tables)) }) },
      );
      return storeOutput(ports, organisationId, report, file);
    });
}
