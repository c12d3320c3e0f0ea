import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { service } from '../src/service.ts';
import { turnSettings } from '../src/turns/settings.ts';

/** What Kubernetes gives a process between SIGTERM and SIGKILL unless it is told otherwise, in milliseconds. */
const GRACE_MS = 30_000;
/** For how long a server lets calls in flight end, before anything else is closed. */
const CALLS_MS = 8_000;

describe('a replica that is stopped', () => {
  const drainMsOf = (seconds: string | undefined): number =>
    1000 * readConfiguration({ CONTENT_TURN_DRAIN_SECONDS: seconds }, turnSettings).CONTENT_TURN_DRAIN_SECONDS;

  it('has ended before it is killed, with its answers stored, however long it may write on at them', () => {
    const { drainLimitMs: limitMs } = service.declaration;
    expect(limitMs).toBeLessThan(GRACE_MS);
    for (const seconds of [undefined, '17']) expect(CALLS_MS + drainMsOf(seconds) + 3_000).toBeLessThanOrEqual(limitMs);
    expect(() => drainMsOf('18')).toThrow('CONTENT_TURN_DRAIN_SECONDS');
  });
});
