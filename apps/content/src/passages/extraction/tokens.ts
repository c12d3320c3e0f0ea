import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** What looks like a command to a model is text like any other here. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * Tokens of the encoding o200k_base. Counting is quadratic in the length of a run without a break, so that long ones are
 * counted in pieces: of these the number may be a little too high.
 */
export function countTokens(text: string): number {
  if (!longRun.test(text)) return count(text, asText);
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += count(piece, asText);
  return tokens;
}

const longRun = /\S{200}|\s{200}/;
const pieces = /\s{0,8}\S{1,200}|\s{1,200}/gu;
