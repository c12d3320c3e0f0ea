import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../src/http.ts';
import { expectOk, newOrganisation, newPerson } from '../src/people.ts';
import { sharedPlatform, startPlatform, type RunningPlatform } from '../src/platform.ts';

const path = '/payment-methods/create-setup-intent/';

it('a set-up intent takes a credential unless a deployment says otherwise', async () => {
  const answer = await send(sharedPlatform().url, 'POST', path);
  expect(answer).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
});

describe('a platform as npm start makes it, which opens set-up intents', () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await startPlatform({
      environment: {
        GATEWAY_OPEN_OPERATIONS: 'billing.PaymentMethodService/CreateSetupIntent',
        NOTEBOOKS_WARM_KERNELS: '0',
      },
    });
  });
  afterAll(async () => {
    await platform.stop();
    platform.forget();
  });

  it('makes them without a credential, but few for one address', async () => {
    const answers = [];
    for (let n = 0; n < 8; n += 1) answers.push(await send(platform.facts.url, 'POST', path));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(answers[0]?.body).toEqual({ client_secret: expect.stringMatching(/./) });
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('gives a fresh organisation what its first question costs, as npm start says', async () => {
    const ada = await newPerson(platform.facts, 'Ada');
    await newOrganisation(ada);
    const body = { assistant_name: 'general', new_message: 'What can you do?' };
    const { message } = expectOk(
      await ada.call<{ message: { message_type: string } }>('POST', '/agents/submit-to-assistant/', { body }),
    );
    expect(message.message_type).toBe('TEXT');
    expect((await ada.call('GET', '/credits/purchases/')).body).toEqual([]);
  });

  it('still refuses a bad credential', async () => {
    expect((await send(platform.facts.url, 'POST', path, { token: 'wrong' })).status).toBe(401);
  });
});
