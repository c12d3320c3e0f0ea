import type { CallContext } from '@platform-backend/grpc';
import type { Payer } from '../domain/credits.ts';

/** Whoever calls, with the client group whose limits their spending counts against. */
export const payerOf = (context: CallContext): Payer => ({
  ...context.actorContext(),
  clientGroupId: context.caller.clientGroupId,
});
