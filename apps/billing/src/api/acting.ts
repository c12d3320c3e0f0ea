import type { CallContext } from '@platform/grpc';
import type { Acting, Actor } from '../domain/acting.ts';

/** Who acts, in the organisation of the verified caller and never in one that a message names. */
export const actingOf = (context: CallContext): Acting => ({
  organisationId: context.organisationId(),
  actor: actorOf(context.caller),
  requestId: context.requestId,
});

function actorOf({ kind, service, userId = '', userName = '', apiKeyId = '' }: CallContext['caller']): Actor {
  if (kind === 'user') return { type: 'user', id: userId, name: userName };
  if (kind === 'api_key')
    return { type: 'api_key', id: apiKeyId, name: '', onBehalfOf: { id: userId, name: userName } };
  return { type: 'service', id: service, name: service };
}
