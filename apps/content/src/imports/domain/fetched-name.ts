import { ANY_TYPE, mediaTypeOf } from '../../documents/domain/media-types.ts';

/** Longer names are cut, as those of documents may not be. */
const MAX_NAME = 2000;

const NAMELESS = 'document';

/** What people are shown of an address: behind its `?` and `#` secrets may stand. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** What a file is called that comes from this address: as the header says, else as its path does. */
export function fetchedName(url: string, disposition: string | null): string {
  return cleaned(nameIn(disposition ?? '')) || cleaned(lastSegment(url)) || NAMELESS;
}

/** RFC 6266: the extended form goes before the plain one. */
function nameIn(disposition: string): string {
  const [, charset = '', encoded] = /filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  if (encoded !== undefined && charset.toLowerCase() === 'utf-8') return decoded(encoded);
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '';
}

const lastSegment = (url: string): string => decoded(new URL(url).pathname.split('/').at(-1) ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without folders, and without what nobody sees. */
const cleaned = (name: string): string =>
  Array.from((name.split(/[/\\]/).at(-1) ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim())
    .slice(0, MAX_NAME)
    .join('');

/** Servers say these of what they know nothing of. */
const VAGUE: ReadonlySet<string> = new Set([
  '',
  ANY_TYPE,
  'binary/octet-stream',
  'application/x-download',
  'text/plain',
]);

/** Longer ones are none, as those of uploads may not be. */
const MAX_TYPE = 255;

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

/** What bytes are taken for until they are read: as the header says, and by the name where that says nothing. */
export function fetchedType(name: string, header: string | null): string {
  const [said = ''] = (header ?? '').toLowerCase().split(';');
  const type = said.trim();
  const byName = mediaTypeOf(name);
  if (!VAGUE.has(type) && type.length <= MAX_TYPE && MEDIA_TYPE.test(type)) return type;
  return byName === ANY_TYPE && type === 'text/plain' ? type : byName;
}
