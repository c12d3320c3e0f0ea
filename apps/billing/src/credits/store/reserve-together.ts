import { callerSignal, callHasChanged, outsideOfCalls } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import {
  reservationRecord,
  reserveStatement,
  reserveValues,
  type ReserveRow,
  type ReservationInput,
} from './reserve-statement.ts';

export type Reserve = (wanted: ReservationInput) => Promise<ReserveRow>;

/** Statements for many organisations under way at a time. */
const maxUnderWay = 3;

/** Of how many organisations one statement is. */
const maxTogether = 64;

interface Waiting {
  readonly organisationId: string;
  readonly record: string;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal | undefined;
  /** Undefined: it is to be reserved by itself. */
  readonly answer: (row: ReserveRow | undefined) => void;
}

/**
 * Reserves credits together for the organisations that ask at the same time, one reservation of each in a statement. One that comes alone, whose
 * account is busy or that another of its organisation is before, is reserved in a statement of its own: it waits for nobody but them.
 */
export function reserveTogether(database: Database): Reserve {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let isDue = false;

  async function alone(organisationId: string, record: string): Promise<ReserveRow> {
    const [row] = await database.statement<ReserveRow>(organisationId, reserveStatement, reserveValues([record], true));
    if (!row) throw new Error('reserving answers always');
    return row;
  }

  /**
   * Those that go together; the others of the same organisations are answered that they are to go alone, and so are those whose callers
   * have left: by itself none of these is reserved.
   */
  function nextTogether(): readonly Waiting[] {
    const together = new Map<string, Waiting>();
    for (const each of waiting.splice(0, maxTogether)) {
      const { organisationId, signal } = each;
      if (signal?.aborted || together.has(organisationId)) each.answer(undefined);
      else together.set(organisationId, each);
    }
    const [first, ...others] = together.values();
    if (others.length === 0) first?.answer(undefined);
    return others.length === 0 ? [] : [...together.values()];
  }

  async function reserveNext(): Promise<void> {
    const together = nextTogether();
    if (together.length === 0) return;
    underWay += 1;
    const values = reserveValues(
      together.map(({ record }) => record),
      false,
    );
    // Of one that fails, such as when a reservation is repeated at the same moment, each is tried by itself and fails by itself.
    const rows = await database.systemStatement<ReserveRow>(reserveStatement, values).catch(() => []);
    const answers = new Map(rows.map((row) => [row.organisation_id, row]));
    for (const { organisationId, answer } of together) answer(answers.get(organisationId));
    underWay -= 1;
    lookSoon();
  }

  function lookSoon(): void {
    if (isDue || underWay >= maxUnderWay || waiting.length === 0) return;
    isDue = true;
    // What arrives in the same turn of the event loop goes together; nobody's leaving ends it for the others.
    outsideOfCalls(() =>
      setImmediate(() => {
        isDue = false;
        void reserveNext();
        lookSoon();
      }),
    );
  }

  return async (wanted) => {
    const { organisationId } = wanted.by;
    // Here, and not where it is sent with those of others, which would be part of the trace of one of them.
    const record = reservationRecord(wanted);
    const row = await new Promise<ReserveRow | undefined>((answer) => {
      waiting.push({ organisationId, record, signal: callerSignal(), answer });
      lookSoon();
    });
    if (!row) return alone(organisationId, record);
    if (row.available_micros !== null) callHasChanged();
    return row;
  };
}
