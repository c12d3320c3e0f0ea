import { newId, systemClock, type ActorContext, type Clock, type Fields } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { withoutLimits } from '@platform-backend/mongo';
import type { member } from '@platform-backend/service/testing';
import type { Citation } from '../src/conversations/domain/citations.ts';
import { conversationsStore } from '../src/conversations/store/conversations-store.ts';
import { messagesStore } from '../src/conversations/store/messages-store.ts';
import { conversationTurns, type StartTurn } from '../src/turns/app/conversation-turns.ts';
import type { TestContent } from './test-content.ts';

export const TURN_LEASE_MS = 60_000;

const logger = createLogger({ service: 'content', level: 'silent' });

/** Nothing is used here, so that nothing is owed. */
const free = {
  debit: () => {
    throw new Error('nothing costs anything here');
  },
};

/** What keeps the conversations of a running service, for turns without an assistant. */
export function conversationsOf({ frame }: TestContent, clock: Clock = systemClock) {
  const database = frame?.storage.database;
  if (!database) throw new Error('the service runs elsewhere');
  const stores = {
    conversations: conversationsStore(database),
    messages: messagesStore(database, (_organisationId, messages) => Promise.resolve(messages)),
  };
  const turns = conversationTurns({
    ...{ ...stores, clock, turnLeaseMs: TURN_LEASE_MS, credits: free, forEverybody: withoutLimits, logger },
  });

  const start = (by: ActorContext, text: string | undefined, more: Partial<StartTurn> = {}) =>
    turns.startTurn(by, {
      id: newId(),
      answerId: newId(),
      assistantId: 'general',
      payer: { reservationId: null, memberId: null, clientGroupId: null, apiKeyId: null },
      ...(text !== undefined && {
        question: { id: newId(), message: text, messageType: 'TEXT', annotations: {} },
      }),
      ...more,
    });

  /** A question and its answer. */
  const ask = async (
    by: ActorContext,
    text: string | undefined,
    {
      citations = [],
      annotations = {},
      ...more
    }: Partial<StartTurn> & { readonly citations?: readonly Citation[]; readonly annotations?: Fields } = {},
  ) => {
    const started = await start(by, text, more);
    const { id, turn } = started.conversation;
    const end = {
      message: `About: ${text ?? 'that'}`,
      messageType: 'TEXT',
      annotations: { citations, ...annotations },
    } as const;
    const answer = await turns.finishTurn(by, { conversationId: id, turnId: turn?.id ?? '' }, end, []);
    if (!answer) throw new Error('the answer is gone');
    return { ...started, conversationId: id, answer };
  };
  return { ...stores, turns, start, ask };
}

/** Who acts in a call, as the service sees it. */
export function actingAs({ caller }: ReturnType<typeof member>): ActorContext {
  const { organisationId = '', userId = '', level = null } = caller;
  const actor = { type: 'user', id: userId, name: 'Ada', userId, level } as const;
  return { organisationId, requestId: newId(), actor };
}
