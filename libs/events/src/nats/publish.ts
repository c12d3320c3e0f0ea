import { JetStreamApiError } from '@nats-io/jetstream';
import { headers as createHeaders, InvalidArgumentError, InvalidSubjectError } from 'nats';
import type { Session } from './event-bus.ts';

/** Marks what was published before: by which run, or that it was a dead letter. */
export const REPLAY_HEADER = 'Platform-Replay';

export interface OutgoingMessage {
  subject: string;
  body: string;
  /** `Nats-Msg-Id`: the stream keeps one of several messages with the same id. */
  id: string;
  headers?: Readonly<Record<string, string>>;
}

/** Thrown when no repetition can help: this message is not for this server, whatever its state. */
export class PermanentPublishError extends Error {
  override readonly name = 'PermanentPublishError';
}

/**
 * Resolves once the stream has stored the message or recognised it as stored already. Throws a `PermanentPublishError` for one
 * that is larger than the server or the stream takes, or that cannot be written at all.
 */
export async function publish({ client }: Session, message: OutgoingMessage): Promise<void> {
  try {
    const headers = createHeaders();
    for (const [name, value] of Object.entries(message.headers ?? {})) headers.set(name, value);
    await client.publish(message.subject, message.body, { msgID: message.id, headers, timeout: 5_000 });
  } catch (error) {
    if (!isPermanent(error)) throw error;
    throw new PermanentPublishError(error.message, { cause: error });
  }
}

/** Everything else may pass: no server, no stream, a full one, a missing permission. */
const isPermanent = (error: unknown): error is Error =>
  error instanceof InvalidArgumentError ||
  error instanceof InvalidSubjectError ||
  (error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE_FOR_STREAM);

const MESSAGE_TOO_LARGE_FOR_STREAM = 10_054;
