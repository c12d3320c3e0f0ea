import { beginningOf, DomainError, type ActorContext } from '@platform-backend/core';
import type { Dataset, Datasets, QueryResult } from '../domain/datasets.ts';
import { textArgument, type ModelTool } from '../domain/language-model.ts';

/** What a model is shown of one use. */
const MAX_DATASETS = 50;
const MAX_ROWS = 50;
const MAX_TEXT = 16_000;

/** Datasets as a model may use them, in the organisation of its caller alone. */
export const datasetTools = (datasets: Datasets, by: ActorContext): readonly ModelTool[] => [
  {
    name: 'list_datasets',
    description: "Shows the organisation's datasets: what queries call them, and their columns",
    parameters: {},
    run: async () => {
      const found = await datasets.list(by, MAX_DATASETS);
      return found.length === 0 ? 'There are none.' : cut(found.map(described).join('\n'));
    },
  },
  {
    name: 'query_datasets',
    description: 'Runs one SELECT, in the SQL of DuckDB, over datasets of the organisation',
    parameters: { query: 'The statement; it names datasets as list_datasets does, in double quotes' },
    run: async (given) => {
      try {
        return cut(table(await datasets.query(by, textArgument(given, 'query'), MAX_ROWS)));
      } catch (error) {
        // What is wrong with a statement is for whoever has written it.
        const reason = error instanceof DomainError ? error.violations?.map(({ msg }) => msg).join('\n') : undefined;
        if (reason === undefined) throw error;
        return `The statement cannot be run: ${reason}`;
      }
    },
  },
];

const described = ({ name, description, columns }: Dataset): string => {
  const shown = columns.map((column) => `${column.name} ${column.type}`).join(', ');
  return `"${name.replaceAll('"', '""')}" (${shown})${description === '' ? '' : `: ${description}`}`;
};

const table = ({ columns, rows, isCut }: QueryResult): string =>
  [JSON.stringify(columns), ...rows.map((row) => JSON.stringify(row)), ...(isCut ? ['There are more rows.'] : [])].join(
    '\n',
  );

const cut = (text: string): string => (text.length > MAX_TEXT ? `${beginningOf(text, MAX_TEXT)}…` : text);
