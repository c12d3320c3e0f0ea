export const REDACTED = '[redacted]';

/** What names of values end with that never belong in a log, in lower case and without separators. */
const SECRET_ENDINGS = [
  'authorization',
  'cookie',
  'apikey',
  'privatekey',
  'secretkey',
  'cursorkey',
  'assertion',
  'password',
  'passphrase',
  'token',
  'secret',
  'connectionstring',
];

/** Names repeat from line to line; the answers for so many are remembered. */
const MAX_REMEMBERED = 1_000;
const MAX_REMEMBERED_LENGTH = 64;
const remembered = new Map<string, boolean>();

/** Whether what stands under this name is a secret, however the name is written: `Api-Key`, `apiKey`, `X_API_KEY`. */
export function isSecretName(name: string): boolean {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const secret = SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
  if (name.length <= MAX_REMEMBERED_LENGTH && remembered.size < MAX_REMEMBERED) remembered.set(name, secret);
  return secret;
}

/** No secret is so short. */
const MIN_SECRET_LENGTH = 12;

/**
 * Secrets that show themselves: API keys of ours and of Stripe and its client secrets, JWTs, the credential of an
 * Authorization header, the password in a URL. The first group, where there is one, may be read. Each begins with fixed
 * letters and none can backtrack, so that a long text costs no more than its length.
 */
const SECRET_TEXTS = [
  /\b(?:pk|sk|rk|whsec)_\w{12,}/g,
  /(_secret_)\w{8,}/g,
  /\beyJ[\w-]{12,}(?:\.[\w-]*){0,4}/g,
  /(\b(?:Bearer|Basic) )[\w.~+/=-]{8,}/gi,
  /(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** The text with the secrets in it replaced. */
export function withoutSecrets(text: string): string {
  if (text.length < MIN_SECRET_LENGTH) return text;
  return SECRET_TEXTS.reduce((shown, secret) => shown.replace(secret, censored), text);
}

const censored = (_match: string, shown: unknown): string =>
  typeof shown === 'string' ? `${shown}${REDACTED}` : REDACTED;
