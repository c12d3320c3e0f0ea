import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { Session } from './event-bus.ts';

export interface ReadRequest {
  stream: string;
  subject: string;
  /** The first sequence wanted. */
  from: number;
  /** Ends the reading. */
  signal: AbortSignal;
  /** Called once the server delivers to us. */
  onLive?: () => void;
}

/** No message and no heartbeat for twice this long counts as a broken connection. */
const HEARTBEAT_MS = 1_000;

/**
 * Reads a stream's messages in order, without acknowledging. Ends when `signal` is aborted; throws as soon as the
 * server falls silent or the reading cannot be continued without a gap, so that the caller can begin again.
 */
export async function* readStream(session: Session, request: ReadRequest): AsyncGenerator<JsMsg> {
  const consumer = await session.client.consumers.get(request.stream, {
    filter_subjects: request.subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: request.from,
  });
  const messages = await consumer.consume({ max_messages: 500, idle_heartbeat: HEARTBEAT_MS });
  let trouble: string | undefined;
  const stop = (): void => void messages.close();
  const lose = (): void => {
    trouble = 'the connection to NATS broke';
    stop();
  };
  request.signal.addEventListener('abort', stop, { once: true });
  session.lost.addEventListener('abort', lose, { once: true });
  void watch();

  async function watch(): Promise<void> {
    for await (const { type } of messages.status()) {
      if (type === 'next' || type === 'heartbeat' || type === 'flow_control' || type === 'debug') continue;
      if (type === 'discard') continue;
      trouble ??= `the subscription was interrupted (${type})`;
      stop();
    }
  }

  try {
    if (session.lost.aborted) lose();
    if (request.signal.aborted) stop();
    // A round trip after the consumer exists: from here on the server pushes what is stored.
    await session.connection.flush();
    request.onLive?.();
    yield* messages;
    if (trouble !== undefined && !request.signal.aborted) throw new Error(trouble);
  } finally {
    request.signal.removeEventListener('abort', stop);
    session.lost.removeEventListener('abort', lose);
    await messages.close();
    // Without waiting: the server forgets it by itself after a while, and the caller has to know at once.
    if (!session.lost.aborted) void consumer.delete().catch(() => false);
  }
}

/** The sequence of the stream's newest message; 0 when it never had one. */
export async function lastSequence({ manager }: Session, stream: string): Promise<number> {
  const { state } = await manager.streams.info(stream);
  return state.last_seq;
}
