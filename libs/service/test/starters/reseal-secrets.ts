import { createLogger } from '@platform-backend/core/logger';
import type { Service } from '../../src/index.ts';
import { resealSecrets, type ResealedSecrets } from '../../src/reseal-secrets.ts';

/** Does what `secrets reseal` does, with the environment of a service; answers what it says. */
export async function resealedSecrets(
  service: Service,
  env: Readonly<Record<string, string>>,
): Promise<readonly ResealedSecrets[]> {
  const resealed: ResealedSecrets[] = [];
  const logger = createLogger({ service: service.declaration.name, level: 'silent' });
  await resealSecrets(service, { env, logger, write: (kind) => void resealed.push(kind) });
  return resealed;
}
