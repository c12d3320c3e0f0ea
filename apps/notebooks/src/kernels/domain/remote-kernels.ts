/** Kernels that the service has begun on servers elsewhere, each from when it is known by its id there until it is removed there. */
export interface RemoteKernels {
  readonly add: (server: string, id: string, organisationId: string | null, leaseMs: number) => Promise<void>;
  /** Their replica lives. */
  readonly renew: (server: string, ids: readonly string[], leaseMs: number) => Promise<void>;
  /** Whose lease has run out, by the clock by which they are written: nobody knows of them but that server. */
  readonly left: (server: string, limit: number) => Promise<readonly string[]>;
  readonly remove: (server: string, id: string) => Promise<void>;
}
