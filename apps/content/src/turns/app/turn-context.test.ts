import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import type { Document } from '../../documents/domain/document.ts';
import { document } from '../../documents/test/document-examples.ts';
import type { Source } from '../../passages/domain/passage.ts';
import { resolveContext, type ContextPorts } from './turn-context.ts';

const documents: Readonly<Record<string, Pick<Source, 'title' | 'collection' | 'labels'>>> = {
  d1: { title: 'Handbook', labels: ['department=hr', 'region=eu'] },
  d2: { title: 'Lease', collection: 'contracts' },
  d3: { title: 'Minutes', collection: 'board' },
};
const unread: Readonly<Record<string, Partial<Document>>> = {
  u1: { status: 'PROCESSING' },
  u2: { status: 'PENDING_UPLOAD' },
  u3: { status: 'FAILED', failure: { code: 'damaged', message: 'Save it anew.' } },
  u4: { status: 'ARCHIVED' },
  u5: { status: 'UPLOADED', collection: 'contracts', metadata: { department: 'hr', region: 'eu' } },
};
const ports: ContextPorts = {
  documents: {
    find: (_organisationId, id) =>
      Promise.resolve(id in unread ? document({ id, name: `${id}.pdf`, ...unread[id] }) : undefined),
  },
  findDocument: (_organisationId, id) => Promise.resolve(documents[id]),
  findConvention: () => Promise.resolve(undefined),
  datasets: { find: (_by, id) => kept(id, { id, name: 'sales', description: '', columns: [] }) },
  pipelines: { find: (_by, id) => kept(id, { id, name: 'sales', description: '' }) },
};
const kept = <Kept>(id: string, what: Kept): Promise<Kept | undefined> =>
  id === 'away' ? Promise.reject(unavailable(new Error('away'))) : Promise.resolve(id === 's1' ? what : undefined);

const rights = { documents: true, conventions: true, datasets: true, pipelines: true, runs: true };
const actor = { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'VIEWER' } as const;

const resolved = (
  scope: { documentIds: string[]; collections: string[]; documentLabels?: string[] },
  ...ids: string[]
) =>
  resolveContext(ports, {
    by: { organisationId: 'org_1', actor, requestId: 'r', rights },
    assistant: {
      id: 'a',
      name: 'A',
      instructions: '',
      tools: [],
      model: '',
      temperature: null,
      toolEffects: 'ask',
      toolServerIds: [],
      documentLabels: [],
      ...scope,
    },
    entities: ids.map((id) => ({ type: 'document', id })),
  });

describe.each(['dataset', 'pipeline'])('a %s that a client names', (type) => {
  const looked = async (id: string, mayRead = true) => {
    const { entities } = await resolveContext(ports, {
      by: {
        organisationId: 'org_1',
        actor,
        requestId: 'r',
        rights: { ...rights, datasets: mayRead, pipelines: mayRead },
      },
      assistant: {
        ...{
          id: 'a',
          name: 'A',
          instructions: '',
          tools: [],
          model: '',
          temperature: null,
          toolEffects: 'ask',
          toolServerIds: [],
        },
        ...{ documentIds: [], collections: [], documentLabels: [] },
      },
      entities: [{ type, id }],
    });
    return entities;
  };

  it('is looked up for who may read it, and is no reason for a refusal when nobody can tell', async () => {
    expect(await looked('s1')).toEqual([{ type, id: 's1', status: 'RESOLVED', title: 'sales' }]);
    expect(await looked('s2')).toMatchObject([{ status: 'NOT_FOUND' }]);
    expect(await looked('s1', false)).toMatchObject([{ status: 'NOT_AVAILABLE' }]);
    expect(await looked('away')).toMatchObject([{ status: 'NOT_AVAILABLE' }]);
  });
});

describe('what an assistant looks at', () => {
  it('is every document when it was given none and no collection', async () => {
    expect((await resolved({ documentIds: [], collections: [] })).documents).toBeUndefined();
  });

  it('is its documents and what is in its collections', async () => {
    const { documents: scope } = await resolved({ documentIds: ['d1'], collections: ['contracts'] });
    expect(scope).toEqual([{ sourceIds: ['d1'] }, { collections: ['contracts'] }]);
  });

  it('is of these, or of all, what has all of the metadata', async () => {
    const documentLabels = ['department=hr', 'region=eu'];
    const all = { documentIds: [], collections: [], documentLabels };
    expect((await resolved(all)).documents).toEqual([{ labels: documentLabels }]);
    const some = { documentIds: ['d1'], collections: ['contracts'], documentLabels };
    expect((await resolved(some)).documents).toEqual([
      { sourceIds: ['d1'], labels: documentLabels },
      { collections: ['contracts'], labels: documentLabels },
    ]);
    const { documents: named, entities } = await resolved(all, 'd1', 'd2', 'u1', 'u5');
    expect(named).toEqual([{ sourceIds: ['d1', 'u5'] }]);
    expect(entities.map(({ status }) => status)).toEqual(['RESOLVED', 'NOT_FOUND', 'NOT_FOUND', 'PROCESSING']);
    const { documents: ofContracts } = await resolved(some, 'd2', 'u5');
    expect(ofContracts).toEqual([{ sourceIds: ['u5'] }]);
    const { documents: ofBoth } = await resolved({ ...all, documentLabels: ['department=it', 'region=eu'] }, 'd1');
    expect(ofBoth).toEqual([{ labels: ['department=it', 'region=eu'] }]);
  });

  it('is what the client names, as far as that is in its scope', async () => {
    const scope = { documentIds: ['d1'], collections: ['contracts'] };
    const { documents: named, entities } = await resolved(scope, 'd1', 'd2', 'd3', 'd4');
    expect(named).toEqual([{ sourceIds: ['d1', 'd2'] }]);
    expect(entities.map(({ status }) => status)).toEqual(['RESOLVED', 'RESOLVED', 'NOT_FOUND', 'NOT_FOUND']);
  });

  it('is named, with a note, while it is not read, and nothing else is searched in its place', async () => {
    const everything = { documentIds: [], collections: [] };
    const { documents: named, entities } = await resolved(everything, 'u1', 'u2', 'u3', 'u4', 'u5');
    expect(entities.map(({ status }) => status)).toEqual([
      'PROCESSING',
      'PENDING_UPLOAD',
      'FAILED',
      'NOT_FOUND',
      'PROCESSING',
    ]);
    expect(entities.map(({ note }) => note)).toEqual([
      expect.stringContaining('“u1.pdf” is still being read'),
      expect.stringContaining('not been uploaded yet'),
      expect.stringMatching(/could not be read.*Save it anew/),
      undefined,
      expect.stringContaining('Ask again when it is ready'),
    ]);
    expect(named).toEqual([{ sourceIds: ['u1', 'u2', 'u3', 'u5'] }]);
    const { entities: ofContracts } = await resolved({ documentIds: [], collections: ['contracts'] }, 'u1', 'u5');
    expect(ofContracts.map(({ status }) => status)).toEqual(['NOT_FOUND', 'PROCESSING']);
  });
});
