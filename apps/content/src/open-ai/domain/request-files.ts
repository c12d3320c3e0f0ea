import type { Violation } from '@platform-backend/core';
import { violation } from './violations.ts';

type Loc = readonly (string | number)[];

/** A file or an image among the parts of a message: a document of the organisation, or the bytes themselves. */
export type RequestFile = {
  /** Where it stands in the request, for whoever is told what is wrong with it. */
  readonly loc: Loc;
} & (
  | { readonly kind: 'document'; readonly id: string }
  | {
      readonly kind: 'image' | 'data';
      readonly name: string;
      /** As the client says. */
      readonly mediaType: string;
      readonly bytes: Uint8Array;
    }
);

/** Of one request. */
export const MAX_FILES = 10;

interface FilePart {
  readonly type: 'image_url' | 'file';
  readonly image_url?: unknown;
  readonly file?: unknown;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export function isFilePart(part: unknown): part is FilePart {
  const { type } = fieldsOf(part);
  return type === 'image_url' || type === 'file';
}

const HEAD =
  /^data:([a-z0-9][a-z0-9!#$&^_.+-]{0,99}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,99})(?:;[a-z0-9=-]{1,100}){0,5}?;base64,/i;

/** Type and bytes of a data URL in base64; undefined: it is none. */
function dataUrl(url: string): { readonly mediaType: string; readonly bytes: Uint8Array } | undefined {
  const [head, mediaType] = HEAD.exec(url.slice(0, 1_000)) ?? [];
  if (head === undefined || mediaType === undefined) return undefined;
  const bytes = Buffer.from(url.slice(head.length), 'base64');
  return bytes.length > 0 ? { mediaType: mediaType.toLowerCase(), bytes } : undefined;
}

const ADDRESS =
  'Addresses are not fetched: send the image itself as a data URL in base64, or upload it and name it in a part of type file';

/** What is wrong with a part that is a file or an image. */
export function wrongFilePart({ type, image_url: image, file }: FilePart, loc: Loc): Violation[] {
  if (type === 'image_url') {
    const { url, detail } = fieldsOf(image);
    if (typeof url !== 'string') return [violation('missing', [...loc, 'image_url', 'url'], 'Field required')];
    if (detail !== undefined && detail !== null && detail !== 'auto')
      return [violation('unsupported_value', [...loc, 'image_url', 'detail'], "Leave it out, or set it to 'auto'")];
    return dataUrl(url) ? [] : [violation('unsupported_value', [...loc, 'image_url', 'url'], ADDRESS)];
  }
  const { file_id: id, file_data: data } = fieldsOf(file);
  const at = [...loc, 'file'];
  if (typeof id === 'string' && id !== '')
    return data === undefined || data === null
      ? []
      : [violation('unsupported_value', at, 'It has file_id or file_data')];
  if (typeof data !== 'string') return [violation('missing', [...at, 'file_data'], 'Field required, or file_id')];
  return dataUrl(data)
    ? []
    : [violation('unsupported_value', [...at, 'file_data'], 'Input should be a data URL in base64')];
}

/** The files and images among the parts of a message that `wrongFilePart` finds nothing wrong with. */
export function filesIn(content: unknown, loc: Loc): readonly RequestFile[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, index): RequestFile[] => {
    if (!isFilePart(part)) return [];
    const at = [...loc, index, part.type];
    if (part.type === 'image_url') {
      const read = dataUrl(String(fieldsOf(part.image_url)['url']));
      return read ? [{ kind: 'image', loc: at, name: 'image', ...read }] : [];
    }
    const { file_id: id, file_data: data, filename } = fieldsOf(part.file);
    if (typeof id === 'string' && id !== '') return [{ kind: 'document', loc: at, id }];
    const read = dataUrl(String(data));
    const name = typeof filename === 'string' && filename !== '' ? filename.slice(0, 200) : 'file';
    return read ? [{ kind: 'data', loc: at, name, ...read }] : [];
  });
}

/** A file that cannot be read, as whoever has sent it hears of it. */
export const unreadableFile = (loc: Loc, why: string): Violation => violation('unsupported_value', loc, why);
