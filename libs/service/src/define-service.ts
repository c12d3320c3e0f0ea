import type { ServiceDeclaration } from './declaration.ts';
import type { Compose } from './service-context.ts';
import type { DeclaredService } from './service.ts';
import { readMigrationSettings, readServiceSettings, variablesOf } from './settings.ts';

/**
 * Declares a service. The declaration alone is cheap to load: tools read it to make its database, its user at NATS and
 * its environment. What runs it is loaded when it runs.
 */
export function defineService<const Declaration extends ServiceDeclaration>(
  declaration: Declaration,
): DeclaredService<Declaration> {
  const { name, storage, events } = declaration;
  const service: DeclaredService<Declaration> = {
    declaration,
    eventAccess: { service: name, ...events },
    variables: variablesOf(declaration),
    readSettings: (env) => readServiceSettings(declaration, env),
    readMigrationSettings: (env) => readMigrationSettings(declaration, env),
    migrate: (env, logger) => storage.migrate(readMigrationSettings(declaration, env), logger),
    async start(compose, environment) {
      const { startService } = await import('./start-service.ts');
      return startService(service, compose as Compose<ServiceDeclaration>, environment);
    },
    async main(load) {
      const { serviceMain } = await import('./service-main.ts');
      return serviceMain(service, load as () => Promise<Compose<ServiceDeclaration>>);
    },
  };
  return service;
}
