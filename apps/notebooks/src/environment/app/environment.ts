import type { ActorContext, Clock, Logger } from '@platform-backend/core';
import { deleteVariable, setVariable, type Environments, type ValueCipher } from '../domain/environment.ts';
import { noSecretsKey } from '../domain/errors.ts';

export interface EnvironmentPorts {
  readonly environments: Environments;
  /** Undefined: there is no key. */
  readonly cipher: ValueCipher | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type EnvironmentUseCases = ReturnType<typeof environmentUseCases>;

export const environmentUseCases = ({ environments, cipher, clock, logger }: EnvironmentPorts) => ({
  listVariables: environments.list,

  async setVariable(by: ActorContext, name: string, value: string) {
    if (!cipher) throw noSecretsKey();
    const encrypted = cipher.encrypt(by.organisationId, name, value);
    return environments.update(by, name, encrypted, (variables) => setVariable(variables, name, clock.now()));
  },

  deleteVariable: (by: ActorContext, name: string) =>
    environments.update(by, name, undefined, (variables) => deleteVariable(variables, name, clock.now())),

  /** What kernels of an organisation begin with. What cannot be decrypted is left out. */
  async environmentOf(organisationId: string): Promise<Readonly<Record<string, string>>> {
    const found: [string, string][] = [];
    for (const [name, encrypted] of await environments.values(organisationId)) {
      const value = cipher?.decrypt(organisationId, name, encrypted);
      if (value === undefined)
        logger.warn({ event: 'environment.unreadable', name }, 'a variable was encrypted with a key that is not known');
      else found.push([name, value]);
    }
    return Object.fromEntries(found);
  },
});
