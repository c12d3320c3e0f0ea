export type StorageKind = 'postgres' | 'mongo';

/** How a service and what it owns are called. */
export interface Names {
  /** `notes` */
  readonly service: string;
  /** `note` */
  readonly one: string;
}

/** A file of a service: its path in the repository, and its text. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
}

const TITLES: Readonly<Record<StorageKind, string>> = { postgres: 'On PostgreSQL', mongo: 'On MongoDB' };

const HEADING_OR_BLOCK = /^(?:#+ (?<title>.*)|```\w+(?: (?<path>\S+))?\n(?<text>[^]*?)^```)$/gm;

/** The files that the page shows for a service on this storage, with these names in place of its own. */
export function serviceFiles(page: string, storage: StorageKind, names: Names): ServiceFile[] {
  let title = '';
  return [...page.matchAll(HEADING_OR_BLOCK)].flatMap(({ groups = {} }) => {
    title = groups['title'] ?? title;
    const { path, text = '' } = groups;
    const isOfOther = Object.values(TITLES).includes(title) && title !== TITLES[storage];
    if (path === undefined || isOfOther) return [];
    // Its libraries stand on the page once, with the storage that most services have.
    const own = importsInOrder(renamed(text, names)).replace(
      '@platform-backend/postgres": "*"',
      `@platform-backend/${storage}": "*"`,
    );
    return [{ path: renamed(path, names), text: own }];
  });
}

/** `notes`, `NotesStore`, `NOTES_…` and the same of one note. */
const renamed = (text: string, { service, one }: Names): string =>
  text.replaceAll(/notes|note|Notes|Note|NOTES|NOTE/g, (word) => {
    const given = word.toLowerCase() === 'notes' ? service : one;
    if (word === word.toUpperCase()) return given.toUpperCase();
    return word.startsWith('N') ? given.charAt(0).toUpperCase() + given.slice(1) : given;
  });

const IMPORTS = /(?:^import .* from '[^.].*\n)+|(?:^import .* from '\..*\n)+/gm;

/** Modules of other names come in another order. */
const importsInOrder = (text: string): string =>
  text.replace(IMPORTS, (lines) =>
    lines
      .split(/(?<=\n)/)
      .sort(byModule)
      .join(''),
  );

const byModule = (one: string, other: string): number => moduleOf(one).localeCompare(moduleOf(other), 'en');

const moduleOf = (line: string): string => line.slice(line.lastIndexOf(' from '));

/** The areas with one more at their end, unless it is there. */
export function withArea(options: string, area: string): string {
  const areas = [...options.matchAll(/^ {2}(AREA_\w+) = (\d+);$/gm)];
  if (areas.some(([, name]) => name === area)) return options;
  const [last, , number] = areas.at(-1) ?? [];
  if (last === undefined) throw new Error('there is no enum of areas');
  return options.replace(last, `${last}\n  ${area} = ${Number(number) + 1};`);
}
