import type { PlanOperator, QueryExplain, StepJob, StepReport } from '../domain/step-job.ts';
import type { Connection } from './duckdb.ts';
import { failureOf } from './failure.ts';

/** As DuckDB tells a plan, and as it tells one that was carried out. */
interface ExplainedOperator {
  readonly name?: string;
  readonly operator_name?: string;
  readonly operator_cardinality?: number;
  readonly operator_timing?: number;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly ExplainedOperator[];
}

interface Explained {
  readonly query: string;
  readonly folder: string;
  readonly job: Pick<StepJob, 'limits'>;
}

const OPTIONS = { PLAN: 'FORMAT json', ANALYZED: 'ANALYZE, FORMAT json' } as const;

const MAX_DETAIL = 500;

const ESTIMATED_ROWS = 'Estimated Cardinality';

/** How the query is carried out. It is one statement that selects, as was seen before. */
export async function explain(
  connection: Connection,
  { query, folder, job }: Explained,
  asked: QueryExplain,
): Promise<Pick<StepReport, 'plan' | 'isCut'>> {
  const before = `EXPLAIN (${OPTIONS[asked]}) `;
  let text: unknown;
  try {
    text = (await connection.runAndReadAll(`${before}${query}`)).getRowsJson()[0]?.[1];
  } catch (error) {
    throw failureOf(error, { query, wrapped: before.length, folder });
  }
  const explained = JSON.parse(String(text)) as readonly ExplainedOperator[] | ExplainedOperator;
  // What was carried out has a frame around it, which is the analysis itself.
  const roots =
    asked === 'PLAN'
      ? (explained as readonly ExplainedOperator[])
      : ((explained as ExplainedOperator).children?.[0]?.children ?? []);
  const plan: PlanOperator[] = [];
  let bytes = 0;
  const isCut = !roots.every((root) => add(root, 0));
  return { plan, isCut };

  /** Whether there was room for it and all below it. */
  function add(part: ExplainedOperator, depth: number): boolean {
    const operator = operatorOf(part, depth, folder);
    bytes += Buffer.byteLength(JSON.stringify(operator));
    if (bytes > job.limits.outputBytes) return false;
    plan.push(operator);
    return (part.children ?? []).every((child) => add(child, depth + 1));
  }
}

function operatorOf(part: ExplainedOperator, depth: number, folder: string): PlanOperator {
  const { [ESTIMATED_ROWS]: estimated, ...others } = part.extra_info ?? {};
  const details = Object.entries(others)
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)] as const)
    // Where a table rests is nobody's business.
    .filter(([, value]) => value !== '' && !value.includes(folder))
    .map(([name, value]) => [name, value.slice(0, MAX_DETAIL).toWellFormed()]);
  return {
    name: (part.operator_name ?? part.name ?? '').trim(),
    depth,
    estimatedRows: numberOf(estimated),
    rows: numberOf(part.operator_cardinality),
    seconds: numberOf(part.operator_timing),
    details: Object.fromEntries(details) as Record<string, string>,
  };
}

function numberOf(explained: unknown): number | null {
  const number = explained === undefined ? NaN : Number(explained);
  return Number.isFinite(number) ? number : null;
}
