import { afterAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { natsBinary, startNats } from '@platform-backend/embedded';
import { openEventBus } from '@platform-backend/events';
import { natsAuthorization, OPERATOR, otherUser, setUpStreams } from '@platform-backend/events/set-up';
import { waitFor } from '@platform-backend/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SERVICE = 'identity';
const access = { service: SERVICE, publishes: true, follows: [], reactions: {} };
const folder = mkdtempSync(join(tmpdir(), 'nats-rotation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As Compose fills in the passwords: that of the other name is the user's own unless it is given. */
const users = (own: string, other = own): string =>
  natsAuthorization([access], (user) => {
    if (user === SERVICE) return JSON.stringify(own);
    return JSON.stringify(user === otherUser(SERVICE) ? other : 'operator');
  });

describe('the password of a service at NATS', () => {
  it('is replaced while one replica after the other goes on publishing, and the old one is nobody’s then', async () => {
    const logFile = join(folder, 'nats.log');
    const binary = await natsBinary(join(tmpdir(), 'platform-deployment-nats'));
    let server = await startNats({ binary, directory: folder, logFile, authorization: users('old') });
    const { port } = server;
    const urlOf = (user: string, password: string) => `nats://${user}:${password}@127.0.0.1:${String(port)}`;
    await setUpStreams({ servers: urlOf(OPERATOR, 'operator'), signal: AbortSignal.timeout(240_000) });
    const restart = async (authorization: string): Promise<void> => {
      await server.stop();
      server = await startNats({ binary, directory: folder, logFile, port, authorization });
    };
    const logger = createLogger({ service: 'test', level: 'silent' });
    const opened: { close(): Promise<void> }[] = [];
    /** A replica that starts now; whenever it is asked it publishes, as soon as it has JetStream, as its relay would. */
    const replica = async (user: string, password: string) => {
      const bus = openEventBus({ servers: urlOf(user, password), name: SERVICE, logger });
      opened.push(bus);
      const publish = () =>
        waitFor(
          async () => {
            const session = await bus.ready(AbortSignal.timeout(1_000));
            const sent = await session?.client.publish('platform.v1.identity.thing.done', '{}');
            return sent?.stream === 'PLATFORM_EVENTS';
          },
          { what: `an event of ${user}` },
        );
      await publish();
      return publish;
    };
    try {
      const before = await replica(SERVICE, 'old');
      await restart(users('old', 'new'));
      await before();
      const between = await replica(otherUser(SERVICE), 'new');
      await before();
      await restart(users('new', 'new'));
      await between();
      const after = await replica(SERVICE, 'new');
      await between();
      await restart(users('new'));
      await Promise.all([between(), after()]);
      for (const user of [SERVICE, otherUser(SERVICE)]) {
        const bus = openEventBus({ servers: urlOf(user, 'old'), name: SERVICE, logger });
        opened.push(bus);
        expect(await bus.ready(AbortSignal.timeout(1_500))).toBeUndefined();
      }
    } finally {
      await Promise.all(opened.map((bus) => bus.close()));
      await server.stop();
    }
  });
});
