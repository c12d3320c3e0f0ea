import { mayRead } from '../../conversations/domain/conversation.ts';
import type { Conversations, Messages } from '../../conversations/domain/conversations.ts';
import type { Search } from '../../passages/domain/search.ts';

interface Ports {
  readonly search: Search;
  readonly conversations: Pick<Conversations, 'readershipOf'>;
  readonly messages: Pick<Messages, 'conversationsOf'>;
}

/** What is searched follows what happens to conversations within seconds; who may read them counts at once. */
export const searchForReaders = ({ search, conversations, messages }: Ports): Search => ({
  async search(organisationId, query, options) {
    const answer = await search.search(organisationId, query, options);
    const said = [...new Set(answer.hits.flatMap(({ kind, id }) => (kind === 'MESSAGE' ? [id] : [])))];
    if (said.length === 0) return answer;
    const conversationOf = await messages.conversationsOf(organisationId, said);
    const readership = await conversations.readershipOf(organisationId, [...new Set(conversationOf.values())]);
    const { memberId = '' } = query;
    const reader = { memberId, readsAll: query.memberId === undefined };
    const isReadable = (messageId: string): boolean => {
      const conversation = readership.get(conversationOf.get(messageId) ?? '');
      return conversation !== undefined && mayRead(reader, conversation);
    };
    return { ...answer, hits: answer.hits.filter(({ kind, id }) => kind !== 'MESSAGE' || isReadable(id)) };
  },
});
