import type { Clock, Logger } from '@platform-backend/core';
import type { SplitPassages, Passages } from '../../passages/domain/passage.ts';
import type { Conversations, Messages, OfOrganisation } from '../domain/conversations.ts';
import { isFindable } from '../domain/message.ts';

export interface IndexMessagePorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly passages: Pick<Passages, 'replace' | 'remove' | 'describeAll'>;
  readonly splitPassages: SplitPassages;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** For how long nobody else takes what somebody has begun with. */
const LEASE_MS = 60_000;
/** How many are done before others have their turn. */
const ROUND = 100;

/** Which organisations had their turns last. */
export interface IndexTurns {
  ofConversations: string;
  ofMessages: string;
}

/**
 * Has searches know what was said, and who may find it: of each organisation one conversation and one message, round and round. A message
 * stays marked until that is done, so a process may die at any time. Answers how much there was.
 */
export async function indexDueMessages(
  ports: IndexMessagePorts,
  turns: IndexTurns,
  stopping: AbortSignal,
): Promise<number> {
  let found = 0;
  for (let round = 0; round < ROUND && !stopping.aborted; round += 1) {
    const taken = [await describeNext(ports, turns), await indexNext(ports, turns)].filter(Boolean).length;
    if (taken === 0) break;
    found += taken;
  }
  return found;
}

async function describeNext(ports: IndexMessagePorts, turns: IndexTurns): Promise<boolean> {
  const { conversations, clock } = ports;
  const [at, until] = leased(clock);
  const conversation = await conversations.takeSearchDue(turns.ofConversations, at, until);
  if (!conversation) return false;
  turns.ofConversations = conversation.organisationId;
  await describeMessages(ports, conversation, at);
  await conversations.searchDone(conversation, until);
  return true;
}

async function indexNext(ports: IndexMessagePorts, turns: IndexTurns): Promise<boolean> {
  const { messages, clock, logger } = ports;
  const [at, until] = leased(clock);
  const message = await messages.takeSearchDue(turns.ofMessages, at, until);
  if (!message) return false;
  turns.ofMessages = message.organisationId;
  try {
    await index(ports, message, until);
  } catch (error) {
    // It is due again when its lease ends; the others do not wait for it.
    logger.warn(
      { event: 'message_indexing.failed', err: error, messageId: message.id },
      'a message could not be indexed now, trying again',
    );
  }
  return true;
}

/** How many messages are told about at a time. */
const PART = 500;

/** The title or the readers of a conversation have changed, which each of its messages carries: what they say is not read again. */
async function describeMessages(
  { conversations, messages, passages }: IndexMessagePorts,
  { organisationId, id }: OfOrganisation,
  at: Date,
): Promise<void> {
  // Those that somebody is at may have been given the earlier title, and are done again.
  await messages.markForSearch(organisationId, id, at);
  let after = '';
  for (;;) {
    const conversation = await conversations.find(organisationId, id);
    if (!conversation || conversation.removedAt) return;
    const ids = await messages.idsAfter(organisationId, id, after, PART);
    const { title, isShared, memberId } = conversation;
    await passages.describeAll(organisationId, 'MESSAGE', ids, { title, ...(!isShared && { memberIds: [memberId] }) });
    after = ids.at(-1) ?? '';
    if (ids.length < PART) return;
  }
}

function leased(clock: Clock): [at: Date, until: Date] {
  const at = clock.now();
  return [at, new Date(at.getTime() + LEASE_MS)];
}

async function index(
  { conversations, messages, passages, splitPassages }: IndexMessagePorts,
  taken: OfOrganisation,
  until: Date,
): Promise<void> {
  const { organisationId, id } = taken;
  const message = await messages.find(organisationId, id);
  const conversation = message && (await conversations.find(organisationId, message.conversationId));
  if (conversation && !conversation.removedAt && isFindable(message)) {
    const { title, isShared, memberId } = conversation;
    const { createdAt } = message;
    const source = { kind: 'MESSAGE', id, title, createdAt, ...(!isShared && { memberIds: [memberId] }) } as const;
    await passages.replace(organisationId, source, await splitPassages(message.message));
  } else await passages.remove(organisationId, 'MESSAGE', [id]);
  if (await messages.searchDone(taken, until)) return;
  // It is marked again, or was deleted in the meantime.
  if (!(await messages.find(organisationId, id))) await passages.remove(organisationId, 'MESSAGE', [id]);
}
