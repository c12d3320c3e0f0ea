import { displayCharacter } from './character-display.ts';
import { EmailError } from './email-error.ts';
import { checkSafeCharacters, distinctDisplays } from './email-local-part.ts';
import { pythonStripEnd } from './python-text.ts';

export interface SplitAddress {
  /** Present when the address stood in angle brackets. */
  readonly displayName: string | undefined;
  /** The part before the @-sign, its quotes and escapes taken away. */
  readonly local: string;
  readonly quoted: boolean;
  readonly domain: string;
}

/** Cuts an address into its parts. Throws EmailError when there is no @-sign or a bracket is left over. */
export function splitAddress(text: string): SplitAddress {
  const [left, right] = splitAt(text, '@<');
  if (!right.startsWith('<')) return parts(undefined, left, right);
  const displayName = checkDisplayName(pythonStripEnd(left));
  if (!right.includes('>')) {
    throw new EmailError(
      'An open angle bracket at the start of the email address has to be followed by a close angle bracket at the end.',
    );
  }
  const bracketed = right.replace(/ +$/, '');
  if (!bracketed.endsWith('>')) throw new EmailError("There can't be anything after the email address.");
  const [local, domain] = splitAt(bracketed.slice(1).replace(/>+$/, ''), '@');
  return parts(displayName, local, domain);
}

function parts(displayName: string | undefined, left: string, right: string): SplitAddress {
  const { value: local, quoted } = unquote(left);
  return { displayName, local, quoted, domain: right.startsWith('@') ? right.slice(1) : right };
}

function checkDisplayName(text: string): string {
  const { value, quoted } = unquote(text);
  if (!quoted) {
    const bad = distinctDisplays(value, (character) => !displayNameCharacter.test(character));
    if (bad !== '') throw new EmailError(`The display name contains invalid characters when not quoted: ${bad}.`);
  }
  checkSafeCharacters(value, true);
  return value;
}

const displayNameCharacter = /^[a-zA-Z0-9_!#$%&'*+\-/=?^`{|}~ ]$/;

/** The text before and from the first of `specials` that is neither quoted nor combined with a mark. */
function splitAt(text: string, specials: string): [left: string, right: string] {
  const characters = Array.from(text);
  let inQuotes = false;
  let escaped = false;
  for (const [index, character] of characters.entries()) {
    if (combinesWithNext(characters, index)) continue;
    if (inQuotes) {
      if (character === '"' && !escaped) inQuotes = false;
      escaped = character === '\\' && !escaped;
    } else if (character === '"') {
      inQuotes = true;
    } else if (specials.includes(character)) {
      return [characters.slice(0, index).join(''), characters.slice(index).join('')];
    }
  }
  throw new EmailError(reasonForNoSign(text));
}

/** `<` and U+0338 are ≮, for example, and no bracket. */
function combinesWithNext(characters: readonly string[], index: number): boolean {
  const character = characters[index] ?? '';
  if (character < '\u0080' && (characters[index + 1] ?? '') < '\u0080') return false;
  // No sequence of marks that means anything is longer than this.
  const composed = characters
    .slice(index, index + 32)
    .join('')
    .normalize('NFC');
  return !composed.startsWith(character);
}

function reasonForNoSign(text: string): string {
  if (text.includes('＠')) {
    return 'The email address has the "full-width" at-sign (@) character instead of a regular at-sign.';
  }
  if (text.includes('﹫')) {
    return 'The email address has the "small commercial at" character instead of a regular at-sign.';
  }
  return 'An email address must have an @-sign.';
}

/** The text without surrounding quotes, any escaped character standing for itself. */
function unquote(text: string): { value: string; quoted: boolean } {
  if (!text.startsWith('"')) return { value: text, quoted: false };
  const characters = Array.from(text);
  let value = '';
  let escaped = false;
  for (let index = 1; index < characters.length; index++) {
    const character = characters[index] ?? '';
    if (!escaped && character === '"') {
      const rest = characters.slice(index + 1);
      if (rest.length > 0) {
        throw new EmailError(`Extra character(s) found after close quote: ${rest.map(displayCharacter).join(', ')}`);
      }
      break;
    }
    if (!escaped && character === '\\') {
      escaped = true;
      continue;
    }
    value += character;
    escaped = false;
  }
  return { value, quoted: true };
}
