import { displayCharacter } from './character-display.ts';
import { EmailError } from './email-error.ts';
import { byCodePoints } from './python-text.ts';

export interface LocalPart {
  /** As it stands in the normal address. */
  readonly text: string;
  /** The same in ASCII; undefined when there is none. */
  readonly ascii: string | undefined;
}

const atom = "a-zA-Z0-9_!#$%&'*+\\-/=?^`{|}~";
const asciiAtoms = new RegExp(`^[${atom}]+(?:\\.[${atom}]+)*$`);
const anyAtoms = new RegExp(`^[${atom}\\u{80}-\\u{10ffff}]+(?:\\.[${atom}\\u{80}-\\u{10ffff}]+)*$`, 'u');
const atomOrDot = new RegExp(`^[.${atom}\\u{80}-\\u{10ffff}]$`, 'u');
const quotable = /^[\x20-\x7e\u{80}-\u{10ffff}]$/u;

/** Mailboxes that RFC 2142 wants to exist in lower case. */
const caselessMailboxes = new Set(
  'info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp'.split(' '),
);

/** Checks the part before the @-sign. Throws EmailError with the reason. */
export function localPart(local: string, quoted: boolean): LocalPart {
  const found = checked(local, quoted);
  const composed = found.text.normalize('NFC');
  if (composed !== found.text) checkComposed(composed, quoted);
  if (quoted) throw new EmailError('Quoting the part before the @-sign is not allowed here.');
  const text = composed;
  const lower = found.ascii?.toLowerCase();
  return lower !== undefined && caselessMailboxes.has(lower)
    ? { text: text.toLowerCase(), ascii: lower }
    : { text, ascii: found.ascii };
}

function checkComposed(composed: string, quoted: boolean): void {
  try {
    checked(composed, quoted);
  } catch (error) {
    if (error instanceof EmailError) throw new EmailError(`After Unicode normalization: ${error.message}`);
    throw error;
  }
}

function checked(local: string, quoted: boolean): LocalPart {
  if (local === '') throw new EmailError('There must be something before the @-sign.');
  if (asciiAtoms.test(local)) return { text: local, ascii: local };
  if (anyAtoms.test(local)) {
    checkSafeCharacters(local, false);
    return { text: local, ascii: undefined };
  }
  if (quoted) return checkedQuoted(local);
  const bad = distinctDisplays(local, (character) => !atomOrDot.test(character));
  if (bad !== '') throw new EmailError(`The email address contains invalid characters before the @-sign: ${bad}.`);
  throw new EmailError(reasonAgainstDots(local));
}

function checkedQuoted(local: string): LocalPart {
  const bad = distinctDisplays(local, (character) => !quotable.test(character));
  if (bad !== '') {
    throw new EmailError(`The email address contains invalid characters in quotes before the @-sign: ${bad}.`);
  }
  checkSafeCharacters(local, true);
  const text = `"${local.replace(/["\\]/g, '\\$&')}"`;
  return { text, ascii: /^[\x20-\x7e]*$/.test(local) ? text : undefined };
}

function reasonAgainstDots(local: string): string {
  if (local.endsWith('.')) return 'An email address cannot have a period immediately before the @-sign.';
  if (local.startsWith('.')) return 'An email address cannot start with a period.';
  return 'An email address cannot have two periods in a row.';
}

/** Refuses control, format and unassigned characters, strange spaces, a mark at the start, and ASCII in disguise. */
export function checkSafeCharacters(text: string, allowSpace: boolean): void {
  const bad = Array.from(text).filter((character, index) => isUnsafe(character, index, allowSpace));
  if (bad.length === 0) return;
  const shown = [...new Set(bad)].sort(byCodePoints).map(displayCharacter).join(', ');
  throw new EmailError(`The email address contains unsafe characters: ${shown}.`);
}

/** The characters that are ASCII ones when composed: with KELVIN SIGN, `marK@` would be the address of `mark@`. */
const asciiInDisguise = /^[\u037e\u1fef\u212a]$/;

function isUnsafe(character: string, index: number, allowSpace: boolean): boolean {
  if (asciiInDisguise.test(character)) return true;
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return false;
  if (/^\p{M}$/u.test(character)) return index === 0;
  return !(allowSpace && /^\p{Zs}$/u.test(character));
}

/** The characters a rule speaks against, each once, as an error shows them; empty when there are none. */
export function distinctDisplays(text: string, isBad: (character: string) => boolean): string {
  const shown = new Set(Array.from(text).filter(isBad).map(displayCharacter));
  return [...shown].sort(byCodePoints).join(', ');
}
