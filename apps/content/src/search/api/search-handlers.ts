import type { SearchServiceHandlers } from '@platform-backend/contract-content';
import { includesLevel, requireVisible } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { WithCredits } from '../../credits/domain/credits.ts';
import { labelsOf } from '../../documents/domain/metadata.ts';
import { hitMessage } from '../../passages/api/search-messages.ts';
import type { Search } from '../../passages/domain/search.ts';

export const searchHandlers = (app: Search, withCredits: WithCredits): SearchServiceHandlers<CallContext> => ({
  async search(request, context) {
    requireVisible('body', { query: request.query });
    const payer = payerOf(context);
    const { organisationId, actor } = payer;
    const {
      query,
      kinds,
      collection,
      documentIds,
      mediaTypes,
      metadata,
      createdAfter,
      createdBefore,
      mode,
      limit,
      maxPerSource,
      relevantOnly,
      contextPassages,
    } = request;
    const wanted = {
      text: query,
      mode,
      limit,
      maxPerSource: maxPerSource ?? undefined,
      relevantOnly,
      contextPassages,
      kinds: kinds.length > 0 ? kinds : undefined,
      sourceIds: documentIds.length > 0 ? documentIds : undefined,
      collections: collection === null ? undefined : [collection],
      mediaTypes: mediaTypes.length > 0 ? mediaTypes : undefined,
      labels: Object.keys(metadata).length > 0 ? labelsOf(metadata) : undefined,
      createdAfter: createdAfter ?? undefined,
      createdBefore: createdBefore ?? undefined,
      // Whose it is matters below ADMIN alone, as in the list of messages.
      memberId: includesLevel(actor.level, 'ADMIN') ? undefined : (actor.userId ?? ''),
    };
    const answer = await withCredits(payer, () => app.search(organisationId, wanted, { signal: context.signal }));
    return { ...answer, hits: answer.hits.map(hitMessage) };
  },
});
