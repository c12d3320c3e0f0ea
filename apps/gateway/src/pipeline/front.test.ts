import { describe, expect, it } from '@jest/globals';
import { frontPolicies } from './front.ts';
import type { Policy } from './policy.ts';

const policy: Policy = () => undefined;
const other: Policy = () => undefined;
const prepared = [
  { name: 'cors', policy },
  { name: 'transcode', policy: other },
];
const pipeline = (...policies: object[]) => ({ pipelines: { platform: { policies: policies as never } } });
const once = [{ action: {} }];

describe('serving a configured pipeline in front of express', () => {
  it('runs the very policies that express-gateway made, in its order', () => {
    expect(frontPolicies(pipeline({ cors: once }, { transcode: once }), prepared)).toEqual([policy, other]);
  });

  it.each([
    ['a condition', pipeline({ cors: [{ condition: { name: 'always' }, action: {} }] }, { transcode: once })],
    ['a policy that runs twice', pipeline({ cors: [...once, ...once] }, { transcode: once })],
    ['a policy of express-gateway', pipeline({ cors: once }, { proxy: once }, { transcode: once })],
    ['another order than was prepared', pipeline({ transcode: once }, { cors: once })],
    ['a second pipeline', { pipelines: { a: { policies: [] }, b: { policies: [] } } }],
    ['no pipeline', { pipelines: {} }],
  ])('is left to express when there is %s', (_what, config) => {
    expect(frontPolicies(config, prepared)).toBeUndefined();
  });
});
