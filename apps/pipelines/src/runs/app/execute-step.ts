import type { DatasetStepReport, RunDatasetStep, StoredInput } from '../../datasets/domain/dataset-steps.ts';
import type { Dataset } from '../../datasets/domain/dataset.ts';
import type { DatasetReferences } from '../../datasets/domain/datasets.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { failedReport, missingInput, type StepRun } from '../../step-engine/domain/step-job.ts';
import { idempotencyKeyOf, urlOf, type HttpRequest } from '../../steps/domain/http-request.ts';
import type { RunHttpStep } from '../../steps/domain/http-step.ts';
import type { PostponedStep, RunKernelStep } from '../../steps/domain/kernel-step.ts';
import { usualLlmSettings } from '../../steps/domain/llm-settings.ts';
import type { RunLlmStep } from '../../steps/domain/llm-step.ts';
import { addsToOutput, programOf, type Step, type StepConfig } from '../../steps/domain/step.ts';
import { declaredValues, variablesOf } from '../domain/child-run.ts';
import type { BegunStep, ReportedEnd } from '../domain/run-engine.ts';
import { endOfStep, skippedEnd, stepWork, tableOf } from './step-work.ts';

export interface ExecuteStepPorts {
  readonly datasets: DatasetReferences;
  readonly runDatasetStep: RunDatasetStep;
  /** Undefined where there are no kernels. */
  readonly runKernelStep: RunKernelStep | undefined;
  readonly runHttpStep: RunHttpStep;
  readonly runLlmStep: RunLlmStep;
  /** They never change. */
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
}

/** Does what a step says and answers how that ended; rejected when it is told to stop. */
export type ExecuteStep = (begun: BegunStep, run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>) => Promise<ReportedEnd>;

/** Carries steps out on the files of datasets: outside ones as they are now, those of the run as its steps made them. */
export const executeStep =
  ({ datasets, runDatasetStep, runKernelStep, runHttpStep, runLlmStep, findVersion }: ExecuteStepPorts): ExecuteStep =>
  async ({ at: { organisationId, stepIndex }, run }, stepRun) => {
    const version = await findVersion(organisationId, run.pipelineId, run.versionId);
    const { name, config } = version.steps[stepIndex] as Step;
    const [output = null] = config.outputDatasets;
    const isSql = config.queryType === 'SQL';
    const references =
      isSql && !addsToOutput({ config }) ? config.inputDatasets : [...config.inputDatasets, ...config.outputDatasets];
    const found: ReadonlyMap<string, Dataset> = await datasets.findMany(organisationId, references);
    const skipped = skippedEnd(config, run, version, found);
    if (skipped) {
      stepRun.onLog(skipped.message);
      return skipped;
    }
    const tables = config.inputDatasets.map((reference) => tableOf(reference, run, version, found));
    const missing = config.inputDatasets.find((_, index) => !tables[index]?.file);
    const inputVersionIds = tables.flatMap(({ file }) => file?.versionId ?? []);
    const before =
      output !== null && addsToOutput({ config }) ? (found.get(output)?.currentVersion ?? null) : undefined;
    const reads = { inputVersionIds, ...(before !== undefined && { base: { baseVersionId: before?.id ?? null } }) };
    if (missing !== undefined) return endOfStep(missingInput(missing), output, reads);
    const present = tables.flatMap(({ name, file }) => (file ? { name, objectKey: file.objectKey } : []));
    const report = await execute();
    if (report.outcome === 'POSTPONED') return report;
    return endOfStep(report, output, reads);

    function execute(): Promise<DatasetStepReport | PostponedStep> {
      switch (config.queryType) {
        case 'SQL':
          return runQuery(present);
        case 'HTTP':
          // It was checked when it was published.
          return runCall(config.http as HttpRequest);
        case 'LLM':
          return runPrompt();
        case 'PIPELINE':
          throw new Error('another run carries it out');
        case 'PYTHON':
        case 'NOTEBOOK':
          return runProgram(present);
      }
    }

    function runQuery(present: readonly StoredInput[]): Promise<DatasetStepReport> {
      const work = stepWork(config, version, run);
      const keys = config.outputMode === 'MERGE' ? config.mergeKeys : null;
      const onto = before !== undefined && { onto: { file: before?.objectKey ?? null, keys } };
      const goesOn = run.steps.some(({ status }, index) => index !== stepIndex && status === 'Pending');
      const chain = { id: run.id, goesOn };
      const step = { ...work, chain, inputs: present, output: work.output && { ...work.output, ...onto } };
      return runDatasetStep(organisationId, step, stepRun);
    }

    function runCall(request: HttpRequest): Promise<DatasetStepReport> {
      const { limits, output: made } = stepWork(config, version, run);
      const idempotencyKey = idempotencyKeyOf(run.id, stepIndex);
      const parameters = declaredValues(run, version);
      const called = { url: urlOf(config.query, parameters), request, parameters, idempotencyKey };
      if (called.url === undefined) return Promise.resolve(unfitUrl);
      const step = { ...called, url: called.url, runId: run.id, name, input: present[0], limits };
      const columns = (output !== null && found.get(output)?.currentVersion?.columns) || [];
      return runHttpStep(organisationId, { ...step, output: made && { ...made, columns } }, stepRun);
    }

    function runPrompt(): Promise<DatasetStepReport | PostponedStep> {
      const { limits, output: made } = stepWork(config, version, run);
      const { type, id, userId: memberId } = run.startedBy;
      const { query: prompt } = config;
      const parameters = variablesOf(run, version, config);
      const step = {
        ...{ runId: run.id, stepIndex, attempt: (run.steps[stepIndex]?.failures ?? 0) + 1, prompt, parameters },
        settings: config.llm ?? usualLlmSettings,
        payer: { memberId, apiKeyId: type === 'api_key' ? id : null, clientGroupId: run.clientGroupId },
        input: present[0],
        // It makes exactly one.
        output: made ?? { name },
        limits,
      };
      return runLlmStep(organisationId, step, stepRun);
    }

    async function runProgram(present: readonly StoredInput[]): Promise<DatasetStepReport | PostponedStep> {
      if (!runKernelStep) return noKernels(config);
      const parameters = variablesOf(run, version, config);
      const { memoryLimitMb, timeLimitSeconds, rowLimit } = config;
      const made = output === null ? undefined : found.get(output);
      const step = {
        program: programOf(config),
        parameters,
        limits: { seconds: timeLimitSeconds, memoryMb: memoryLimitMb },
        inputs: present,
        output:
          output === null
            ? null
            : { name: made?.name ?? output, columns: made?.currentVersion?.columns ?? [], rowLimit },
      };
      return runKernelStep(organisationId, step, stepRun);
    }
  };

const unfitUrl = failedReport('unfit_parameter', 'With these parameters its URL would lead elsewhere on its server');

/** It was published while there were some. */
const noKernels = ({ queryType }: StepConfig) => failedReport('no_kernels', `${queryType} steps cannot be run here`);
