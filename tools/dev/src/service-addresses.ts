import { freePort } from '@platform-backend/embedded';
import type { Service } from '@platform-backend/service';

export interface Addresses {
  /** host:port of each service, fixed for this run so that a restarted service is found again. */
  readonly services: ReadonlyMap<string, string>;
  /** Where each serves its metrics, likewise. */
  readonly metrics: ReadonlyMap<string, string>;
  readonly gatewayMetricsPort: number;
}

/** The gateway's own port is a setting; all others are free ones. */
export async function chooseAddresses(services: readonly Service[]): Promise<Addresses> {
  const freeAddresses = async () =>
    new Map(
      await Promise.all(
        services.map(async ({ declaration: { name } }) => [name, `127.0.0.1:${await freePort()}`] as const),
      ),
    );
  return { services: await freeAddresses(), metrics: await freeAddresses(), gatewayMetricsPort: await freePort() };
}
