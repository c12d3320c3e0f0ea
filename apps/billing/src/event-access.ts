import type { EventAccess } from '@platform/events';

/** Every change of a client group, whose policy is kept for a while. */
export const policyChanges = 'platform.v1.identity.client_group.*';

export const eventAccess: EventAccess = {
  service: 'billing',
  publishes: true,
  follows: [policyChanges],
  reactions: {},
};
