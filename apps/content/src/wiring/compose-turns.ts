import type { Clock, Logger } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Conventions } from '../conventions/domain/conventions.ts';
import type { Conversations, Messages } from '../conversations/domain/conversations.ts';
import type { Credits } from '../credits/domain/credits.ts';
import type { Documents } from '../documents/domain/documents.ts';
import type { PassageStore } from '../passages/domain/passage-store.ts';
import type { Search } from '../passages/domain/search.ts';
import { taskHandlers } from '../turns/api/task-handlers.ts';
import { submitHandler, turnHandlers } from '../turns/api/turn-handlers.ts';
import type { ConversationTurns } from '../turns/app/conversation-turns.ts';
import { turnUseCases } from '../turns/app/turns.ts';
import type { FindAssistant } from '../turns/domain/assistant-config.ts';
import type { Datasets } from '../turns/domain/datasets.ts';
import type { Pipelines } from '../turns/domain/pipelines.ts';
import { apiLanguageModel } from '../turns/engines/api-language-model.ts';
import { retrievalAssistant } from '../turns/engines/retrieval-assistant.ts';
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
