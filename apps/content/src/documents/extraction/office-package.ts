import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

/** One part of an Office file speaks of another one. */
export interface Relationship {
  /** The last word of the type's URL: both editions of the standard agree in it. */
  readonly type: string;
  /** Name of the other part in the archive. */
  readonly target: string;
}

/** What a part speaks of, by id. Of what lies outside of the file nothing is told. */
export async function relationshipsOf(archive: Archive, part: string): Promise<ReadonlyMap<string, Relationship>> {
  const found = new Map<string, Relationship>();
  const directory = posix.dirname(part);
  const name = posix.join(directory, '_rels', `${posix.basename(part)}.rels`);
  if (!archive.has(name)) return found;
  await readXml(archive.read(name), {
    open: (element, { Id, Type, Target, TargetMode }) => {
      if (element !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(directory, Target);
      found.set(Id, { type: posix.basename(Type ?? ''), target });
    },
  });
  return found;
}

/** The targets of one type. */
export const targetsOf = (relationships: ReadonlyMap<string, Relationship>, type: string): string[] =>
  [...relationships.values()].filter((one) => one.type === type).map(({ target }) => target);

export interface MainPart {
  readonly name: string;
  readonly contentType: string;
}

/** What the file is about; undefined where it is no Office file. */
export async function mainPartOf(archive: Archive): Promise<MainPart | undefined> {
  const [name] = targetsOf(await relationshipsOf(archive, ''), 'officeDocument');
  if (name === undefined || !archive.has('[Content_Types].xml')) return undefined;
  let contentType = '';
  await readXml(archive.read('[Content_Types].xml'), {
    open: (element, { PartName, ContentType = '' }) => {
      if (element === 'Override' && PartName === `/${name}`) contentType = ContentType;
    },
  });
  return { name, contentType };
}

/** The title in the properties of the file. */
export async function titleOf(archive: Archive): Promise<string | undefined> {
  const name = 'docProps/core.xml';
  if (!archive.has(name)) return undefined;
  let inTitle = false;
  let title = '';
  await readXml(archive.read(name), {
    open: (element) => {
      inTitle = element === 'title';
    },
    text: (text) => {
      if (inTitle && title.length < 1_000) title += text;
    },
    close: () => {
      inTitle = false;
    },
  });
  return title.trim() || undefined;
}
