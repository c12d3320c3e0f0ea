import { type Clock, inParallel } from '@platform-backend/core';
import type { DatasetFiles } from '../../datasets/domain/dataset-files.ts';
import type { Dataset } from '../../datasets/domain/dataset.ts';
import type { DatasetReferences, ObjectRemovals } from '../../datasets/domain/datasets.ts';
import { UNCLAIMED_MS } from '../../datasets/domain/limits.ts';
import { runObjects, versionKey } from '../../datasets/domain/object-keys.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { PodCondition, PodInput, PodJob, SignedUpload, PodReport } from '../../step-engine/domain/pod-job.ts';
import type { RetryPolicy } from '../../steps/domain/retry-policy.ts';
import { sameName, type StepConfig } from '../../steps/domain/step.ts';
import { conditionFacts, MAX_OUTPUT_BYTES, stepWork, tableOf } from '../app/step-work.ts';
import { OUTPUT_LOCATIONS, outputVersionId } from '../domain/pod-outputs.ts';
import type { RunOfOrganisation } from '../domain/run-engine.ts';
import { maxRunSeconds } from '../domain/workflow-manifest.ts';

export interface PodJobPorts {
  readonly files: Pick<DatasetFiles, 'presignUpload' | 'presignDownload' | 'writeText' | 'readText'>;
  readonly removals: Pick<ObjectRemovals, 'noteForRun'>;
  readonly datasets: DatasetReferences;
  readonly clock: Clock;
}

/** Beyond what Argo gives a run, for what is still on its way then. */
const GRACE_MS = 60 * 60_000;
/** S3 signs for no longer. */
const MAX_SIGNED_MS = 7 * 86_400_000 - 60_000;
const MAX_REPORT_BYTES = 16 * 2 ** 20;
const AT_ONCE = 8;

const PARQUET = 'application/vnd.apache.parquet';
const JSON_TYPE = 'application/json';

const jobKey = ({ organisationId, run }: RunOfOrganisation, stepIndex: number): string =>
  `${runObjects(organisationId, run.id)}${stepIndex}.job`;
const reportKey = ({ organisationId, run }: RunOfOrganisation, stepIndex: number): string =>
  `${runObjects(organisationId, run.id)}${stepIndex}.report`;
/** Of an attempt that has failed and is tried again, by the number of failures before it. */
const failureKey = ({ organisationId, run }: RunOfOrganisation, stepIndex: number, failures: number): string =>
  `${runObjects(organisationId, run.id)}${stepIndex}.failure-${failures}`;

export type PodJobs = ReturnType<typeof podJobs>;

/**
 * What the pods of a run are told and what they tell, as objects of the store. Where a step will put its output is settled
 * before any of them begins, so that those after it find it without asking anybody.
 */
export function podJobs({ files, removals, datasets, clock }: PodJobPorts) {
  return {
    /** Where the job of each step is, by its index. Undefined: the run has begun, or is over. */
    async write(of: RunOfOrganisation, version: PipelineVersion): Promise<ReadonlyMap<number, string> | undefined> {
      const { organisationId, run } = of;
      const now = clock.now().getTime();
      const longest = maxRunSeconds(run, version) * 1000 + GRACE_MS;
      const expiresAt = new Date(now + Math.min(longest, MAX_SIGNED_MS));
      const stepIndexes = run.steps.flatMap(({ kept }, stepIndex) => (kept ? [] : [stepIndex]));
      const objects = [
        { key: runObjects(organisationId, run.id), stepIndex: null },
        ...stepIndexes
          .filter((stepIndex) => version.steps[stepIndex]?.config.outputDatasets[0])
          .flatMap((stepIndex) => outputKeys(of, stepIndex).map((key) => ({ key, stepIndex }))),
      ];
      const removeAt = new Date(now + longest + UNCLAIMED_MS);
      if (!(await removals.noteForRun(organisationId, run.id, objects, removeAt))) return undefined;
      const references = [...new Set(version.steps.flatMap(({ config }) => config.inputDatasets))];
      const found = await datasets.findMany(organisationId, references);
      const signed = new Map<number, string>();
      await inParallel(stepIndexes, { atOnce: AT_ONCE }, async (stepIndex) => {
        const job = await jobOf(of, stepIndex, { version, found, expiresAt });
        await files.writeText(jobKey(of, stepIndex), JSON.stringify(job));
        signed.set(stepIndex, await signedGet(jobKey(of, stepIndex), expiresAt));
      });
      return signed;
    },

    /** Undefined: none has come. */
    readReport: (of: RunOfOrganisation, stepIndex: number): Promise<PodReport | undefined> =>
      read(reportKey(of, stepIndex)),

    /** As `readReport`, of an attempt that has failed and is tried again. */
    readFailure: (of: RunOfOrganisation, stepIndex: number, failures: number): Promise<PodReport | undefined> =>
      read(failureKey(of, stepIndex, failures)),
  };

  async function read(key: string): Promise<PodReport | undefined> {
    const text = await files.readText(key);
    return text === undefined ? undefined : (JSON.parse(text) as PodReport);
  }

  async function jobOf(of: RunOfOrganisation, stepIndex: number, planned: Planned): Promise<PodJob> {
    const { version, expiresAt } = planned;
    const config = version.steps[stepIndex]?.config;
    if (!config) throw new Error(`the version has no step ${stepIndex}`);
    const { output, ...work } = stepWork(config, version, of.run);
    const inputs = await Promise.all(config.inputDatasets.map((reference) => inputOf(of, reference, planned)));
    return {
      ...work,
      inputs: inputs.flatMap((input) => input ?? []),
      missing: config.inputDatasets.find((_, index) => inputs[index] === undefined) ?? null,
      output: output && { ...output, places: await signedUploads(of, stepIndex, expiresAt) },
      report: await signedPut(reportKey(of, stepIndex), JSON_TYPE, MAX_REPORT_BYTES, expiresAt),
      ...(config.when.length > 0 && { when: await conditionOf(of, config, planned) }),
      ...(config.retryPolicy && { retry: await retryOf(of, stepIndex, config.retryPolicy, expiresAt) }),
    };
  }

  /** What is known by now, and whose report says what is not. */
  async function conditionOf(of: RunOfOrganisation, config: StepConfig, planned: Planned): Promise<PodCondition> {
    const { run } = of;
    const { version, found, expiresAt } = planned;
    const facts = conditionFacts(config, run, version, found).map(async (fact) => {
      const teller =
        fact.subject === 'STEP_STATUS'
          ? run.steps.findIndex(({ name }) => sameName(name) === sameName(fact.name))
          : fact.subject === 'ROW_COUNT'
            ? tableOf(fact.name, run, version, found).maker
            : undefined;
      if (teller === undefined || run.steps[teller]?.kept !== false) return fact;
      return { ...fact, toldBy: await signedGet(reportKey(of, teller), expiresAt) };
    });
    return { terms: config.when, facts: await Promise.all(facts) };
  }

  async function retryOf(of: RunOfOrganisation, stepIndex: number, policy: RetryPolicy, expiresAt: Date) {
    const keys = Array.from({ length: policy.maximumAttempts - 1 }, (_, failures) =>
      failureKey(of, stepIndex, failures),
    );
    return {
      failures: await Promise.all(keys.map((key) => signedPut(key, JSON_TYPE, MAX_REPORT_BYTES, expiresAt))),
      nonRetryableErrorTypes: policy.nonRetryableErrorTypes,
    };
  }

  /** Undefined: it is not there. */
  async function inputOf(of: RunOfOrganisation, reference: string, planned: Planned): Promise<PodInput | undefined> {
    const { version, found, expiresAt } = planned;
    const { name, maker, file, before } = tableOf(reference, of.run, version, found);
    if (file) return { name, url: await signedGet(file.objectKey, expiresAt), versionId: file.versionId };
    if (maker === undefined || of.run.steps[maker]?.kept !== false) return undefined;
    return {
      name,
      madeBy: {
        reportUrl: await signedGet(reportKey(of, maker), expiresAt),
        otherwise: before ? { versionId: before.versionId, url: await signedGet(before.objectKey, expiresAt) } : null,
        places: await Promise.all(
          outputKeys(of, maker).map(async (key, location) => ({
            versionId: outputVersionId(of.run.id, maker, location),
            url: await signedGet(key, expiresAt),
          })),
        ),
      },
    };
  }

  function signedUploads(of: RunOfOrganisation, stepIndex: number, expiresAt: Date): Promise<SignedUpload[]> {
    return Promise.all(outputKeys(of, stepIndex).map((key) => signedPut(key, PARQUET, MAX_OUTPUT_BYTES, expiresAt)));
  }

  function signedGet(key: string, expiresAt: Date): Promise<string> {
    return files.presignDownload({ key, filename: 'file', expiresAt });
  }

  /** What was put there is what the step has made, or said: nothing replaces it afterwards, however long the address is good. */
  async function signedPut(key: string, contentType: string, maxBytes: number, expiresAt: Date): Promise<SignedUpload> {
    const { url, headers } = await files.presignUpload({ key, contentType, maxBytes, expiresAt, ifAbsent: true });
    return { url, headers };
  }
}

interface Planned {
  readonly version: PipelineVersion;
  /** The datasets that its steps read, by their references, as they are now. */
  readonly found: ReadonlyMap<string, Dataset>;
  readonly expiresAt: Date;
}

const outputKeys = ({ organisationId, run }: RunOfOrganisation, stepIndex: number): readonly string[] =>
  Array.from({ length: OUTPUT_LOCATIONS }, (_, location) =>
    versionKey(organisationId, outputVersionId(run.id, stepIndex, location)),
  );
