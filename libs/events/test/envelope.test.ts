import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { toCloudEvent } from '../src/index.ts';
import { borrowed } from './suite/index.ts';

describe('the envelope of an event', () => {
  it('in the contract names exactly the attributes that are sent', () => {
    const file = new URL('../../../protos/platform/events/v1/envelope.proto', import.meta.url);
    const described = [...readFileSync(file, 'utf8').matchAll(/^ +(?:optional )?[\w.]+ (\w+) = \d+[ ;]/gm)];
    const actor = { type: 'api_key', id: '1', name: 'k', onBehalfOf: { id: '2', name: 'Ada' } } as const;
    const sent = toCloudEvent(
      borrowed('a', { actor, requestId: 'r', traceParent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }),
    );
    expect(described.map(([, name]) => name).toSorted()).toEqual(Object.keys(sent).toSorted());
  });
});
