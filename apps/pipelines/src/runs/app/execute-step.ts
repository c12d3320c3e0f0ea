import type { DatasetStepReport, DatasetStepRun, RunDatasetStep } from '../../datasets/domain/dataset-steps.ts';
import type { Dataset } from '../../datasets/domain/dataset.ts';
import type { DatasetReferences } from '../../datasets/domain/datasets.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { PostponedStep, RunKernelStep } from '../../steps/domain/kernel-step.ts';
import { makersOf } from '../../steps/domain/step-graph.ts';
import { programOf, sameName, type Step, type StepConfig } from '../../steps/domain/step.ts';
import type { BegunStep, ReportedEnd } from '../domain/run-engine.ts';
import { endOfStep, missingInput, stepWork } from './step-work.ts';

export interface ExecuteStepPorts {
  readonly datasets: DatasetReferences;
  readonly runDatasetStep: RunDatasetStep;
  /** Undefined where there are no kernels. */
  readonly runKernelStep: RunKernelStep | undefined;
  /** They never change. */
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
}

/** Does what a step says and answers how that ended; rejected when it is told to stop. */
export type ExecuteStep = (begun: BegunStep, run: DatasetStepRun) => Promise<ReportedEnd>;

/** Carries steps out on the files of datasets: outside ones as they are now, those of the run as its steps made them. */
export const executeStep =
  ({ datasets, runDatasetStep, runKernelStep, findVersion }: ExecuteStepPorts): ExecuteStep =>
  async ({ at: { organisationId, place }, run }, stepRun) => {
    const version = await findVersion(organisationId, run.pipelineId, run.versionId);
    const { config } = version.steps[place] as Step;
    const [output = null] = config.outputDatasets;
    const isSql = config.queryType === 'SQL';
    const references = isSql ? config.inputDatasets : [...config.inputDatasets, ...config.outputDatasets];
    const found: ReadonlyMap<string, Dataset> =
      references.length === 0 ? new Map() : await datasets.findMany(organisationId, references);
    const makers = makersOf(version.steps);
    const inputs = config.inputDatasets.map(foundInput);
    const missing = inputs.find(({ input }) => input === undefined);
    const inputVersionIds = inputs.flatMap(({ versionId }) => versionId ?? []);
    if (missing) return missingInput(missing.reference, inputVersionIds);
    const present = inputs.flatMap(({ input }) => input ?? []);
    const report = isSql ? await runQuery(present) : await runProgram(present);
    if (report.outcome === 'POSTPONED') return report;
    return endOfStep(report, { dataset: output, output: report.output && withoutName(report.output) }, inputVersionIds);

    function foundInput(reference: string): FoundInput {
      const maker = makers.get(sameName(reference));
      const dataset = found.get(reference);
      const name = dataset?.name ?? reference;
      if (maker !== undefined) {
        const made = run.steps[maker]?.outputs[0];
        return { reference, input: made && { name, objectKey: made.objectKey }, versionId: made?.datasetVersionId };
      }
      const { currentVersion } = dataset ?? {};
      const input = currentVersion ? { name, objectKey: currentVersion.objectKey } : undefined;
      return { reference, input, versionId: currentVersion?.id };
    }

    function runQuery(present: readonly PresentInput[]): Promise<DatasetStepReport> {
      return runDatasetStep(organisationId, { ...stepWork(config), inputs: present }, stepRun);
    }

    async function runProgram(present: readonly PresentInput[]): Promise<DatasetStepReport | PostponedStep> {
      if (!runKernelStep) return noKernels(config);
      const { parameters, memoryLimitMb, timeLimitSeconds } = config;
      const made = output === null ? undefined : found.get(output);
      const step = {
        program: programOf(config),
        parameters,
        limits: { seconds: timeLimitSeconds, memoryMb: memoryLimitMb },
        inputs: present,
        output: output === null ? null : { name: made?.name ?? output, columns: made?.currentVersion?.columns ?? [] },
      };
      return runKernelStep(organisationId, step, stepRun);
    }
  };

interface PresentInput {
  readonly name: string;
  readonly objectKey: string;
}

interface FoundInput {
  readonly reference: string;
  readonly input: PresentInput | undefined;
  readonly versionId: string | undefined;
}

/** It was published while there were some. */
const noKernels = ({ queryType }: StepConfig): DatasetStepReport => ({
  outcome: 'FAILED',
  code: 'no_kernels',
  message: `${queryType} steps cannot be run here`,
  output: null,
  columns: [],
  rows: [],
  isCut: false,
  seconds: 0,
});

function withoutName<Named extends { readonly name: string }>({ name: _name, ...rest }: Named): Omit<Named, 'name'> {
  return rest;
}
