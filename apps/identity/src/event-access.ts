import type { EventAccess } from '@platform/events';

export const eventAccess: EventAccess = { service: 'identity', publishes: true, follows: [], reactions: {} };
