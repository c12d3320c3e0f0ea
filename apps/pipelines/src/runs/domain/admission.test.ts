import { describe, expect, it } from '@jest/globals';
import { admitted, waitReason } from './admission.ts';

const waiting = (id: string, pipelineId: string, maxOfPipeline = 2) => ({ id, pipelineId, maxOfPipeline });

describe('admission of runs', () => {
  it('go to whoever waits longest, as far as there are some', () => {
    const runs = [waiting('1', 'a'), waiting('2', 'b'), waiting('3', 'c')];
    expect(admitted(runs, new Map([['d', 3]]), 5)).toEqual(['1', '2']);
    expect(admitted(runs, new Map([['d', 5]]), 5)).toEqual([]);
  });

  it('are not all for one pipeline, which holds up no other', () => {
    const runs = [waiting('1', 'a'), waiting('2', 'a'), waiting('3', 'a'), waiting('4', 'b')];
    expect(admitted(runs, new Map([['a', 1]]), 10)).toEqual(['4', '1']);
  });

  it('goes to pipelines in turn, however many runs one of them has brought before', () => {
    const runs = [...['1', '2', '3'].map((id) => waiting(id, 'a', 9)), waiting('4', 'b', 9), waiting('5', 'c', 9)];
    expect(admitted(runs, new Map(), 3)).toEqual(['1', '4', '5']);
    expect(admitted(runs, new Map([['b', 1]]), 4)).toEqual(['1', '5', '2']);
  });
});

describe('admission of runs that others wait for', () => {
  it('needs no place of the organisation, and one of their pipeline', () => {
    const child = (id: string, pipelineId: string) => ({ ...waiting(id, pipelineId, 1), isChild: true });
    const runs = [waiting('1', 'a'), child('2', 'b'), child('3', 'b'), child('4', 'c')];
    expect(admitted(runs, new Map([['p', 5]]), 5)).toEqual(['2', '4']);
    expect(
      admitted(
        runs,
        new Map([
          ['p', 4],
          ['c', 1],
        ]),
        5,
        1,
      ),
    ).toEqual(['1', '2']);
  });
});

describe('a run that waits', () => {
  const slots = (goingOn: number, max: number) => ({ goingOn, max });

  it.each([
    [slots(1, 1), slots(20, 20), 'It waits: 1 runs of its pipeline go on, and no more may'],
    [slots(0, 5), slots(20, 20), 'It waits: 20 runs of its organisation go on, and no more may'],
    [slots(0, 5), slots(19, 20), 'It waits for its place, which it gets within seconds'],
  ])('says what it waits for: %j, %j', (ofPipeline, ofOrganisation, reason) => {
    expect(waitReason({ position: 1, ofPipeline, ofOrganisation })).toBe(reason);
  });
});
