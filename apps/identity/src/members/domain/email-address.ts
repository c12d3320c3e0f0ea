import { invalid } from '@platform-backend/core';

/** Whether two texts are one address. What merely looks alike is another one: it may be somebody else's mailbox. */
export const sameEmail = (one: string, other: string): boolean => normalEmail(one) === normalEmail(other);

/**
 * The form in which addresses are compared, byte by byte: without blanks around it, in Unicode's composed form, `A` to `Z`
 * in lower case, and its domain as DNS knows it (`xn--…`). Before the @-sign no other letter loses its case or is replaced
 * by one that is taken for the same. A domain that DNS cannot know stays as it is, and so equals no other.
 */
export function normalEmail(email: string): string {
  const text = composed(email.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''));
  const at = text.lastIndexOf('@');
  if (at === -1) return lowerAscii(text);
  return `${lowerAscii(text.slice(0, at))}@${normalDomain(text.slice(at + 1))}`;
}

/** INVALID: letters that pass for others, so that the address is likely to be read as somebody else's. */
export function rejectConfusableEmail(email: string): void {
  const characters = Array.from(lowered(composed(email))).filter((character) => mistakable.test(character));
  if (characters.length === 0) return;
  const reason = `The email address contains characters that pass for others: ${characters.map(numberOf).join(', ')}.`;
  throw invalid([
    {
      type: 'value_error',
      loc: ['body', 'email'],
      msg: `value is not a valid email address: ${reason}`,
      input: email,
      ctx: { reason },
    },
  ]);
}

/** The only three characters whose composed form is an ASCII character: KELVIN SIGN is K, for example. */
const becomesAscii = /[\u037e\u1fef\u212a]/;

/** Letters and their accents in one character each, without making any of them an ASCII letter. */
const composed = (text: string): string => (becomesAscii.test(text) ? text : text.normalize('NFC'));

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Every letter in lower case, but for those that would become ASCII letters. */
const lowered = (text: string): string =>
  text.replace(/./gsu, (character) => {
    const lower = character.toLowerCase();
    return isAscii(character) || !/[a-z]/.test(lower) ? lower : character;
  });

/** What Unicode folds into something else, or into nothing, though in lower case: ſ, ｍ. ß and ς are letters of their own. */
const mistakable = /(?![ßς])\p{Changes_When_NFKC_Casefolded}/u;

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

function normalDomain(domain: string): string {
  const lower = lowered(domain);
  if (isAscii(lower) || mistakable.test(lower) || !/^[a-z\d.\-\p{L}\p{M}\p{N}]+$/u.test(lower)) return lower;
  return URL.parse(`http://${lower}`)?.hostname ?? lower;
}

const numberOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
