import { AddressRefused, isAllowedHost, outboundAddress, type AddressPolicy } from '@platform-backend/outbound';
import { open } from 'node:fs/promises';
import { isIP, Socket } from 'node:net';
import pg from 'pg';
import type { PostgresqlSettings } from '../domain/connection.ts';
import { columnTypes, type PostgresqlColumn } from '../domain/postgresql-columns.ts';
import {
  SourceFailure,
  sourceTooLarge,
  type FetchInto,
  type OpenConnection,
  type PostgresqlSource,
  type SourceClient,
} from '../domain/source.ts';
import { callFailure } from './fetch-file.ts';
import { postgresqlFailure } from './postgresql-failure.ts';

export interface PostgresqlClientOptions {
  readonly policy: AddressPolicy;
  /** The longest statement. */
  readonly seconds: number;
}

const CONNECT_MS = 10_000;
/** Of rows that come at once, so that no piece of work here takes long. */
const BATCH_BYTES = 512 * 1024;
const [FIRST_ROWS, MAX_ROWS] = [100, 2_000];
/** A row is in memory as a whole, several times. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const WATCH_EVERY_MS = 50;
/** What a reader that has died keeps the server from forgetting. */
const IDLE_SECONDS = 60;

/** A database of PostgreSQL, read by a cursor in a transaction that only reads. */
export function postgresqlClient(options: PostgresqlClientOptions): SourceClient<PostgresqlSettings, PostgresqlSource> {
  return {
    test: (connection, signal) =>
      connected(options, connection, signal, async ({ client }) => {
        await begin(client, options.seconds);
        await client.query('SELECT 1');
      }),

    fetch: (connection, { query }, into) =>
      connected(options, connection, into.signal, async (session) => {
        const { client } = session;
        await begin(client, options.seconds);
        // By this protocol it is one statement or none, whatever stands in it.
        await client.query(extended(`DECLARE reading NO SCROLL CURSOR FOR ${query}`));
        return { format: 'jsonl', types: await readRows(session, into) };
      }),
  };
}

interface Session {
  readonly client: pg.Client;
  /** Another answer of the server begins, which has all of its room. */
  readonly nextAnswer: () => void;
}

/** What fails on this machine is no word about a connection. */
class OwnFailure extends Error {
  override readonly name = 'OwnFailure';
}

const own = (error: unknown): never => {
  throw new OwnFailure('this machine could not write what was read', { cause: error });
};

/** Text of every type, as the server writes it. */
const types = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig;

const extended = (text: string) => ({ text, queryMode: 'extended', rowMode: 'array' as const, types });

async function begin(client: pg.Client, seconds: number): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(
    `SET LOCAL statement_timeout = ${Math.ceil(seconds * 1000)};
     SET LOCAL idle_in_transaction_session_timeout = '${IDLE_SECONDS}s';
     SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL timezone = 'UTC'; SET LOCAL intervalstyle = 'iso_8601'`,
  );
}

/** @throws SourceFailure, or the reason of the signal */
async function connected<T>(
  { policy }: PostgresqlClientOptions,
  { settings, secret }: OpenConnection<PostgresqlSettings>,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let failure: SourceFailure | undefined;
  const socket = new Socket();
  const end = () => socket.destroy();
  // The server may send whatever it likes, and the driver keeps an answer until all of it is there.
  let answeredBefore = 0;
  const watch = setInterval(() => {
    if (socket.bytesRead - answeredBefore <= MAX_ANSWER_BYTES) return;
    failure = new SourceFailure('too_large', `Some of its rows are too large: ${MAX_ANSWER_BYTES} bytes came at once`);
    socket.destroy();
  }, WATCH_EVERY_MS);
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    const { host, port, database, user } = settings;
    requireEncryption(policy, settings);
    const { address } = await outboundAddress(policy, host, port);
    const client = new pg.Client({
      ...{ host: address, port, database, user, password: secret, ssl: encryptionOf(settings) },
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'platform-pipelines',
    });
    // What breaks is told to whoever waits for an answer.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work({ client, nextAnswer: () => (answeredBefore = socket.bytesRead) });
    } finally {
      // The transaction has changed nothing, and ends with it.
      socket.destroy();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OwnFailure) throw error.cause;
    throw failure ?? postgresqlFailure(error) ?? (isOfTheNetwork(error) ? callFailure(error) : error);
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
}

const isOfTheNetwork = (error: unknown): boolean =>
  error instanceof SourceFailure ||
  error instanceof AddressRefused ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string');

/** A password that is sent in the open is one that anybody has. */
function requireEncryption(policy: AddressPolicy, { host, port, sslMode }: PostgresqlSettings): void {
  if (sslMode === 'DISABLE' && !isAllowedHost(policy, host, port))
    throw new SourceFailure('address_refused', `${host} is reached with encryption alone`);
}

function encryptionOf({ host, sslMode, sslRootCertificate }: PostgresqlSettings): false | object {
  if (sslMode === 'DISABLE') return false;
  const isVerified = sslMode === 'VERIFY_FULL';
  return {
    // The connection goes to an address that was checked, and the certificate is for the name.
    ...{ host, rejectUnauthorized: isVerified, ...(isIP(host) === 0 && { servername: host }) },
    ...(isVerified && sslRootCertificate !== '' && { ca: sslRootCertificate }),
  };
}

interface Batch {
  readonly fields: readonly PostgresqlColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Writes what the cursor has as JSON lines, a little at a time, and answers what its columns are. */
async function readRows(session: Session, { file, maxBytes }: FetchInto) {
  const written = await open(file, 'wx', 0o600).catch(own);
  try {
    let [bytes, rowsAtOnce] = [0, FIRST_ROWS];
    let typed: ReturnType<typeof columnTypes> | undefined;
    for (;;) {
      const { fields, rows } = await nextRows(session, rowsAtOnce);
      typed ??= columnsOf(fields);
      const names = fields.map(({ name }) => JSON.stringify(name));
      let text = '';
      for (const row of rows) {
        typed.see(row);
        text += `{${names.map((name, index) => `${name}:${JSON.stringify(row[index] ?? null)}`).join(',')}}\n`;
      }
      const lines = Buffer.from(text);
      bytes += lines.byteLength;
      if (bytes > maxBytes) throw sourceTooLarge(maxBytes);
      if (lines.byteLength > 0) await written.appendFile(lines).catch(own);
      if (rows.length < rowsAtOnce) return typed.types();
      const rowBytes = Math.max(1, lines.byteLength / rows.length);
      rowsAtOnce = Math.min(MAX_ROWS, Math.max(1, Math.floor(BATCH_BYTES / rowBytes)));
    }
  } finally {
    await written.close();
  }
}

function columnsOf(fields: readonly PostgresqlColumn[]) {
  const seen = new Set<string>();
  for (const { name } of fields) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) throw new SourceFailure('duplicate_column', `Two columns are called ${name}`);
    seen.add(folded);
  }
  return columnTypes(fields);
}

async function nextRows({ client, nextAnswer }: Session, count: number): Promise<Batch> {
  nextAnswer();
  return client.query<(string | null)[]>(extended(`FETCH ${count} FROM reading`));
}
