import { openSandbox } from '@platform-backend/sandbox';
import { programsDirectory } from '@platform-backend/testing';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileFormat, StepJob, StepReport } from '../domain/step-job.ts';
import { bundledProgram } from '../processes/bundled-program.ts';
import { stepProcesses, type StepProcessesOptions } from '../processes/step-processes.ts';

export type StepsUnderTest = Awaited<ReturnType<typeof startSteps>>;

const limits = { memoryBytes: 256 * 2 ** 20, seconds: 30, threads: 1, outputBytes: 64 * 2 ** 20, rows: 100 };

/** Steps as they really run, with files of this test alone. */
export async function startSteps(options: Partial<StepProcessesOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'steps-'));
  const logged: string[] = [];
  const logger = { warn: (...line: unknown[]) => void logged.push(JSON.stringify(line)) };
  await mkdir(join(directory, 'work'));
  const sandbox = await openSandbox({ cacheDirectory: programsDirectory() });
  const bundled = bundledProgram({ sandbox, directory: join(directory, 'work'), engines: directory, logger });
  const steps = stepProcesses({
    sandbox,
    program: bundled.program,
    directory: join(directory, 'work'),
    processes: 2,
    warm: 1,
    memoryBytes: limits.memoryBytes,
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
