import { invalid } from '@platform-backend/core';
import { unsupportedValue, violation } from './violations.ts';

/** At once: as many as a model of this machine embeds before its caller gives up. */
const MAX_TEXTS = 512;

/** The texts that are to be embedded. INVALID: there are none, too many, or tokens in their place. */
export function textsIn(input: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.length > MAX_TEXTS)
    throw invalid([violation('too_many', ['input'], `Input should be a text, or 1 to ${MAX_TEXTS} of them`)]);
  if (texts.some((text) => typeof text !== 'string'))
    throw invalid([
      unsupportedValue('input', 'Tokens are not taken, for they are those of another encoder: send texts'),
    ]);
  const empty = texts.indexOf('');
  if (empty !== -1) throw invalid([violation('empty', ['input', empty], 'Input should say something')]);
  return texts as string[];
}
