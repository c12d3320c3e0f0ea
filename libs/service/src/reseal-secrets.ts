import { readConfiguration, secretsNotSetUp, type Environment, type Logger } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { secretBox, secretSettings, SecretUnreadable, type Reseal } from '@platform-backend/core/secret-box';
import type { SealedSecrets } from './declaration.ts';
import type { Service } from './service.ts';

/** One pass would do, unless a replica still seals with the key of before. */
const MAX_PASSES = 5;

/** What became of the secrets of one kind. */
export interface ResealedSecrets {
  readonly kind: string;
  /** How many there are, sealed with the present key by now but for those that are unreadable. */
  readonly secrets: number;
  /** Of which so many were sealed anew. */
  readonly resealed: number;
  /** What neither key opens: it has to be given again, whatever becomes of the keys. */
  readonly unreadable: number;
}

export interface Resealing {
  readonly env: Environment;
  readonly logger: Logger;
  /** Is told of each kind when it is done. */
  readonly write: (resealed: ResealedSecrets) => void;
}

/**
 * Has all that a service keeps sealed sealed with `SECRETS_KEY`, so that `SECRETS_KEY_OTHER` can be taken away: again until a pass finds
 * nothing to do. It may be cut short and run once more, beside replicas that work.
 *
 * @throws Error when somebody goes on sealing with the other key.
 */
export async function resealSecrets(
  { declaration: { name, sealedSecrets, storage }, readSettings }: Service,
  { env, logger, write }: Resealing,
): Promise<void> {
  if (!sealedSecrets) throw new Error('it keeps no secrets of organisations');
  const { SECRETS_KEY: key, SECRETS_KEY_OTHER: otherKey } = readConfiguration(env, secretSettings);
  if (key === undefined) throw secretsNotSetUp();
  const { reseal } = secretBox({ key, otherKey });
  const applicationName = `${name} secrets`;
  const { storage: settings } = readSettings(env);
  const store = await storage.open({ settings, applicationName, logger, metrics: createMetrics() });
  try {
    for (const [kind, resealAll] of Object.entries(await sealedSecrets()))
      write({ kind, ...(await resealKind(resealAll, { opened: store.opened, reseal, kind, logger })) });
  } finally {
    await store.close();
  }
}

interface OneKind {
  readonly opened: object;
  readonly reseal: Reseal;
  readonly kind: string;
  readonly logger: Logger;
}

async function resealKind(
  resealAll: SealedSecrets,
  { opened, reseal, kind, logger }: OneKind,
): Promise<Omit<ResealedSecrets, 'kind'>> {
  let resealed = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const found = { secrets: 0, resealed: 0, unreadable: 0 };
    await resealAll(opened, (sealed, context) => {
      found.secrets += 1;
      try {
        const after = reseal(sealed, context);
        if (after !== sealed) found.resealed += 1;
        return after;
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        found.unreadable += 1;
        if (pass === 1)
          logger.warn(
            { event: 'secret.unreadable', kind, context },
            'neither key opens a secret; it has to be given again',
          );
        return sealed;
      }
    });
    resealed += found.resealed;
    if (found.resealed === 0) return { ...found, resealed };
  }
  throw new Error(
    `somebody still seals ${kind} with the other key: every replica has to have the new SECRETS_KEY first`,
  );
}
