import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from 'nats';
import { backoffMs, pause } from '../pause.ts';
import { inboxPrefix } from './event-access.ts';
import { serverAddresses } from './server-addresses.ts';
import { EVENT_STREAM } from './streams.ts';

export interface JetStreamWatch {
  /** As the operator. */
  readonly servers: string;
  readonly signal: AbortSignal;
  /** Called when JetStream has not answered several times in a row while its server was connected. It is watched again afterwards. */
  readonly onHung: () => Promise<void>;
  readonly everyMs?: number;
  /** What takes longer is no answer. */
  readonly limitMs?: number;
}

/** One answer may be late on a busy machine. */
const MISSED = 3;

/**
 * Asks JetStream itself again and again until the signal aborts. A server whose disk was full may go on taking connections while its JetStream
 * stands still, also when there is room again, and until it is restarted.
 */
export async function watchJetStream({
  servers,
  signal,
  onHung,
  everyMs = 5_000,
  limitMs = 5_000,
}: JetStreamWatch): Promise<void> {
  const addresses = serverAddresses(servers);
  for (let failures = 0; !signal.aborted;) {
    const connection = await connect({
      ...addresses,
      name: 'JetStream watch',
      inboxPrefix: inboxPrefix(addresses.user ?? ''),
      timeout: 2_000,
      // A server that was restarted is connected to anew.
      reconnect: false,
      noAsyncTraces: true,
    }).catch(() => undefined);
    if (!connection) {
      failures += 1;
      await pause(backoffMs(failures, 500, 5_000), signal);
      continue;
    }
    failures = 0;
    if (await hangs(connection, { signal, everyMs, limitMs })) await onHung();
    await connection.close();
  }
}

/** Whether it has hung; false when the connection has ended by itself, or the signal has aborted. */
async function hangs(
  connection: NatsConnection,
  { signal, everyMs, limitMs }: { readonly signal: AbortSignal; readonly everyMs: number; readonly limitMs: number },
): Promise<boolean> {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: limitMs });
  for (let missed = 0; !signal.aborted && !connection.isClosed();) {
    const isAnswered = await manager.streams.info(EVENT_STREAM).then(
      () => true,
      () => false,
    );
    if (isAnswered) missed = 0;
    else if (!connection.isClosed()) missed += 1;
    if (missed >= MISSED) return true;
    await pause(everyMs, signal);
  }
  return false;
}
