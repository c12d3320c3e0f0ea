import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodInput, PodJob, PodOutput, PodReport, SignedUpload } from '../domain/pod-job.ts';
import {
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
export type PodEnd = StepReport['outcome'] | 'RETRIED';

/** Brings the inputs of a step, has it carried out, and leaves what it made and a report of it in the store. */
export async function executePodJob(job: PodJob, ports: PodPorts): Promise<PodEnd> {
  const { files, directory, runStep, run } = ports;
  const brought = join(directory, 'inputs');
  await mkdir(brought, { recursive: true });
  const inputs = await Promise.all(
    job.inputs.map(async (input, index) => bring(input, join(brought, `${index}.parquet`), files)),
  );
  const inputVersionIds = inputs.flatMap(({ versionId }) => versionId ?? []);
  const report = async (told: Omit<PodReport, 'inputVersionIds'>): Promise<PodEnd> => {
    const whole: PodReport = { ...told, inputVersionIds };
    // Our own store takes the same bytes a second time: what two pods say of the same failure has to differ.
    const failure = JSON.stringify({ ...whole, id: randomUUID() });
    if (await isRetried(job, told.report, (to) => files.putText(to, failure))) return 'RETRIED';
    await files.putText(job.report, JSON.stringify(whole));
    return told.report.outcome;
  };
  if (job.missing !== null) {
    const { output: written, ...told } = missingInput(job.missing);
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

async function bring(
  input: PodInput,
  file: string,
  files: SignedFiles,
): Promise<{ readonly table: StepInput; readonly versionId: string | null }> {
  const { url, versionId } = 'url' in input ? input : await locationOf(input, files);
  await files.fetchTo(url, file);
  return { table: { name: input.name, file }, versionId };
}

/** Where the step that has made it put it. */
async function locationOf({ name, madeBy }: Extract<PodInput, { readonly madeBy: object }>, files: SignedFiles) {
  const { written } = JSON.parse(await files.text(madeBy.reportUrl)) as PodReport;
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
