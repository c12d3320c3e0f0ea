import { describe, expect, it } from '@jest/globals';
import { newId, type Logger } from '@platform-backend/core';
import { onDebitCreated } from './on-debit-created.ts';

describe('debits that cannot be booked together', () => {
  it('are booked organisation by organisation, and the log says so', async () => {
    const logged: unknown[] = [];
    const bookedFor: unknown[] = [];
    const failure = new Error('deadlock detected');
    const reaction = onDebitCreated({
      bookOfMany: () => Promise.reject(failure),
      bookOfOne: ([first]) => Promise.resolve(void bookedFor.push(first?.by.organisationId)),
      logger: { warn: (fields: object) => void logged.push(fields) } as unknown as Logger,
    });
    const debitOf = (organisationId: string) => ({
      ...{ id: newId(), organisationId, type: 'platform.v1.content.debit.created', requestId: newId() },
      data: {
        ...{ debit_id: newId(), reservation_id: null, amount_micros: '5', credit_class: 'AI', purpose: 'turn' },
        ...{ work_id: 'turn_1', client_group_id: null, api_key_id: null, member_id: null },
        occurred_at: '2026-04-01T12:00:00.000Z',
      },
    });
    await reaction.ofAll([debitOf('org_1'), debitOf('org_2')] as never);
    expect(bookedFor).toEqual(['org_1', 'org_2']);
    expect(logged).toEqual([{ event: 'debits.not_booked_together', err: failure, debits: 2 }]);
  });
});
