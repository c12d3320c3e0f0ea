import { answer } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JSON_TYPE, RETRY_SOON } from '../exchange/problem.ts';

/** How long identity may take to say that it is well, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** `/healthz`: the process lives. Whoever restarts it on a failure must not ask for more. */
export function answerAlive(exchange: Exchange): void {
  answer(exchange, 200, JSON_TYPE, '{"status":"ok"}', NEVER_STORED);
}

export interface ReadinessPorts {
  readonly draining: () => boolean;
  /** Without identity nobody can be authenticated, so no request can succeed here; nor when it believes nothing that we sign. */
  readonly identityHealthy: (timeoutMs: number) => Promise<IdentityHealth>;
}

export type IdentityHealth = 'ready' | 'identity_unreachable' | 'clocks_differ';

/** `/readyz`: requests sent here now can be served. 503 while draining, without identity, or when its clock and ours differ. */
export const answerReady =
  ({ draining, identityHealthy }: ReadinessPorts) =>
  (exchange: Exchange): void => {
    const say = (status: IdentityHealth | 'draining'): void =>
      status === 'ready'
        ? answer(exchange, 200, JSON_TYPE, JSON.stringify({ status }), NEVER_STORED)
        : answer(exchange, 503, JSON_TYPE, JSON.stringify({ status }), [...NEVER_STORED, ...RETRY_SOON]);
    if (draining()) {
      say('draining');
      return;
    }
    identityHealthy(TIMEOUT_MS).then(say, () => say('identity_unreachable'));
  };

const NEVER_STORED = ['Cache-Control', 'no-store'];
