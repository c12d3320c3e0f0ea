import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withParentDeathSignal } from '../processes/parent-death.ts';
import { startOnPort, type RunningServer, type ServerOptions } from '../processes/server.ts';
import { endOrphan, StartFailure, supervise } from '../processes/supervise.ts';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { recoverySign } from './postgres-recovery.ts';
import { reachableDirectory } from './reachable-directory.ts';
import { unprivilegedUser, type SystemUser } from './system-user.ts';

export interface PostgresOptions extends ServerOptions {
  /** Holds `data/` (the cluster), `password` (mode 0600) and nothing else of ours. Made when missing. */
  readonly directory: string;
  /** Server settings beyond the defaults, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Its URL is the superuser's connection to the database `postgres`. Not for services. */
export interface Postgres extends RunningServer {
  /** Where the data really is: elsewhere than asked if the server's account cannot reach that place. */
  readonly directory: string;
}

const run = promisify(execFile);
const superuser = 'postgres';
/** The last checkpoint may be large. A server that is killed in the middle of it has to recover at its next start. */
const stopTimeoutMs = 60_000;

/**
 * Starts a real PostgreSQL server on loopback, creating its cluster first if there is none.
 *
 * As root the server runs as `nobody`. When that account cannot reach `directory`, the data is kept
 * under /var/lib/platform instead. Connections need the generated password (SCRAM).
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const user = unprivilegedUser();
  const directory = reachableDirectory(options.directory, user);
  const binaries = postgresBinaries(user, dirname(directory));
  const dataDirectory = join(directory, 'data');
  await endEarlierServer(dataDirectory);
  const password = await initialisedCluster(binaries, directory, user);
  return startOnPort(options.port, /could not bind/, async (port) => {
    const server = await supervise({
      ...options,
      name: 'PostgreSQL',
      command: binaries.postgres,
      args: ['-D', dataDirectory, '-p', String(port), ...settingArguments(options.settings)],
      env: serverEnvironment,
      cwd: '/',
      user,
      // SIGINT is PostgreSQL's fast shutdown: it disconnects clients and writes a clean checkpoint.
      stopSignal: 'SIGINT',
      stopTimeoutMs,
      sign: recoverySign,
      ready: (line) => (line.includes('ready to accept connections') ? true : undefined),
    });
    const url = `postgresql://${superuser}:${password}@127.0.0.1:${String(port)}/postgres`;
    return { ...server, port, url, directory };
  });
}

/** The same for every server: no locale of the machine, UTC, and no file in shared memory. */
const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] };

function settingArguments(settings: Readonly<Record<string, string>> = {}): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Containers often have a tiny /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    max_connections: '200',
    log_timezone: 'UTC',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Creates the cluster if there is none and returns the superuser's password. initdb works in a folder
 * of its own that is renamed at the end, so an interrupted one leaves nothing half made behind.
 */
async function initialisedCluster(
  binaries: PostgresBinaries,
  directory: string,
  user: SystemUser | undefined,
): Promise<string> {
  const dataDirectory = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0)
    return checkedPassword(binaries, dataDirectory, passwordFile);
  rmSync(dataDirectory, { recursive: true, force: true });
  const password = randomBytes(24).toString('base64url');
  const unfinished = join(directory, 'data.unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  const passwordForInitdb = join(directory, 'initdb.password');
  writeFileSync(passwordForInitdb, `${password}\n`, { mode: 0o600 });
  if (user) {
    chownSync(passwordForInitdb, user.uid, user.gid);
    chownSync(directory, user.uid, user.gid);
  }
  const [command = binaries.initdb, ...args] = withParentDeathSignal('SIGKILL', user, [
    ...[binaries.initdb, '-D', unfinished, '-U', superuser, '--auth=scram-sha-256', `--pwfile=${passwordForInitdb}`],
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...['--no-instructions', '--no-sync'],
  ]);
  try {
    await run(command, args, { cwd: '/', env: serverEnvironment });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const reason = stderr.trim() === '' ? message : stderr.trim();
    throw new StartFailure(`PostgreSQL could not create its data folder:\n${reason}`, reason);
  } finally {
    rmSync(passwordForInitdb, { force: true });
  }
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chmodSync(passwordFile, 0o600);
  renameSync(unfinished, dataDirectory);
  return password;
}

/** The password of an existing cluster, after a look at what can be told about it before a start. */
function checkedPassword(binaries: PostgresBinaries, dataDirectory: string, passwordFile: string): string {
  const versionFile = join(dataDirectory, 'PG_VERSION');
  if (!existsSync(versionFile) || !existsSync(passwordFile)) {
    throw new StartFailure(
      `${dataDirectory} is not a complete PostgreSQL data folder; move it away to start with an empty one.`,
      '',
    );
  }
  const written = readFileSync(versionFile, 'utf8').trim();
  const ours = binaries.version.split('.')[0];
  if (written !== ours) {
    throw new StartFailure(
      `${dataDirectory} was written by PostgreSQL ${written}, but this is ${String(ours)}; move it away to start with an empty one.`,
      '',
    );
  }
  return readFileSync(passwordFile, 'utf8').trim();
}

/** A server that outlived an earlier run on this data is ended; PostgreSQL replaces its stale pid file itself. */
async function endEarlierServer(dataDirectory: string): Promise<void> {
  const pidFile = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (Number.isInteger(pid) && pid > 1) await endOrphan(pid, dataDirectory, 'SIGINT', stopTimeoutMs);
}
