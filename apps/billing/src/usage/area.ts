import type { ClientGroupServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { usageHandlers } from './api/usage-handlers.ts';
import { policyKnowledge as knowledgeOf } from './app/client-policies.ts';
import { reportUsage } from './app/report-usage.ts';
import { usageUseCases } from './app/usage.ts';
import { identityClientGroups } from './clients/identity-client-groups.ts';
import { onClientGroupChanged } from './reactions/on-client-group-changed.ts';
import { clientPoliciesStore, savePolicy } from './store/client-policies-store.ts';
import { usageStore } from './store/usage-store.ts';

/** Usage: requests and spent credits by day, and the quotas that client groups have of them. */
export const usageArea = ({ settings, storage, clock, logger, client, eventsFlow }: BillingContext) => {
  const { database } = storage;
  const usage = usageStore(database);
  const identity = identityClientGroups(
    client<ClientGroupServiceClient<CallOptions>>('platform.identity.v1.ClientGroupService'),
  );
  const policies = clientPoliciesStore(database);
  const policyKnowledge = knowledgeOf({ policies, policyDirectory: identity, eventsFlow, clock });
  const ports = { usage, policyKnowledge, usageDirectory: identity, clock };
  const useCases = usageUseCases(ports);
  const everyMs = settings.BILLING_SWEEP_SECONDS * 1000;
  return {
    handlers: { UsageService: usageHandlers(useCases) },
    reactions: { 'billing-on-client-group-changed': onClientGroupChanged(savePolicy) },
    jobs: [
      { name: 'the report of usage', everyMs, run: () => reportUsage(ports, logger) },
      { name: 'the forgetting of old hours of usage', everyMs: 600_000, run: () => useCases.forgetOldHours() },
    ],
    exports: { groupPolicies: policyKnowledge },
  } satisfies Area<typeof service.declaration>;
};
