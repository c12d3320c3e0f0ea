import { mailDomain, reasonAgainstLiteral, type MailDomain } from './email-domain.ts';
import { EmailError } from './email-error.ts';
import { localPart } from './email-local-part.ts';
import { splitAddress } from './email-split.ts';
import { Problem } from './problem.ts';
import { codePointLength, pythonSpaceClass, pythonStrip } from './python-text.ts';
import { notAString } from './text.ts';

/** Longer texts are refused before anything is looked at; counted in code points. */
const maxText = 2048;
/** RFC 5321, in bytes. */
const maxAddress = 254;

/**
 * An e-mail address in its normal form: without a display name, its domain in lower case and in
 * the people's script, both parts in Unicode's composed form. Rules and reasons are those of
 * pydantic with the email-validator library; whether the domain exists is not looked up.
 */
export function readEmailAddress(value: unknown): string | Problem {
  if (typeof value !== 'string') return notAString;
  if (value.length <= 64 && ordinary.test(value)) return value;
  try {
    return normalAddress(value);
  } catch (error) {
    if (error instanceof EmailError) return refused(error.message);
    throw error;
  }
}

/** Addresses that every rule accepts as they are: what clients send nearly always. */
const ordinary =
  /^(?!(?:[^@]*@)(?:.*\.)?(?:arpa|invalid|local|localhost|onion|test)$)[a-z][a-z\d]*(?:[._+-][a-z\d]+)*@(?:[a-z\d]+\.)+[a-z]{2,}$/;

function refused(reason: string): Problem {
  return new Problem('value_error', `value is not a valid email address: ${reason}`, { reason });
}

function normalAddress(text: string): string {
  if (codePointLength(text) > maxText) throw new EmailError(`Length must not exceed ${maxText} characters`);
  const { displayName, local, quoted, domain } = splitAddress(pythonStrip(withoutPrettyName(text)));
  const original = `${quoted ? `"${local}"` : local}@${domain}`;
  const checked = localPart(local, quoted);
  const found = domainOf(domain);
  const address = `${checked.text}@${found.name}`;
  checkLengths(original, address, `${checked.ascii ?? checked.text}@${found.ascii}`);
  if (displayName !== undefined) {
    throw new EmailError('A display name and angle brackets around the email address are not permitted here.');
  }
  return address;
}

function domainOf(domain: string): MailDomain {
  if (domain === '') throw new EmailError('There must be something after the @-sign.');
  if (domain.startsWith('[') && domain.endsWith(']')) throw new EmailError(reasonAgainstLiteral(domain.slice(1, -1)));
  return mailDomain(domain);
}

const nameCharacter = "[\\p{L}\\p{N}_!#$%&'*+\\-/=?^`{|}~]";
const plainName = `(?:${nameCharacter}+${pythonSpaceClass}+)*${nameCharacter}+`;
const prettyAddress = new RegExp(
  `^${pythonSpaceClass}*(?:${plainName}|"[^]+")?${pythonSpaceClass}*<([^\\n]+)>${pythonSpaceClass}*$`,
  'u',
);

/** `Ann Lee <ann@acme.com>` → `ann@acme.com` */
function withoutPrettyName(text: string): string {
  if (!text.includes('<')) return text;
  return prettyAddress.exec(text)?.[1] ?? text;
}

/** The address as given, as normalised and as DNS and old mail servers see it: each has to be short enough. */
function checkLengths(original: string, normal: string, ascii: string): void {
  const excess = (address: string): number => Buffer.byteLength(address) - maxAddress;
  if (excess(original) > 0)
    throw new EmailError(`The email address is too long ${tooMany(original, excess(original))}.`);
  const forms: [string, string][] = [
    [normal, 'after normalization'],
    [ascii, 'when the part after the @-sign is converted to IDNA ASCII'],
  ];
  for (const [address, reason] of forms) {
    const bytes = excess(address);
    if (bytes > 0) {
      throw new EmailError(`The email address is too long ${reason} (${bytes} byte${bytes > 1 ? 's' : ''} too many).`);
    }
  }
}

function tooMany(address: string, bytes: number): string {
  const plural = bytes > 1 ? 's' : '';
  if (codePointLength(address) === Buffer.byteLength(address)) return `(${bytes} character${plural} too many)`;
  const widest = Math.max(...Array.from(address, (character) => Buffer.byteLength(character)));
  const fewest = Math.max(1, Math.floor(bytes / widest));
  return `(${fewest === bytes ? bytes : `${fewest}-${bytes}`} character${plural} too many)`;
}
