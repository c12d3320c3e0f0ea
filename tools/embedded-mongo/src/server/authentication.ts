import { Binary } from 'bson';
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDocument, toDocument, type Document } from '../bson/values.ts';
import { ServerError } from '../errors.ts';

/** The only user that there is, known in the database `admin`; it may do everything. */
export const USER = 'platform';
const MECHANISM = 'SCRAM-SHA-256';

/** As few as drivers agree to: of a random password of 32 bytes nobody tries all. */
const ITERATIONS = 4_096;
const KEY_BYTES = 32;

/** In the directory of the data, for its owner alone. */
const passwordFile = (directory: string): string => join(directory, 'password');

/** The password of a directory, made with it and the same for its life. */
export function passwordOf(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = passwordFile(directory);
  try {
    writeFileSync(path, randomBytes(KEY_BYTES).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const password = readFileSync(path, 'utf8').trim();
  // What was killed while it was written is no password, and nobody has been told it.
  if (password.length >= KEY_BYTES) return password;
  const made = randomBytes(KEY_BYTES).toString('base64url');
  writeFileSync(path, made, { mode: 0o600, flush: true });
  return made;
}

interface Conversation {
  /** What both sides sign, as far as it is said. */
  readonly said: string;
  readonly nonce: string;
  readonly skipsEmptyExchange: boolean;
  readonly isProven: boolean;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const refused = (): ServerError => new ServerError(18, 'Authentication failed.');

/** What a connection may ask before it has said who it is. */
const ANONYMOUS = new Set(['hello', 'isMaster', 'ismaster', 'ping', 'buildInfo', 'buildinfo']);

/** SCRAM-SHA-256 (RFC 7677) as MongoDB's drivers speak it, for each connection. */
export class Authentication {
  readonly #salt = randomBytes(16);
  readonly #storedKey: Buffer;
  readonly #serverKey: Buffer;
  readonly #conversations = new Map<number, Conversation>();
  readonly #known = new Set<number>();

  constructor(password: string) {
    const salted = pbkdf2Sync(password, this.#salt, ITERATIONS, KEY_BYTES, 'sha256');
    this.#storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
    this.#serverKey = hmac(salted, 'Server Key');
  }

  /** Throws Unauthorized where the connection has not said who it is and the command is none of those that it may ask for. */
  require(connectionId: number, command: string): void {
    if (!this.#known.has(connectionId) && !ANONYMOUS.has(command))
      throw new ServerError(13, `Command ${command} requires authentication`);
  }

  forget(connectionId: number): void {
    this.#conversations.delete(connectionId);
    this.#known.delete(connectionId);
  }

  /** Fields of the reply to a greeting that asks how the user is known, or begins to say who asks at once. */
  greeting(connectionId: number, command: Document): Record<string, unknown> {
    const speculative = command.get('speculativeAuthenticate');
    const begun = isDocument(speculative) && speculative.get('mechanism') === MECHANISM;
    return {
      ...(command.has('saslSupportedMechs') && { saslSupportedMechs: [MECHANISM] }),
      ...(begun && { speculativeAuthenticate: toDocument(this.start(connectionId, speculative)) }),
    };
  }

  /** `saslStart` */
  start(connectionId: number, command: Document): Record<string, unknown> {
    this.forget(connectionId);
    if (command.get('mechanism') !== MECHANISM)
      throw new ServerError(334, `Unsupported mechanism: the embedded server knows ${MECHANISM} alone`);
    const [, bare = ''] = /^n,,(.*)$/su.exec(payloadOf(command)) ?? [];
    const { n: name, r: theirs = '' } = attributesOf(bare);
    if (name !== USER || theirs === '') throw refused();
    const nonce = theirs + randomBytes(24).toString('base64');
    const reply = `r=${nonce},s=${this.#salt.toString('base64')},i=${String(ITERATIONS)}`;
    const options = command.get('options');
    const skipsEmptyExchange = isDocument(options) && options.get('skipEmptyExchange') === true;
    this.#conversations.set(connectionId, { said: `${bare},${reply}`, nonce, skipsEmptyExchange, isProven: false });
    return answer(reply, false);
  }

  /** `saslContinue` */
  continue(connectionId: number, command: Document): Record<string, unknown> {
    const conversation = this.#conversations.get(connectionId);
    this.#conversations.delete(connectionId);
    if (!conversation) throw refused();
    if (conversation.isProven) {
      this.#known.add(connectionId);
      return answer('', true);
    }
    const final = payloadOf(command);
    const { c: binding, r: nonce, p: proof = '' } = attributesOf(final);
    const unproven = final.slice(0, final.lastIndexOf(',p='));
    if (binding !== 'biws' || nonce !== conversation.nonce) throw refused();
    const said = `${conversation.said},${unproven}`;
    const signature = hmac(this.#storedKey, said);
    const given = Buffer.from(proof, 'base64');
    if (given.length !== KEY_BYTES) throw refused();
    const clientKey = signature.map((byte, at) => byte ^ (given[at] ?? 0));
    if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), this.#storedKey)) throw refused();
    if (conversation.skipsEmptyExchange) this.#known.add(connectionId);
    else this.#conversations.set(connectionId, { ...conversation, isProven: true });
    return answer(`v=${hmac(this.#serverKey, said).toString('base64')}`, conversation.skipsEmptyExchange);
  }
}

const answer = (payload: string, done: boolean): Record<string, unknown> => ({
  conversationId: 1,
  done,
  payload: new Binary(Buffer.from(payload)),
});

function payloadOf(command: Document): string {
  const payload = command.get('payload');
  return payload instanceof Binary ? Buffer.from(payload.value()).toString('utf8') : '';
}

/** `n=user,r=nonce`; a value may have further equals signs. */
const attributesOf = (message: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
