import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus } from '@platform-backend/events';
import { OPERATOR } from '@platform-backend/events/set-up';
import { publishEvents } from '@platform-backend/events/testing/publish-events';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '../src/home.ts';
import { embeddedNats, natsUrl, type EmbeddedNats } from '../src/infrastructure/embedded-servers.ts';
import type { Secrets } from '../src/secrets.ts';

const home = mkdtempSync(join(tmpdir(), 'full-disk-'));
const disk = join(home, 'disk');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(home, { recursive: true, force: true });
});

describeWhere(isMounted ? undefined : 'a disk of its own cannot be mounted', 'NATS whose disk was full', () => {
  const said: string[] = [];
  const over = new AbortController();
  const password = 'secret';
  let nats: EmbeddedNats;
  beforeAll(async () => {
    const paths = homePaths(home);
    mkdirSync(join(disk, 'nats'));
    symlinkSync(join(disk, 'nats'), paths.nats);
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
    fill(join(disk, 'filler'));
    expect(await publishEvents(url, 5)).toContain('rejected');
    // The server is there, and says nothing of it.
    await expect(bus.ping()).rejects.toThrow();
    rmSync(join(disk, 'filler'));

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

/** Until there is no byte left. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(64 * 1024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}
