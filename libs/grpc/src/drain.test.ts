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

/** A server whose connections are closed when the other sides have closed them, or by force. */
function server() {
  const told = jest.fn<(closed: () => void) => void>();
  const forceShutdown = jest.fn();
  return {
    server: { tryShutdown: told, forceShutdown } as unknown as Server,
    told,
    closeConnections: () => told.mock.calls[0]?.[0](),
    forceShutdown,
  };
}

/** As long as the clock goes, whatever waits for it goes on. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    jest.advanceTimersByTime(10);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

describe('a server that drains', () => {
  it('is over when the other sides have closed their connections, however long after the last answer', async () => {
    const { server: draining, told, closeConnections, forceShutdown } = server();
    const drained = drain(draining, new Set(), { limitMs: 8_000, logger });
    await pass(6_000);
    expect(told.mock.calls.length).toBeGreaterThan(1);
    closeConnections();
    await drained;
    expect(forceShutdown).not.toHaveBeenCalled();
  });

  it('cuts off what is not over at the limit, and has its streams say a second before why they end', async () => {
    const { server: draining, forceShutdown } = server();
    const end = jest.fn();
    const drained = drain(draining, new Set([{ end }]), { limitMs: 8_000, logger });
    await pass(6_900);
    expect(end).not.toHaveBeenCalled();
    await pass(200);
    expect(end).toHaveBeenCalledWith(expect.objectContaining({ kind: 'unavailable' }));
    expect(forceShutdown).not.toHaveBeenCalled();
    await pass(1_000);
    expect(forceShutdown).toHaveBeenCalled();
    await drained;
  });
});
