import type { RunDatasetStep } from '../domain/datasets/dataset-steps.ts';
import { inOrder, makersOf, stepGraph } from '../domain/pipelines/step-graph.ts';
import { sameName, type NewStep } from '../domain/pipelines/step.ts';
import type { StepStatus } from '../domain/runs/run.ts';
import type { Column } from '../domain/steps/step-job.ts';
import { checkSteps, tableName, type CheckPorts } from './check-steps.ts';
import type { WantedSteps } from './pipelines.ts';

export interface TriedStep {
  readonly name: string;
  readonly status: StepStatus;
  readonly message: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, never>>[];
}

export type TrySteps = (
  organisationId: string,
  wanted: WantedSteps,
  sampleRows: number,
) => Promise<readonly TriedStep[]>;

export interface TryPorts extends CheckPorts {
  readonly runDatasetStep: RunDatasetStep;
}

const STATUS_OF = { SUCCEEDED: 'Succeeded', FAILED: 'Failed', ERROR: 'Error' } as const;
const SHOWN_ROWS = 20;
const LIMITS = { memoryBytes: 512 * 2 ** 20, seconds: 20, threads: 1, outputBytes: 2 ** 20, rows: SHOWN_ROWS };
const PATIENCE_MS = 25_000;

/**
 * Carries steps out on the first rows of what they read from outside, and keeps nothing. Each step is one query in which
 * those before it are written out, so that nothing has to rest anywhere in between; programs are skipped for that.
 */
export const trySteps =
  (ports: TryPorts): TrySteps =>
  async (organisationId, { steps: wanted, stepOrder }, sampleRows) => {
    const { steps, columns, datasets } = await checkSteps(ports, organisationId, wanted, stepOrder);
    const graph = stepGraph(steps, stepOrder);
    const makers = makersOf(steps);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const tried = new Map<number, TriedStep>();
    for (const place of inOrder(graph)) tried.set(place, await tryOne(place));
    return steps.map((_, place) => tried.get(place) as TriedStep);

    async function tryOne(place: number): Promise<TriedStep> {
      const { name } = steps[place] as NewStep;
      const known = { name, columns: columns.get(place) ?? [] };
      const isLost = (graph[place] ?? []).some((other) => tried.get(other)?.status !== 'Succeeded');
      if (isLost) return { ...known, status: 'Omitted', message: '', rows: [] };
      const { config } = steps[place] as NewStep;
      if (config.queryType !== 'SQL') {
        const message = `A ${config.queryType} step is not tried: it runs with the pipeline`;
        return { ...known, status: 'Skipped', message, rows: [] };
      }
      const outside = [...outsideOf(place)];
      const report = await ports.runDatasetStep(
        organisationId,
        {
          kind: config.jobType === 'CHECK' ? 'CHECK' : 'QUERY',
          query: wholeQuery(place),
          limits: LIMITS,
          inputs: outside.map(([sample, reference]) => ({
            name: sample,
            objectKey: datasets.get(reference)?.currentVersion?.objectKey ?? '',
          })),
          output: null,
        },
        { signal, onLog: () => undefined },
      );
      const names = report.columns.map((column) => column.name);
      const rows = report.rows.map(
        (row) => Object.fromEntries(names.map((column, index) => [column, row[index]])) as Record<string, never>,
      );
      return { ...known, status: STATUS_OF[report.outcome], message: report.message, rows };
    }

    /** The datasets from outside that a step needs, also through others, by the names of their samples. */
    function outsideOf(place: number, found = new Map<string, string>()): ReadonlyMap<string, string> {
      for (const input of steps[place]?.config.inputDatasets ?? []) {
        const maker = makers.get(sameName(input));
        if (maker === undefined) found.set(sampleOf(input), input);
        else outsideOf(maker, found);
      }
      return found;
    }

    function wholeQuery(place: number): string {
      const { config } = steps[place] as NewStep;
      const tables = config.inputDatasets.map((input) => {
        const maker = makers.get(sameName(input));
        const query =
          maker === undefined ? `SELECT * FROM ${quoted(sampleOf(input))} LIMIT ${sampleRows}` : wholeQuery(maker);
        return `${quoted(tableName(input, datasets))} AS (\n${query}\n)`;
      });
      const query = config.query.trim().replace(/;+\s*$/, '');
      return tables.length === 0 ? query : `WITH ${tables.join(', ')}\nSELECT * FROM (\n${query}\n)`;
    }
  };

const sampleOf = (reference: string): string => `sample of ${sameName(reference)}`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
