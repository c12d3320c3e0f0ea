/**
 * The program of a pod: does one step, from the store and back into it. It runs the step program as a worker does, and is
 * all of the platform that a pod has. Ends with 0, also where the step is skipped, with 1 where the step has failed, with 4 where it has failed and is tried again, and with
 * others where it could not be carried out.
 */
import { openSandbox } from '@platform-backend/sandbox';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POD_JOB_VARIABLE, RETRIED_EXIT_CODE, type PodJob } from './step-engine/domain/pod-job.ts';
import { executePodJob } from './step-engine/pod/execute-pod-job.ts';
import { signedFiles } from './step-engine/pod/signed-files.ts';
import { stepProcesses } from './step-engine/processes/step-processes.ts';
import { writtenProgram } from './step-engine/processes/step-program.ts';

const ENDED = { SUCCEEDED: 0, SKIPPED: 0, FAILED: 1, ERROR: 2, RETRIED: RETRIED_EXIT_CODE } as const;
const NOT_CARRIED_OUT = 3;
/** As a shell says of what SIGTERM has ended. */
const TERMINATED = 143;

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort(new Error('it was told to stop')));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const directory = await mkdtemp(join(tmpdir(), 'step-'));
try {
  const files = signedFiles(stopping.signal);
  const job = JSON.parse(await files.text(jobUrl())) as PodJob;
  const steps = stepProcesses({
    sandbox: await openSandbox(),
    program: Promise.resolve(writtenProgram()),
    directory: join(directory, 'steps'),
    processes: 1,
    warm: 0,
    memoryBytes: job.limits.memoryBytes,
    jobsPerProcess: 1,
    logger: { warn: (...about: unknown[]) => void process.stderr.write(`${JSON.stringify(about)}\n`) },
  });
  try {
    const run = { signal: stopping.signal, onLog: say };
    process.exitCode =
      ENDED[await executePodJob(job, { files, directory, runStep: steps.runStepFor('of this pod'), run })];
  } finally {
    await steps.close();
  }
} catch (error) {
  say(`the step could not be carried out: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = stopping.signal.aborted ? TERMINATED : NOT_CARRIED_OUT;
} finally {
  await rm(directory, { recursive: true, force: true });
}

function jobUrl(): string {
  const url = process.env[POD_JOB_VARIABLE];
  if (url === undefined) throw new Error(`${POD_JOB_VARIABLE} has to be the address of a job`);
  return url;
}
