import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { setUpStreams } from '@platform-backend/events/set-up';
import { refusalOf, service } from '@platform-backend/service/testing';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { startRealIdentity, type RealIdentity } from '../../../test/real-identity.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

let nats: ThrowawayNats;
let identity: RealIdentity;
let billing: TestBilling;
beforeAll(async () => {
  nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
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

it('a policy that no event ever told of holds from the first reservation on', async () => {
  const silent = await startRealIdentity();
  const elsewhere = await startTestBilling({
    natsUrl: nats.url,
    environment: { IDENTITY_ADDRESS: silent.process.address },
  });
  try {
    const founder = await silent.found();
    const { id: organisation } = founder.organisation;
    await elsewhere.grant(organisation, 1_000);
    const { clientGroups } = await silent.clientGroups.listClientGroups({}, founder);
    const groupId = clientGroups[0]?.id ?? '';
    const limits = { aiCreditLimit: '3', infrastructureCreditLimit: null, requestLimit: null };
    await silent.clientGroups.setClientPolicy({ groupId, periodDays: 7, hardStop: true, ...limits }, founder);
    const reserve = (credits: number) =>
      elsewhere.pipelines.credits.reserveCredits(
        { reservationId: newId(), amountMicros: micros(credits), purpose: 'run' },
        service('pipelines', organisation),
      );
    expect((await refusalOf(reserve(4))).code).toBe('client_group_credit_limit_reached');
    await reserve(3);
  } finally {
    await elsewhere.stop();
    await silent.stop();
  }
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
