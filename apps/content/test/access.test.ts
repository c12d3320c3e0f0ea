import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadContract } from '@platform-backend/contract';
import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import { contentContract } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import { recordedEvents } from '@platform-backend/mongo/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { MAX_RESTRICTED_COLLECTIONS } from '../src/access/domain/collections.ts';
import { MAX_ASSISTANTS } from '../src/assistants/app/assistants.ts';
import { groupsDouble, type GroupsDouble } from './groups-double.ts';
import {
  asked,
  mask,
  nothingSaid,
  operations,
  type Opening,
  type Own,
  type Showing,
} from './operations-on-restricted.ts';
import { apiKeyOf, restrictedContents, SECRET, type By, type RestrictedContents } from './restricted-contents.ts';
import { keys, startTestContent, type TestContent } from './test-content.ts';
let content: TestContent;
let groups: GroupsDouble;
let billing: Awaited<ReturnType<typeof creditLedger>>;
/** For tests that leave the access of what is in it as it is. */
let shared: RestrictedContents;
beforeAll(async () => {
  [groups, billing] = await Promise.all([groupsDouble(keys), creditLedger(keys)]);
  const environment = { IDENTITY_ADDRESS: groups.address, BILLING_ADDRESS: billing.address };
  content = await startTestContent({ environment });
  shared = await withSecrets();
}, 120_000);
afterAll(async () => {
  await content.stop();
  await Promise.all([groups.close(), billing.close()]);
});

const withSecrets = () => restrictedContents(content, groups);

/** Calls an operation by its name; of a stream all that it says. */
async function call(operation: string, request: object, by: By): Promise<unknown> {
  const [service = '', method = ''] = operation.split('/');
  const client = content.calledBy('gateway').to<Record<string, (request: object, by: By) => unknown>>(service);
  const answer = client[`${method.charAt(0).toLowerCase()}${method.slice(1)}`]?.(request, by);
  if (!(typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)) return answer;
  const parts: unknown[] = [];
  for await (const part of answer as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

const outcomeOf = async (answering: Promise<unknown>) => {
  try {
    return { answer: JSON.stringify((await answering) ?? null), kind: 'answered', code: '' };
  } catch (error) {
    const { kind, code } = error as { readonly kind: string; readonly code: string };
    return { answer: '', kind, code };
  }
};

describe('access below the organisation', () => {
  it('is said of every operation of the contract', () => {
    const { operations: all } = loadContract(contentContract);
    const names = [...all.values()].map(({ id }) => id.replace('platform.content.v1.', ''));
    expect(Object.keys(operations).toSorted()).toEqual(names.toSorted());
  });

  it('keeps what is restricted from everybody who is not named, in every operation, and opens it to all others', async () => {
    const ids = await withSecrets();
    const failed: string[] = [];
    const secrets = [SECRET, ids.documentId, ids.filedId, ids.pendingId, ids.conventionId, ids.assistantId];
    const ownOf = async (row: Showing, by: By): Promise<Own> => (row.shows.length > 1 ? ids.said(by) : nothingSaid);
    const closed = async (operation: string, row: Opening | Showing, [who, by]: [string, By]) => {
      if ('opens' in row) {
        const { kind, code } = await outcomeOf(call(operation, row.opens(ids), by));
        if (kind !== 'not_found') failed.push(`${operation} is ${kind} ${code} for ${who}`);
        return;
      }
      const { answer, kind, code } = await outcomeOf(call(operation, row.shows(ids, await ownOf(row, by)), by));
      if (kind !== 'answered') failed.push(`${operation} is ${kind} ${code} for ${who}`);
      const told = secrets.filter((secret) => answer.includes(secret));
      if (told.length > 0) failed.push(`${operation} tells ${who} of ${told.join(', ')}: ${answer.slice(0, 500)}`);
    };
    const open = async (operation: string, row: Opening | Showing, [who, by]: [string, By]) => {
      const request = 'opens' in row ? row.opens(ids) : row.shows(ids, await ownOf(row, by));
      const { answer, kind, code } = await outcomeOf(call(operation, request, by));
      // What one of them deletes is gone for the next.
      const isGone = operation.includes('/Delete') && kind === 'not_found';
      if ('opens' in row && kind === 'not_found' && !isGone) failed.push(`${operation} is ${code} for ${who}`);
      if ('shows' in row && row.tells !== false && !answer.includes(SECRET))
        failed.push(`${operation} tells ${who} nothing: ${kind} ${code} ${answer.slice(0, 500)}`);
    };
    for (const [operation, row] of Object.entries(operations)) {
      if (typeof row === 'string') continue;
      await Promise.all(Object.entries(ids.strangers).map((one) => closed(operation, row, one)));
      await Promise.all(Object.entries(ids.allowed).map((one) => open(operation, row, one)));
    }
    expect(failed).toEqual([]);
  }, 300_000);

  it('counts nothing that somebody may not open', async () => {
    const ids = shared;
    const counts = async (by: By) => {
      const lists = [
        content.documents.listDocuments({ includeTotal: true }, by),
        content.conventions.listConventions({ includeTotal: true }, by),
        content.assistants.listAssistants({ includeTotal: true }, by),
        content.collections.listCollections({ includeTotal: true }, by),
        content.toolServers.listToolServers({ includeTotal: true }, by),
      ];
      return (await Promise.all(lists)).map(({ totalCount }) => totalCount);
    };
    for (const by of Object.values(ids.strangers)) expect(await counts(by)).toEqual([0, 0, 0, 0, 0]);
    for (const by of [...Object.values(ids.allowed), ids.admin]) expect(await counts(by)).toEqual([3, 1, 1, 1, 1]);
    const restricted = await content.documents.listDocuments({ visibility: 'restricted' }, ids.ann);
    expect(restricted.documents.map(({ id }) => id).toSorted()).toEqual([ids.documentId, ids.pendingId].toSorted());
    const ofGroup = await content.documents.listDocuments({ groupId: ids.group }, ids.ann);
    expect(ofGroup.documents.map(({ id }) => id).toSorted()).toEqual([ids.documentId, ids.pendingId].toSorted());
    expect((await content.documents.listDocuments({ groupId: newId() }, ids.ann)).documents).toEqual([]);
    const open = await content.documents.listDocuments({ visibility: 'organisation' }, ids.ann);
    expect(open.documents.map(({ id }) => id)).toEqual([ids.filedId]);
  });

  it('takes effect at once, and so does its end, for documents, collections and groups', async () => {
    const ids = await withSecrets();
    const { ann, ben, admin, documentId, filedId, userOf } = ids;
    const sees = async (by: By) => {
      const { hits } = await content.search.search({ query: SECRET, kinds: ['DOCUMENT'], mode: 'keyword' }, by);
      return [...new Set(hits.map(({ id }) => id))].toSorted();
    };
    const both = [documentId, filedId].toSorted();
    expect([await sees(ann), await sees(ben)]).toEqual([both, []]);
    const everybody = { visibility: 'organisation' } as const;
    await content.documents.setDocumentAccess({ documentId, ...everybody }, ann);
    expect(await sees(ben)).toEqual([documentId]);
    await content.collections.setCollectionAccess({ collection: SECRET, ...everybody }, admin);
    expect(await sees(ben)).toEqual(both);
    await content.collections.setCollectionAccess(
      { collection: SECRET, visibility: 'restricted', members: [userOf(ann)] },
      admin,
    );
    expect([await sees(ben), await sees(ann)]).toEqual([[documentId], both]);
    // Whoever is named by the document itself needs no collection.
    await content.documents.setDocumentAccess(
      { documentId: filedId, visibility: 'restricted', members: [userOf(ben)] },
      admin,
    );
    expect([await sees(ben), await sees(ann)]).toEqual([both, [documentId]]);

    groups.put(ids.organisationId, ids.group, userOf(ben));
    const { conventionId } = ids;
    const opens = () => outcomeOf(content.conventions.getConvention({ conventionId }, ben));
    await waitFor(async () => (await opens()).kind === 'answered', { what: 'the group to be known' });
    groups.put(ids.organisationId, ids.other, userOf(ben));
    await waitFor(async () => (await opens()).kind === 'not_found', { what: 'the group to be left' });
  });

  it('is what the lists of groups open besides', async () => {
    const ids = await withSecrets();
    const { ben, documentId, filedId, conventionId, assistantId } = ids;
    groups.open(ids.organisationId, ids.other, {
      files: [documentId],
      folders: [SECRET],
      assets: [conventionId, assistantId],
    });
    groups.put(ids.organisationId, ids.other, ids.userOf(ben));
    const opens = async () =>
      Promise.all(
        [
          content.documents.getDocument({ documentId }, ben),
          content.documents.getDocument({ documentId: filedId }, ben),
          content.conventions.getConvention({ conventionId }, ben),
          content.assistants.getAssistant({ assistantId }, ben),
        ].map(async (one) => (await outcomeOf(one)).kind),
      );
    await waitFor(async () => (await opens()).every((kind) => kind === 'answered'), { what: 'the lists to be known' });
    const { hits } = await content.search.search({ query: SECRET, kinds: ['DOCUMENT', 'CONVENTION'] }, ben);
    expect(new Set(hits.map(({ id }) => id))).toEqual(new Set([documentId, filedId, conventionId]));
  });

  it('always includes whoever has made it, an API key for itself and its user', async () => {
    const ids = shared;
    const key = apiKeyOf(groups, ids.organisationId, ids.other);
    const maker = { caller: { ...key.caller, kind: 'user' as const, level: 'EDITOR' as const } };
    const wanted = { title: 'Own', content: 'Own.', access: { visibility: 'restricted' as const } };
    const { id: conventionId } = await content.conventions.createConvention(wanted, key);
    for (const by of [key, maker, ids.admin])
      expect((await content.conventions.getConvention({ conventionId }, by)).access).toEqual({
        ...{ visibility: 'restricted', groups: [], members: [] },
        createdBy: key.caller.userId,
      });
    expect(await refusalOf(content.conventions.getConvention({ conventionId }, ids.ben))).toMatchObject({
      code: 'convention_not_found',
    });
    // Nor does another key of the same person, and of the same group.
    const another = apiKeyOf(groups, ids.organisationId, ids.other);
    expect(await outcomeOf(content.conventions.getConvention({ conventionId }, another))).toMatchObject({
      kind: 'not_found',
    });
  });

  it('is that of a collection to whoever has a document in it, and to a key that administers', async () => {
    const organisationId = newOrganisation();
    const [admin, ben] = [member(organisationId, 'ADMIN'), member(organisationId, 'EDITOR')];
    const key = apiKeyOf(groups, organisationId, groups.add(organisationId));
    const collection = 'board';
    for (const by of [ben, key])
      await content.documents.uploadDocument({ id: newId(), name: 'own.txt', collection }, by);
    expect(await content.collections.getCollectionAccess({ collection }, ben)).toMatchObject({
      visibility: 'organisation',
    });
    await content.collections.setCollectionAccess({ collection, visibility: 'restricted' }, admin);
    const closed = { kind: 'not_found', code: 'collection_not_found' };
    for (const by of [ben, key]) {
      expect((await content.documents.listDocuments({ collection }, by)).documents).toHaveLength(1);
      expect(await refusalOf(content.collections.getCollectionAccess({ collection }, by))).toMatchObject(closed);
    }
    for (const visibility of ['organisation', 'restricted'] as const)
      expect(await refusalOf(content.collections.setCollectionAccess({ collection, visibility }, key))).toMatchObject(
        closed,
      );
    expect(await content.collections.getCollectionAccess({ collection }, admin)).toMatchObject({
      visibility: 'restricted',
    });
  });

  it('is that of no more collections than may be, also where several are restricted at the same moment', async () => {
    const organisationId = newOrganisation();
    const admin = member(organisationId, 'ADMIN');
    const restrict = (collection: string) =>
      content.collections.setCollectionAccess({ collection, visibility: 'restricted' }, admin);
    await restrict('first');
    const database = content.frame?.storage.database;
    const others = Array.from({ length: MAX_RESTRICTED_COLLECTIONS - 2 }, (_, at) => ({
      ...{ _id: `${organisationId}:other ${String(at)}`, collectionName: `other ${String(at)}`, readers: [] },
      createdAt: new Date(),
    }));
    await database?.tenant(organisationId, () => database.model('restrictedCollections').insertMany(others));
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map(restrict));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'too_many_collections' });
    // One that is restricted already may be changed, and makes room when it is open again.
    await restrict('first');
    await content.collections.setCollectionAccess({ collection: 'first', visibility: 'organisation' }, admin);
    await restrict('e');
  });

  it('leaves no room for more assistants than an organisation may have, whoever may open them', async () => {
    const organisationId = newOrganisation();
    const [ann, ben] = [member(organisationId, 'EDITOR'), member(organisationId, 'EDITOR')];
    const access = { visibility: 'restricted' as const };
    const { id } = await content.assistants.createAssistant({ name: 'own', access }, ann);
    const database = content.frame?.storage.database;
    const model = database?.model<Record<string, unknown> & { _id: string }>('assistants');
    await database?.tenant(organisationId, async () => {
      const own = await model?.findOne({ _id: id }).lean().exec();
      const others = Array.from({ length: MAX_ASSISTANTS - 2 }, () => ({ ...own, _id: newId(), nameKey: newId() }));
      await model?.insertMany(others);
    });
    await content.assistants.createAssistant({ name: 'one more' }, ben);
    expect(await refusalOf(content.assistants.createAssistant({ name: 'too many' }, ben))).toMatchObject({
      code: 'too_many_assistants',
    });
  });

  it('keeps tool servers from keys that administer, unless their group may open them', async () => {
    const { toolServerId, strangers } = shared;
    const by = strangers['a key of another group'];
    for (const [method, request] of [
      ['ListServerTools', {}],
      ['UpdateToolServer', { description: 'mine', ...mask('description') }],
      ['SetToolServerAccess', { visibility: 'organisation' }],
      ['DeleteToolServer', {}],
    ] as const)
      expect(await outcomeOf(call(`ToolServerService/${method}`, { toolServerId, ...request }, by))).toMatchObject({
        code: 'tool_server_not_found',
      });
  });

  it('is told to the audit log with what it was before, once for each change, whatever it is of', async () => {
    const organisationId = newOrganisation();
    const admin = member(organisationId, 'ADMIN');
    const userId = admin.caller.userId ?? '';
    groups.join(organisationId, userId);
    const { documentId } = await content.documents.uploadDocument({ id: newId(), name: 'a.txt' }, admin);
    const { id: conventionId } = await content.conventions.createConvention({ title: 'a', content: 'a' }, admin);
    const { id: assistantId } = await content.assistants.createAssistant({ name: 'a' }, admin);
    const { id: toolServerId } = await content.toolServers.createToolServer(
      { name: 'a', kind: 'http', url: 'https://tools.example.com/' },
      admin,
    );
    const setting = (wanted: { visibility: 'restricted' | 'organisation'; members: string[] }) => [
      content.documents.setDocumentAccess({ documentId, ...wanted }, admin),
      content.conventions.setConventionAccess({ conventionId, ...wanted }, admin),
      content.assistants.setAssistantAccess({ assistantId, ...wanted }, admin),
      content.toolServers.setToolServerAccess({ toolServerId, ...wanted }, admin),
      content.collections.setCollectionAccess({ collection: 'a', ...wanted }, admin),
    ];
    for (const wanted of [
      { visibility: 'restricted' as const, members: [userId] },
      { visibility: 'restricted' as const, members: [userId] },
      { visibility: 'organisation' as const, members: [] },
    ])
      await Promise.all(setting(wanted));

    const told = (await recordedEvents(content.database.url)).filter(
      (event) => event.organisationid === organisationId,
    );
    const [open, closed] = [
      { visibility: 'organisation', groups: [], members: [] },
      { visibility: 'restricted', groups: [], members: [userId] },
    ];
    for (const kind of ['document', 'convention', 'assistant', 'tool_server', 'collection']) {
      const entries = told.flatMap(({ type, data }) =>
        type.endsWith('.audit.recorded') && data['action'] === `${kind}.access_changed` ? [data] : [],
      );
      expect({ kind, entries }).toMatchObject({
        kind,
        entries: [
          { actor_id: userId, before: { access: open }, after: { access: closed } },
          { actor_id: userId, before: { access: closed }, after: { access: open } },
        ],
      });
    }
  });

  it('takes no id that is taken by something restricted', async () => {
    const ids = shared;
    const upload = content.documents.uploadDocument({ id: ids.documentId, name: `${SECRET}.txt` }, ids.ben);
    expect(await refusalOf(upload)).toMatchObject({ kind: 'conflict', code: 'document_exists' });
  });

  it('is not for assistants to give away, whatever they look at, nor for tasks', async () => {
    const ids = shared;
    const looking = {
      name: 'looking',
      tools: ['search_documents'] as const,
      documentIds: [ids.documentId],
      collections: [SECRET],
    };
    expect(await refusalOf(content.assistants.createAssistant(looking, ids.ben))).toMatchObject({ kind: 'invalid' });
    await content.assistants.createAssistant(looking, ids.admin);
    const ask = async (by: By) => {
      const request = { ...asked('Who lives in cloud forests?'), assistantName: 'looking' };
      return JSON.stringify(await content.assistants.submitToAssistant(request, by));
    };
    expect(await ask(ids.ann)).toContain(SECRET);
    expect(await ask(ids.ben)).not.toContain(SECRET);
    const task = async (by: By) => {
      const request = {
        ...{ turnId: newId(), userId: ids.userOf(by), permissionLevel: 'EDITOR' as const, assistantName: 'looking' },
        instruction: 'Who lives in cloud forests?',
      };
      const pipelines = { caller: { organisationId: ids.organisationId } };
      const tasks = content
        .calledBy('pipelines')
        .to<{ runTask: (given: object, by: object) => Promise<{ message?: { isFinished?: boolean } }> }>('TaskService');
      return waitFor(
        async () => {
          const { message } = await tasks.runTask(request, pipelines);
          return message?.isFinished === true ? JSON.stringify(message) : undefined;
        },
        { what: 'the task' },
      );
    };
    expect(await task(ids.ann)).toContain(SECRET);
    expect(await task(ids.ben)).not.toContain(SECRET);
  });

  it('is named by no assistant to whoever may not open it, and stays in it whatever they change', async () => {
    const { admin, ann, ben, userOf } = shared;
    const [documentId, collection] = [newId(), `later-${newId()}`];
    await content.documents.uploadDocument({ id: documentId, name: 'later.txt' }, admin);
    const server = { name: 'later', kind: 'http', url: 'https://tools.example.com/' } as const;
    const { id: toolServerId } = await content.toolServers.createToolServer(server, admin);
    const named = { documentIds: [documentId], collections: [collection], toolServerIds: [toolServerId] };
    const { id: assistantId } = await content.assistants.createAssistant({ name: `looks ${newId()}`, ...named }, ben);
    const access = { visibility: 'restricted', members: [userOf(ann)] } as const;
    await content.documents.setDocumentAccess({ documentId, ...access }, admin);
    await content.collections.setCollectionAccess({ collection, ...access }, admin);
    await content.toolServers.setToolServerAccess({ toolServerId, ...access }, admin);

    const nothing = { documentIds: [], collections: [], toolServerIds: [] };
    const answers = async (by: By) => {
      const { assistants } = await content.assistants.listAssistants({ limit: 200 }, by);
      const { versions } = await content.assistants.listAssistantVersions({ assistantId }, by);
      const listed = assistants.find(({ id }) => id === assistantId);
      return [await content.assistants.getAssistant({ assistantId }, by), listed, ...versions];
    };
    for (const answer of await answers(ben)) expect(answer).toMatchObject(nothing);
    for (const by of [ann, admin]) for (const answer of await answers(by)) expect(answer).toMatchObject(named);

    const wanted = { assistantId, ...nothing, collections: ['mine'] };
    const paths = mask('document_ids', 'collections', 'tool_server_ids');
    const changed = await content.assistants.updateAssistant({ ...wanted, ...paths }, ben);
    expect(changed).toMatchObject({ ...nothing, collections: ['mine'] });
    expect(await content.assistants.getAssistant({ assistantId }, admin)).toMatchObject({
      ...named,
      collections: ['mine', collection],
    });
  });

  it('is no file of a message for whoever may not open it', async () => {
    const { documentId, ann, ben } = shared;
    const ask = (by: By) =>
      content.assistants.submitToAssistant({ ...asked('What lives there?'), attachments: [documentId] }, by);
    expect(JSON.stringify((await ask(ann)).message?.annotations)).toContain(SECRET);
    expect(await refusalOf(ask(ben))).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'attachments', 0], msg: 'Value error, there is no such document' }],
    });
  });

  it('names only groups and members that there are, and nobody where it is for everybody', async () => {
    const ids = shared;
    const { documentId, ann, group } = ids;
    const [nobody, none] = [newId(), newId()];
    const refused = await refusalOf(
      content.documents.setDocumentAccess(
        { documentId, visibility: 'restricted', groups: [group, none], members: [nobody] },
        ann,
      ),
    );
    expect(refused).toMatchObject({
      kind: 'invalid',
      violations: [
        { loc: ['body', 'groups', 1], msg: 'Value error, there is no such client group', input: none },
        { loc: ['body', 'members', 0], msg: 'Value error, there is no such member', input: nobody },
      ],
    });
    expect(
      await refusalOf(
        content.conventions.createConvention(
          { title: 't', content: 'c', access: { visibility: 'organisation', groups: [group] } },
          ann,
        ),
      ),
    ).toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'access', 'groups'] }] });
    groups.leave(ids.organisationId, group);
    const again = { documentId, visibility: 'restricted', groups: [group] } as const;
    expect((await content.documents.setDocumentAccess(again, ids.admin)).groups).toEqual([group]);
  });
});
