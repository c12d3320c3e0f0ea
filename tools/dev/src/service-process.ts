import { supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { repository } from './settings.ts';

/** What a service says about itself in its ready line. */
export interface ReadyLine {
  readonly address: string;
  readonly metricsAddress?: string;
}

/** A service that a debugger can be attached to. */
export interface Inspection {
  readonly service: string;
  /** Where the inspector listens, on this machine alone. */
  readonly port: number;
  /** The service waits for a debugger before its first line. */
  readonly waits: boolean;
}

export const inspectorAddress = ({ port }: Inspection): string => `127.0.0.1:${port}`;

export interface ServiceProcess {
  readonly name: string;
  /** Its main.ts. */
  readonly main: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly signal: AbortSignal;
}

/** Milliseconds. A service with a defect ends by itself; one that only takes long is on a busy machine. */
const START_LIMIT_MS = 120_000;

/** Starts a service on our own Node, under the inspector if that is wanted, and waits for its ready line. */
export async function startService(
  service: ServiceProcess,
  inspection?: Inspection,
): Promise<SupervisedProcess<ReadyLine>> {
  const child = nodeProcess(service);
  if (inspection === undefined)
    return await supervise({ ...child, readyTimeoutMs: START_LIMIT_MS, ready: readReadyLine });
  const flag = `--inspect${inspection.waits ? '-brk' : ''}=${inspectorAddress(inspection)}`;
  // Whoever looks at a start takes the time that it takes.
  return await supervise({ ...child, args: [flag, ...child.args], readyTimeoutMs: Infinity, ready: readReadyLine });
}

/** The main program of a service as a child of ours. */
export function nodeProcess({ name, main, env, logFile, signal }: ServiceProcess, ...args: string[]) {
  return {
    name,
    command: process.execPath,
    args: [main, ...args],
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
