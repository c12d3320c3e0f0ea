import type { Area } from '@platform-backend/service';
import type { AssistantsExports } from '../assistants/area.ts';
import type { CreditsExports } from '../credits/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { TranscriptionExports } from '../transcription/area.ts';
import type { TurnsExports } from '../turns/area.ts';
import { chatHandlers } from './api/chat-handlers.ts';
import { fileHandlers } from './api/file-handlers.ts';
import { mediaHandlers } from './api/media-handlers.ts';
import { audioUseCases } from './app/audio.ts';
import { chatCompletionUseCases } from './app/chat-completions.ts';
import { embeddingUseCases } from './app/embeddings.ts';
import { fileUseCases } from './app/files.ts';
import { modelUseCases } from './app/models.ts';
import { chatCompletionsStore } from './store/chat-completions-store.ts';

interface OpenAiNeeds {
  readonly credits: CreditsExports;
  readonly passages: PassagesExports;
  readonly documents: DocumentsExports;
  readonly assistants: AssistantsExports;
  readonly turns: TurnsExports;
  readonly transcription: TranscriptionExports;
}

/** What clients of OpenAI's interface find here: the same assistants, documents, encoders and recognisers, in their words. */
export const openAiArea = (
  { storage, defer }: ContentContext,
  { credits, passages, documents, assistants, turns: { answering, languageModels }, transcription }: OpenAiNeeds,
) => {
  const completions = chatCompletionsStore(storage.database);
  const { embeddings, countTexts } = passages;
  const chat = chatCompletionUseCases({
    ...{
      ...answering,
      completions,
      languageModels,
      countTexts,
      readFile: documents.readFile,
      credits: credits.creditsFor('chat_completion'),
    },
  });
  defer(() => chat.close());
  const { transcribe, engine } = transcription;
  const models = modelUseCases({
    listAvailable: assistants.listAvailable,
    findModel: chat.findModel,
    others: [
      ...languageModels.map((id) => ({ id, name: 'Language model', createdAt: null })),
      { id: embeddings.model, name: 'Embeddings', createdAt: null },
      ...(engine === undefined ? [] : [{ id: engine, name: 'Transcription', createdAt: null }]),
    ],
  });
  const embedding = embeddingUseCases({ embeddings, countTexts, withCredits: credits.withCreditsForSearch });
  return {
    handlers: {
      OpenAiService: {
        ...chatHandlers({ ...chat, ...models }),
        ...mediaHandlers({ ...embedding, ...audioUseCases({ transcribe, engine }) }),
      },
      OpenAiFileService: fileHandlers(fileUseCases(documents.documents)),
    },
    jobs: [
      {
        name: 'the end of answers to clients of OpenAI that were broken off',
        everyMs: 5_000,
        run: (stopping) => chat.expire(stopping),
        untilDueMs: chat.untilExpiry,
      },
    ],
    exports: { removeAll: completions.removeAll },
  } satisfies Area<typeof service.declaration>;
};
