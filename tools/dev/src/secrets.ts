import { generateServiceKeys } from '@platform-backend/auth';
import { freePort } from '@platform-backend/embedded';
import { OPERATOR } from '@platform-backend/events/set-up';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose';
import { randomBytes } from 'node:crypto';
import { homePaths, readOwnJson, writePrivately } from './home.ts';

/** Made once per home and kept, so that tokens, cursors and databases survive a restart. */
export interface Secrets {
  /** Each service signs its calls with its own key. */
  readonly servicePrivateKeys: Record<string, JWK>;
  readonly servicePublicKeys: JSONWebKeySet;
  /** Seals page cursors in the gateway. */
  readonly cursorKey: string;
  /** Signs the URLs of uploads and downloads. */
  readonly objectsKey: string;
  /** Seals the secrets that organisations give. */
  readonly secretsKey: string;
  readonly databasePasswords: Record<string, { readonly owner: string; readonly app: string }>;
  /** By user: every service, the gateway and the operator have their own. */
  readonly natsPasswords: Record<string, string>;
  readonly identityProvider: {
    readonly signingKey: JWK;
    /** With this the token command proves that it may read PLATFORM_HOME. */
    readonly commandSecret: string;
    /** The issuer's name holds it, and users are known by that name: so it never changes. */
    readonly port: number;
  };
}

/** Reads the secrets of a home, and makes those that are missing for the services named. */
export async function loadSecrets(home: string, services: readonly string[]): Promise<Secrets> {
  const path = homePaths(home).secrets;
  const known = (readOwnJson(path) ?? {}) as Partial<Secrets>;
  const secrets: Secrets = {
    ...(await serviceKeys(known, services)),
    cursorKey: known.cursorKey ?? randomText(),
    objectsKey: known.objectsKey ?? randomText(),
    secretsKey: known.secretsKey ?? randomText(),
    databasePasswords: Object.fromEntries(
      services.map((name) => [name, known.databasePasswords?.[name] ?? { owner: randomText(), app: randomText() }]),
    ),
    natsPasswords: Object.fromEntries(
      [...services, OPERATOR].map((name) => [name, known.natsPasswords?.[name] ?? randomText()]),
    ),
    identityProvider: known.identityProvider ?? {
      signingKey: await signingKey(),
      commandSecret: randomText(),
      port: await freePort(),
    },
  };
  writePrivately(path, secrets);
  return secrets;
}

/** A service that joins later gets its own key; the others keep theirs. */
async function serviceKeys(
  known: Partial<Secrets>,
  services: readonly string[],
): Promise<Pick<Secrets, 'servicePrivateKeys' | 'servicePublicKeys'>> {
  const privateKeys = known.servicePrivateKeys ?? {};
  const missing = services.filter((name) => privateKeys[name] === undefined);
  const made = await generateServiceKeys(missing);
  return {
    servicePrivateKeys: { ...privateKeys, ...made.privateKeys },
    servicePublicKeys: { keys: [...(known.servicePublicKeys?.keys ?? []), ...made.publicKeys.keys] },
  };
}

async function signingKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: 'ES256', use: 'sig' };
}

const randomText = (): string => randomBytes(24).toString('base64url');
