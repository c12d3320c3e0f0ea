/** Work that is over and has cost something, as the service has kept it that did it. */
export interface PricedWork {
  readonly purpose: string;
  readonly workId: string;
  readonly at: Date;
  /** Null: not known any more, as prices may have changed since. */
  readonly micros: bigint | null;
  /** How many there have to be; null: one at least. */
  readonly debits: number | null;
}

/** What billing has booked of a piece of work. */
export interface BookedWork {
  readonly purpose: string;
  readonly workId: string;
  readonly at: Date;
  readonly micros: bigint;
  readonly debits: number;
}

export interface Difference {
  readonly difference: 'no_debit' | 'no_work' | 'another_amount' | 'another_number_of_debits';
  readonly purpose: string;
  readonly workId: string;
  readonly at: Date;
  readonly work: Pick<PricedWork, 'micros' | 'debits'> | null;
  readonly booked: Pick<BookedWork, 'micros' | 'debits'> | null;
}

interface Period {
  readonly from: Date;
  /** What has been done since then may still be on its way. */
  readonly until: Date;
}

const nameOf = ({ purpose, workId }: { readonly purpose: string; readonly workId: string }) => `${purpose} ${workId}`;

/**
 * Work without its debits, and debits without their work, of this period. Both lists may hold more of the time before it, as the two are
 * written with two clocks.
 */
export function differencesBetween(
  works: readonly PricedWork[],
  booked: readonly BookedWork[],
  { from, until }: Period,
): Difference[] {
  const isWithin = ({ at }: { readonly at: Date }) => at >= from && at < until;
  const bookedBy = new Map(booked.map((one) => [nameOf(one), one]));
  const known = new Set(works.map(nameOf));
  const unmatched = works.filter(isWithin).flatMap((work): Difference[] => {
    const found = bookedBy.get(nameOf(work));
    const difference = differenceOf(work, found);
    return difference ? [describe(difference, work, found)] : [];
  });
  const unknown = booked
    .filter((one) => isWithin(one) && !known.has(nameOf(one)))
    .map((one) => describe('no_work', undefined, one));
  return [...unmatched, ...unknown];
}

function differenceOf(work: PricedWork, booked: BookedWork | undefined): Difference['difference'] | undefined {
  if (!booked) return 'no_debit';
  if (work.micros !== null && work.micros !== booked.micros) return 'another_amount';
  return work.debits !== null && work.debits !== booked.debits ? 'another_number_of_debits' : undefined;
}

function describe(
  difference: Difference['difference'],
  work: PricedWork | undefined,
  booked: BookedWork | undefined,
): Difference {
  const { purpose = '', workId = '', at = new Date(0) } = work ?? booked ?? {};
  return {
    ...{ difference, purpose, workId, at },
    work: work ? { micros: work.micros, debits: work.debits } : null,
    booked: booked ? { micros: booked.micros, debits: booked.debits } : null,
  };
}
