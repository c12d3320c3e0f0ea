import { fairSemaphore } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { TurnsExports } from '../turns/area.ts';
import { generationHandlers } from './api/generation-handlers.ts';
import { generationUseCases } from './app/generations.ts';
import { generationsStore } from './store/generations-store.ts';

interface GenerationsNeeds {
  readonly credits: CreditsExports;
  readonly turns: TurnsExports;
}

/** How long somebody waits for a slot, in milliseconds: whoever asks tries again. */
const SLOT_TIMEOUT_MS = 4_000;
const HOUR_MS = 60 * 60_000;

/** Generations: texts that language models write for other services, and that are kept until nobody asks for them again. */
export const generationsArea = (
  { storage, settings, clock }: ContentContext,
  { credits, turns: { answering, languageModels } }: GenerationsNeeds,
) => {
  const generations = generationsStore(storage.database);
  const { CONTENT_GENERATIONS: slots, CONTENT_GENERATIONS_PER_ORGANISATION: share } = settings;
  const app = generationUseCases({
    generations,
    languageModels,
    model: answering.model,
    schemas: answering.schemas,
    credits: credits.creditsFor('pipeline_step'),
    slots: fairSemaphore({ slots, share, maxWaiting: share, maxWaitingInAll: slots, timeoutMs: SLOT_TIMEOUT_MS }),
    clock,
  });
  return {
    handlers: { GenerationService: generationHandlers(app) },
    jobs: [
      {
        name: 'the removal of what models have written long ago',
        everyMs: HOUR_MS,
        run: (stopping) => app.forget(stopping),
        untilDueMs: app.untilForgotten,
      },
    ],
    exports: { removeAll: generations.removeAll },
  } satisfies Area<typeof service.declaration>;
};
