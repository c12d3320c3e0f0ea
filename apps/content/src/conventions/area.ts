import type { Area } from '@platform-backend/service';
import type { AccessExports } from '../access/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import { conventionHandlers } from './api/convention-handlers.ts';
import { conventionUseCases } from './app/conventions.ts';
import { indexDueConventions } from './app/index-conventions.ts';
import { conventionsStore } from './store/conventions-store.ts';

export type ConventionsExports = ReturnType<typeof conventionsArea>['exports'];

/** Conventions: what an organisation wants its assistants to know and keep to, with the history of each. */
export const conventionsArea = (
  { storage, clock, logger }: ContentContext,
  {
    access: { admitAccess, reader },
    credits,
    passages,
  }: { readonly access: AccessExports; readonly credits: CreditsExports; readonly passages: PassagesExports },
) => {
  const conventions = conventionsStore(storage.database, passages.passages);
  const forEverybody = <T>(work: () => T): T => reader.within(undefined, work);
  const ports = { ...passages, conventions, admitAccess, forEverybody, clock, logger };
  return {
    handlers: { ConventionService: conventionHandlers(conventionUseCases(ports), credits.withCreditsForSearch) },
    jobs: [
      {
        name: 'the indexing of conventions',
        everyMs: 2_000,
        run: (stopping) => indexDueConventions(ports, stopping),
      },
    ],
    exports: {
      find: (organisationId: string, id: string) => conventions.find(organisationId, id),
      /** Those of these that are there, for whoever asks. */
      idsAmong: async (organisationId: string, ids: readonly string[]): Promise<ReadonlySet<string>> =>
        new Set((await conventions.findAll(organisationId, ids)).map(({ id }) => id)),
      removeAll: (organisationId: string) => conventions.removeAll(organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};
