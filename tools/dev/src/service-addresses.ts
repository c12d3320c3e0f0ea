import { freePort } from '@platform/embedded';
import type { Service } from './services.ts';

export interface Addresses {
  /** host:port of each service, fixed for this run so that a restarted service is found again. */
  readonly services: ReadonlyMap<string, string>;
  readonly metricsPort: number;
}

/** The gateway's own port is a setting; all others are free ones. */
export async function chooseAddresses(services: readonly Service[]): Promise<Addresses> {
  const entries = services.map(async ({ name }) => [name, `127.0.0.1:${await freePort()}`] as const);
  return { services: new Map(await Promise.all(entries)), metricsPort: await freePort() };
}
