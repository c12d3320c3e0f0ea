import type { Area } from '@platform-backend/service';
import type { ConversationsExports } from '../conversations/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import { searchHandlers } from './api/search-handlers.ts';
import { searchForReaders } from './app/search-for-readers.ts';

interface SearchNeeds {
  readonly credits: CreditsExports;
  readonly passages: PassagesExports;
  readonly conversations: ConversationsExports;
}

/** Search: over all that the one who asks may read. */
export const searchArea = (
  _context: ContentContext,
  { credits: { withCreditsForSearch }, passages: { search }, conversations }: SearchNeeds,
) =>
  ({
    handlers: { SearchService: searchHandlers(searchForReaders({ search, ...conversations }), withCreditsForSearch) },
    exports: {},
  }) satisfies Area<typeof service.declaration>;
