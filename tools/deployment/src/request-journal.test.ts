import { describe, expect, it } from '@jest/globals';
import { judge, type Outcome } from './request-journal.ts';

const killed = { 'a kill of identity': '/client-groups/' };
const disturbances = { gatewayGone: 'a stop of the gateway', killed };
const outcome = (change: Partial<Outcome>): Outcome => ({
  method: 'GET',
  path: '/notebooks/',
  during: 'a roll of notebooks',
  result: 200,
  reused: true,
  ...change,
});
const failures = (change: Partial<Outcome>) => judge([outcome(change)], disturbances).failures;

describe('judging what became of requests', () => {
  it('reports no successes, and counts failures of one kind together', () => {
    expect(judge([outcome({}), outcome({})], disturbances)).toMatchObject({ requests: 2, failures: [] });
    const lost = outcome({ result: 'ECONNRESET' });
    expect(judge([lost, outcome({}), lost], disturbances)).toEqual({
      requests: 3,
      failures: ['2 times during a roll of notebooks: GET /notebooks/ over a kept connection ended with ECONNRESET'],
      failed: [lost, lost],
      figures: { 'a roll of notebooks': { requests: 3, failed: 2 } },
    });
  });

  it('excuses no error and no status while the gateway is there', () => {
    expect(failures({ result: 503 })).toHaveLength(1);
    expect(failures({ method: 'POST', result: 503 })).toHaveLength(1);
    expect(failures({ result: 'ECONNREFUSED', reused: false })).toHaveLength(1);
  });

  it('excuses new connections while the only gateway is replaced, but none that was kept, and no answer', () => {
    const during = disturbances.gatewayGone;
    expect(failures({ during, result: 'ECONNREFUSED', reused: false })).toEqual([]);
    expect(failures({ during, result: 'ECONNRESET', reused: true })).toHaveLength(1);
    expect(failures({ during, result: 503, reused: false })).toHaveLength(1);
  });

  it('excuses a write whose outcome is not known while its process is killed, and nothing else then', () => {
    const [during, path] = ['a kill of identity', '/client-groups/'];
    expect(failures({ during, method: 'POST', path, result: 503 })).toEqual([]);
    expect(failures({ during, method: 'POST', result: 503 })).toHaveLength(1);
    expect(failures({ during, path, result: 503 })).toHaveLength(1);
    expect(failures({ during, method: 'POST', path, result: 500 })).toHaveLength(1);
    expect(failures({ during: 'a kill of billing', method: 'POST', path, result: 503 })).toHaveLength(1);
  });
});
