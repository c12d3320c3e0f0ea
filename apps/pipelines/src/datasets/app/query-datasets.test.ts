import { describe, expect, it } from '@jest/globals';
import { withCaller } from '@platform-backend/core';
import { askedSteps } from './asked-steps.ts';
import { datasetQueries, type QueryPorts } from './query-datasets.ts';

describe('a query', () => {
  it('has the time that its caller waits, and never more than its limit', async () => {
    const given: number[] = [];
    const queries = datasetQueries({
      asked: askedSteps(20),
      limits: { memoryBytes: 1, threads: 1, outputBytes: 1 },
      withCredits: (_by: unknown, work: () => unknown) => work(),
      runDatasetStep: (_organisationId: string, { limits }: { limits: { seconds: number } }) => {
        given.push(limits.seconds);
        return Promise.resolve({ outcome: 'SUCCEEDED' });
      },
    } as unknown as QueryPorts);
    const { signal } = new AbortController();
    const ask = () =>
      queries.query({ organisationId: 'org_1' } as never, { query: 'SELECT 1', rows: 1, explain: null }, signal);
    const askWithin = (ms: number) => withCaller({ signal, deadline: new Date(Date.now() + ms) }, ask);
    await ask();
    await askWithin(60_000);
    await askWithin(10_000);
    await askWithin(0);
    expect(given[0]).toBe(20);
    expect(given[1]).toBe(20);
    expect(given[2]).toBeGreaterThan(8.5);
    expect(given[2]).toBeLessThan(9.6);
    expect(given[3]).toBe(0.1);
  });
});
