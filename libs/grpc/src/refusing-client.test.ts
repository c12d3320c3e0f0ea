import { describe, expect, it } from '@jest/globals';
import { notProvided } from '@platform-backend/core';
import type { GrpcContract } from './contract.ts';
import { refusingClient } from './refusing-client.ts';

const serviceDefinition = () => ({ GetThing: { responseStream: false }, WatchThings: { responseStream: true } });

describe('the client of a service that is not there', () => {
  const client = refusingClient<{
    getThing: (request: object) => Promise<unknown>;
    watchThings: (request: object) => AsyncIterable<unknown>;
  }>({ serviceDefinition } as unknown as GrpcContract, 'platform.things.v1.ThingService', () =>
    notProvided('service_not_configured', 'there are no things'),
  );

  it('refuses a call, and a stream when its first answer is asked for', async () => {
    const refusal = { kind: 'not_provided', code: 'service_not_configured' };
    await expect(client.getThing({})).rejects.toMatchObject(refusal);
    const watched = client.watchThings({});
    await expect(watched[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
  });
});
