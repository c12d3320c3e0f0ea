import type { PermissionLevel } from './members/permission-level.ts';

export interface NamedUser {
  readonly id: string;
  readonly name: string;
}

/** Who does something. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'service';
  /** The id of the user or the key, or the name of the service. */
  readonly id: string;
  /** How the audit log names the actor; the store fills in the name of a key. */
  readonly name: string;
  /** The user, or the user a key acts for. */
  readonly userId: string | null;
  /** The user a key acts for, as the audit log names them. */
  readonly onBehalfOf?: NamedUser;
  /** What the actor may do here and now; null for a service. A key never has OWNER. */
  readonly level: PermissionLevel | null;
}

/** Who does something, in which organisation and on which request: what every change remembers. */
export interface Acting {
  readonly organisationId: string;
  readonly actor: Actor;
  readonly requestId: string;
}
