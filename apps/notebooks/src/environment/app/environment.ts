import type { ActorContext, Clock, Logger } from '@platform-backend/core';
import { deleteVariable, setVariable, type Environments, type ValueSeal } from '../domain/environment.ts';

export interface EnvironmentPorts {
  readonly environments: Environments;
  readonly values: ValueSeal;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type EnvironmentUseCases = ReturnType<typeof environmentUseCases>;

export const environmentUseCases = ({ environments, values, clock, logger }: EnvironmentPorts) => ({
  listVariables: environments.list,

  async setVariable(by: ActorContext, name: string, value: string) {
    const sealed = values.seal(by.organisationId, name, value);
    return environments.update(by, name, sealed, (variables, before) => {
      const hasValue = before !== undefined && values.open(by.organisationId, name, before) === value;
      return setVariable(variables, name, clock.now(), hasValue);
    });
  },

  deleteVariable: (by: ActorContext, name: string) =>
    environments.update(by, name, undefined, (variables) => deleteVariable(variables, name, clock.now())),

  /** What kernels of an organisation begin with. What cannot be opened is left out. */
  async environmentOf(organisationId: string): Promise<Readonly<Record<string, string>>> {
    const found: [string, string][] = [];
    for (const [name, sealed] of await environments.values(organisationId)) {
      const value = values.open(organisationId, name, sealed);
      if (value === undefined)
        logger.warn({ event: 'environment.unreadable', name }, 'a variable was sealed with a key that is not known');
      else found.push([name, value]);
    }
    return Object.fromEntries(found);
  },
});
