import type { TestClockInput, TestClockServiceHandlers } from '@platform-backend/contract-billing';
import type { CallContext } from '@platform-backend/grpc';
import type { ShownClock, TestClockUseCases } from '../app/test-clocks.ts';
import { noSuchPath } from '../domain/errors.ts';

/** Null: payments go through a live processor, and there are no test clocks. */
export function testClockHandlers(app: TestClockUseCases | null): TestClockServiceHandlers<CallContext> {
  const inSandbox = (): TestClockUseCases => {
    if (app) return app;
    throw noSuchPath();
  };
  return {
    createTestClock: async ({ name }, context) =>
      clockMessage(await inSandbox().createTestClock(context.actorContext(), name)),

    getTestClock: async (_request, context) => clockMessage(await inSandbox().getTestClock(context.organisationId())),

    advanceTestClock: async ({ to }, context) =>
      clockMessage(await inSandbox().advanceTestClock(context.actorContext(), to)),

    deleteTestClock: async (_request, context) => ({
      id: await inSandbox().deleteTestClock(context.actorContext()),
      deleted: true,
    }),
  };
}

const clockMessage = ({ id, name, now, advancingTo, createdAt }: ShownClock): TestClockInput => ({
  id,
  name,
  status: advancingTo ? 'ADVANCING' : 'READY',
  now,
  advancingTo,
  createdAt,
});
