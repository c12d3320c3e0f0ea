import { requireCaller, whenCallerLeaves } from '@platform-backend/core';
import { Client, type ClientConfig, type Connection } from 'pg';

/** How long the server may take to say that it has heard of a cancellation, to end the statement, and to say how it stands, in milliseconds. */
const CANCELLATION_MS = 1_000;

/** A connection as pg has it; its types do not show what a cancellation needs. */
interface CancellableClient extends Client {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: Connection;
}

interface CancellingConnection extends Connection {
  readonly ssl: unknown;
  connect(port: number | string, host?: string): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Runs work on a connection for as long as somebody waits for it. When the caller leaves, the server is told to end the statement, and a
 * server that does not hear loses the connection: nobody else waits for it either. Afterwards it is in no transaction, or closed.
 */
export async function whileCallerWaits<T>(
  connection: Client,
  config: ClientConfig,
  work: () => Promise<T>,
): Promise<T> {
  requireCaller();
  const client = connection as CancellableClient;
  let cancelling: Promise<boolean> | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  const stop = whenCallerLeaves(() => {
    cancelling = cancelStatement(client, config);
    giveUp = setTimeout(() => client.connection.stream.destroy(), CANCELLATION_MS);
  });
  try {
    return await work();
  } finally {
    stop();
    clearTimeout(giveUp);
    // It must not hit the statement of whoever has the connection next, and nobody is left the transaction of somebody else.
    const mayBeHit = cancelling !== undefined && (await cancelling);
    if (mayBeHit || !(await isOutOfTransaction(client))) await breakOff(client);
  }
}

/** What PostgreSQL says of it comes behind an error: one more answer, or none, shows how it stands. */
async function isOutOfTransaction(client: CancellableClient): Promise<boolean> {
  if (client.getTransactionStatus() === 'I') return true;
  const limit = setTimeout(() => client.connection.stream.destroy(), CANCELLATION_MS);
  await client.query('').catch(() => undefined);
  clearTimeout(limit);
  return client.getTransactionStatus() === 'I';
}

/** Afterwards the pool knows that nobody is to have it. */
export async function breakOff(client: Client): Promise<void> {
  const { stream } = (client as CancellableClient).connection;
  if (stream.closed) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  stream.once('close', () => resolve(undefined));
  stream.destroy();
  await promise;
}

/**
 * Resolves when the server has passed it on, or does not answer: the protocol has no other answer than the end of the connection.
 * True: it was sent, and may still come.
 */
async function cancelStatement(client: CancellableClient, config: ClientConfig): Promise<boolean> {
  const messenger = new Client(config);
  const connection = (messenger as CancellableClient).connection as CancellingConnection;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isSent = false;
  const unheard = (): void => resolve(isSent);
  connection.once('end', () => resolve(false)).on('error', unheard);
  connection.once(connection.ssl ? 'sslconnect' : 'connect', () => {
    isSent = true;
    connection.cancel(client.processID, client.secretKey);
  });
  const limit = setTimeout(unheard, CANCELLATION_MS);
  if (messenger.host.startsWith('/')) connection.connect(`${messenger.host}/.s.PGSQL.${messenger.port}`);
  else connection.connect(messenger.port, messenger.host);
  const mayStillCome = await promise;
  clearTimeout(limit);
  connection.stream.destroy();
  return mayStillCome;
}
