import { loadServiceContract } from '@platform-backend/contract';
import { billingContract, type UsageServiceClient } from '@platform-backend/contract-billing';
import { createClient, type CallOptions, type ClientOptions, type Closable } from '@platform-backend/grpc';
import type { QuotaHolder } from './lease.ts';
import type { QuotaBookPorts } from './quota-book.ts';

type UsageClient = Pick<UsageServiceClient<CallOptions>, 'leaseQuota' | 'recordUsage'> & Closable;

export interface BillingQuotas extends Pick<QuotaBookPorts, 'lease' | 'report'> {
  readonly close: () => void;
}

/** Shorter than a client waits gladly: without an answer the request is let through. */
const timeoutMs = 2_500;

/** Leases of the billing service, asked for in the gateway's own name. */
export function billingQuotas(options: Omit<ClientOptions, 'contract' | 'service' | 'timeoutMs'>): BillingQuotas {
  const service = 'platform.billing.v1.UsageService';
  const contract = loadServiceContract(billingContract, service);
  const client = createClient<UsageClient>({ ...options, contract, service, timeoutMs });
  const onBehalfOf = ({ organisationId }: QuotaHolder): CallOptions => ({
    caller: { organisationId },
  });
  return {
    async lease(holder, wish) {
      const lease = await client.leaseQuota({ ...wish, ...countedFor(holder) }, onBehalfOf(holder));
      return { ...lease, state: lease.state ?? 'OPEN', expiresAt: lease.expiresAt ?? new Date(0) };
    },
    async report(holder, { id, requests, occurredAt }) {
      const record = { id, requests: String(requests), occurredAt, ...countedFor(holder) };
      await client.recordUsage({ records: [record] }, onBehalfOf(holder));
    },
    close: () => client.close(),
  };
}

const countedFor = ({ clientGroupId, apiKeyId }: QuotaHolder) => ({
  clientGroupId: clientGroupId ?? null,
  apiKeyId: apiKeyId ?? null,
});
