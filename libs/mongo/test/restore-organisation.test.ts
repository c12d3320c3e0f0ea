import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { restoreOrganisation } from '../src/restore-organisation.ts';
import { throwawayMongo, type ThrowawayMongo } from './throwaway-mongo.ts';

interface Shelf {
  _id: string;
  organisationId: string;
  name: string;
  version?: number;
  lastSequence?: number;
  pendingEvents?: object[];
  copies?: mongo.Long;
}

let servers: readonly ThrowawayMongo[];
let clients: readonly mongo.MongoClient[];
let live: mongo.Collection<Shelf>;
let backup: mongo.Collection<Shelf>;
beforeAll(async () => {
  servers = await Promise.all([throwawayMongo(), throwawayMongo()]);
  clients = await Promise.all(servers.map(({ url }) => mongo.MongoClient.connect(url, { promoteLongs: false })));
  const [ours, theirs] = clients.map((client) => client.db().collection<Shelf>('shelves'));
  if (!ours || !theirs) throw new Error('there are two servers');
  [live, backup] = [ours, theirs];
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.drop()));
});

const restore = (organisationId: string) =>
  restoreOrganisation({ from: servers[1]?.url ?? '', to: servers[0]?.url ?? '', organisationId }, ['shelves']);
const shelves = (organisationId: string) => live.find({ organisationId }).sort({ _id: 1 }).toArray();
const many = mongo.Long.fromString('9007199254740993');

describe('an organisation that is put back', () => {
  const [changed, removed, added] = ['a', 'b', 'c'].map((letter) => ({
    ...{ _id: letter, organisationId: 'org_a', name: letter, version: 3, lastSequence: 10, copies: many },
  })) as [Shelf, Shelf, Shelf];
  const theirs = { _id: 'z', organisationId: 'org_b', name: 'theirs' };
  beforeEach(async () => {
    for (const shelf of [live, backup]) await shelf.drop();
    await live.createIndex({ organisationId: 1, name: 1 }, { unique: true }, {});
    const told = { ...changed, pendingEvents: [{ id: 'event' }] };
    await backup.insertMany([told, removed, { ...theirs, name: 'theirs of before' }]);
    await live.insertMany([{ ...changed, name: 'damaged', version: 7, lastSequence: 90 }, added, theirs]);
  });

  it('has what it had and nothing else, and nobody else is touched', async () => {
    expect(await restore('org_a')).toEqual({ shelves: 2 });
    expect((await shelves('org_a')).map(({ _id, name, copies }) => [_id, name, String(copies)])).toEqual([
      ['a', 'a', String(many)],
      ['b', 'b', String(many)],
    ]);
    expect(await shelves('org_b')).toEqual([theirs]);
  });

  it('goes on counting from where either is, and tells no event twice', async () => {
    await restore('org_a');
    const [first, second] = await shelves('org_a');
    expect(first).toMatchObject({ version: 8, lastSequence: 90 });
    expect(first).not.toHaveProperty('pendingEvents');
    expect(second).toMatchObject({ version: 4, lastSequence: 10 });
  });

  it('has its names again, whoever has them now', async () => {
    await live.updateOne({ _id: 'c' }, { $set: { name: 'b' } });
    await backup.insertOne({ ...removed, _id: 'd', name: 'd' });
    await live.insertOne({ ...removed, _id: 'd', name: 'a' });
    await live.updateOne({ _id: 'a' }, { $set: { name: 'd' } });
    expect(await restore('org_a')).toEqual({ shelves: 3 });
    expect((await shelves('org_a')).map(({ _id, name, version }) => [_id, name, version])).toEqual([
      ['a', 'a', 8],
      ['b', 'b', 4],
      ['d', 'd', 4],
    ]);
  });

  it('still tells what has happened and was not told yet', async () => {
    const event = (id: string) => ({
      id,
      sequence: 1,
      organisationId: 'org_a',
      type: 't',
      subject: 's',
      body: '{}',
      bytes: 2,
    });
    await live.updateOne({ _id: 'a' }, { $set: { pendingEvents: [event('of what is replaced')] } });
    await live.updateOne({ _id: 'c' }, { $set: { pendingEvents: [event('of what is removed')] } });
    await restore('org_a');
    const outbox = clients[0]?.db().collection<{ _id: string }>('outbox').find();
    expect((await outbox?.toArray())?.map(({ _id }) => _id).sort()).toEqual([
      'of what is removed',
      'of what is replaced',
    ]);
  });

  it('stays as it is where a document is of somebody else by now, or the backup has nothing of it', async () => {
    await live.updateOne({ _id: 'a' }, { $set: { organisationId: 'org_b' } });
    await expect(restore('org_a')).rejects.toThrow('of another organisation');
    await expect(restore('org_c')).rejects.toThrow('has nothing of org_c');
    expect((await shelves('org_a')).map(({ _id }) => _id)).toEqual(['c']);
  });
});
