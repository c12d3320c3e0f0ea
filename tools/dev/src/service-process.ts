import { supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { repository } from './settings.ts';

/** What a service says about itself in its ready line. */
export interface ReadyLine {
  readonly address: string;
  readonly metricsAddress?: string;
}

export interface ServiceProcess {
  readonly name: string;
  /** Its main.ts. */
  readonly main: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly signal: AbortSignal;
}

/** Starts a service on our own Node and waits for its ready line. */
export async function startService(service: ServiceProcess): Promise<SupervisedProcess<ReadyLine>> {
  return await supervise({ ...nodeProcess(service), ready: readReadyLine });
}

/** The main program of a service as a child of ours. */
export function nodeProcess({ name, main, env, logFile, signal }: ServiceProcess, ...args: string[]) {
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', main, ...args],
    cwd: repository,
    env: { ...ownEnvironment(), ...env },
    logFile,
    stopSignal: 'SIGTERM',
    // A service that drains could wait for others that died with us; nothing it holds is worth that.
    orphanSignal: 'SIGKILL',
    signal,
  } as const;
}

function readReadyLine(line: string): ReadyLine | undefined {
  if (!line.includes('"ready":true')) return undefined;
  const { address, metricsAddress } = JSON.parse(line) as Partial<ReadyLine>;
  if (address === undefined) return undefined;
  return { address, ...(metricsAddress === undefined ? {} : { metricsAddress }) };
}

/** Our own environment without what npm adds for the script it runs, and without what only a migration may know. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && !name.endsWith('_MIGRATION_URL')),
  );
}
