import {
  changedFields,
  created,
  decided,
  fieldViolation,
  invalid,
  unchanged,
  type Decision,
  type Violation,
} from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { tooManyMeters } from './errors.ts';
import { isPath } from './property-path.ts';

export type MeterAggregation = 'SUM' | 'COUNT' | 'MAX' | 'UNIQUE_COUNT' | 'LATEST';

/** What of which events is counted, and what its counts can be told apart by. */
export interface MeterDefinition {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly eventType: string;
  readonly aggregation: MeterAggregation;
  /** The path of the value in the data of an event; null for COUNT alone. */
  readonly valueProperty: string | null;
  /** Names with the path of each value. Beside these all meters have the `subject`. */
  readonly groupBy: Readonly<Record<string, string>>;
}

export interface Meter extends MeterDefinition {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null: it counts. */
  readonly archivedAt: Date | null;
}

/** The group that events have without a path. */
export const SUBJECT = 'subject';

/** Of an organisation, without those that are archived. */
const maxMeters = 100;

const groupName = /^[a-z_][a-z0-9_]*$/;

/** INVALID: a path or name is none, or a value is missing or not wanted. CONFLICT: there are so many already. */
export function createMeter(
  definition: MeterDefinition,
  { id, others }: { readonly id: string; readonly others: number },
  at: Date,
): Decision<Meter, BillingEvent> {
  const violations = violationsIn(definition);
  if (violations.length > 0) throw invalid(violations);
  if (others >= maxMeters) throw tooManyMeters({ max: maxMeters });
  const meter: Meter = { ...definition, id, createdAt: at, updatedAt: at, archivedAt: null };
  const { slug, eventType, aggregation } = definition;
  const data = { meter_id: id, slug, event_type: eventType, aggregation };
  return created('meter.created', meter, at, data, shown(meter));
}

/** What it is called; the same once more changes nothing and tells nothing. */
export function updateMeter(
  meter: Meter,
  wanted: Partial<Pick<Meter, 'name' | 'description'>>,
  at: Date,
): Decision<Meter, BillingEvent> {
  const after = { ...meter, ...wanted, updatedAt: at };
  const change = changedFields(shown(meter), shown(after));
  const changed = Object.keys(change.after);
  if (changed.length === 0) return unchanged(meter);
  const data = { meter_id: meter.id, changed_fields: changed };
  return decided(after, { name: 'meter.updated', subject: meter.id, at, data, change });
}

/** Has it count no more. Repeating it is safe. */
export function archiveMeter(meter: Meter, at: Date): Decision<Meter, BillingEvent> {
  if (meter.archivedAt) return unchanged(meter);
  const data = { meter_id: meter.id, slug: meter.slug };
  const change = { before: { archived_at: null }, after: { archived_at: at.toISOString() } };
  return decided(
    { ...meter, archivedAt: at, updatedAt: at },
    { name: 'meter.archived', subject: meter.id, at, data, change },
  );
}

function violationsIn({ aggregation, valueProperty, groupBy }: MeterDefinition): Violation[] {
  const violations: Violation[] = [];
  const refuse = (loc: string[], input: unknown, error: string): void => {
    violations.push(fieldViolation(['body', ...loc], error, input, { error }));
  };
  if (aggregation === 'COUNT') {
    if (valueProperty !== null) refuse(['value_property'], valueProperty, 'COUNT counts events, and has no value');
  } else if (valueProperty === null) {
    refuse(['value_property'], null, `${aggregation} is of values: say where they stand`);
  } else if (!isPath(valueProperty)) {
    refuse(['value_property'], valueProperty, pathWanted);
  }
  for (const [name, path] of Object.entries(groupBy)) {
    if (!groupName.test(name) || name === SUBJECT)
      refuse(['group_by', name], path, `a name has a to z, digits and _, begins with no digit, and is not ${SUBJECT}`);
    else if (!isPath(path)) refuse(['group_by', name], path, pathWanted);
  }
  return violations;
}

const pathWanted = 'a path is like $.usage.tokens, with up to five names of letters, digits, _ and -';

const shown = ({ slug, name, description, eventType, aggregation, valueProperty, groupBy }: MeterDefinition) => ({
  slug,
  name,
  description,
  event_type: eventType,
  aggregation,
  value_property: valueProperty,
  group_by: groupBy,
});
