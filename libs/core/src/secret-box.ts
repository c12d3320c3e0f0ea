import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { secretsNotSetUp } from './errors.ts';
import { optional, secretText } from './settings.ts';

/** For services that keep secrets of organisations. */
export const secretSettings = {
  SECRETS_KEY: optional(
    secretText(
      'seals the secrets that organisations give, before they are stored; the same for all replicas; made by `npm start`. Without it none are taken',
    ),
  ),
  SECRETS_KEY_OTHER: optional(
    secretText('the key before `SECRETS_KEY`, or the one to come, while it is replaced: it opens what it has sealed'),
  ),
};

/** Seals secrets of organisations before they are stored. */
export interface SecretBox {
  /** `context` is what the secret belongs to: it opens with the same one alone. NOT_PROVIDED: there is no key. */
  readonly seal: (secret: string, context: string) => string;
  /** @throws SecretUnreadable */
  readonly open: (sealed: string, context: string) => string;
  /** What another key has sealed, sealed with the present one; the same text where that has sealed it. @throws SecretUnreadable */
  readonly reseal: Reseal;
}

/** Seals a secret anew where that is to be done; `context` is what it belongs to. */
export type Reseal = (sealed: string, context: string) => string;

/** It was sealed with a key that is not there any more, or for something else. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  constructor(cause?: unknown) {
    super('A secret cannot be read with the keys that there are', { cause });
  }
}

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM. New secrets are sealed with `key`; those of before open with `otherKey` as well, while keys are replaced. */
export function secretBox({
  key,
  otherKey,
}: {
  readonly key: string | undefined;
  readonly otherKey?: string | undefined;
}): SecretBox {
  const keys = [key, otherKey].flatMap((text) => (text === undefined ? [] : [derived(text)]));
  const presentKey = (): Buffer => {
    const [first] = keys;
    if (key === undefined || !first) throw secretsNotSetUp();
    return first;
  };
  const box: SecretBox = {
    seal(secret, context) {
      const first = presentKey();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, first, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },
    open: (sealed, context) => openedWith(keys, sealed, context).secret,
    reseal(sealed, context) {
      const { secret, key: opens } = openedWith(keys, sealed, context);
      return opens === presentKey() ? sealed : box.seal(secret, context);
    },
  };
  return box;
}

/** With the first of the keys that opens it. */
function openedWith(keys: readonly Buffer[], sealed: string, context: string): { secret: string; key: Buffer } {
  const [version, text = ''] = sealed.split('.', 2);
  const bytes = Buffer.from(text, 'base64url');
  if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SecretUnreadable();
  let failure: unknown;
  for (const key of keys) {
    try {
      return { secret: opened(bytes, key, context), key };
    } catch (error) {
      failure = error;
    }
  }
  throw new SecretUnreadable(failure);
}

const derived = (text: string): Buffer => Buffer.from(hkdfSync('sha256', text, '', 'platform secrets', 32));

function opened(bytes: Buffer, key: Buffer, context: string): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
