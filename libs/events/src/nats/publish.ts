import { headers as createHeaders } from '@nats-io/transport-node';
import type { Session } from './event-bus.ts';

export interface OutgoingMessage {
  subject: string;
  body: string;
  /** `Nats-Msg-Id`: the stream keeps one of several messages with the same id. */
  id: string;
  headers?: Readonly<Record<string, string>>;
}

/** Resolves once the stream has stored the message or recognised it as stored already. */
export async function publish({ client }: Session, message: OutgoingMessage): Promise<void> {
  const headers = createHeaders();
  for (const [name, value] of Object.entries(message.headers ?? {})) headers.set(name, value);
  await client.publish(message.subject, message.body, { msgID: message.id, headers, timeout: 5_000 });
}
