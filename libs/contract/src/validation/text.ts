import { Problem, valueError } from './problem.ts';
import { codePointLength } from './python-text.ts';

export const notAString = new Problem('string_type', 'Input should be a valid string');

/** Text as it is; numbers and the rest never become text. */
export function readText(value: unknown): string | Problem {
  return typeof value === 'string' ? value : notAString;
}

export const hasNul = valueError('a text cannot contain the NUL character');

/**
 * The check that a text has no NUL character: PostgreSQL cannot store one, and no client means
 * one. It comes after all other checks, because the original service let such texts through.
 */
export function nulCheck(text: string): Problem | undefined {
  return text.includes('\0') ? hasNul : undefined;
}

/** The check of a text's length in code points. */
export function lengthCheck(minimum = 0, maximum = Infinity): (text: string) => Problem | undefined {
  const tooShort = new Problem('string_too_short', `String should have at least ${characters(minimum)}`, {
    min_length: minimum,
  });
  const tooLong = new Problem('string_too_long', `String should have at most ${characters(maximum)}`, {
    max_length: maximum,
  });
  return (text) => {
    // Between one and two UTF-16 units per code point: most texts need no counting.
    if (text.length >= 2 * minimum && text.length <= maximum) return undefined;
    const length = codePointLength(text);
    return length < minimum ? tooShort : length > maximum ? tooLong : undefined;
  };
}

function characters(count: number): string {
  return `${count} character${count === 1 ? '' : 's'}`;
}

/** The check that a text matches a pattern somewhere. */
export function patternCheck(pattern: string): (text: string) => Problem | undefined {
  const expression = new RegExp(pattern, 'u');
  const mismatch = new Problem('string_pattern_mismatch', `String should match pattern '${pattern}'`, { pattern });
  return (text) => (expression.test(text) ? undefined : mismatch);
}

/** The reader of one of some fixed texts. */
export function choiceOf(choices: readonly string[]): (value: unknown) => string | Problem {
  const known = new Set(choices);
  const quoted = choices.map((choice) => `'${choice}'`);
  const last = quoted.pop() ?? '';
  const expected = quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
  const refused = new Problem('enum', `Input should be ${expected}`, { expected });
  return (value) => (typeof value === 'string' && known.has(value) ? value : refused);
}

const otherScheme = new Problem('url_scheme', "URL scheme should be 'http' or 'https'", {
  expected_schemes: "'http' or 'https'",
});
/** Browsers pass over tabs and line breaks inside a link; of what nobody can see, we pass over all. */
const unseen = /[\p{Cc}\p{Cf}]/gu;
const scheme = /^([a-z][a-z\d+.-]*):/i;

/**
 * The check that nothing but http or https can be opened by a text that is shown as a link. A text without a scheme
 * passes, and so does a slip of the pen in one of the two (`htt1ps:`), which no browser knows: the original took any.
 */
export function webLinkCheck(text: string): Problem | undefined {
  const [, name] = scheme.exec(text.replace(unseen, '').trimStart()) ?? [];
  if (name === undefined || isNearly(name.toLowerCase(), 'http') || isNearly(name.toLowerCase(), 'https'))
    return undefined;
  return otherScheme;
}

/** Whether at most one letter is wrong, missing or too many. */
function isNearly(text: string, word: string): boolean {
  const shorter = Math.min(text.length, word.length);
  const longer = Math.max(text.length, word.length);
  let same = 0;
  while (same < shorter && text[same] === word[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && text.at(-1 - sameAtEnd) === word.at(-1 - sameAtEnd)) sameAtEnd++;
  return same + sameAtEnd >= longer - 1;
}

// `5#2` is the second Friday of a month, and `5#L` the last.
const cronField = '(?:\\*|\\?|[\\dA-Za-z]+(?:-[\\dA-Za-z]+)?)(?:/\\d+|#[1-5L])?';
const cronPart = `${cronField}(?:,${cronField})*`;
const cron = new RegExp(`^(?:@[a-z]+|${cronPart}(?: +${cronPart}){4})$`);
const notACron = valueError('not a five-field cron expression');

/** The check of a cron expression's shape; whether it ever fires is for the service to say. */
export function cronCheck(text: string): Problem | undefined {
  return cron.test(text) ? undefined : notACron;
}
