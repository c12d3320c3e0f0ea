import { identityEvents } from '@platform-backend/contract-identity';
import type { EventAccess } from '@platform-backend/events';

/** What each gateway has let through, for the limits that all keep together. */
export const COUNTS = 'counts';

/** The gateway hears whatever changes who may do what, and publishes no events. */
export const eventAccess: EventAccess = {
  service: 'gateway',
  publishes: false,
  follows: [identityEvents('api_key.*'), identityEvents('member.*'), identityEvents('organisation.deleted')],
  reactions: {},
  broadcasts: [COUNTS],
};
