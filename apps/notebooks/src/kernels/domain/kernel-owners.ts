/** To which organisation kernels belong that share something among each other: the same one for all replicas. */
export interface KernelOwners {
  readonly find: (shared: string) => Promise<string | undefined>;
  /** Answers whose they are: the first that has claimed them, for as long as there is that organisation. */
  readonly claim: (shared: string, organisationId: string) => Promise<string>;
}
