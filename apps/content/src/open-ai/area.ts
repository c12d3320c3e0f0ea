import type { Area } from '@platform-backend/service';
import type { AssistantsExports } from '../assistants/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { TurnsExports } from '../turns/area.ts';
import { openAiHandlers } from './api/open-ai-handlers.ts';
import { chatCompletionUseCases } from './app/chat-completions.ts';
import { modelUseCases } from './app/models.ts';
import { chatCompletionsStore } from './store/chat-completions-store.ts';

interface OpenAiNeeds {
  readonly credits: CreditsExports;
  readonly assistants: AssistantsExports;
  readonly turns: TurnsExports;
}

/** What clients of OpenAI's interface find here: the same assistants, in their words. */
export const openAiArea = (
  { storage, defer }: ContentContext,
  { credits: { creditsFor }, assistants: { listAvailable }, turns: { answering } }: OpenAiNeeds,
) => {
  const completions = chatCompletionsStore(storage.database);
  const chat = chatCompletionUseCases({ ...answering, completions, credits: creditsFor('chat_completion') });
  defer(() => chat.close());
  return {
    handlers: { OpenAiService: openAiHandlers({ ...chat, ...modelUseCases({ ...chat, listAvailable }) }) },
    jobs: [
      {
        name: 'the end of answers to clients of OpenAI that were broken off',
        everyMs: 5_000,
        run: (stopping) => chat.expire(stopping),
      },
    ],
    exports: { removeAll: completions.removeAll },
  } satisfies Area<typeof service.declaration>;
};
