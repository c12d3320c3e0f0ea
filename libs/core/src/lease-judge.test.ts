import { describe, expect, it } from '@jest/globals';
import { leaseJudge } from './lease-judge.ts';

const LEASE_MS = 15_000;

describe('whether a process may judge the leases of others', () => {
  let at = 0;
  const renewing = (judge: ReturnType<typeof leaseJudge>, forMs: number): void => {
    for (const end = at + forMs; at < end; at += 2_000) judge.renewed();
  };
  const judgeAfter = (ms: number) => {
    at = 0;
    const judge = leaseJudge(LEASE_MS, () => at);
    renewing(judge, ms);
    return judge;
  };

  it('it may when it has renewed its own for as long as a lease lasts', () => {
    expect(leaseJudge(LEASE_MS, () => 1e9).mayJudge()).toBe(false);
    expect(judgeAfter(14_000).mayJudge()).toBe(false);
    expect(judgeAfter(16_000).mayJudge()).toBe(true);
  });

  it('it may not while it cannot renew them, nor before as much time has passed again', () => {
    const judge = judgeAfter(60_000);
    at += 8_000;
    expect(judge.mayJudge()).toBe(false);
    renewing(judge, 14_000);
    expect(judge.mayJudge()).toBe(false);
    renewing(judge, 4_000);
    expect(judge.mayJudge()).toBe(true);
  });

  it('a single renewal that is late changes nothing', () => {
    const judge = judgeAfter(60_000);
    at += 4_000;
    renewing(judge, 2_000);
    expect(judge.mayJudge()).toBe(true);
  });
});
