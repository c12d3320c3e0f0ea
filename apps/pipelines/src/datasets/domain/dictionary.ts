import type { Column } from '../../step-engine/domain/step-job.ts';
import type { DatasetVersion, DictionaryEntry } from './dataset.ts';

/** What is said of a column until somebody says more: its type. */
const unsaid = ({ type }: Column): string => type;

/** The dictionary of new data: what was said of a column of the same name before, else what the schema says. */
export function dictionaryOf(
  columns: readonly Column[],
  before: Pick<DatasetVersion, 'columns' | 'dictionary'> | null,
): DictionaryEntry[] {
  const said = new Map(
    before?.columns.flatMap((column, index) => {
      const description = before.dictionary[index]?.description ?? '';
      return description === unsaid(column) ? [] : [[column.name, description] as const];
    }),
  );
  return columns.map((column) => ({ name: column.name, description: said.get(column.name) ?? unsaid(column) }));
}

export interface ColumnMeaning extends Column {
  readonly description: string;
}

export interface DictionaryChanges {
  readonly added: readonly ColumnMeaning[];
  readonly removed: readonly ColumnMeaning[];
  readonly changed: readonly {
    readonly name: string;
    readonly before: ColumnMeaning;
    readonly after: ColumnMeaning;
  }[];
}

/** From one version to another, each in the order of the columns. */
export function compareDictionaries(from: DatasetVersion, to: DatasetVersion): DictionaryChanges {
  const [before, after] = [meaningsOf(from), meaningsOf(to)];
  return {
    added: [...after.values()].filter(({ name }) => !before.has(name)),
    removed: [...before.values()].filter(({ name }) => !after.has(name)),
    changed: [...after.values()].flatMap((meaning) => {
      const old = before.get(meaning.name);
      const isSame = old?.type === meaning.type && old.description === meaning.description;
      return !old || isSame ? [] : [{ name: meaning.name, before: old, after: meaning }];
    }),
  };
}

const meaningsOf = ({ columns, dictionary }: DatasetVersion): ReadonlyMap<string, ColumnMeaning> =>
  new Map(
    columns.map((column, index) => [column.name, { ...column, description: dictionary[index]?.description ?? '' }]),
  );
