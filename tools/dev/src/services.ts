import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EventAccess } from '@platform/events/set-up';

/** One service as the starter sees it. Its folder is `apps/<name>`, its variables start with its name in capitals. */
export interface Service {
  readonly name: string;
  /** Gets a database of its own, with an owner role for migrations and an app role for the rest. */
  readonly database: 'postgres';
  /** What it is told on a machine that says nothing about it. */
  readonly defaults?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;
  /** What whoever starts it should know, from its whole environment. */
  readonly notice?: (env: NodeJS.ProcessEnv) => string;
}

const isSet = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

/** Every service of the platform; a new one joins with one line here. */
const services: readonly Service[] = [
  { name: 'identity', database: 'postgres' },
  {
    name: 'billing',
    database: 'postgres',
    defaults: (env) => ({ BILLING_PAYMENT_PROCESSOR: isSet(env['STRIPE_SECRET_KEY']) ? 'stripe' : 'sandbox' }),
    notice: (env) =>
      env['BILLING_PAYMENT_PROCESSOR'] === 'sandbox'
        ? 'payments through the sandbox: no money moves'
        : 'payments through Stripe',
  },
];

export const gateway = 'gateway';

/** The services whose source is there. */
export function presentServices(apps: string): Service[] {
  return services.filter(({ name }) => existsSync(mainModule(apps, name)));
}

export function mainModule(apps: string, name: string): string {
  return join(apps, name, 'src/main.ts');
}

/** What each of them does with events, as it declares itself. */
export async function eventAccesses(
  apps: string,
  programs: readonly { readonly name: string }[],
): Promise<EventAccess[]> {
  const modules = programs.map(async ({ name }) => {
    const path = pathToFileURL(join(apps, name, 'src/event-access.ts')).href;
    return ((await import(path)) as { eventAccess: EventAccess }).eventAccess;
  });
  return await Promise.all(modules);
}

/** IDENTITY_DATABASE_URL and so on. */
export function variable(service: string, suffix: string): string {
  return `${service.toUpperCase()}_${suffix}`;
}
