import type { CallerAssertions } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { newId, type Clock } from '@platform/core';
import { createClient, tlsFrom } from '@platform/grpc';
import type { Database } from '@platform/postgres';
import { recentPolicies } from './app/usage/recent-policies.ts';
import type { UsageParts } from './app/usage/usage-parts.ts';
import { identityClientGroups, type ClientGroupsClient } from './clients/identity-client-groups.ts';
import type { Config } from './config.ts';
import { usageStore } from './store/usage-store.ts';

export interface UsageEnvironment {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly assertions: CallerAssertions;
}

/** Puts together what usage works with; `close` ends the connection to identity. */
export function composeUsage({ config, database, clock, assertions }: UsageEnvironment) {
  const identity = createClient<ClientGroupsClient>({
    contract: loadContract(),
    service: 'platform.identity.v1.ClientGroupService',
    address: config.IDENTITY_ADDRESS,
    assertions,
    tls: tlsFrom(config),
  });
  const parts: UsageParts = {
    usage: usageStore(database),
    clientGroups: identityClientGroups(identity),
    clock,
    newId,
  };
  const { recentPolicy, news } = recentPolicies(parts);
  return { parts: { ...parts, recentPolicy }, policyNews: news, close: () => identity.close() };
}
