import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartSign } from '../processes/long-start.ts';
import type { RunningServer, ServerOptions } from '../processes/server.ts';
import { endOrphan, supervise } from '../processes/supervise.ts';

export interface NatsOptions extends ServerOptions {
  /** The nats-server to run; see `natsBinary`. */
  readonly binary: string;
  /** JetStream's files. Made when missing. */
  readonly directory: string;
  /** The users of the server and what they may do, as its configuration says it. Without, everybody may do everything. */
  readonly authorization?: string | undefined;
}

export type Nats = RunningServer;

/** What NATS says of each stream; of a large one nothing more is heard until it is there. */
const restoring = /(?:Starting restore for stream|Restored [\d,]+ messages for stream|Recovering [\d,]+ consumers).*/;

const restoreSign = (line: string): StartSign | undefined => {
  const found = restoring.exec(line);
  return found ? { doing: `is restoring its streams: ${found[0]}`, timeoutFactor: 20 } : undefined;
};

const listening = /Listening for client connections on 127\.0\.0\.1:(\d+)/;

/** Starts a real NATS server with JetStream on loopback. It ends with code 1 even when stopped cleanly. */
export async function startNats(options: NatsOptions): Promise<Nats> {
  mkdirSync(options.directory, { recursive: true });
  await endEarlierServer(options.directory);
  const port = options.port === undefined ? '-1' : String(options.port);
  const users = usersFile(options.directory);
  rmSync(users, { force: true });
  if (options.authorization !== undefined) writeFileSync(users, options.authorization, { mode: 0o600 });
  let heardPort: number | undefined;
  const { ready: boundPort, ...server } = await supervise({
    ...options,
    name: 'NATS',
    command: options.binary,
    args: [
      ...['-a', '127.0.0.1', '-p', port, '-js', '-sd', options.directory, '-P', pidFile(options.directory)],
      ...(options.authorization === undefined ? [] : ['-c', users]),
    ],
    stopSignal: 'SIGTERM',
    sign: restoreSign,
    ready: (line) => {
      heardPort ??= Number(listening.exec(line)?.[1] ?? 0) || undefined;
      return line.includes('Server is ready') ? heardPort : undefined;
    },
  });
  return { ...server, port: boundPort, url: `nats://127.0.0.1:${String(boundPort)}` };
}

const pidFile = (directory: string): string => join(directory, 'nats.pid');

const usersFile = (directory: string): string => join(directory, 'users.conf');

async function endEarlierServer(directory: string): Promise<void> {
  if (!existsSync(pidFile(directory))) return;
  const pid = Number(readFileSync(pidFile(directory), 'utf8'));
  if (Number.isInteger(pid) && pid > 1) await endOrphan(pid, directory, 'SIGTERM');
}
