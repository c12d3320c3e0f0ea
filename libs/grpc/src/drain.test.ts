import type { Server } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { drain } from './drain.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const logger = createLogger({ service: 'test', level: 'silent' });

/** A server whose connections stay open, such as those of health watchers. */
function server() {
  let isClosed = false;
  const closing = { tryShutdown: () => undefined, forceShutdown: () => void (isClosed = true) };
  return { server: closing as unknown as Server, isClosed: () => isClosed };
}

/** As long as the clock goes, whatever waits for it goes on. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    jest.advanceTimersByTime(10);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

describe('a server that drains', () => {
  it('closes its connections a moment after the last answer', async () => {
    const { server: draining, isClosed } = server();
    const call = {};
    const inFlight = new Set([call]);
    const drained = drain(draining, inFlight, { limitMs: 8_000, logger });
    await pass(1_000);
    inFlight.delete(call);
    await pass(150);
    expect(isClosed()).toBe(false);
    await pass(100);
    expect(isClosed()).toBe(true);
    await drained;
  });

  it('waits for a call that had come before and begins when all others have ended', async () => {
    const { server: draining, isClosed } = server();
    const inFlight = new Set<object>();
    const drained = drain(draining, inFlight, { limitMs: 8_000, logger });
    await pass(100);
    const call = {};
    inFlight.add(call);
    await pass(1_000);
    expect(isClosed()).toBe(false);
    inFlight.delete(call);
    await pass(250);
    expect(isClosed()).toBe(true);
    await drained;
  });

  it('cuts off what is not over at the limit, and has its streams say a second before why they end', async () => {
    const { server: draining, isClosed } = server();
    const end = jest.fn();
    const drained = drain(draining, new Set([{ end }]), { limitMs: 8_000, logger });
    await pass(6_900);
    expect(end).not.toHaveBeenCalled();
    await pass(200);
    expect(end).toHaveBeenCalledWith(expect.objectContaining({ kind: 'unavailable' }));
    expect(isClosed()).toBe(false);
    await pass(1_000);
    expect(isClosed()).toBe(true);
    await drained;
  });
});
