import { describe, expect, it } from '@jest/globals';
import { loadSample } from '@platform-backend/contract/testing/sample-contract';
import { answerEncoder } from '../src/answer-encoder.ts';

const sample = loadSample().serviceDefinition('platform.sample.v1.SampleService');
const rpcOf = (method: string) => {
  const rpc = sample[method];
  if (!rpc) throw new Error(`There is no rpc ${method}.`);
  return rpc;
};

const everything = (inners: number) => ({
  text: 'Retail',
  flag: true,
  wide: '9007199254740993',
  colour: 'RED',
  inners: Array.from({ length: inners }, (_, index) => ({
    label: `inner ${index}`,
    at: new Date(index),
    children: [{ label: 'a', child: { label: 'b' } }, {}],
  })),
  createdAt: new Date(5),
  object: { requests: 3, plan: 'TEAM', period: null },
  labelSets: [{ entry: { asset: 'b' } }],
});

/** How often others had their turn while something was awaited. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let ticks = 0;
  let isOver = false;
  const tick = (): void => {
    ticks += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work;
  isOver = true;
  return ticks;
}

describe('an answer of a service, encoded', () => {
  it('has the same bytes whether or not others had their turn while it was encoded', async () => {
    const rpc = rpcOf('GetEverything');
    for (const answer of [{}, everything(0), everything(3), everything(500)]) {
      expect(await answerEncoder(rpc, 0)(answer)).toEqual(rpc.responseSerialize(answer));
      expect(await answerEncoder(rpc)(answer)).toEqual(rpc.responseSerialize(answer));
    }
  });

  it('is one with a page as well, and one without a list', async () => {
    const list = rpcOf('ListEverything');
    const page = {
      items: [{ label: 'k', at: new Date(5) }],
      nextCursor: 'n',
      totalCount: 0,
    };
    expect(await answerEncoder(list, 0)(page)).toEqual(list.responseSerialize(page));
    const empty = rpcOf('PokeSample');
    expect(await answerEncoder(empty)({})).toEqual(empty.responseSerialize({}));
  });

  it('lets others have their turn between the items of its lists when it takes long', async () => {
    const encode = answerEncoder(rpcOf('GetEverything'), 0);
    expect(await turnsDuring(encode(everything(500)))).toBeGreaterThan(500);
  });

  it('is refused as before when a value does not fit its field', async () => {
    const encode = answerEncoder(rpcOf('GetEverything'));
    await expect(encode({ ...everything(1), colours: ['unheard of'] })).rejects.toThrow('has no value');
  });
});
