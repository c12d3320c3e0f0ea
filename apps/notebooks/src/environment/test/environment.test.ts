import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { secretBox } from '@platform-backend/core/secret-box';
import { member, newOrganisation, resealedSecrets } from '@platform-backend/service/testing';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { service } from '../../service.ts';
import { valueContext } from '../domain/environment.ts';
import { environmentsStore } from '../store/environments-store.ts';
import { resealEnvironments } from '../store/reseal-environments.ts';

let running: TestNotebooks;
beforeAll(async () => {
  running = await startTestNotebooks({ idle: true });
});
afterAll(() => running.stop());

describe('the environment of kernels', () => {
  it('is set, listed by name alone, and reaches the kernels of its organisation', async () => {
    const [by, other] = [member(newOrganisation(), 'ADMIN'), member(newOrganisation(), 'ADMIN')];
    const set = (name: string, value: string) => running.environment.setEnvironmentVariable({ name, value }, by);
    expect(await set('TOKEN', 'first')).toEqual({ name: 'TOKEN', updatedAt: expect.any(Date) });
    const second = await set('TOKEN', 'second');
    // As it is already: nothing has happened, whatever its sealed form is.
    expect(await set('TOKEN', 'second')).toEqual(second);
    await set('HOST', 'db');
    const { variables } = await running.environment.listEnvironmentVariables({}, by);
    expect(variables.map(({ name }) => name)).toEqual(['HOST', 'TOKEN']);
    expect(JSON.stringify(variables)).not.toContain('second');
    const environmentOf = async (caller: typeof by) => {
      const { id } = await running.jupyter.startKernel({}, caller);
      return running.provider.started.find(({ kernelId }) => kernelId === id)?.environment?.();
    };
    expect(await environmentOf(by)).toEqual({ HOST: 'db', TOKEN: 'second' });
    expect(await environmentOf(other)).toEqual({});
    await running.environment.deleteEnvironmentVariable({ name: 'TOKEN' }, by);
    expect(await environmentOf(by)).toEqual({ HOST: 'db' });
    const again = running.environment.deleteEnvironmentVariable({ name: 'TOKEN' }, by);
    await expect(again).rejects.toMatchObject({ code: 'variable_not_found' });
  });

  it('has up to a hundred variables, with names as shells have them', async () => {
    const by = member(newOrganisation(), 'ADMIN');
    const set = (name: string) => running.environment.setEnvironmentVariable({ name, value: 'v' }, by);
    await Promise.all(Array.from({ length: 100 }, (_, at) => set(`V${String(at)}`)));
    await expect(set('ONE_MORE')).rejects.toMatchObject({ code: 'too_many_variables' });
    await set('V1');
    for (const name of ['', '1A', 'A-B', 'A=B']) await expect(set(name)).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a new key for secrets', () => {
  const [old, key] = ['a secret of the tests', 'the key that takes its place'];
  const box = secretBox({ key, otherKey: old });
  const database = () => {
    const { frame } = running;
    if (!frame) throw new Error('it was started elsewhere');
    return frame.storage.database;
  };
  const replaced = () => resealedSecrets(service, { ...running.env, SECRETS_KEY: key, SECRETS_KEY_OTHER: old });
  const variables = async (by: ReturnType<typeof member>) => {
    const organisationId = by.caller.organisationId ?? '';
    const values = await environmentsStore(database()).values(organisationId);
    return Object.fromEntries(
      [...values].map(([name, sealed]) => [name, secretBox({ key }).open(sealed, valueContext(organisationId, name))]),
    );
  };
  const set = (by: ReturnType<typeof member>, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        running.environment.setEnvironmentVariable({ name: `N${String(at)}`, value: String(at) }, by),
      ),
    );

  it('seals the variables of all organisations anew, also where it was cut short, after which the old key is not needed', async () => {
    const organisations = [member(newOrganisation(), 'ADMIN'), member(newOrganisation(), 'ADMIN')];
    for (const by of organisations) await set(by, 80);
    let count = 0;
    const cutShort = resealEnvironments({ database: database() }, (sealed, context) => {
      if ((count += 1) > 130) throw new Error('it died');
      return box.reseal(sealed, context);
    });
    await expect(cutShort).rejects.toThrow('it died');
    const [first] = await replaced();
    expect(first).toMatchObject({ kind: 'environment variables', unreadable: 0 });
    expect(first?.resealed).toBeLessThan(first?.secrets ?? 0);
    expect(first?.resealed).toBeGreaterThan(0);
    for (const by of organisations) {
      const values = await variables(by);
      expect([Object.keys(values).length, values['N7']]).toEqual([80, '7']);
    }
    expect(await replaced()).toMatchObject([{ resealed: 0, unreadable: 0 }]);
  });

  it('leaves alone what somebody sets meanwhile, and says what no key opens', async () => {
    const by = member(newOrganisation(), 'ADMIN');
    const organisationId = by.caller.organisationId ?? '';
    await set(by, 1);
    const newer = box.seal('newer', valueContext(organisationId, 'N0'));
    const store = (value: string) =>
      database().tenant(organisationId, (trx) => trx('environment_variables').update({ value }));
    let isRead = false;
    const system: ReturnType<typeof database>['system'] = async (...work) => {
      if (isRead) await store(newer);
      isRead = false;
      return database().system(...work);
    };
    let found = 0;
    await resealEnvironments({ database: { ...database(), system } }, (sealed, context) => {
      if (context === valueContext(organisationId, 'N0')) [isRead, found] = [true, found + 1];
      return box.reseal(sealed, context);
    });
    expect([isRead, found]).toEqual([false, 1]);
    expect(await variables(by)).toEqual({ N0: 'newer' });
    await store(secretBox({ key: 'a key that nobody has any more' }).seal('x', valueContext(organisationId, 'N0')));
    expect(await replaced()).toMatchObject([{ unreadable: 1 }]);
  });
});
