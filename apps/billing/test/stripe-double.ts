import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Record<string, unknown>;

/** What a card does at the double; the names are those of Stripe's own test cards. */
const cards: Readonly<Record<string, 'pays' | 'declines' | 'asks' | 'has_no_funds' | 'takes_its_time'>> = {
  pm_card_visa: 'pays',
  pm_card_chargeCustomerFail: 'declines',
  pm_card_authenticationRequired: 'asks',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'has_no_funds',
  // A debit of a bank account, which the bank decides days later.
  pm_usBankAccount_processing: 'takes_its_time',
};

interface Stored {
  readonly status: number;
  readonly body: Fields;
  readonly request: string;
}

/**
 * A local double of the part of Stripe's API that billing uses, as its documents describe it: form bodies, Bearer keys,
 * idempotency keys that answer the first answer again and refuse another body, and errors in Stripe's form. It encodes
 * a reading of the documents; what it cannot show is written in the README.
 */
export async function startStripeDouble(now: () => Promise<number> | number = Date.now) {
  const customers = new Map<string, Fields>();
  const intents = new Map<string, Fields>();
  const setups = new Map<string, Fields>();
  const refunds: Fields[] = [];
  const methods = new Map<string, Fields & { customer: string | null; behaves: string }>();
  /** Payment methods that can not be detached. */
  const held = new Set<string>();
  const answered = new Map<string, Stored>();
  const requests: { readonly path: string; readonly key: string | undefined; readonly fields: Fields }[] = [];
  let failing: 'no' | 'before' | 'after' = 'no';
  let breaking = 0;
  let refundsAre: 'succeeded' | 'pending' = 'succeeded';
  let stalled = Promise.resolve<undefined>(undefined);
  let decisions: Readonly<Partial<Record<string, { readonly looks: number; readonly becomes: string }>>> = {};
  const looks = new Map<string, number>();
  let badGateway: 'no' | 'before' | 'after' = 'no';
  let whileAnswering: (path: string) => Promise<void> | void = () => undefined;
  /** What time it is there, in milliseconds, as of the present request. */
  let time = Date.now();
  let clock = Math.floor(Date.now() / 1000);

  const id = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`;
  const created = () => (clock += 1);

  /** Becomes of a payment what a test has said that its payer or bank decides once it was asked about so often. */
  const looked = (intent: Fields): Fields => {
    const decision = decisions[String(intent['status'])];
    const id = String(intent['id']);
    if (!decision) return intent;
    looks.set(id, (looks.get(id) ?? 0) + 1);
    return (looks.get(id) ?? 0) < decision.looks ? intent : Object.assign(intent, { status: decision.becomes });
  };

  const handle = (method: string, path: string, fields: Fields): { status: number; body: Fields } => {
    const parts = path.split('/').slice(2);
    const [resource = '', name = '', action = ''] = parts;
    if (method === 'POST' && resource === 'customers' && name === '') {
      const customer = { id: id('cus'), object: 'customer', created: created(), metadata: fields['metadata'] ?? {} };
      customers.set(customer.id, customer);
      return ok(customer);
    }
    if (method === 'GET' && resource === 'customers' && action === 'payment_methods') {
      if (!customers.has(name)) return missing('customer', name, 404);
      const data = [...methods.values()].filter(({ customer }) => customer === name).reverse();
      return ok({ object: 'list', data, has_more: false, url: path });
    }
    if (method === 'POST' && resource === 'setup_intents') {
      const customer = typeof fields['customer'] === 'string' ? fields['customer'] : null;
      if (customer !== null && !customers.has(customer)) return missing('customer', customer);
      const setup = {
        id: id('seti'),
        object: 'setup_intent',
        customer,
        status: 'requires_payment_method',
        usage: fields['usage'],
      };
      const whole = { ...setup, client_secret: `${setup.id}_secret_${randomBytes(8).toString('hex')}` };
      setups.set(setup.id, whole);
      return ok(whole);
    }
    if (method === 'GET' && resource === 'payment_methods' && action === '') {
      const found = methods.get(name);
      return found ? ok(found) : missing('payment_method', name, 404);
    }
    if (method === 'POST' && resource === 'payment_methods' && action === 'detach') {
      const found = methods.get(name);
      if (!found) return missing('payment_method', name, 404);
      if (held.has(name)) return invalid('This payment method can not be detached now.');
      if (found.customer === null) {
        return invalid('The payment method you provided is not attached to a customer so detachment is impossible.');
      }
      found.customer = null;
      return ok(found);
    }
    if (resource === 'payment_intents' && name !== '') {
      const intent = intents.get(name);
      if (!intent) return missing('payment_intent', name, 404);
      if (method === 'GET') return ok(looked(intent));
      if (action === 'cancel' && ['succeeded', 'canceled', 'processing'].includes(String(intent['status']))) {
        return invalid(`You cannot cancel this PaymentIntent because it has a status of ${String(intent['status'])}.`);
      }
      if (action === 'cancel') return ok(Object.assign(intent, { status: 'canceled' }));
    }
    if (method === 'GET' && resource === 'payment_intents' && name === '') {
      const { gte, lt } = (fields['created'] ?? {}) as { gte?: string; lt?: string };
      const of = fields['customer'] as string | undefined;
      if (of !== undefined && !customers.has(of)) return missing('customer', of);
      const all = [...intents.values()].filter(
        ({ customer, created: at }) =>
          (of === undefined || customer === of) &&
          Number(at) >= Number(gte ?? 0) &&
          Number(at) < Number(lt ?? Infinity),
      );
      const from = all.findIndex(({ id: known }) => known === fields['starting_after']) + 1;
      const data = all.slice(from, from + Number(fields['limit'] ?? 10));
      return ok({ object: 'list', data, has_more: from + data.length < all.length, url: path });
    }
    if (method === 'POST' && resource === 'payment_intents' && name === '') return pay(fields);
    if (method === 'POST' && resource === 'refunds' && name === '') return giveBack(fields);
    if (method === 'GET' && resource === 'refunds' && name === '') {
      const data = refunds.filter(({ payment_intent: of }) => of === fields['payment_intent']);
      return ok({ object: 'list', data, has_more: false, url: path });
    }
    return {
      status: 404,
      body: { error: { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path})` } },
    };
  };

  function giveBack(fields: Fields): { status: number; body: Fields } {
    const intent = intents.get(String(fields['payment_intent']));
    if (!intent) return missing('payment_intent', String(fields['payment_intent']));
    const given = refunds
      .filter(({ payment_intent: of, status }) => of === intent['id'] && status !== 'failed')
      .reduce((sum, { amount }) => sum + Number(amount), 0);
    const left = Number(intent['amount']) - given;
    const amount = Number(fields['amount']);
    if (left === 0) {
      return invalid(`Charge ${String(intent['id'])} has already been refunded.`, undefined, 'charge_already_refunded');
    }
    if (amount > left) {
      return invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, 'amount');
    }
    const refund: Fields = {
      ...{ id: id('re'), object: 'refund', amount, currency: intent['currency'], payment_intent: intent['id'] },
      ...{ created: created(), metadata: fields['metadata'] ?? {}, status: refundsAre },
    };
    refunds.push(refund);
    return ok(refund);
  }

  function pay(fields: Fields): { status: number; body: Fields } {
    const customer = String(fields['customer']);
    const method = methods.get(String(fields['payment_method']));
    const amount = Number(fields['amount']);
    if (!customers.has(customer)) return missing('customer', customer);
    if (method?.customer !== customer) return missing('payment_method', String(fields['payment_method']));
    if (amount > 99_999_999) return invalid('Amount must be no more than 999,999.99', 'amount', 'amount_too_large');
    const intent: Fields = {
      id: id('pi'),
      object: 'payment_intent',
      amount,
      currency: fields['currency'],
      customer,
      created: Math.floor(time / 1000),
      description: fields['description'],
      metadata: fields['metadata'] ?? {},
      status: 'succeeded',
    };
    intent['client_secret'] = `${String(intent['id'])}_secret_${randomBytes(8).toString('hex')}`;
    intents.set(String(intent['id']), intent);
    const behaves = cards[method.behaves] ?? 'pays';
    if (behaves === 'pays') return ok(intent);
    if (behaves === 'asks' && fields['off_session'] !== 'true')
      return ok(Object.assign(intent, { status: 'requires_action' }));
    if (behaves === 'takes_its_time') return ok(Object.assign(intent, { status: 'processing' }));
    intent['status'] = 'requires_payment_method';
    const error = {
      declines: { code: 'card_declined', decline_code: 'generic_decline' },
      has_no_funds: { code: 'card_declined', decline_code: 'insufficient_funds' },
      asks: { code: 'authentication_required', decline_code: 'authentication_required' },
    }[behaves];
    return {
      status: 402,
      body: { error: { type: 'card_error', message: 'Your card was declined.', payment_intent: intent, ...error } },
    };
  }

  const server = createServer((request, response) => {
    void (async () => {
      const raw = await bodyOf(request);
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe.test');
      const answer = (status: number, body: Fields, replayed = false) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'request-id': id('req'),
          ...(replayed && { 'idempotent-replayed': 'true' }),
        });
        response.end(JSON.stringify(body));
      };
      const bearer = request.headers.authorization ?? '';
      if (!/^Bearer sk_test_/.test(bearer)) {
        answer(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } });
        return;
      }
      if (raw !== '' && !/^application\/x-www-form-urlencoded/.test(request.headers['content-type'] ?? '')) {
        answer(400, { error: { type: 'invalid_request_error', message: 'The body must be a form' } });
        return;
      }
      const header = request.headers['idempotency-key'];
      const key = typeof header === 'string' ? header : undefined;
      const fields = decodeForm(request.method === 'GET' ? searchParams : new URLSearchParams(raw));
      requests.push({ path: pathname, key, fields });
      if (failing === 'before') {
        request.socket.destroy();
        return;
      }
      // As what stands before Stripe's servers answers for them, with nothing to be tried again at once.
      const unheard = () => {
        response.writeHead(502, { 'content-type': 'text/html', 'stripe-should-retry': 'false' });
        response.end('<html>Bad Gateway</html>');
      };
      if (badGateway === 'before') {
        unheard();
        return;
      }
      time = await now();
      const known = key === undefined ? undefined : answered.get(key);
      const asked = `${request.method ?? ''} ${pathname} ${raw}`;
      if (known && known.request !== asked) {
        const message =
          'Keys for idempotent requests can only be used with the same parameters they were first used with.';
        answer(400, { error: { type: 'idempotency_error', message } });
        return;
      }
      const isBroken = breaking > 0 && known === undefined && pathname === '/v1/payment_intents' && raw !== '';
      if (isBroken) breaking -= 1;
      const { status, body } = known ?? (isBroken ? ownFailure : handle)(request.method ?? '', pathname, fields);
      if (key !== undefined && !known) answered.set(key, { status, body: structuredClone(body), request: asked });
      await stalled;
      await whileAnswering(pathname);
      if (failing === 'after') request.socket.destroy();
      else if (badGateway === 'after') unheard();
      else answer(status, body, known !== undefined);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    customers,
    intents,
    refunds,
    /** What becomes of refunds that are asked for from now on. */
    answerRefunds: (status: typeof refundsAre) => {
      refundsAre = status;
    },
    held,
    methods,
    /** Connections break: `before` a request is heard, or `after` it took effect and before its answer. */
    breakConnections: (when: typeof failing) => {
      failing = when;
    },
    /** Connections hold, and instead of an answer there is one that says nothing: `before` a request is heard, or `after` it took effect. */
    loseAnswers: (when: typeof badGateway) => {
      badGateway = when;
    },
    /** What payers and banks make from now on of payments in a state, once it was looked at so often: `processing`, say. */
    decide: (by: typeof decisions) => {
      decisions = by;
    },
    /** Done from now on after each request took effect and before its answer. */
    meanwhile: (work: typeof whileAnswering) => {
      whileAnswering = work;
    },
    /** Answers wait from now on; the function that it answers lets them go. */
    stall: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      stalled = promise;
      return () => resolve(undefined);
    },
    /** So many payments end in a failure of Stripe's own, which it repeats for their keys. */
    failPayments: (count: number) => {
      breaking = count;
    },
    deleteCustomer: (customer: string) => {
      customers.delete(customer);
      for (const method of methods.values()) if (method.customer === customer) method.customer = null;
    },
    /** What Stripe.js does in the payer's browser with the secret. */
    confirmSetup: (clientSecret: string, card: string, fingerprint = id('card')): string => {
      const setup = [...setups.values()].find((known) => known['client_secret'] === clientSecret);
      if (!setup) throw new Error('no such setup intent');
      setup['status'] = 'succeeded';
      const method = {
        id: id('pm'),
        object: 'payment_method',
        type: 'card',
        created: created(),
        card: { brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2031, fingerprint },
        customer: setup['customer'] as string | null,
        behaves: card,
      };
      methods.set(method.id, method);
      return method.id;
    },
    confirmPayment: (paymentIntent: string): void => {
      const intent = intents.get(paymentIntent);
      if (intent) intent['status'] = 'succeeded';
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

export type StripeDouble = Awaited<ReturnType<typeof startStripeDouble>>;

const ownFailure = () => ({
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred' } },
});

const ok = (body: Fields) => ({ status: 200, body });

const missing = (param: string, name: string, status = 400) => ({
  status,
  body: {
    error: { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${param}: '${name}'` },
  },
});

const invalid = (message: string, param?: string, code?: string) => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', message, ...(param && { param }), ...(code && { code }) } },
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** `a[b][0][c]=1` is `{ a: { b: { 0: { c: '1' } } } }`. */
function decodeForm(form: URLSearchParams): Fields {
  const fields: Fields = {};
  for (const [name, value] of form) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    let at = fields;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Fields;
    at[path.at(-1) ?? ''] = value;
  }
  return fields;
}
