import { readersOf } from '../../access/domain/access.ts';
import type { Source } from '../../passages/domain/passage.ts';
import type { Convention } from './convention.ts';

/** The convention as a search shows it. */
export const sourceOf = ({ id, title, createdAt, ...convention }: Convention): Source => ({
  kind: 'CONVENTION',
  id,
  title,
  createdAt,
  readers: readersOf(convention),
});
