import { command, WrongUsage, type Command } from '@platform-backend/command-line';

/** What the commands of a group about something need; `write` gets each line of the answer. */
export interface OperatorParts {
  readonly write: (answer: object) => void;
}

/** Commands of an operator that are about one thing: `npm run -s billing -- NAME WORD …`. */
export interface OperatorGroup<Parts extends OperatorParts> {
  /** Ways to call them, a line each. */
  readonly usage: string;
  /** What each of them does. */
  readonly help: string;
  readonly command: (usage: string, open: () => Promise<Parts & AsyncDisposable>) => Command;
}

/** What can be said with dashes. */
export type OperatorOptions = Readonly<
  Record<string, { readonly type: 'string'; readonly multiple?: true } | { readonly type: 'boolean' }>
>;
type ValuesOf<Known extends OperatorOptions> = {
  readonly [Name in keyof Known]?: Known[Name] extends { readonly type: 'boolean' }
    ? boolean
    : Known[Name] extends { readonly multiple: true }
      ? string[]
      : string;
};

export interface WordArguments<Known extends OperatorOptions> {
  /** What follows the word. */
  readonly words: readonly string[];
  readonly values: ValuesOf<Known>;
}

/** The command of a group, each of whose words does something. */
export const wordsCommand =
  <Parts extends OperatorParts, Known extends OperatorOptions>(
    name: string,
    options: Known,
    known: Readonly<Record<string, (parts: Parts, given: WordArguments<Known>) => Promise<void>>>,
  ) =>
  (usage: string, open: () => Promise<Parts & AsyncDisposable>): Command =>
    command({
      name: `npm run billing -- ${name}`,
      usage,
      options,
      words: true,
      run: async ({ values, positionals: [word = '', ...words] }) => {
        const run = Object.hasOwn(known, word) ? known[word] : undefined;
        const all = Object.keys(known).join(', ');
        if (!run) throw new WrongUsage(word === '' ? `Say what to do: ${all}.` : `There is no "${word}": ${all}.`);
        await using parts = await open();
        await run(parts, { words, values });
      },
    });

/** Options that each have a text. */
export const textOptions = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }])) as Readonly<
    Record<Name, { readonly type: 'string' }>
  >;

/** Something that is done with options alone. */
export const withoutWords =
  <Parts, Known extends OperatorOptions>(run: (parts: Parts, values: ValuesOf<Known>) => Promise<void>) =>
  async (parts: Parts, { words, values }: WordArguments<Known>): Promise<void> => {
    requireNoMore(words);
    await run(parts, values);
  };

export function required(option: string, value: string | undefined): string {
  const text = value?.trim() ?? '';
  if (text === '') throw new WrongUsage(`${option} is missing.`);
  return text;
}

export function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new WrongUsage(`${option} is a number from 1 to 99999, and not "${text}".`);
}

export function requireNoMore(words: readonly string[]): void {
  if (words.length > 0) throw new WrongUsage(`"${words.join(' ')}" is too much.`);
}

export function onlyId([id = '', ...more]: readonly string[]): string {
  requireNoMore(more);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new WrongUsage('Say which one, by its id.');
  return id;
}
