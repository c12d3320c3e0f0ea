import { openSandbox, type Sandbox } from '@platform-backend/sandbox';
import { programsDirectory } from '@platform-backend/testing';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileFormat, StepJob, StepReport } from '../domain/step-job.ts';
import { bundledProgram } from '../processes/bundled-program.ts';
import { stepProcesses, type StepProcessesOptions } from '../processes/step-processes.ts';
import type { StepProgram } from '../processes/step-program.ts';

export type StepsUnderTest = Awaited<ReturnType<typeof startSteps>>;

const limits = { memoryBytes: 256 * 2 ** 20, seconds: 30, threads: 1, outputBytes: 64 * 2 ** 20, rows: 100 };

interface Options extends Partial<Omit<StepProcessesOptions, 'program'>> {
  /** Instead of ours: the text of one in JavaScript. */
  readonly program?: string;
}

/** Opened as a service opens it. */
export const testSandbox = await openSandbox({ cacheDirectory: programsDirectory() });

/** Steps as they really run, with files of this test alone. */
export async function startSteps({ program, ...options }: Options = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'steps-'));
  const logged: string[] = [];
  const logger = { warn: (...line: unknown[]) => void logged.push(JSON.stringify(line)) };
  await mkdir(join(directory, 'work'));
  const started: number[] = [];
  const observed: Sandbox = {
    ...testSandbox,
    spawn(...about) {
      const child = testSandbox.spawn(...about);
      started.push(child.pid ?? 0);
      return child;
    },
  };
  const bundled =
    program === undefined
      ? bundledProgram({ sandbox: testSandbox, directory: join(directory, 'work'), engines: directory, logger })
      : await written(program, join(directory, 'program.mjs'));
  const steps = stepProcesses({
    sandbox: observed,
    program: bundled.program,
    directory: join(directory, 'work'),
    processes: 2,
    warm: 1,
    memoryBytes: limits.memoryBytes,
    jobsPerProcess: 50,
    logger,
    ...options,
  });
  const path = (name: string): string => join(directory, name);
  const job = ({
    limits: others,
    ...wanted
  }: Omit<Partial<StepJob>, 'limits'> & { limits?: Partial<StepJob['limits']> }) => ({
    kind: 'QUERY' as const,
    inputs: [],
    output: null,
    query: '',
    ...wanted,
    limits: { ...limits, ...others },
  });
  return {
    directory,
    sandbox: testSandbox.kind,
    /** So many processes have been started for steps. */
    started: () => started.length,
    lastStarted: () => started.at(-1) ?? 0,
    path,
    file: async (name: string, content: string | Uint8Array) => {
      await writeFile(path(name), content);
      return path(name);
    },
    input: (name: string, file: string, format: FileFormat = 'parquet') => ({ name, file, format }),
    bytesOf: (name: string) => readFile(path(name)),
    run: (
      wanted: Parameters<typeof job>[0],
      signal = new AbortController().signal,
      organisationId = 'org_1',
      onRan: (seconds: number) => void = () => undefined,
    ): Promise<StepReport> =>
      steps.runStepFor(organisationId)(job(wanted), { signal, onRan, onLog: (line) => void logged.push(line) }),
    logged,
    async stop() {
      await steps.close();
      await bundled.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function written(program: string, module: string) {
  await writeFile(module, program);
  const started: StepProgram = { module, readable: [module] };
  return { program: Promise.resolve(started), remove: () => Promise.resolve() };
}
