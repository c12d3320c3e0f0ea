import { jetstream } from '@nats-io/jetstream';
import { connect } from 'nats';

/** Publishes so many events of 20 kB as the user of this URL, and answers what became of each. */
export async function publishEvents(url: string, count: number): Promise<string[]> {
  const { username, password, host } = new URL(url.replace('nats:', 'http:'));
  const connection = await connect({
    ...{ servers: host, user: username, pass: password, inboxPrefix: `_INBOX_${username}`, reconnect: false },
  });
  const stream = jetstream(connection, { timeout: 1_000 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => stream.publish('platform.v1.test.disk.filled', Buffer.alloc(20_000))),
  );
  await connection.close();
  return outcomes.map(({ status }) => status);
}
