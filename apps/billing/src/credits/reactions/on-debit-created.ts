import type { DebitCreated } from '@platform-backend/contract-billing/events';
import type { ActorContext } from '@platform-backend/core';
import { PermanentEventError, type BatchEffect } from '@platform-backend/events';
import { systemActor } from '../../events.ts';
import type { Debit } from '../domain/debit.ts';

interface BookingPorts<Transaction> {
  /** Books debits of one organisation, but for those that are booked already. True: the account was opened by it. */
  readonly book: (
    transaction: Transaction,
    owed: readonly { readonly by: ActorContext; readonly debit: Debit }[],
    at: Date,
  ) => Promise<boolean>;
  /** Gives what everybody gets once. */
  readonly welcome: (transaction: Transaction, by: ActorContext, at: Date) => Promise<void>;
  /** What time it is for an organisation, asked in the transaction: it holds the one connection that there may be. */
  readonly nowIn: (transaction: Transaction, organisationId: string) => Promise<Date>;
  readonly newId: () => string;
}

/**
 * Books what the work of other services has cost: once, however often and late it is told, whatever has become of its
 * reservation; and of many pieces of work together where they are told at once.
 */
export const onDebitCreated = <Transaction>({
  book,
  welcome,
  nowIn,
  newId,
}: BookingPorts<Transaction>): BatchEffect<Transaction, DebitCreated> => ({
  async ofMany(transaction, events) {
    const owed = events.map(({ organisationId, type, data, requestId = newId() }) => ({
      by: systemActor(organisationId, requestId),
      debit: debitFrom(data, publisherOf(type)),
    }));
    const [first] = owed;
    if (!first) return;
    const at = await nowIn(transaction, first.by.organisationId);
    const isOpened = await book(transaction, owed, at);
    if (isOpened) await welcome(transaction, first.by, at);
  },
});

/** `content` of `platform.v1.content.debit.created`: NATS lets nobody publish in the name of another. */
const publisherOf = (type: string): string => type.split('.')[2] ?? '';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** More than nothing, and within what a column holds. */
const MICROS = /^[1-9]\d{0,17}$/;

/** A debit that nobody can book, however often it is told, is a dead letter for operators and not passed over. */
function debitFrom(data: DebitCreated, service: string): Debit {
  const { debit_id: id, reservation_id: reservationId, amount_micros: micros, credit_class: creditClass } = data;
  const { client_group_id: clientGroupId, api_key_id: apiKeyId } = data;
  const occurredAt = new Date(data.occurred_at);
  const ids = [id, reservationId, clientGroupId, apiKeyId].filter((one) => one !== null);
  if (!ids.every((one) => UUID.test(one))) throw new PermanentEventError('an id of the debit is no UUID');
  if (!MICROS.test(micros)) throw new PermanentEventError(`${micros} is no amount of a debit`);
  if (creditClass !== 'AI' && creditClass !== 'INFRASTRUCTURE')
    throw new PermanentEventError(`there is no class ${creditClass} of credits`);
  if (Number.isNaN(occurredAt.getTime())) throw new PermanentEventError(`${data.occurred_at} is no time`);
  return {
    id,
    reservationId,
    amount: BigInt(micros),
    creditClass,
    purpose: data.purpose,
    workId: data.work_id,
    clientGroupId,
    apiKeyId,
    memberId: data.member_id,
    service,
    occurredAt,
  };
}
