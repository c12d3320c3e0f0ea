import { createRequire } from 'node:module';
import { pythonRepr } from './python-repr.ts';

/**
 * Internationalised domain names: the mapping of UTS #46 and the label rules of IDNA 2008
 * (RFC 5890 to 5893), with the reasons that Python's idna package gives.
 */

/** Why a domain name is none. */
export class DomainNameError extends Error {}

/** Tables of the Unicode data that JavaScript does not know, kept by tr46; and RFC 3492. */
interface UnicodeTables {
  readonly punycode: { encode(label: string): string; decode(encoded: string): string };
  readonly mapping: readonly MappingRow[];
  readonly bidi: Readonly<Record<BidiTable, RegExp>>;
}
type MappingRow = readonly [number | readonly [number, number], number, string?];
type BidiTable =
  | 'bidiDomain'
  | 'bidiS1LTR'
  | 'bidiS1RTL'
  | 'bidiS2'
  | 'bidiS3'
  | 'bidiS4EN'
  | 'bidiS4AN'
  | 'bidiS5'
  | 'bidiS6'
  | 'combiningClassVirama'
  | 'validZWNJ';

const require = createRequire(import.meta.url);
let loaded: UnicodeTables | undefined;

/** Loads them for the first name that is more than plain ASCII. */
function tables(): UnicodeTables {
  loaded ??= {
    // By its file: the bare name is a deprecated module of Node.js itself.
    punycode: require('punycode/punycode.js') as UnicodeTables['punycode'],
    mapping: require('tr46/lib/mappingTable.json') as readonly MappingRow[],
    bidi: require('tr46/lib/regexes.js') as UnicodeTables['bidi'],
  };
  return loaded;
}

// The statuses of tr46's table; "valid" (2) and "deviation" (6) characters stay as they are.
const mapped = 1;
const disallowed = 3;
const ignored = 7;

/** Lower case, composed, full-width dots made dots, and so on: UTS #46, nontransitional, without the STD3 rules. */
export function mapDomain(domain: string): string {
  const characters = Array.from(domain);
  if (characters.length > maxInput) throw new DomainNameError('Domain too long');
  if (isAscii(domain)) return domain.toLowerCase();
  const output = characters.map((character, index) => {
    const code = codeOf(character);
    const [, status, replacement = ''] = mappingOf(code);
    if (status === mapped) return replacement;
    if (status === ignored) return '';
    if (status === disallowed) {
      const where = `at position ${index + 1} in ${pythonRepr(domain)}`;
      throw new DomainNameError(`Codepoint ${numberOf(code)} not allowed ${where}`);
    }
    return character;
  });
  return output.join('').normalize('NFC');
}

const maxInput = 1024;
const unmapped: MappingRow = [0, disallowed];

function mappingOf(code: number): MappingRow {
  const { mapping } = tables();
  let low = 0;
  let high = mapping.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = mapping[middle] ?? unmapped;
    const [from, to] = typeof row[0] === 'number' ? [row[0], row[0]] : row[0];
    if (code < from) high = middle - 1;
    else if (code > to) low = middle + 1;
    else return row;
  }
  return unmapped;
}

/** A label as DNS knows it: `münchen` → `xn--mnchen-3ya`. */
export function labelToAscii(label: string): string {
  if (isAscii(label)) {
    labelToUnicode(label);
    if (label.length > maxLabel) throw new DomainNameError('Label too long');
    return label;
  }
  checkLabel(label);
  const encoded = `xn--${tables().punycode.encode(label)}`;
  if (encoded.length > maxLabel) throw new DomainNameError('Label too long');
  return encoded;
}

const maxLabel = 63;

/** A label as people know it; an `xn--` label must be the one and only encoding of what it says. */
export function labelToUnicode(label: string): string {
  const lower = label.toLowerCase();
  if (!lower.startsWith('xn--')) {
    checkLabel(lower);
    return lower;
  }
  const encoded = lower.slice(4);
  if (encoded === '') throw new DomainNameError('Malformed A-label, no Punycode eligible content found');
  if (encoded.endsWith('-')) throw new DomainNameError('A-label must not end with a hyphen');
  const decoded = decodePunycode(encoded);
  if (tables().punycode.encode(decoded) !== encoded) {
    throw new DomainNameError('A-label is not the canonical Punycode encoding of its U-label');
  }
  checkLabel(decoded);
  return decoded;
}

function decodePunycode(encoded: string): string {
  try {
    return tables().punycode.decode(encoded);
  } catch {
    throw new DomainNameError('Invalid A-label');
  }
}

function checkLabel(label: string): void {
  const characters = Array.from(label);
  if (characters.length > maxInput) throw new DomainNameError('Label too long');
  if (characters.length === 0) throw new DomainNameError('Empty Label');
  if (characters.length > 254) throw new DomainNameError('Label too long');
  if (label.normalize('NFC') !== label) throw new DomainNameError('Label must be in Normalization Form C');
  if (characters[2] === '-' && characters[3] === '-') {
    throw new DomainNameError('Label has disallowed hyphens in 3rd and 4th position');
  }
  if (label.startsWith('-') || label.endsWith('-')) {
    throw new DomainNameError('Label must not start or end with a hyphen');
  }
  if (/^\p{M}/u.test(label)) throw new DomainNameError('Label begins with an illegal combining character');
  for (const [index, character] of characters.entries()) checkCharacter(characters, index, character);
  if (!isAscii(label)) checkDirections(characters, label);
}

function checkCharacter(label: readonly string[], index: number, character: string): void {
  if (/^[a-z\d-]$/.test(character)) return;
  const code = codeOf(character);
  const position = index + 1;
  const shown = (): string => pythonRepr(label.join(''));
  if (code === 0x200c || code === 0x200d) {
    if (!joinerFits(label, index)) {
      throw new DomainNameError(`Joiner ${numberOf(code)} not allowed at position ${position} in ${shown()}`);
    }
  } else if (contextCharacter.test(character)) {
    if (!contextFits(label, index, code)) {
      throw new DomainNameError(`Codepoint ${numberOf(code)} not allowed at position ${position} in ${shown()}`);
    }
  } else if (!isProtocolValid(character)) {
    throw new DomainNameError(`Codepoint ${numberOf(code)} at position ${position} of ${shown()} not allowed`);
  }
}

const contextCharacter = /^[\u00b7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9]$/;

// RFC 5892, section 2: the properties that decide, and the exceptions by hand.
const alwaysValid = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]$/;
const neverValid = /^(?:[\u0640\u07fa\u3031-\u3035\u303b]|\u302e|\u302f)$/;
const unstable = /^\p{Changes_When_NFKC_Casefolded}$/u;
const ignorable = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]$/u;
const ignorableBlock = /^[\u20d0-\u20ff\u{1d100}-\u{1d24f}]$/u;
const oldHangul = /^[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]$/u;
const letterOrDigit = /^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]$/u;

/** PVALID of RFC 5892. */
export function isProtocolValid(character: string): boolean {
  if (alwaysValid.test(character)) return true;
  if (neverValid.test(character) || unstable.test(character) || ignorable.test(character)) return false;
  if (ignorableBlock.test(character) || oldHangul.test(character)) return false;
  return letterOrDigit.test(character);
}

/** RFC 5892, appendix A.1 and A.2: joiners stand behind a virama, or between letters that join. */
function joinerFits(label: readonly string[], index: number): boolean {
  const { bidi } = tables();
  const before = label[index - 1];
  if (before !== undefined && bidi.combiningClassVirama.test(before)) return true;
  if (label[index] === '\u200d') return false;
  const start = label.lastIndexOf('\u200c', index - 1) + 1;
  const next = label.indexOf('\u200c', index + 1);
  return bidi.validZWNJ.test(label.slice(index === 0 ? 0 : start, next === -1 ? undefined : next).join(''));
}

/** RFC 5892, appendix A.3 to A.9. */
function contextFits(label: readonly string[], index: number, code: number): boolean {
  const before = label[index - 1] ?? '';
  const after = label[index + 1] ?? '';
  if (code === 0xb7) return before === 'l' && after === 'l';
  if (code === 0x375) return /^\p{Script=Greek}/u.test(after);
  if (code === 0x5f3 || code === 0x5f4) return /^\p{Script=Hebrew}/u.test(before);
  if (code === 0x30fb) {
    return label.some((character) => /^[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(character));
  }
  return code < 0x6f0 ? !label.some(isExtendedArabicDigit) : !label.some(isArabicDigit);
}

const isArabicDigit = (character: string): boolean => /^[\u0660-\u0669]/.test(character);
const isExtendedArabicDigit = (character: string): boolean => /^[\u06f0-\u06f9]/.test(character);

/** The Bidi rule of RFC 5893, for labels with right-to-left characters. */
function checkDirections(characters: readonly string[], label: string): void {
  const { bidi } = tables();
  if (!bidi.bidiDomain.test(label)) return;
  const [first = ''] = characters;
  const rightToLeft = bidi.bidiS1RTL.test(first);
  if (!rightToLeft && !bidi.bidiS1LTR.test(first)) {
    throw new DomainNameError(`First codepoint in label ${pythonRepr(label)} must be directionality L, R or AL`);
  }
  if (rightToLeft) checkRightToLeft(characters);
  else checkLeftToRight(characters);
  if (!(rightToLeft ? bidi.bidiS3 : bidi.bidiS6).test(label)) {
    throw new DomainNameError('Label ends with illegal codepoint directionality');
  }
}

function checkRightToLeft(characters: readonly string[]): void {
  const { bidi } = tables();
  let numerals: 'european' | 'arabic' | undefined;
  for (const [index, character] of characters.entries()) {
    if (!bidi.bidiS2.test(character)) {
      throw new DomainNameError(`Invalid direction for codepoint at position ${index + 1} in a right-to-left label`);
    }
    const kind = bidi.bidiS4EN.test(character) ? 'european' : bidi.bidiS4AN.test(character) ? 'arabic' : undefined;
    if (kind === undefined) continue;
    numerals ??= kind;
    if (numerals !== kind) throw new DomainNameError('Can not mix numeral types in a right-to-left label');
  }
}

function checkLeftToRight(characters: readonly string[]): void {
  const wrong = characters.findIndex((character) => !tables().bidi.bidiS5.test(character));
  if (wrong !== -1) {
    throw new DomainNameError(`Invalid direction for codepoint at position ${wrong + 1} in a left-to-right label`);
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function numberOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range is what ASCII means
  return /^[\x00-\x7f]*$/.test(text);
}
