import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { actingAs, conversationsOf } from './conversation-under-test.ts';
import { documentClient } from './document-client.ts';
import type { GroupsDouble } from './groups-double.ts';
import type { TestContent } from './test-content.ts';

/** In everything that is restricted, and in nothing else. */
export const SECRET = 'quetzal';

export type By = ReturnType<typeof member>;

/** A key that administers, for a group. */
export const apiKeyOf = (groups: GroupsDouble, organisationId: string, groupId: string): By => {
  const apiKeyId = newId();
  groups.put(organisationId, groupId, apiKeyId);
  const { caller } = member(organisationId, 'ADMIN');
  return { caller: { ...caller, kind: 'api_key', apiKeyId, scopes: ['*:admin'] } };
};

/** An organisation with something restricted of each kind, and who may open it and who may not. */
export async function restrictedContents(content: TestContent, groups: GroupsDouble) {
  const organisationId = newOrganisation();
  const [admin, ann, ben] = [
    member(organisationId, 'ADMIN'),
    member(organisationId, 'EDITOR'),
    member(organisationId, 'EDITOR'),
  ];
  const [group, other] = [groups.add(organisationId), groups.add(organisationId)];
  const userOf = ({ caller }: By) => caller.userId ?? '';
  for (const one of [admin, ann, ben]) groups.join(organisationId, userOf(one));
  const access = { visibility: 'restricted', groups: [group], members: [userOf(ann)] } as const;
  const documents = documentClient(content);
  await content.collections.setCollectionAccess({ collection: SECRET, ...access }, admin);

  const document = async (ready: boolean, collection = '') => {
    const id = newId();
    const wanted = { id, name: `${SECRET}.txt`, collection, ...(collection === '' && { access }) };
    const { signedUrl } = await content.documents.uploadDocument(wanted, admin);
    if (!ready) return id;
    await documents.put(signedUrl, `The ${SECRET} lives in cloud forests. `.repeat(5));
    await documents.until(id, 'READY', admin);
    return id;
  };
  const [documentId, filedId] = [await document(true), await document(true, SECRET)];
  const pendingId = await document(false);
  const made = { title: SECRET, content: `A ${SECRET} is greeted first.`, access };
  const { id: conventionId } = await content.conventions.createConvention(made, admin);
  const { id: assistantId } = await content.assistants.createAssistant({ name: SECRET, access }, admin);
  const { id: toolServerId } = await content.toolServers.createToolServer(
    { name: SECRET, kind: 'http', url: 'https://tools.example.com/', access },
    admin,
  );

  // Said by Ann, to whom it was shown, in a conversation that she shares.
  const cited = (kind: 'DOCUMENT' | 'CONVENTION', id: string, number: number) => ({
    ...{ number, kind, id, title: SECRET, quote: SECRET, start: 0, end: 7 },
  });
  const file = { documentId, name: SECRET, mediaType: 'text/plain', kind: 'TEXT' } as const;
  const { conversationId, answer } = await conversationsOf(content).ask(actingAs(ann), 'What is it?', {
    question: {
      ...{ id: newId(), message: 'What is it?', messageType: 'TEXT', annotations: {} },
      attachments: [file],
    },
    citations: [cited('DOCUMENT', documentId, 1), cited('CONVENTION', conventionId, 2)],
    annotations: { context: [{ type: 'document', id: filedId, status: 'RESOLVED', title: SECRET }] },
  });
  await content.conversations.shareConversation({ conversationId }, ann);
  const said = async (by: By) => {
    const own = await conversationsOf(content).ask(actingAs(by), SECRET.slice(0, 3));
    return { answerId: own.answer.id, questionId: own.answer.parentId, conversationId: own.conversationId };
  };
  return {
    ...{ organisationId, admin, ann, ben, group, other, documentId, filedId, pendingId, conventionId, assistantId },
    ...{ toolServerId, conversationId, answerId: answer.id, said, userOf, document, access },
    allowed: { 'a member who is named': ann, 'a key of the group': apiKeyOf(groups, organisationId, group) },
    strangers: { 'a member who is not': ben, 'a key of another group': apiKeyOf(groups, organisationId, other) },
  };
}

export type RestrictedContents = Awaited<ReturnType<typeof restrictedContents>>;
