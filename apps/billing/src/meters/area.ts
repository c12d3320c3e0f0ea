import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { meterHandlers } from './api/meter-handlers.ts';
import { meterUseCases } from './app/meters.ts';
import { metersStore } from './store/meters-store.ts';

/** Meters: what organisations measure of their own, by events that they report. */
export const metersArea = ({ storage, clock }: BillingContext) => {
  const meters = metersStore(storage.database);
  const useCases = meterUseCases({ meters, clock });
  return {
    handlers: { MeterService: meterHandlers(useCases) },
    jobs: [{ name: 'the forgetting of old usage events', everyMs: 600_000, run: () => useCases.sweep() }],
    exports: { removeAll: (organisationId: string) => meters.removeAll(organisationId) },
  } satisfies Area<typeof service.declaration>;
};

export type MetersExports = ReturnType<typeof metersArea>['exports'];
