import type { RunStepFor, StepInput } from '../../step-engine/domain/step-job.ts';
import type { DatasetStepInput, DatasetStepReport, RunDatasetStep } from '../domain/dataset-steps.ts';
import { keepOutput, type KeepPorts } from './keep-output.ts';

export interface DatasetStepPorts extends KeepPorts {
  readonly runStepFor: RunStepFor;
}

/** Brings the inputs of a step to this machine and its output into the object store. */
export function datasetSteps(ports: DatasetStepPorts): RunDatasetStep {
  const { files, runStepFor } = ports;

  return (organisationId, { inputs, output, ...job }, { findInputs, ...run }) =>
    files.withFolder(async ({ bring, newPath }): Promise<DatasetStepReport> => {
      const toFile = async (input: DatasetStepInput): Promise<StepInput> => {
        const { name, objectKey, format = 'parquet' } = input;
        return { name, file: await bring(objectKey, run.signal), format };
      };
      const toFiles = (some: readonly DatasetStepInput[]) => Promise.all(some.map(toFile));
      const outputs = output === null ? [] : [{ name: output, file: newPath('output') }];
      const report = await runStepFor(organisationId)(
        { ...job, inputs: await toFiles(inputs), outputs },
        { ...run, ...(findInputs && { findInputs: async (tables) => toFiles(await findInputs(tables)) }) },
      );
      const [written] = report.outputs;
      return { ...report, output: written ? await keepOutput(ports, organisationId, written) : null };
    });
}
