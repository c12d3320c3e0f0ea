import { identityEvents } from '@platform/contract-identity';
import type { EventAccess } from '@platform/events';

/** The gateway hears whatever changes who may do what, and publishes nothing. */
export const eventAccess: EventAccess = {
  service: 'gateway',
  publishes: false,
  follows: [identityEvents('api_key.*'), identityEvents('member.*'), identityEvents('organisation.deleted')],
  reactions: {},
};
