import type { CallerAssertions } from '@platform/auth';
import type { UsageServiceClient } from '@platform/contract/billing';
import { createClient, type CallOptions, type Closable, type GrpcContract, type TlsFiles } from '@platform/grpc';
import { GATEWAY } from '@platform/grpc';
import type { QuotaBookParts } from './quota-book.ts';

type UsageClient = Pick<UsageServiceClient<CallOptions>, 'leaseQuota'> & Closable;

export interface BillingQuotasOptions {
  readonly contract: GrpcContract;
  readonly address: string;
  readonly assertions: CallerAssertions;
  readonly tls: TlsFiles | undefined;
}

/** Shorter than a client waits gladly: without an answer the request is let through. */
const timeoutMs = 2_500;

/** Leases of the billing service, asked for in the gateway's own name. */
export function billingQuotas(options: BillingQuotasOptions): { lease: QuotaBookParts['lease']; close: () => void } {
  const client = createClient<UsageClient>({ ...options, service: 'platform.billing.v1.UsageService', timeoutMs });
  return {
    async lease({ organisationId, apiKeyId }, wish) {
      const caller = { kind: 'service' as const, service: GATEWAY, organisationId, scopes: [] };
      const lease = await client.leaseQuota({ ...wish, apiKeyId }, { caller });
      return { ...lease, state: lease.state ?? 'OPEN', expiresAt: lease.expiresAt ?? new Date(0) };
    },
    close: () => client.close(),
  };
}
