import type { DebitCreated } from '@platform-backend/contract-billing/events';
import { newId, type ActorContext, type Logger } from '@platform-backend/core';
import { PermanentEventError, type RepeatableEffect } from '@platform-backend/events';
import { systemActor } from '../../events.ts';
import type { Debit } from '../domain/debit.ts';

interface OwedWork {
  readonly by: ActorContext;
  readonly debit: Debit;
}

interface BookingPorts {
  /**
   * Books debits of many organisations together, but for those that are booked already; answers for which of them: for the others each is to be
   * booked by itself.
   */
  readonly bookOfMany: (owed: readonly OwedWork[]) => Promise<ReadonlySet<string>>;
  /** The same for one organisation, whatever it has so far. */
  readonly bookOfOne: (owed: readonly OwedWork[]) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Books what the work of other services has cost: once, however often and late it is told, whatever has become of its
 * reservation; and of many pieces of work together where they are told at once. What cannot be booked together is booked organisation by
 * organisation, so that none waits for another whose account is busy.
 */
export const onDebitCreated = ({ bookOfMany, bookOfOne, logger }: BookingPorts): RepeatableEffect<DebitCreated> => ({
  async ofAll(events) {
    const owed = events.map(({ organisationId, type, data, requestId = newId() }) => ({
      by: systemActor(organisationId, requestId),
      debit: debitFrom(data, publisherOf(type)),
    }));
    const booked = await bookOfMany(owed).catch((error: unknown) => {
      logger.warn(
        { event: 'debits.not_booked_together', err: error, debits: owed.length },
        'debits could not be booked together, they are booked organisation by organisation',
      );
      return new Set<string>();
    });
    const left = Map.groupBy(
      owed.filter(({ by }) => !booked.has(by.organisationId)),
      ({ by }) => by.organisationId,
    );
    const failed = (await Promise.allSettled([...left.values()].map(bookOfOne))).find(
      (outcome) => outcome.status === 'rejected',
    );
    if (failed) throw failed.reason;
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
