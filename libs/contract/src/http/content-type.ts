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

export const multipartForm = 'multipart/form-data';

/** Whether a body with this content type is a form that can have files in it. */
export function isMultipartForm(header: string | undefined): boolean {
  return headerOptions(header).value === multipartForm;
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
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at++) {
    const character = header[at];
    if (character === ';' && !isQuoted) {
      segments.push(header.slice(from, at));
      from = at + 1;
    } else if (character === '"' && header[at - 1] !== '\\') {
      isQuoted = !isQuoted;
    }
  }
  return [...segments, header.slice(from)];
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
