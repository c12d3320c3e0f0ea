import type { PermissionLevel } from './permission-level.ts';

export interface NamedUser {
  readonly id: string;
  readonly name: string;
}

/** Who does something. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'service';
  /** The id of the user or the key, or the name of the service. */
  readonly id: string;
  /** How people are told of the actor. A caller has no key's name; whoever knows the key fills it in. */
  readonly name: string;
  /** The user, or the user a key acts for. */
  readonly userId: string | null;
  /** The user a key acts for, as people are told of them. */
  readonly onBehalfOf?: NamedUser;
  /** What the actor may do here and now; null for a service. A key never has OWNER. */
  readonly level: PermissionLevel | null;
}

/** Who does something, in which organisation and on which request: what every change remembers. */
export interface ActorContext {
  readonly organisationId: string;
  readonly actor: Actor;
  readonly requestId: string;
}

/** A service on its own authority, where a schedule, an event or a report of its own is the reason. */
export const serviceActorContext = (service: string, organisationId: string, requestId: string): ActorContext => ({
  organisationId,
  actor: { type: 'service', id: service, name: service, userId: null, level: null },
  requestId,
});
