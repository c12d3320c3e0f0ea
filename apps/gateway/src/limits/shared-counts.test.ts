import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sharedCounts, TELL_AFTER_MS, type Counts } from './shared-counts.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function gateway() {
  const sent: Counts[] = [];
  const heard: unknown[] = [];
  const counts = sharedCounts({
    send: (message) => sent.push(message),
    onCount: (...count) => heard.push(count),
  });
  return { counts, sent, heard };
}

describe('counts of requests that gateways share', () => {
  it('are told together after a tenth of a second, and never when nothing passed', () => {
    const { counts, sent } = gateway();
    for (let request = 0; request < 3; request += 1) counts.count('credentials', 'ada', 1);
    counts.count('credentials', 'bob', 5);
    counts.count('networks', '192.0.2.1', 1);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(TELL_AFTER_MS);
    expect(sent).toEqual([{ credentials: { ada: 3, bob: 5 }, networks: { '192.0.2.1': 1 } }]);
    jest.advanceTimersByTime(10 * TELL_AFTER_MS);
    counts.flush();
    expect(sent).toHaveLength(1);
  });

  it('are told sooner where there are many names', () => {
    const { counts, sent } = gateway();
    for (let name = 0; name < 5_000; name += 1) counts.count('credentials', String(name), 1);
    expect(sent).toHaveLength(1);
  });

  it('are heard as another gateway told them, and what is no count is passed over', () => {
    const { counts, heard } = gateway();
    for (const message of [
      null,
      1,
      [],
      {},
      { credentials: 1 },
      { credentials: { a: -1, b: '1', c: null }, networks: null },
    ])
      counts.receive(message);
    expect(heard).toEqual([]);
    counts.receive(JSON.parse('{"credentials": {"ada": 2, "__proto__": 1}, "networks": {"192.0.2.1": 1}}'));
    expect(heard).toEqual([
      ['credentials', 'ada', 2],
      ['credentials', '__proto__', 1],
      ['networks', '192.0.2.1', 1],
    ]);
  });
});
