import { callHasChanged, withoutCaller } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import { reserveStatement, reserveValues, type ReserveRow, type ReservationInput } from './reserve-statement.ts';

export type Reserve = (wanted: ReservationInput) => Promise<ReserveRow>;

/** Statements for many organisations under way at a time. */
const maxUnderWay = 3;

/** Of how many organisations one statement is. */
const maxTogether = 64;

interface Waiting {
  readonly wanted: ReservationInput;
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

  const alone: Reserve = async (wanted) => {
    const { organisationId } = wanted.by;
    const [row] = await database.statement<ReserveRow>(organisationId, reserveStatement, reserveValues([wanted], true));
    if (!row) throw new Error('reserving answers always');
    return row;
  };

  /** Those that go together; the others of the same organisations are answered that they are to go alone. */
  function nextTogether(): readonly Waiting[] {
    const together = new Map<string, Waiting>();
    for (const each of waiting.splice(0, maxTogether)) {
      const { organisationId } = each.wanted.by;
      if (together.has(organisationId)) each.answer(undefined);
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
      together.map(({ wanted }) => wanted),
      false,
    );
    // Of one that fails, such as when a reservation is repeated at the same moment, each is tried by itself and fails by itself.
    const rows = await database.systemStatement<ReserveRow>(reserveStatement, values).catch(() => []);
    const answers = new Map(rows.map((row) => [row.organisation_id, row]));
    for (const { wanted, answer } of together) answer(answers.get(wanted.by.organisationId));
    underWay -= 1;
    lookSoon();
  }

  function lookSoon(): void {
    if (isDue || underWay >= maxUnderWay || waiting.length === 0) return;
    isDue = true;
    // What arrives in the same turn of the event loop goes together; nobody's leaving ends it for the others.
    withoutCaller(() =>
      setImmediate(() => {
        isDue = false;
        void reserveNext();
        lookSoon();
      }),
    );
  }

  return async (wanted) => {
    const row = await new Promise<ReserveRow | undefined>((answer) => {
      waiting.push({ wanted, answer });
      lookSoon();
    });
    if (!row) return alone(wanted);
    if (row.available_micros !== null) callHasChanged();
    return row;
  };
}
