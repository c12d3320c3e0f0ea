import type { Clock, Logger } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import { taskHandlers } from '../api/task-handlers.ts';
import { submitHandler, turnHandlers } from '../api/turn-handlers.ts';
import type { ConversationTurns } from '../app/conversation-turns.ts';
import { turnUseCases } from '../app/turns.ts';
import type { FindAssistant } from '../domain/assistants/assistant-config.ts';
import type { Conventions } from '../domain/conventions/conventions.ts';
import type { Conversations, Messages } from '../domain/conversations/conversations.ts';
import type { Credits } from '../domain/credits.ts';
import type { Datasets } from '../domain/datasets.ts';
import type { Documents } from '../domain/documents/documents.ts';
import type { Pipelines } from '../domain/pipelines.ts';
import type { PassageStore } from '../domain/search/passage-store.ts';
import type { Search } from '../domain/search/search.ts';
import { apiLanguageModel } from '../engines/language-model/api-language-model.ts';
import { retrievalAssistant } from '../engines/language-model/retrieval-assistant.ts';
import type { LanguageModelSettings } from './language-model-settings.ts';

interface Parts {
  readonly datasets: Datasets;
  readonly pipelines: Pipelines;
  readonly conversationTurns: ConversationTurns;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly conventions: Conventions;
  readonly passageStore: PassageStore;
  readonly documents: Documents;
  readonly search: Search;
  readonly findAssistant: FindAssistant;
  readonly credits: Credits;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly turnLeaseMs: number;
  readonly logger: Logger;
  readonly defer: (close: () => Promise<void>) => void;
}

/** Turns of assistants, put together. */
export function composeTurns(settings: LanguageModelSettings, parts: Parts) {
  const { conventions, passageStore } = parts;
  const turns = turnUseCases({
    ...parts,
    model: languageModelOf(settings),
    pause: (ms, signal) => delay(ms, undefined, { signal }),
    microsPer1000Tokens: BigInt(settings.LLM_MICROS_PER_1000_TOKENS),
    findConvention: (organisationId, id) => conventions.find(organisationId, id),
    findDocument: (organisationId, id) => passageStore.find(organisationId, 'DOCUMENT', id),
  });
  parts.defer(() => turns.close());
  return {
    submit: submitHandler(turns),
    handlers: { TaskService: taskHandlers(turns), TurnService: turnHandlers(turns) },
  };
}

/** A model by an API, or nobody who understands, but quotes. */
function languageModelOf({ LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: model }: LanguageModelSettings) {
  return baseUrl === undefined ? retrievalAssistant('search_documents') : apiLanguageModel({ baseUrl, apiKey, model });
}
