import type { Document, Value } from '../bson/values.ts';
import { toDocument } from '../bson/values.ts';
import type { KeyPart } from '../query/sort-keys.ts';
import type { IndexPlan, Plan } from './planner.ts';

export interface Explained {
  /** Undefined where the collection does not exist. */
  readonly plan: Plan | undefined;
  readonly filter: Document;
  readonly sort: readonly KeyPart[];
  readonly skip: number;
  readonly limit: number;
}

/** The plan as MongoDB shows it: what is done last stands outside. */
export function explainPlan({ plan, filter, sort, skip, limit }: Explained): Document {
  if (!plan) return toDocument({ stage: 'EOF' });
  let stage = access(plan, filter);
  if (sort.length > 0 && !plan.isSorted)
    stage = over('SORT', stage, {
      sortPattern: new Map(sort.map(({ name, descending }): [string, Value] => [name, descending ? -1 : 1])),
      ...(limit > 0 && { limitAmount: limit }),
    });
  if (skip > 0) stage = over('SKIP', stage, { skipAmount: skip });
  return limit > 0 ? over('LIMIT', stage, { limitAmount: limit }) : stage;
}

const over = (stage: string, inputStage: Document, more: object = {}): Document =>
  toDocument({ stage, ...more, inputStage });

function access(plan: Plan, filter: Document): Document {
  const shown = filter.size > 0 ? { filter } : {};
  if (plan.kind === 'collection')
    return toDocument({ stage: 'COLLSCAN', ...shown, direction: plan.backwards ? 'backward' : 'forward' });
  if (plan.kind === 'index') return over('FETCH', indexScan(plan), shown);
  return over('FETCH', toDocument({ stage: 'OR', inputStages: plan.plans.map(indexScan) }), shown);
}

const indexScan = ({ index, ranges, backwards, bounded }: IndexPlan): Document =>
  toDocument({
    stage: 'IXSCAN',
    keyPattern: index.spec.get('key'),
    indexName: index.name,
    isMultiKey: index.multi.includes(true),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: backwards ? 'backward' : 'forward',
    boundedFields: bounded,
    ranges: ranges.length,
  });
