import type { Dataset } from '../../datasets/domain/dataset.ts';
import { inOrder, makersOf, stepGraph } from '../domain/step-graph.ts';
import { sameName, type NewStep } from '../domain/step.ts';

/** One query over samples of datasets, and over what programs before it have made. */
export interface SampleQuery {
  readonly query: string;
  readonly tables: readonly SampleTable[];
}

export type SampleTable =
  | { readonly name: string; readonly reference: string }
  /** By the index of the step. */
  | { readonly name: string; readonly madeBy: number };

/** What queries call a dataset. */
export const tableName = (reference: string, datasets: ReadonlyMap<string, Dataset>): string =>
  datasets.get(reference)?.name ?? reference;

/**
 * What steps do, with every query that one of them needs written out in it once, so that nothing has to rest in between but what
 * programs make.
 */
export function sampleQueries(
  { steps, datasets }: { readonly steps: readonly NewStep[]; readonly datasets: ReadonlyMap<string, Dataset> },
  sampleRows: number,
) {
  const makers = makersOf(steps);
  const ordered = inOrder(stepGraph(steps, 'DATASETS'));
  const configOf = (stepIndex: number) => (steps[stepIndex] as NewStep).config;
  const isSql = (stepIndex: number): boolean => configOf(stepIndex).queryType === 'SQL';

  const ofInput = (input: string): string => {
    const maker = makers.get(sameName(input));
    return maker === undefined
      ? `SELECT * FROM ${quoted(sampleOf(input))} LIMIT ${sampleRows}`
      : `SELECT * FROM ${quoted(madeBy(maker))}`;
  };

  /** The queries that are written out in those over these inputs. */
  function queriesBehind(inputs: readonly string[], found = new Set<number>()): ReadonlySet<number> {
    for (const input of inputs) {
      const maker = makers.get(sameName(input));
      if (maker === undefined || found.has(maker) || !isSql(maker)) continue;
      found.add(maker);
      queriesBehind(configOf(maker).inputDatasets, found);
    }
    return found;
  }

  function tablesOf(inputs: readonly string[]): readonly SampleTable[] {
    const tables = inputs.flatMap((input): SampleTable[] => {
      const maker = makers.get(sameName(input));
      if (maker === undefined) return [{ name: sampleOf(input), reference: input }];
      return isSql(maker) ? [] : [{ name: madeBy(maker), madeBy: maker }];
    });
    return [...new Map(tables.map((table) => [table.name, table])).values()];
  }

  /** A query beside its inputs, by what it calls them. */
  const inputsOf = (stepIndex: number): readonly string[] =>
    configOf(stepIndex).inputDatasets.map(
      (input) => `${quoted(tableName(input, datasets))} AS (\n${ofInput(input)}\n)`,
    );

  function writtenOut(inputs: readonly string[], own: readonly string[], query: string): SampleQuery {
    const behind = queriesBehind(inputs);
    const before = ordered
      .filter((stepIndex) => behind.has(stepIndex))
      .map(
        (stepIndex) => `${quoted(madeBy(stepIndex))} AS (\n${withTables(inputsOf(stepIndex), ownQuery(stepIndex))}\n)`,
      );
    const read = [...inputs, ...[...behind].flatMap((stepIndex) => configOf(stepIndex).inputDatasets)];
    return { query: withTables([...before, ...own], query), tables: tablesOf(read) };
  }

  const ownQuery = (stepIndex: number): string =>
    configOf(stepIndex)
      .query.trim()
      .replace(/;+\s*$/, '');

  return {
    /** What a step that is SQL selects. */
    ofStep: (stepIndex: number): SampleQuery =>
      writtenOut(configOf(stepIndex).inputDatasets, inputsOf(stepIndex), ownQuery(stepIndex)),
    /** The rows of a dataset that a step reads. */
    ofInput: (input: string): SampleQuery => writtenOut([input], [], ofInput(input)),
  };
}

const withTables = (tables: readonly string[], query: string): string =>
  tables.length === 0 ? query : `WITH ${tables.join(', ')}\nSELECT * FROM (\n${query}\n)`;

const sampleOf = (reference: string): string => `sample of ${sameName(reference)}`;

const madeBy = (stepIndex: number): string => `made by step ${stepIndex}`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
