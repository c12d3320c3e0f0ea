import type { Exchange } from '../exchange/exchange.ts';

/** Hands the exchange to the rest of the pipeline. */
export type Next = (exchange: Exchange) => void;

/**
 * One step of the pipeline. It answers the exchange or hands it on. It may be asynchronous, but only
 * where it has to wait: a policy that returns nothing costs no promise.
 */
export type Policy = (exchange: Exchange, next: Next) => void | Promise<void>;

/** A policy as gateway.config.yml names it. */
export interface PolicyDefinition {
  readonly name: string;
  /** JSON Schema of its `action`; express-gateway checks the settings and fills in the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Makes the policy once, at start, from its checked settings. */
  create(settings: Readonly<Record<string, unknown>>): Policy;
}

/** What answers an exchange that no policy could: the error is logged there, once. */
export type Fail = (exchange: Exchange, error: unknown) => void;

/**
 * One policy as a step that cannot fail: what it throws or rejects with becomes an answer, so no bad
 * request can end the process.
 */
export const guarded =
  (policy: Policy, fail: Fail) =>
  (exchange: Exchange, next: Next): void => {
    try {
      policy(exchange, next)?.catch((error: unknown) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  };

/** The policies as one function, each handing on to the one after it. */
export function compose(policies: readonly Policy[], fail: Fail): Next {
  let rest: Next = (exchange) => fail(exchange, new Error('the last policy of the pipeline did not answer'));
  for (const policy of policies.toReversed()) {
    const step = guarded(policy, fail);
    const next = rest;
    rest = (exchange) => step(exchange, next);
  }
  return rest;
}
