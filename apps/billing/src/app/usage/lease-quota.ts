import type { Acting } from '../../domain/acting.ts';
import { periodAt } from '../../domain/usage/client-policy.ts';
import type { QuotaLease } from '../../domain/usage/usage.ts';
import { findPolicy } from './find-policy.ts';
import type { UsageParts } from './usage-parts.ts';

export interface LeaseRequest {
  readonly leaseId: string;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly requested: number;
  readonly last: { readonly id: string; readonly used: number } | null;
}

/** Short, so that what an idle gateway holds is soon free for the others, and a changed policy soon known. */
const lifetimeMs = 10_000;

/** Hands out requests of a client group's policy. Repeating it is safe. */
export const leaseQuota = (parts: UsageParts) => {
  const { usage, clock } = parts;
  const policyOf = findPolicy(parts);
  return async (by: Acting, request: LeaseRequest): Promise<QuotaLease> => {
    const group = await policyOf(by, request.clientGroupId);
    const at = clock.now();
    const { leaseId: id, apiKeyId, requested, last } = request;
    const expiresAt = new Date(at.getTime() + lifetimeMs);
    return usage.lease(by, { id, group, period: periodAt(group, at), apiKeyId, requested, last, expiresAt }, at);
  };
};
