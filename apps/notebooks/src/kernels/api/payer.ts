import type { CallContext } from '@platform-backend/grpc';
import type { Payer } from '../domain/credits.ts';

/** Whoever calls, with the client group and the API key whose limits their spending counts against. */
export function payerOf(context: CallContext): Payer {
  const { clientGroupId = null, apiKeyId = null } = context.caller;
  return { ...context.actorContext(), clientGroupId, apiKeyId };
}
