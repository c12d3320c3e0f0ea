/** Debits, as pipelines tells of them and as billing books them. */
import type { OwedWork } from '@platform-backend/billing/debits';
import { newId, serviceActorContext } from '@platform-backend/core';
import { publishedEvent, toCloudEvent } from '@platform-backend/events';

const SERVICE = 'pipelines';

/** A debit of one millionth of a credit, which nothing was set aside for. */
export function debitOf(organisationId: string, at: Date): OwedWork {
  return {
    by: serviceActorContext(SERVICE, organisationId, 'bench'),
    debit: {
      id: newId(),
      reservationId: null,
      amount: 1n,
      creditClass: 'INFRASTRUCTURE',
      purpose: 'bench',
      workId: newId(),
      clientGroupId: null,
      apiKeyId: null,
      memberId: null,
      service: SERVICE,
      occurredAt: at,
    },
  };
}

/** Its event, with the type by which it is published. */
export function eventOf({ by, debit }: OwedWork): { readonly type: string; readonly body: string } {
  const event = publishedEvent(SERVICE, by, {
    name: 'debit.created',
    subject: debit.id,
    at: debit.occurredAt,
    data: {
      debit_id: debit.id,
      reservation_id: debit.reservationId,
      amount_micros: String(debit.amount),
      credit_class: debit.creditClass,
      purpose: debit.purpose,
      work_id: debit.workId,
      client_group_id: debit.clientGroupId,
      api_key_id: debit.apiKeyId,
      member_id: debit.memberId,
      occurred_at: debit.occurredAt.toISOString(),
    },
  });
  return { type: event.type, body: JSON.stringify(toCloudEvent(event)) };
}
