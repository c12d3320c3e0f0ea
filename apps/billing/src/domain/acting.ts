/** Who does something. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'service';
  /** The id of the user or the key, or the name of the service. */
  readonly id: string;
  /** As it was at the time; empty for a key, whose name billing does not know. */
  readonly name: string;
  /** The user a key acts for. */
  readonly onBehalfOf?: { readonly id: string; readonly name: string };
}

/** Who does something, for which organisation and on which request: what every change remembers. */
export interface Acting {
  readonly organisationId: string;
  readonly actor: Actor;
  readonly requestId: string;
}

/** Billing itself, where a schedule and not a request is the reason. */
export const billingItself = (organisationId: string, requestId: string): Acting => ({
  organisationId,
  actor: { type: 'service', id: 'billing', name: 'billing' },
  requestId,
});
