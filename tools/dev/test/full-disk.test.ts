import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus } from '@platform-backend/events';
import { OPERATOR } from '@platform-backend/events/set-up';
import { publishEvents } from '@platform-backend/events/testing/publish-events';
import { smallDisk, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '../src/home.ts';
import { embeddedNats, natsUrl, type EmbeddedNats } from '../src/infrastructure/embedded-servers.ts';
import type { Secrets } from '../src/secrets.ts';

const home = mkdtempSync(join(tmpdir(), 'full-disk-'));
const folder = join(home, 'disk');
const disk = smallDisk(folder, { megabytes: 24 });
afterAll(() => {
  disk?.unmount();
  rmSync(home, { recursive: true, force: true });
});

describeWhere(disk ? undefined : 'a disk of its own cannot be mounted', 'NATS whose disk was full', () => {
  const said: string[] = [];
  const over = new AbortController();
  const password = 'secret';
  let nats: EmbeddedNats;
  beforeAll(async () => {
    const paths = homePaths(home);
    mkdirSync(join(folder, 'nats'));
    symlinkSync(join(folder, 'nats'), paths.nats);
    nats = await embeddedNats(
      {
        home,
        secrets: { natsPasswords: { [OPERATOR]: password } } as unknown as Secrets,
        say: (text) => void said.push(text),
        signal: over.signal,
      },
      [],
      { everyMs: 200, limitMs: 1_000 },
    );
  });
  afterAll(async () => {
    over.abort();
    await nats.stop();
  });

  it('takes events again when there is room, because its JetStream is asked and restarted', async () => {
    const url = natsUrl(nats.address, OPERATOR, password);
    const logger = createLogger({ service: 'test', level: 'silent' });
    const bus = openEventBus({ servers: url, name: OPERATOR, logger });
    await waitFor(
      async () =>
        bus.ping().then(
          () => true,
          () => undefined,
        ),
      { what: 'JetStream' },
    );

    // Into a file of the stream that is there already.
    expect(await publishEvents(url, 1)).toEqual(['fulfilled']);
    disk?.fill();
    expect(await publishEvents(url, 5)).toContain('rejected');
    // The server is there, and says nothing of it.
    await expect(bus.ping()).rejects.toThrow();
    disk?.makeRoom();

    await waitFor(
      async () =>
        bus.ping().then(
          () => true,
          () => undefined,
        ),
      { what: 'JetStream after its restart' },
    );
    expect(said.filter((text) => text.includes('does not answer'))).not.toEqual([]);
    expect(await publishEvents(url, 1)).toEqual(['fulfilled']);
    await bus.close();
  }, 120_000);
});
