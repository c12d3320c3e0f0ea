import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMet, skipReason, type ConditionFact } from '../domain/condition.ts';
import type { PodCondition, PodInput, PodJob, PodOutput, PodReport, SignedUpload } from '../domain/pod-job.ts';
import {
  emptyReport,
  missingInput,
  type RunStep,
  type StepInput,
  type StepJob,
  type StepReport,
  type StepRun,
} from '../domain/step-job.ts';
import { checksumOf, type SignedFiles } from './signed-files.ts';

export interface PodPorts {
  readonly files: SignedFiles;
  /** Where files are brought to and written. */
  readonly directory: string;
  readonly runStep: RunStep;
  readonly run: StepRun;
}

/** As often a program that was lost is started again. */
const TRIES = 3;

/** RETRIED: it has failed, and is to be tried again. */
export type PodEnd = PodReport['report']['outcome'] | 'RETRIED';

/** Brings the inputs of a step, has it carried out, and leaves what it made and a report of it in the store. */
export async function executePodJob(job: PodJob, ports: PodPorts): Promise<PodEnd> {
  const { files, directory, runStep, run } = ports;
  const facts = await factsOf(job.when, files);
  if (job.when && !isMet(job.when.terms, facts)) return skip(job, skipReason(facts), ports);
  const brought = join(directory, 'inputs');
  await mkdir(brought, { recursive: true });
  const found = await Promise.all(
    job.inputs.map(async (input, index) => bring(input, join(brought, `${index}.parquet`), files)),
  );
  const inputs = found.flatMap((input) => input ?? []);
  const missing = job.missing ?? job.inputs.find((_, index) => found[index] === undefined)?.name;
  const inputVersionIds = inputs.flatMap(({ versionId }) => versionId ?? []);
  const report = async (told: Omit<PodReport, 'inputVersionIds'>): Promise<PodEnd> => {
    const whole: PodReport = { ...told, inputVersionIds };
    // Our own store takes the same bytes a second time: what two pods say of the same failure has to differ.
    const failure = JSON.stringify({ ...whole, id: randomUUID() });
    if (await isRetried(job, told.report, (to) => files.putText(to, failure))) return 'RETRIED';
    await files.putText(job.report, JSON.stringify(whole));
    return told.report.outcome;
  };
  if (missing !== undefined) {
    const { output: written, ...told } = missingInput(missing);
    return report({ report: told, written });
  }
  const { kind, query, limits, variables = [] } = job;
  const output = job.output && { name: job.output.name, file: join(directory, 'output') };
  const wanted: StepJob = {
    ...{ kind, query, limits, variables },
    inputs: inputs.map(({ table }) => table),
    output,
  };
  const { output: made, ...told } = await withRetries(() => runStep(wanted, run));
  const uploads = job.output?.places ?? [];
  return report({ report: told, written: made && output && { ...made, ...(await keep(output.file, uploads, files)) } });
}

async function skip({ report }: PodJob, message: string, { files, run }: PodPorts): Promise<PodEnd> {
  run.onLog(message);
  const { output: written, ...told } = emptyReport;
  const whole: PodReport = { report: { ...told, outcome: 'SKIPPED', message }, written, inputVersionIds: [] };
  await files.putText(report, JSON.stringify(whole));
  return 'SKIPPED';
}

const reportAt = async (url: string, files: SignedFiles): Promise<PodReport> =>
  JSON.parse(await files.text(url)) as PodReport;

/** What the condition of a step looks at, as the steps before have left it. */
const factsOf = (when: PodCondition | undefined, files: SignedFiles): Promise<readonly ConditionFact[]> =>
  Promise.all(
    (when?.facts ?? []).map(async ({ toldBy, ...fact }) => {
      if (toldBy === undefined) return fact;
      const { report, written } = await reportAt(toldBy, files);
      const isSkipped = report.outcome === 'SKIPPED';
      if (fact.subject === 'STEP_STATUS') return { ...fact, is: isSkipped ? 'Skipped' : 'Succeeded' };
      return isSkipped ? fact : { ...fact, is: written?.rows ?? 0 };
    }),
  );

/** Whether a failure was left as one of those after which the step is tried again. */
async function isRetried(
  { retry }: PodJob,
  { outcome, code }: PodReport['report'],
  put: (to: SignedUpload) => Promise<boolean>,
): Promise<boolean> {
  if (!retry || outcome !== 'FAILED' || retry.nonRetryableErrorTypes.includes(code)) return false;
  for (const to of retry.failures) if (await put(to)) return true;
  return false;
}

/** Undefined: it is not there, as the step that makes it was skipped and nobody has made it before. */
async function bring(
  input: PodInput,
  file: string,
  files: SignedFiles,
): Promise<{ readonly table: StepInput; readonly versionId: string | null } | undefined> {
  const location = 'url' in input ? input : await locationOf(input, files);
  if (!location) return undefined;
  const { url, versionId } = location;
  await files.fetchTo(url, file);
  return { table: { name: input.name, file }, versionId };
}

/** Where the step that has made it put it. */
async function locationOf({ name, madeBy }: Extract<PodInput, { readonly madeBy: object }>, files: SignedFiles) {
  const { report, written } = await reportAt(madeBy.reportUrl, files);
  if (report.outcome === 'SKIPPED') return madeBy.otherwise;
  const location = written && madeBy.places[written.place];
  if (!location) throw new Error(`no step has made ${name}`);
  return location;
}

async function withRetries(work: () => Promise<StepReport>): Promise<StepReport> {
  for (let attempt = 1; ; attempt += 1) {
    const report = await work();
    if (report.outcome !== 'ERROR' || attempt === TRIES) return report;
  }
}

async function keep(file: string, uploads: PodOutput['places'], files: SignedFiles) {
  const checksum = await checksumOf(file);
  for (const [place, upload] of uploads.entries()) {
    if (await files.putFile(upload, file)) return { place, checksum };
  }
  throw new Error('all locations for its output are taken');
}
