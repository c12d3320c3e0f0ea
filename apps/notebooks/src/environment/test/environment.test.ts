import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

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
