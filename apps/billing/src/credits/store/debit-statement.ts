import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { runPrepared, type Database, type Knex } from '@platform-backend/postgres';
import { outgoing } from '../../record-events.ts';
import { creditsDebited, creditsExhausted } from '../domain/credit-events.ts';
import type { Debit } from '../domain/debit.ts';

/**
 * Books debits of any number of organisations, each once by its id: `book_debits` of migration 0105 says how, in one statement. With `true`
 * it is for one organisation, in a transaction of its own, and opens the account where there is none. Answers a row for each organisation that was booked for.
 */
export const debitStatement = {
  name: 'book-debits',
  text: 'SELECT organisation_id, opened FROM book_debits($1, $2, $3)',
  writes: true,
} as const;

/** A debit, and on whose behalf it is told. */
export interface OwedWork {
  readonly by: ActorContext;
  readonly debit: Debit;
}

interface BookedRow {
  readonly organisation_id: string;
  readonly opened: boolean;
}

/** Books debits of one organisation, as part of a transaction, but for those that are booked already. True: the account was opened by it. */
export async function bookDebits(trx: Knex.Transaction, owed: readonly OwedWork[], at: Date): Promise<boolean> {
  const { name, text } = debitStatement;
  const values = debitValues(owed, at, true) as readonly Knex.RawBinding[];
  const [row] = await runPrepared<BookedRow>(trx, { name, text: text.replaceAll(/\$\d/g, '?') }, values);
  return row?.opened ?? false;
}

/**
 * Books debits of many organisations in one transaction of its own and one round trip; answers for which of them. The others have no account yet,
 * or a time of their own.
 */
export async function bookDebitsOfMany(
  database: Database,
  owed: readonly OwedWork[],
  at: Date,
): Promise<ReadonlySet<string>> {
  const rows = await database.systemStatement<BookedRow>(debitStatement, debitValues(owed, at, false));
  return new Set(rows.map((row) => row.organisation_id));
}

/** The values of `debitStatement`, in order. */
export function debitValues(owed: readonly OwedWork[], at: Date, opens: boolean): readonly unknown[] {
  const organisations = new Map(owed.map(({ by }) => [by.organisationId, by]));
  // One that comes twice is known by its id.
  const debits = new Map(owed.map((one) => [`${one.by.organisationId} ${one.debit.id}`, one]));
  return [
    listOf([...organisations.values()].map((by) => askedOf(by, at))),
    listOf([...debits.values()].map((one) => recordOf(one, at))),
    opens,
  ];
}

const listOf = (records: readonly string[]): string => `[${records.join(',')}]`;

function askedOf(by: ActorContext, at: Date): string {
  const { organisationId } = by;
  const fields = JSON.stringify({ organisation_id: organisationId, at });
  const exhausted = encodeEvent(outgoing(by, creditsExhausted(organisationId, 0n, at)));
  return `${fields.slice(0, -1)},"exhausted":${exhausted}}`;
}

function recordOf({ by, debit }: OwedWork, at: Date): string {
  const fields = JSON.stringify({
    organisation_id: by.organisationId,
    id: debit.id,
    reservation_id: debit.reservationId,
    amount: String(debit.amount),
    credit_class: debit.creditClass,
    purpose: debit.purpose,
    work_id: debit.workId,
    named_group_id: debit.clientGroupId,
    named_key_id: debit.apiKeyId,
    member_id: debit.memberId,
    service: debit.service,
    occurred_at: debit.occurredAt,
    transaction_id: newId(),
  });
  return `${fields.slice(0, -1)},"debited":${encodeEvent(outgoing(by, creditsDebited(debit, at)))}}`;
}
