import type { Cell } from './step-job.ts';

export type ConditionSubject = 'PARAMETER' | 'ROW_COUNT' | 'STEP_STATUS';

export type ComparisonOperator =
  | 'EQUALS'
  | 'NOT_EQUALS'
  | 'LESS_THAN'
  | 'LESS_OR_EQUAL'
  | 'GREATER_THAN'
  | 'GREATER_OR_EQUAL';

/** Something of a run beside a value. */
export interface Comparison {
  readonly subject: ConditionSubject;
  /** Of the parameter, the input dataset or the step. */
  readonly name: string;
  readonly operator: ComparisonOperator;
  readonly value: Cell;
}

/** Holds where all of them do. */
export interface ConditionTerm {
  readonly all: readonly Comparison[];
}

/** A step is carried out where one of these holds, and always where there are none. */
export type Condition = readonly ConditionTerm[];

/** What something of a run is when a step is about to begin. */
export interface ConditionFact extends Pick<Comparison, 'subject' | 'name'> {
  readonly is: Cell;
}

/** What is not among the facts is null. */
export const isMet = (when: Condition, facts: readonly ConditionFact[]): boolean =>
  when.length === 0 ||
  when.some(({ all }) => all.every((comparison) => holds(comparison, factOf(facts, comparison)?.is ?? null)));

const factOf = (
  facts: readonly ConditionFact[],
  { subject, name }: Pick<Comparison, 'subject' | 'name'>,
): ConditionFact | undefined => facts.find((fact) => fact.subject === subject && fact.name === name);

function holds({ operator, value }: Comparison, is: Cell): boolean {
  switch (operator) {
    case 'EQUALS':
      return is === value;
    case 'NOT_EQUALS':
      return is !== value;
    case 'LESS_THAN':
      return orderOf(is, value) < 0;
    case 'LESS_OR_EQUAL':
      return orderOf(is, value) <= 0;
    case 'GREATER_THAN':
      return orderOf(is, value) > 0;
    case 'GREATER_OR_EQUAL':
      return orderOf(is, value) >= 0;
  }
}

/** NaN: they have none. Dates and times are texts of the same form, whose order is theirs. */
function orderOf(one: Cell, other: Cell): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return Number.NaN;
  return one === other ? 0 : one < other ? -1 : 1;
}

const MAX_SHOWN = 100;
const MAX_REASON = 500;

/** Why a step is skipped, for people: what its condition has looked at. */
export function skipReason(facts: readonly ConditionFact[]): string {
  const seen = new Set(
    facts.map(({ subject, name, is }) => {
      if (subject === 'ROW_COUNT') return `${name} has ${JSON.stringify(is)} rows`;
      return `${name} is ${JSON.stringify(is).slice(0, MAX_SHOWN)}`;
    }),
  );
  return `Its condition does not hold: ${[...seen].join(', ')}`.slice(0, MAX_REASON);
}
