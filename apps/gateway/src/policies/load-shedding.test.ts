import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { Exchange } from '../exchange/exchange.ts';
import { concurrencyLimit } from '../limits/concurrency-limit.ts';
import { loadSheddingPolicy } from './load-shedding.ts';

/** A gateway with room for two calls, of which the second half is shared. */
function gateway() {
  const limit = concurrencyLimit({ maxCalls: 2, maxLagMs: 1_000 });
  const policy = loadSheddingPolicy({ limit, entered: () => undefined, shed: () => undefined }).create({});
  /** Whether the exchange goes on, with the answer that it gets otherwise. */
  const send = (
    organisationId: string,
    { stream, destroyed = false }: { stream?: object; destroyed?: boolean } = {},
  ) => {
    const written: unknown[] = [];
    const response = Object.assign(new EventEmitter(), {
      destroyed,
      writableEnded: false,
      writeHead: (status: number, headers: string[]) => written.push(status, headers),
      end: () => undefined,
    });
    const exchange = {
      request: { method: 'GET', headers: {} },
      response,
      open: true,
      headers: [],
      target: { route: { http: {}, stream } },
      caller: { organisationId },
    } as unknown as Exchange;
    let isOn = false;
    void policy(exchange, () => {
      isOn = true;
    });
    return { isOn, written, becomeStream: () => exchange.leaveCalls?.(), close: () => response.emit('close') };
  };
  return { limit, send };
}

describe('load shedding', () => {
  it('answers 503 with the time to come back, and lets the next one in when a call has ended', () => {
    const { send } = gateway();
    const first = send('flood');
    expect(first.isOn).toBe(true);
    const refused = send('flood');
    expect(refused.isOn).toBe(false);
    expect(refused.written).toEqual([503, expect.arrayContaining(['X-Error-Code', 'overloaded', 'Retry-After', '1'])]);
    expect(send('calm').isOn).toBe(true);
    first.close();
    expect(send('flood').isOn).toBe(true);
  });

  it('counts what turns out to be a stream no longer, and gives it back once', () => {
    const { limit, send } = gateway();
    const [stream] = [send('org'), send('others')];
    stream.becomeStream();
    expect(limit.inFlight).toBe(1);
    stream.close();
    expect(limit.inFlight).toBe(1);
  });

  it('counts neither streams nor what nobody waits for any more', () => {
    const { limit, send } = gateway();
    expect(send('org', { stream: {} }).isOn).toBe(true);
    expect(send('org', { destroyed: true }).isOn).toBe(true);
    expect(limit.inFlight).toBe(0);
  });
});
