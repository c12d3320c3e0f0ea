import { serviceActorContext, unauthenticated, type ActorContext } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import type { Person } from '../app/person.ts';

/** A service acting on its own authority, for which the organisation is part of what it reports. */
export const reporterOf = ({ caller, requestId }: CallContext, organisationId: string): ActorContext =>
  serviceActorContext(caller.service, organisationId, requestId);

/** The signed-in person, member of an organisation or not. */
export function personOf({ caller, requestId }: CallContext): Person {
  const { userId, userName = '', userEmail = '', emailVerified = false } = caller;
  if (userId === undefined) throw unauthenticated();
  return { id: userId, name: userName, email: userEmail, emailVerified, requestId };
}
