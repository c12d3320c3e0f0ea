import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** One service as the starter sees it. Its folder is `apps/<name>`, its variables start with its name in capitals. */
export interface Service {
  readonly name: string;
  /** Gets a database of its own, with an owner role for migrations and an app role for the rest. */
  readonly database: 'postgres';
}

/** Every service of the platform; a new one joins with one line here. */
const services: readonly Service[] = [
  { name: 'identity', database: 'postgres' },
  { name: 'billing', database: 'postgres' },
];

export const gateway = 'gateway';

/** The services whose source is there. */
export function presentServices(apps: string): Service[] {
  return services.filter(({ name }) => existsSync(mainModule(apps, name)));
}

export function mainModule(apps: string, name: string): string {
  return join(apps, name, 'src/main.ts');
}

/** IDENTITY_DATABASE_URL and so on. */
export function variable(service: string, suffix: string): string {
  return `${service.toUpperCase()}_${suffix}`;
}
