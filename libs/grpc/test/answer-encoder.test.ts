import { describe, expect, it } from '@jest/globals';
import { loadContract } from '@platform/contract';
import { answerEncoder } from '../src/answer-encoder.ts';

const rpcOf = (service: string, method: string) => {
  const rpc = loadContract().serviceDefinition(`platform.identity.v1.${service}`)[method];
  if (!rpc) throw new Error(`There is no rpc ${method}.`);
  return rpc;
};

const clientGroup = (members: number) => ({
  id: '0199c0de-0000-7000-8000-000000000001',
  name: 'Retail',
  description: '',
  isDefault: true,
  members: Array.from({ length: members }, (_, index) => ({
    id: `0199c0de-0000-7000-8000-${String(index).padStart(12, '0')}`,
    name: 'Ann',
    email: `c${index}@client.example`,
    status: 'invited',
    folderAccess: [{ entry: { folder: 'a', level: 'read' } }, { entry: {} }],
  })),
  workspaces: [],
  policy: { periodDays: 30, aiCreditLimit: '9007199254740993', hardStop: true },
  usage: { requests: 3, plan: 'TEAM', period: null },
  assetAccess: [{ entry: { asset: 'b' } }],
});

/** How often others had their turn while something was awaited. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  isOver = true;
  return turns;
}

describe('an answer', () => {
  it('has the same bytes whether or not others had their turn while it was encoded', async () => {
    const rpc = rpcOf('ClientGroupService', 'GetClientGroup');
    for (const answer of [{}, clientGroup(0), clientGroup(3), clientGroup(500)]) {
      expect(await answerEncoder(rpc, 0)(answer)).toEqual(rpc.responseSerialize(answer));
      expect(await answerEncoder(rpc)(answer)).toEqual(rpc.responseSerialize(answer));
    }
  });

  it('is one with a page as well, and one without a list', async () => {
    const list = rpcOf('ApiKeyService', 'ListApiKeys');
    const page = {
      apiKeys: [{ name: 'k', scopes: ['a', 'b'], createdAt: new Date(5) }],
      nextCursor: 'n',
      totalCount: 0,
    };
    expect(await answerEncoder(list, 0)(page)).toEqual(list.responseSerialize(page));
    const deleted = rpcOf('ApiKeyService', 'RevokeApiKey');
    expect(await answerEncoder(deleted)({ id: 'a', deleted: true })).toEqual(
      deleted.responseSerialize({ id: 'a', deleted: true }),
    );
  });

  it('lets others have their turn between the items of its lists when it takes long', async () => {
    const encode = answerEncoder(rpcOf('ClientGroupService', 'GetClientGroup'), 0);
    expect(await turnsDuring(encode(clientGroup(500)))).toBeGreaterThan(500);
  });

  it('is refused as before when a value does not fit its field', async () => {
    const encode = answerEncoder(rpcOf('ClientGroupService', 'GetClientGroup'));
    await expect(encode({ ...clientGroup(1), members: [{ status: 'unheard of' }] })).rejects.toThrow('has no value');
  });
});
