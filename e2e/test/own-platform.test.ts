import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { send } from '../src/http.ts';
import { describeOtherSettings } from '../src/other-settings.ts';
import { describeOutage } from '../src/outage.ts';
import { startOwnPlatform, type OwnPlatform } from '../src/own-platform.ts';
import { sharedPlatform } from '../src/platform.ts';
import { describeWorkAndDebits } from '../src/work-and-debits.ts';

/** One platform for all of it, in this order: each leaves it as the next needs it. */
let own: OwnPlatform | undefined;
const started = (): OwnPlatform => {
  if (own === undefined) throw new Error('the platform did not start');
  return own;
};
beforeAll(async () => {
  own = await startOwnPlatform();
});
afterAll(async () => {
  await own?.stop();
});

it('a set-up intent takes a credential unless a deployment says otherwise', async () => {
  const answer = await send(sharedPlatform().url, 'POST', '/payment-methods/create-setup-intent/');
  expect(answer).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
});

describeOtherSettings(started);
describeWorkAndDebits(started);
describeOutage(started);
