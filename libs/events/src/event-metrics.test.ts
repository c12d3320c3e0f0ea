import { describe, expect, it } from '@jest/globals';
import type { Metrics } from '@platform-backend/core/metrics';
import { outboxMetrics } from './event-metrics.ts';
import type { Backlog, Outbox } from './outbox.ts';

/** What is observed, by its name, and how often an outbox that answers so was asked. */
function observed(answer: () => Promise<Backlog>) {
  const asked = { count: 0 };
  const reads = new Map<string, () => number | undefined | Promise<number | undefined>>();
  const metrics: Pick<Metrics, 'observe' | 'counter'> = {
    observe: (name, _help, read) => void reads.set(name, read),
    counter: () => () => undefined,
  };
  const outbox: Pick<Outbox, 'backlog'> = {
    backlog: () => {
      asked.count += 1;
      return answer();
    },
  };
  outboxMetrics(metrics, outbox);
  const readAll = () =>
    Promise.allSettled([...reads].map(async ([name, read]) => [name, await read()] as const)).then((results) =>
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
    );
  return { asked, readAll };
}

describe('the metrics of an outbox', () => {
  it('ask the database once for all of them, however often they are read', async () => {
    const { asked, readAll } = observed(() => Promise.resolve({ events: 3, oldestAgeMs: 1_500, setAside: 2 }));
    for (let round = 0; round < 20; round += 1) {
      expect(await readAll()).toEqual([
        ['events_unpublished', 3],
        ['events_oldest_unpublished_age_seconds', 1.5],
        ['events_set_aside', 2],
      ]);
    }
    expect(asked.count).toBe(1);
  });

  it('do not ask again while the database has not answered, nor at once after it failed', async () => {
    const { promise, reject } = Promise.withResolvers<Backlog>();
    const { asked, readAll } = observed(() => promise);
    const waiting = [readAll(), readAll()];
    reject(new Error('away'));
    for (const results of [...(await Promise.all(waiting)), await readAll()]) {
      expect(results).toEqual(['failed', 'failed', 'failed']);
    }
    expect(asked.count).toBe(1);
  });
});
