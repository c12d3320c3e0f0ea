/** Whose requests are counted: an API key, or the people of a client group together. */
export interface QuotaHolder {
  readonly organisationId: string;
  /** Undefined: the organisation's default group. */
  readonly clientGroupId: string | undefined;
  readonly apiKeyId: string | undefined;
}

/** Requests that may be let through without asking again. */
export interface Lease {
  readonly leaseId: string;
  readonly granted: number;
  readonly expiresAt: Date;
  readonly state: 'OPEN' | 'WARNING' | 'OUT_OF_CREDITS' | 'OUT_OF_REQUESTS';
  /** Public text about the limit that is near or reached; empty while there is none. */
  readonly message: string;
  readonly requestLimit: string | null;
  /** When the limits begin anew. */
  readonly resetsAt: Date | null;
  /** Credits of which a hard limit is reached. */
  readonly exhausted: readonly ('AI' | 'INFRASTRUCTURE')[];
}

export interface LeaseRequest {
  readonly leaseId: string;
  /** Zero only gives back what is left of the last one. */
  readonly requested: number;
  readonly lastLeaseId: string | null;
  readonly usedOfLastLease: number;
}

/** Requests that were let through without a lease. Counted once, however often it is sent. */
export interface UnleasedRequests {
  readonly id: string;
  readonly requests: number;
  readonly occurredAt: Date;
}
