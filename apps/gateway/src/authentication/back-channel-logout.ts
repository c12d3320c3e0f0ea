import type { TokenVerifier } from '@platform-backend/auth';
import { DomainError, type Logger } from '@platform-backend/core';
import { httpErrors } from '../errors.ts';
import { answerEmpty, answerProblem, answerProblemAndLinger } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { BODY_TOO_LARGE, problem } from '../exchange/problem.ts';
import type { Fail } from '../pipeline/policy.ts';
import type { IdentityDirectory } from './identity-directory.ts';

/** Where issuers tell that somebody has logged out. */
export const BACK_CHANNEL_LOGOUT_PATH = '/openid/back-channel-logout';

/** A token of the largest size that is looked at, percent-encoded, and its name. */
const MAX_BODY_BYTES = 32 * 1024;

export interface BackChannelLogoutPorts {
  readonly tokens: Pick<TokenVerifier, 'verifyLogout'>;
  readonly issuer: string;
  /** Those of the issuer's clients whose logout counts. */
  readonly clientIds: readonly string[];
  readonly identity: Pick<IdentityDirectory, 'endSessions'>;
  readonly logger: Logger;
  readonly fail: Fail;
}

const INVALID_LOGOUT_TOKEN = problem(...httpErrors.invalidLogoutToken, ['Cache-Control', 'no-store']);

/**
 * OpenID Connect Back-Channel Logout 1.0: verifies a logout token and has identity keep what has ended, by which it refuses the
 * tokens of that session to every gateway. 200 says that this is stored; 400 that the token is not good, or was used before. Nothing is
 * forgotten here: whoever is in use is asked about again within a second, and many logouts at once are no reason to ask about everybody else.
 */
export const backChannelLogout =
  ({ tokens, issuer, clientIds, identity, logger, fail }: BackChannelLogoutPorts) =>
  (exchange: Exchange): void => {
    const endSessions = async (form: string): Promise<void> => {
      const logout = await tokens.verifyLogout(new URLSearchParams(form).get('logout_token') ?? '', clientIds);
      const { tokenId, subject = '', sessionId = '', issuedAt } = logout;
      const ended = { issuer, tokenId, subject, sessionId, endedAt: issuedAt };
      await identity.endSessions(ended, { requestId: exchange.requestId });
      answerEmpty(exchange, 200, ['Cache-Control', 'no-store']);
    };
    readForm(exchange, (form) => {
      endSessions(form).catch((error: unknown) => {
        if (!isRefusal(error)) {
          fail(exchange, error);
          return;
        }
        const cause = error.cause instanceof Error ? error.cause.message : error.message;
        logger.info({ code: error.code, cause, requestId: exchange.requestId }, 'logout token refused');
        answerProblem(exchange, INVALID_LOGOUT_TOKEN);
      });
    });
  };

/** The token itself is not good, or was used before. */
const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && ['unauthenticated', 'conflict', 'invalid'].includes(error.kind);

function readForm(exchange: Exchange, done: (form: string) => void): void {
  const { request } = exchange;
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) {
      chunks.push(chunk);
      return;
    }
    request.off('data', onData).off('end', onEnd);
    answerProblemAndLinger(exchange, BODY_TOO_LARGE);
  };
  const onEnd = (): void => done(Buffer.concat(chunks).toString('utf8'));
  request.on('data', onData).once('end', onEnd);
}
