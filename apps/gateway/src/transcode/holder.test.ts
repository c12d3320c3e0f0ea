import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import type { IncomingMessage } from 'node:http';
import { holderOf } from './holder.ts';

const ticketOf = (signed: object): string => `${Buffer.from(JSON.stringify(signed)).toString('base64url')}.signature`;

function holder(from: string, given: { ticket?: string; caller?: Partial<Caller> }) {
  const request = { headers: { from } } as unknown as IncomingMessage;
  const pathParameters = given.ticket === undefined ? {} : { ticket: given.ticket };
  const target = { template: '', path: '', rawQuery: '', pathParameters };
  return holderOf(({ headers }) => String(headers.from))({
    request,
    target,
    caller: given.caller as Caller | undefined,
  });
}

describe('whose share a request takes', () => {
  it('is that of its credential, and of its network where it has none', () => {
    expect(holder('192.0.2.1', { caller: { userId: 'ada' } })).toEqual({ caller: 'ada', network: '192.0.2.1' });
    expect(holder('192.0.2.1', {})).toEqual({ caller: '192.0.2.1', network: '192.0.2.1' });
  });

  it('is that of the organisation whose ticket it has, at each address by itself', () => {
    const [ours, theirs] = ['org-1', 'org-2'].map((id) => ticketOf({ for: 'PUT', key: `${id}/documents/d/k` }));
    const callers = [
      holder('192.0.2.1', { ticket: ours ?? '' }),
      holder('192.0.2.1', { ticket: theirs ?? '' }),
      holder('192.0.2.2', { ticket: ours ?? '' }),
    ].map(({ caller }) => caller);
    expect(new Set(callers).size).toBe(3);
    expect(holder('192.0.2.1', { ticket: ours ?? '' }).network).toBe('192.0.2.1');
  });

  it.each([
    '',
    'nonsense',
    'bm9uc2Vuc2U.x',
    ticketOf({}),
    ticketOf({ key: 7 }),
    ticketOf({ key: `${'x'.repeat(99)}/` }),
  ])('is that of its network for a ticket that names none: %s', (ticket) => {
    expect(holder('192.0.2.1', { ticket }).caller).toBe('192.0.2.1');
  });
});
