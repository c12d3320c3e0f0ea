import type { EventAccess } from '@platform/events';

/** The gateway hears whatever changes who may do what, and publishes nothing. */
export const eventAccess: EventAccess = {
  service: 'gateway',
  publishes: false,
  follows: [
    'platform.v1.identity.api_key.*',
    'platform.v1.identity.member.*',
    'platform.v1.identity.organisation.deleted',
  ],
  reactions: {},
};
