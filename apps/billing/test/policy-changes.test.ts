import { afterAll, beforeAll, it } from '@jest/globals';
import { fixedClock, newId } from '@platform/core';
import { setUpStreams } from '@platform/events/set-up';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform/testing';
import { startRealIdentity, type RealIdentity } from './real-identity.ts';
import { micros, refusalOf, service, startTestBilling, type TestBilling } from './test-billing.ts';

let nats: ThrowawayNats;
let identity: RealIdentity;
let billing: TestBilling;
beforeAll(async () => {
  nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  identity = await startRealIdentity(nats.url);
  billing = await startTestBilling({
    // Stands still, so that what was once heard of a policy never grows old.
    clock: fixedClock(new Date()),
    natsUrl: nats.url,
    environment: { IDENTITY_ADDRESS: identity.process.address },
  });
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
  await nats.drop();
});

it('a changed policy holds as soon as its event arrives', async () => {
  const founder = await identity.found();
  const { id: organisation } = founder.organisation;
  await billing.grant(organisation, 1_000_000);
  const reserve = () =>
    billing.pipelines.credits.reserveCredits(
      { reservationId: newId(), amountMicros: micros(1), purpose: 'run' },
      service('pipelines', organisation),
    );
  await reserve();
  const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
  const groupId = clientGroups[0]?.id ?? '';
  // No two alike, so that each is a change.
  let requestLimit = 1_000_000;
  const limitTo = (aiCreditLimit: string) =>
    identity.clientGroups.setClientPolicy(
      {
        groupId,
        periodDays: 7,
        aiCreditLimit,
        infrastructureCreditLimit: null,
        requestLimit: String((requestLimit += 1)),
        hardStop: true,
      },
      founder,
    );
  // Billing's subscription begins some time after its start, and hears only what comes later.
  await waitFor(async () => {
    await limitTo('0');
    return (await refusalOf(reserve())).code === 'client_group_credit_limit_reached';
  });
  await limitTo('1000000');
  await waitFor(reserve);
});
