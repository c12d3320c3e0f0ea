/**
 * Whether a body with this content type is JSON: `application/json` and `application/<any>+json`,
 * in any case, with any parameters. A body without a content type is not.
 */
export function isJsonContentType(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  if (header === undefined) return false;
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  const [main, sub, ...more] = type.split('/');
  return main === 'application' && sub !== undefined && more.length === 0 && (sub === 'json' || sub.endsWith('+json'));
}

/** A header of the form `value; name=value; name="value"`. */
export interface HeaderOptions {
  readonly value: string;
  readonly options: ReadonlyMap<string, string>;
}

/**
 * Takes such a header apart like python-multipart: a value with options keeps its case, extended
 * parameters (`filename*=`) do not count, and of a Windows path only the file name is kept.
 */
export function headerOptions(header: string | undefined): HeaderOptions {
  if (header === undefined || header === '') return { value: '', options: new Map() };
  if (!header.includes(';')) return { value: header.toLowerCase().trim(), options: new Map() };
  const [value = '', ...segments] = splitUnquoted(header).map(normalSegment);
  const options = new Map<string, string>();
  for (const segment of segments) {
    const equals = segment.indexOf('=');
    const name = equals === -1 ? segment : segment.slice(0, equals);
    if (name.includes('*')) continue;
    const text = unquoted(equals === -1 ? '' : segment.slice(equals + 1));
    const isWindowsPath = name === 'filename' && (text.slice(1, 3) === ':\\' || text.startsWith('\\\\'));
    options.set(name, isWindowsPath ? (text.split('\\').at(-1) ?? '') : text);
  }
  return { value, options };
}

/** Cuts at each semicolon that is not inside double quotes. */
function splitUnquoted(header: string): string[] {
  const segments: string[] = [];
  let segment = '';
  let quotes = 0;
  for (const [index, character] of header.split('').entries()) {
    if (character === ';' && quotes % 2 === 0) {
      segments.push(segment);
      segment = '';
      quotes = 0;
      continue;
    }
    if (character === '"' && header[index - 1] !== '\\') quotes++;
    segment += character;
  }
  return [...segments, segment];
}

function normalSegment(segment: string): string {
  const equals = segment.indexOf('=');
  if (equals === -1) return segment.trim();
  return `${segment.slice(0, equals).trimEnd().toLowerCase()}=${segment.slice(equals + 1).trimStart()}`.trim();
}

function unquoted(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replaceAll('\\\\', '\\').replaceAll('\\"', '"');
}
