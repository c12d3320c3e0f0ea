import { identityEvents } from '@platform-backend/contract-identity';
import type { EventAccess } from '@platform-backend/events';

/** The gateway hears whatever changes who may do what, and publishes nothing. */
export const eventAccess: EventAccess = {
  service: 'gateway',
  publishes: false,
  follows: [identityEvents('api_key.*'), identityEvents('member.*'), identityEvents('organisation.deleted')],
  reactions: {},
};
