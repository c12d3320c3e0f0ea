import type { EventAccess } from '@platform-backend/events/set-up';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const gateway = 'gateway';

export function mainModule(apps: string, name: string): string {
  return join(apps, name, 'src/main.ts');
}

/** What the gateway, which is no service, does with events. */
export async function gatewayEvents(apps: string): Promise<EventAccess> {
  const path = pathToFileURL(join(apps, gateway, 'src/event-access.ts')).href;
  return ((await import(path)) as { eventAccess: EventAccess }).eventAccess;
}
