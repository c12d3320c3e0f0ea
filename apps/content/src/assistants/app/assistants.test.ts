import { describe, expect, it } from '@jest/globals';
import type { Assistant } from '../domain/assistant.ts';
import type { Assistants } from '../domain/assistants.ts';
import { assistantUseCases } from './assistants.ts';

const assistant = (id: string, nameKey: string) => ({ id, name: nameKey, nameKey }) as Assistant;

describe('the assistant that a client names', () => {
  const kept = [assistant('a-1', 'lawyer'), assistant('a-2', 'a-1'), assistant('a-3', 'counsel')];
  const store: Pick<Assistants, 'find' | 'findByName'> = {
    find: (_organisationId, id) => Promise.resolve(kept.find((one) => one.id === id)),
    findByName: (_organisationId, nameKey) => Promise.resolve(kept.find((one) => one.nameKey === nameKey)),
  };
  const clock = { now: () => new Date(0) };
  const app = assistantUseCases({
    assistants: store as Assistants,
    admitAccess: () => Promise.resolve(undefined),
    hasDocument: () => Promise.resolve(true),
    hasToolServer: () => Promise.resolve(true),
    hiddenSources: () => Promise.reject(new Error('nothing is shown here')),
    models: [],
    clock,
  });
  const named = async (name: string) => (await app.assistantNamed('org_1', name)).id;

  it('is the one with that id before any that is called so', async () => {
    expect(await named('a-1')).toBe('a-1');
    expect(await named('a-2')).toBe('a-2');
    expect(await named('general')).toBe('general');
  });

  it('is else the one with that name, however it is written', async () => {
    expect(await named(' Lawyer ')).toBe('a-1');
    expect(await named('General assistant')).toBe('general');
    await expect(named('nobody')).rejects.toMatchObject({ kind: 'not_found' });
  });
});
