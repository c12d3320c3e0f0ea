import type { Json } from './json.ts';

/** The source of a cell, which is a text, or its lines. */
export const sourceOf = ({ source }: Readonly<Record<string, Json>>): string =>
  Array.isArray(source) ? source.join('') : typeof source === 'string' ? source : '';
