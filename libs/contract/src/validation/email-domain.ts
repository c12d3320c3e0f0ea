import { EmailError } from './email-error.ts';
import { checkSafeCharacters, distinctDisplays } from './email-local-part.ts';
import { DomainNameError, labelToAscii, labelToUnicode, mapDomain } from './international-domain.ts';
import { reasonAgainstIpv4, reasonAgainstIpv6 } from './ip-address.ts';
import { codePointLength } from './python-text.ts';

export interface MailDomain {
  /** In the people's script, lower case. */
  readonly name: string;
  /** As DNS knows it. */
  readonly ascii: string;
}

const hostnameCharacter = /^[a-zA-Z0-9\-.\u{80}-\u{10ffff}]$/u;
const hostname = /^(?:(?:[a-zA-Z0-9][a-zA-Z0-9-]*)?[a-zA-Z0-9])(?:\.(?:(?:[a-zA-Z0-9][a-zA-Z0-9-]*)?[a-zA-Z0-9]))*$/;
/** RFC 1035, without the final dot. */
const maxDomain = 253;
const maxLabel = 63;
/** Names that mail can never reach from everywhere: IANA's special-use domains. */
const specialUse = ['arpa', 'invalid', 'local', 'localhost', 'onion', 'test'];

/** Checks the part after the @-sign. Throws EmailError with the reason. */
export function mailDomain(domain: string): MailDomain {
  refuseCharacters(domain, (character) => !hostnameCharacter.test(character), 'contains invalid characters: ');
  checkSafeCharacters(domain, false);
  refuseCharacters(domain, (character) => !isMappable(character), 'contains invalid characters: ');
  const mapped = rethrown(() => mapDomain(domain), 'contains invalid characters (');
  refuseCharacters(
    mapped,
    (character) => !hostnameCharacter.test(character),
    'contains invalid characters after Unicode normalization: ',
  );
  checkDotsAndHyphens(mapped);
  const ascii = hostname.test(mapped)
    ? mapped
    : rethrown(() => mapped.split('.').map(labelToAscii).join('.'), 'is invalid (');
  if (!hostname.test(ascii)) {
    throw new EmailError('The email address contains invalid characters after the @-sign after IDNA encoding.');
  }
  checkLengths(ascii, domain);
  checkReachable(ascii);
  const name = rethrown(() => ascii.split('.').map(labelToUnicode).join('.'), 'is not valid IDNA (');
  refuseCharacters(name, (character) => !hostnameCharacter.test(character), 'contains invalid characters: ');
  checkSafeCharacters(name, false);
  return { name, ascii };
}

function refuseCharacters(text: string, isBad: (character: string) => boolean, reason: string): void {
  const bad = distinctDisplays(text, isBad);
  if (bad !== '') throw new EmailError(`The part after the @-sign ${reason}${bad}.`);
}

function rethrown<Value>(work: () => Value, reason: string): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainNameError) throw new EmailError(`The part after the @-sign ${reason}${error.message}).`);
    throw error;
  }
}

/** Characters that the mapping would refuse or turn into a dot, found before it for a kinder reason. */
function isMappable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x80 && code <= 0x9f) return false;
  if (alwaysMappable.test(character)) return true;
  if (/^[\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Z}]$/u.test(character)) return false;
  return !character.normalize('NFKC').includes('.') || character === '.' || longDots.test(character);
}

const alwaysMappable = /^[\u2010-\u2023\u2027\u202f-\u2060\u00ad\u2064\uff0e\u200b-\u200d\u{1bca0}-\u{1bca3}]$/u;
/** Vertical forms of "..." and "..": they decompose into the horizontal ones first. */
const longDots = /^[\ufe19\ufe30]$/;

function checkDotsAndHyphens(domain: string): void {
  const edges: [string, string][] = [
    ['.', 'period'],
    ['-', 'hyphen'],
  ];
  for (const [character, name] of edges) {
    if (domain.endsWith(character)) throw new EmailError(`An email address cannot end with a ${name}.`);
    if (domain.startsWith(character)) {
      throw new EmailError(`An email address cannot have a ${name} immediately after the @-sign.`);
    }
    if (character === '.' && domain.includes('..')) {
      throw new EmailError('An email address cannot have two periods in a row.');
    }
  }
  if (domain.includes('.-') || domain.includes('-.')) {
    throw new EmailError('An email address cannot have a period and a hyphen next to each other.');
  }
  if (domain.split('.').some((label) => /^(?!xn)..--/iu.test(label))) {
    throw new EmailError(
      'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.',
    );
  }
}

function checkLengths(ascii: string, original: string): void {
  const excess = ascii.length - maxDomain;
  if (excess > 0) {
    const unit = ascii === original ? 'character' : 'byte';
    const plural = excess === 1 ? '' : 's';
    const where = ascii === original ? '' : ' after IDNA encoding';
    throw new EmailError(
      `The email address is too long after the @-sign (${excess} ${unit}${plural} too many${where}).`,
    );
  }
  for (const label of ascii.split('.')) {
    const tooMany = codePointLength(label) - maxLabel;
    if (tooMany > 0) {
      throw new EmailError(
        `After the @-sign, periods cannot be separated by so many characters (${tooMany} character${tooMany > 1 ? 's' : ''} too many).`,
      );
    }
  }
}

function checkReachable(ascii: string): void {
  if (!ascii.includes('.')) throw new EmailError('The part after the @-sign is not valid. It should have a period.');
  if (!/[A-Za-z]$/.test(ascii)) {
    throw new EmailError('The part after the @-sign is not valid. It is not within a valid top-level domain.');
  }
  if (specialUse.some((name) => ascii === name || ascii.endsWith(`.${name}`))) {
    throw new EmailError('The part after the @-sign is a special-use or reserved name that cannot be used with email.');
  }
}

/** Why an address in square brackets is refused: a correct one is refused too, as not allowed here. */
export function reasonAgainstLiteral(literal: string): string {
  if (/^[\d.]+$/.test(literal)) {
    const reason = reasonAgainstIpv4(literal);
    if (reason === undefined) return notAllowedLiteral;
    return `The address in brackets after the @-sign is not valid: It is not an IPv4 address (${reason}) or is missing an address literal tag.`;
  }
  if (literal.startsWith('IPv6:')) {
    const reason = reasonAgainstIpv6(literal.slice('IPv6:'.length));
    return reason === undefined
      ? notAllowedLiteral
      : `The IPv6 address in brackets after the @-sign is not valid (${reason}).`;
  }
  if (!literal.includes(':')) {
    return 'The part after the @-sign in brackets is not an IPv4 address and has no address literal tag.';
  }
  const bad = distinctDisplays(literal, (character) => !/^[\u0021-\u00fa]$/.test(character));
  return bad === ''
    ? 'The part after the @-sign contains an invalid address literal tag in brackets.'
    : `The part after the @-sign contains invalid characters in brackets: ${bad}.`;
}

const notAllowedLiteral = 'A bracketed IP address after the @-sign is not allowed here.';
