import type { Conversation } from './conversation.ts';
import { speech } from './speech.ts';
import { walkApproval } from './walk-approval.ts';
import { walkContent } from './walk-content.ts';
import { walkNotebooks } from './walk-notebooks.ts';
import { walkPipelines } from './walk-pipelines.ts';
import { walkTaskTemplates } from './walk-task-templates.ts';

/** A revoked key is refused within this time, wherever it is used. */
const REVOCATION_LIMIT_MS = 2_000;

type Identified = { id: string };

/** From an access token to a revoked API key, as somebody would use the platform on a first day. */
export const walk = async (talk: Conversation, token: string, email: string): Promise<void> => {
  const { chapter, send } = talk;
  const authorization = { authorization: `Bearer ${token}` };

  chapter('An organisation: whoever makes it is its OWNER');
  const organisation = await send<Identified & { members: { user: Identified }[] }>({
    method: 'POST',
    path: '/organisations/',
    headers: authorization,
    body: { email, name: 'Example Ltd', image_url: 'https://example.com/logo.png' },
    expect: 200,
  });
  // A second run of the demo makes a second organisation, so each request names the one it means.
  const headers = { ...authorization, 'x-organisation-id': organisation.id };
  await send({ method: 'GET', path: '/organisations/current/', headers, expect: 200 });

  chapter('A client group with a usage policy');
  const group = await send<Identified>({
    method: 'POST',
    path: '/client-groups/',
    headers,
    body: { name: 'Northern region', description: 'Clients of the three northern offices' },
    expect: 200,
  });
  await send({
    method: 'PUT',
    path: `/client-groups/${group.id}/policy/`,
    headers,
    body: {
      period_days: 30,
      ai_credit_limit: 1000,
      infrastructure_credit_limit: null,
      request_limit: 100_000,
      hard_stop: true,
    },
    expect: 200,
  });
  await send({ method: 'GET', path: `/client-groups/${group.id}/`, headers, expect: 200 });

  chapter('A subscription for ten people, tried for nothing: what it will cost, and until when it costs nothing');
  const tried = '/subscription/preview/?seat_count=10&subscription_tier=TEAM&trial=true';
  await send({ method: 'GET', path: tried, headers, expect: 200 });
  const plan = { seat_count: 10, subscription_tier: 'TEAM' };
  await send({
    method: 'POST',
    path: '/organisations/subscription/',
    headers,
    body: { ...plan, trial: true },
    expect: 200,
  });
  await send({ method: 'GET', path: '/subscription/', headers, expect: 200 });

  chapter('A payment method: the secret goes to the processor, here to the sandbox that stands in for it');
  const intent = await send<{ client_secret: string }>({
    method: 'POST',
    path: '/payment-methods/create-setup-intent/',
    headers,
    expect: 200,
  });
  await send({
    method: 'POST',
    path: '/payment-methods/sandbox/confirm/',
    headers,
    body: { client_secret: intent.client_secret, card: 'pm_card_visa' },
    expect: 200,
  });
  await send({ method: 'GET', path: '/payment-methods/', headers, expect: 200 });

  chapter('Paid for before the trial ends: the first cycle begins, and brings credits along');
  await send({
    method: 'POST',
    path: '/organisations/subscription/',
    headers,
    body: { ...plan, renew: true },
    expect: 200,
  });
  await send({ method: 'GET', path: '/credits/grants/', headers, expect: 200 });

  chapter('Credits: what they would cost, buying them with that card, and the ledger that explains the balance');
  await send({ method: 'GET', path: '/prices/', headers, expect: 200 });
  await send({ method: 'GET', path: '/credits/price-preview/?credits=500', headers, expect: 200 });
  await send({ method: 'GET', path: '/credits/purchase-preview/?credits=500', headers, expect: 200 });
  const purchase = await send<Identified>({
    method: 'POST',
    path: '/credits/purchases/',
    headers,
    body: { credits: 500 },
    expect: 200,
  });
  await send({ method: 'GET', path: `/credits/purchases/${purchase.id}/`, headers, expect: 200 });
  await send({ method: 'GET', path: '/credits/balance/', headers, expect: 200 });
  await send({ method: 'GET', path: '/credits/transactions/?kind=PURCHASE&include_total=true', headers, expect: 200 });
  await send({ method: 'GET', path: '/credits/grants/', headers, expect: 200 });

  await walkContent(talk, headers);
  await walkNotebooks(talk, headers);
  await walkApproval(talk, headers, await walkPipelines(talk, headers));
  await walkTaskTemplates(talk, headers, organisation.members[0]?.user.id ?? '');
  await speech(talk, headers);

  chapter('What was paid so far');
  await send({ method: 'GET', path: '/invoices/', headers, expect: 200 });

  chapter('What is not valid is refused, with every problem at once');
  await send({ method: 'POST', path: '/client-groups/', headers, body: { name: '', description: 5 }, expect: 422 });

  chapter('An API key for a program; this answer alone shows it');
  const key = await send<Identified & { api_key: string }>({
    method: 'POST',
    path: '/api-keys/',
    headers,
    body: { name: 'Importer', scopes: ['client_groups:admin'] },
    expect: 200,
  });

  chapter('The program makes a group of its own, with the key as its only credential');
  const apiKey = { 'api-key': key.api_key };
  await send({
    method: 'POST',
    path: '/client-groups/',
    headers: apiKey,
    body: { name: 'Made by a program' },
    expect: 200,
  });

  chapter('All groups, newest first');
  await send({ method: 'GET', path: '/client-groups/?limit=10', headers, expect: 200 });

  chapter('What the key’s scope does not name is closed to it');
  await send({ method: 'GET', path: '/audit-log/', headers: { authorization: `Bearer ${key.api_key}` }, expect: 403 });

  chapter('A client group that may make three requests: a key of it makes them, and is stopped at the fourth');
  const small = await send<Identified>({
    method: 'POST',
    path: '/client-groups/',
    headers,
    body: { name: 'On trial' },
    expect: 200,
  });
  await send({
    method: 'PUT',
    path: `/client-groups/${small.id}/policy/`,
    headers,
    body: {
      period_days: 30,
      ai_credit_limit: null,
      infrastructure_credit_limit: null,
      request_limit: 3,
      hard_stop: true,
    },
    expect: 200,
  });
  const trial = await send<Identified & { api_key: string }>({
    method: 'POST',
    path: '/api-keys/',
    headers,
    body: { name: 'On trial', client_group_id: small.id },
    expect: 200,
  });
  const trialKey = { authorization: `Bearer ${trial.api_key}` };
  for (const expect of [200, 200, 200, 429]) {
    await send({ method: 'GET', path: '/organisations/current/', headers: trialKey, expect });
  }

  chapter('Usage by key, as far as the gateway has reported it; the rest follows within seconds');
  await send({ method: 'GET', path: '/usage/?group_by=api_key', headers, expect: 200 });
  await send({ method: 'GET', path: '/usage/?group_by=hour', headers, expect: 200 });

  chapter('Usage of a product of one’s own: a meter, an event that counts once, and what it came to');
  const meter = await send<Identified>({
    method: 'POST',
    path: '/meters/',
    headers,
    body: { slug: 'tokens', event_type: 'prompt', aggregation: 'SUM', value_property: '$.tokens' },
    expect: 200,
  });
  const event = { specversion: '1.0', id: 'prompt-1', source: 'shop', type: 'prompt', data: { tokens: 120 } };
  for (const _ of ['first', 'again'])
    await send({ method: 'POST', path: '/usage/events/', headers, body: event, expect: 200 });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await send({ method: 'GET', path: `/meters/${meter.id}/query/?to=${soon}`, headers, expect: 200 });

  chapter('The ledger as a file');
  await send({ method: 'GET', path: '/credits/transactions/export/?format=csv', headers, expect: 200 });

  chapter('The key is revoked, and refused from now on');
  await send({ method: 'DELETE', path: `/api-keys/${key.id}/`, headers, expect: 200 });
  const refused = { method: 'POST', path: '/client-groups/', headers: apiKey, body: { name: 'Too late' }, expect: 401 };
  await within(REVOCATION_LIMIT_MS, () => send(refused));
};

/** Tries again until it goes well or the time is over; then the last failure counts. */
const within = async <T>(limitMs: number, attempt: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
};
